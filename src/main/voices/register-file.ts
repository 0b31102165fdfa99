import { randomBytes, randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import type { Register, VoiceEdit } from './register.ts';
import { formatRegister, parseRegister, type RegisterContent } from './register-format.ts';

/** A change takes milliseconds; somebody who holds the lock this long is stuck. */
const LOCK_MS = 5_000;
const LOCK_RETRY_MS = 20;

/** Locks that end with the process that holds them, however it went. */
export interface Locks {
	/** Null while somebody else has it. */
	take(file: string): { release(): void } | null;
	isHeld(file: string): boolean;
	remove(file: string): void;
}

/** What the register asks of the disk; a test may let it die at any call. */
export interface RegisterDisk {
	readonly mkdir: typeof mkdir;
	readonly open: typeof open;
	readonly readFile: typeof readFile;
	readonly rename: typeof rename;
}

export interface RegisterFileParts {
	/** The user-data folder; made when missing. */
	readonly folder: string;
	readonly locks: Locks;
	readonly clock: Clock;
	readonly log: Logger;
	readonly disk?: RegisterDisk;
}

/** The register as `voices.json`, with `voices.lock` for changes and `voices.owners/` for who is alive. */
export function createRegisterFile(parts: RegisterFileParts): Register {
	const { folder, locks, clock, log, disk = { mkdir, open, readFile, rename } } = parts;
	const file = join(folder, 'voices.json');
	const owner = randomUUID();
	const ownerFile = (name: string) => join(folder, 'voices.owners', name);
	let ownerLock: { release(): void } | null = null;
	let brokenAs: string | null = null;
	let salt: string | null = null;
	let queue: Promise<unknown> = Promise.resolve();

	const fresh = (): RegisterContent => ({ salt: randomBytes(16).toString('hex'), voices: [] });

	async function takeTurn(): Promise<{ release(): void } | null> {
		const giveUpAt = clock.now() + LOCK_MS;
		for (;;) {
			const lock = locks.take(join(folder, 'voices.lock'));
			if (lock || clock.now() >= giveUpAt) return lock;
			await new Promise<void>((done) => void clock.after(LOCK_RETRY_MS, done));
		}
	}

	/** Sets a register that cannot be read aside; what is right in it goes on. */
	async function load(): Promise<RegisterContent | 'newer'> {
		const text = await disk.readFile(file, 'utf8').catch(ignoreMissing);
		// Its salt counts when it is written, and not before: the next to look would draw another.
		if (text === null) return fresh();
		const reading = parseRegister(text);
		if (reading.type === 'newer') return 'newer';
		if (reading.type === 'fine') {
			salt = reading.content.salt;
			return reading.content;
		}
		const keptAs = `${file}.broken-${clock.wall()}`;
		await disk.rename(file, keptAs);
		brokenAs = keptAs;
		const kept = reading.content ?? fresh();
		log.error('register of voices unreadable, kept aside', { saved: kept.voices.length });
		await writeSafely(kept);
		return kept;
	}

	/** The old file or the new one, whole, whenever the power goes. Call with the lock held: one temporary name. */
	async function writeSafely(content: RegisterContent): Promise<void> {
		const temporary = `${file}.tmp`;
		await withHandle(await disk.open(temporary, 'w', 0o600), async (handle) => {
			await handle.writeFile(formatRegister(content));
			await handle.sync();
		});
		await disk.rename(temporary, file);
		salt = content.salt;
		if (process.platform === 'win32') return;
		await withHandle(await disk.open(folder, 'r'), (handle) => handle.sync());
	}

	async function alone<Value>(
		work: (content: RegisterContent) => Promise<Value>,
	): Promise<Result<Value, Problem>> {
		let lock: { release(): void } | null = null;
		try {
			await disk.mkdir(folder, { recursive: true, mode: 0o700 });
			// Held for life, and before any entry can name us: others see by it that we live.
			ownerLock ??= locks.take(ownerFile(owner));
			lock = await takeTurn();
			if (!lock) return err({ kind: 'storage-failed', what: 'voices: locked' });
			const content = await load();
			if (content === 'newer') return err({ kind: 'storage-failed', what: 'voices: newer version' });
			return ok(await work(content));
		} catch (thrown) {
			log.error('register of voices failed', { cause: codeOf(thrown) });
			return err({ kind: 'storage-failed', what: `voices: ${codeOf(thrown)}` });
		} finally {
			lock?.release();
		}
	}

	function inTurn<Value>(
		work: (content: RegisterContent) => Promise<Value>,
	): Promise<Result<Value, Problem>> {
		const turn = queue.then(() => alone(work));
		queue = turn;
		return turn;
	}

	async function edited(content: RegisterContent, edit: VoiceEdit) {
		const voices = edit(content.voices);
		await writeSafely({ salt: content.salt, voices });
		return voices;
	}

	return {
		owner,
		async salt() {
			if (salt !== null) return ok(salt);
			// Written at once: another process must not draw a salt of its own.
			return inTurn((content) => edited(content, (voices) => voices).then(() => content.salt));
		},
		read: () => inTurn(async (content) => content.voices),
		change: (edit) => inTurn((content) => edited(content, edit)),
		isInUse(name) {
			if (name === owner) return true;
			if (!/^[\w-]{1,64}$/.test(name)) return false;
			if (locks.isHeld(ownerFile(name))) return true;
			locks.remove(ownerFile(name));
			return false;
		},
		brokenFile: () => brokenAs,
		close() {
			ownerLock?.release();
			ownerLock = null;
			locks.remove(ownerFile(owner));
		},
	};
}

async function withHandle(handle: FileHandle, work: (handle: FileHandle) => Promise<void>): Promise<void> {
	try {
		await work(handle);
	} finally {
		await handle.close();
	}
}

function ignoreMissing(thrown: unknown): null {
	if (codeOf(thrown) === 'ENOENT') return null;
	throw thrown;
}

function codeOf(thrown: unknown): string {
	return typeof thrown === 'object' && thrown !== null && 'code' in thrown ? String(thrown.code) : 'failed';
}
