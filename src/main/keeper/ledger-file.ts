import { randomBytes, randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import type { Ledger, LedgerEntry } from './ledger.ts';
import { formatLedger, type LedgerContent, parseLedger } from './ledger-format.ts';
import { isLocked, type OsLock, removeLockFile, takeLock } from './os-lock.ts';

/** A change takes milliseconds; somebody who holds the lock this long is stuck. */
const LOCK_MS = 5_000;
const LOCK_RETRY_MS = 20;

export interface LedgerFileParts {
	/** The user-data folder; made when missing. */
	readonly folder: string;
	readonly clock: Clock;
	readonly log: Logger;
}

/** The ledger as `ledger.json`, with `ledger.lock` for changes and `ledger.owners/` for who is alive. */
export function createLedgerFile({ folder, clock, log }: LedgerFileParts): Ledger {
	const file = join(folder, 'ledger.json');
	const owner = randomUUID();
	const ownerFile = (name: string) => join(folder, 'ledger.owners', name);
	let ownerLock: OsLock | null = null;
	let closed = false;
	let brokenAs: string | null = null;
	let salt: string | null = null;
	let queue: Promise<unknown> = Promise.resolve();

	async function takeTurn(): Promise<OsLock | null> {
		const giveUpAt = clock.now() + LOCK_MS;
		for (;;) {
			const lock = takeLock(join(folder, 'ledger.lock'));
			if (lock || clock.now() >= giveUpAt) return lock;
			await new Promise<void>((done) => void clock.after(LOCK_RETRY_MS, done));
		}
	}

	/**
	 * Held for life, and before any entry can name us: others see by it that we live. Only with the lock held, so
	 * that nobody takes a file that is about to be locked for one whose program is dead.
	 */
	async function signIn(): Promise<void> {
		ownerLock = takeLock(ownerFile(owner));
		for (const name of await readdir(dirname(ownerFile(owner)))) isInUse(name);
	}

	/** Removes the traces of those that are not. */
	function isInUse(name: string): boolean {
		if (name === owner) return true;
		if (!/^[\w-]{1,64}$/.test(name)) return false;
		if (isLocked(ownerFile(name))) return true;
		removeLockFile(ownerFile(name));
		return false;
	}

	/** Sets a ledger that cannot be read aside; what is right in it goes on. */
	async function load(): Promise<LedgerContent | 'newer'> {
		const text = await readFile(file, 'utf8').catch(ignoreMissing);
		if (text === null) return { salt: randomBytes(16).toString('hex'), entries: [] };
		const reading = parseLedger(text);
		if (reading.type === 'newer') return 'newer';
		if (reading.type === 'fine') return reading.content;
		brokenAs = `${file}.broken-${clock.wall()}`;
		await rename(file, brokenAs);
		const kept = reading.content ?? { salt: randomBytes(16).toString('hex'), entries: [] };
		log.error('ledger unreadable, kept aside', { keptAs: brokenAs, saved: kept.entries.length });
		await writeSafely(file, formatLedger(kept));
		return kept;
	}

	async function alone<Value>(
		work: (content: LedgerContent) => Promise<Value>,
	): Promise<Result<Value, Problem>> {
		let lock: OsLock | null = null;
		try {
			await mkdir(folder, { recursive: true, mode: 0o700 });
			lock = await takeTurn();
			if (!lock) return err({ kind: 'storage-failed', what: 'ledger: locked' });
			if (!ownerLock && !closed) await signIn();
			const content = await load();
			if (content === 'newer') return err({ kind: 'storage-failed', what: 'ledger: newer version' });
			salt = content.salt;
			return ok(await work(content));
		} catch (thrown) {
			log.error('ledger failed', { cause: String(thrown) });
			return err({ kind: 'storage-failed', what: `ledger: ${codeOf(thrown)}` });
		} finally {
			lock?.release();
		}
	}

	function inTurn<Value>(work: (content: LedgerContent) => Promise<Value>): Promise<Result<Value, Problem>> {
		const turn = queue.then(() => alone(work));
		queue = turn;
		return turn;
	}

	async function edited(
		content: LedgerContent,
		edit: (entries: readonly LedgerEntry[]) => readonly LedgerEntry[],
	): Promise<readonly LedgerEntry[]> {
		const entries = edit(content.entries);
		await writeSafely(file, formatLedger({ salt: content.salt, entries }));
		return entries;
	}

	return {
		owner,
		async salt() {
			if (salt !== null) return ok(salt);
			// Written at once: another process must not draw a salt of its own.
			const written = await inTurn((content) =>
				edited(content, (entries) => entries).then(() => content.salt),
			);
			return written;
		},
		read: () => inTurn(async (content) => content.entries),
		change: (edit) => inTurn((content) => edited(content, edit)),
		isInUse,
		brokenFile: () => brokenAs,
		close() {
			closed = true;
			ownerLock?.release();
			ownerLock = null;
			removeLockFile(ownerFile(owner));
		},
	};
}

/** The old file or the new one, whole, whenever the power goes. Call with the lock held: one temporary name. */
async function writeSafely(file: string, text: string): Promise<void> {
	const temporary = `${file}.tmp`;
	try {
		const handle = await open(temporary, 'w', 0o600);
		await withHandle(handle, async () => {
			await handle.writeFile(text);
			await handle.sync();
		});
		await rename(temporary, file);
	} catch (failure) {
		// On a full disk half of it would hold the room that the next try needs.
		await rm(temporary, { force: true });
		throw failure;
	}
	if (process.platform === 'win32') return;
	const folder = await open(dirname(file), 'r');
	await withHandle(folder, () => folder.sync());
}

async function withHandle(handle: FileHandle, work: () => Promise<void>): Promise<void> {
	try {
		await work();
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
