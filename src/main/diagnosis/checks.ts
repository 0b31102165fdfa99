import { randomUUID } from 'node:crypto';
import { existsSync, type StatsFs, statSync } from 'node:fs';
import { rm, statfs, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makeFolder } from '#main/lib/files.ts';
import { codeOf } from '#main/lib/node-error.ts';
import { fine, type Outcome, skipped, trouble, warning } from '#shared/diagnosis/finding.ts';
import type { Check } from '#shared/diagnosis/run-checks.ts';
import type { DiagnosisParts, Socket } from './parts.ts';
import { serviceChecks } from './service-checks.ts';

/** Making a session may take its time, and its deletion is tried again. */
const ROOM_MS = 25_000;

const SOCKET_MS = 12_000;

const sockets: readonly Socket[] = ['s2s', 'stt', 'tts'];

const LIMIT_MS = 5000;

const MEGABYTE = 1024 * 1024;

/** A long conversation with its log needs a fraction of this; below it, systems begin to misbehave. */
const LEAST_FREE_MB = 200;

/** Reading a larger history through would hold up the program, bytes. */
const READ_AT_MOST = 64 * MEGABYTE;

/** As `HISTORY_FILE` of `history/open-file.ts`. */
const HISTORY = 'history.sqlite';

const SOUND_MS = 5000;

/** Everything Node can find out, in the order it is shown; for the command line and the app alike. */
export function mainChecksOf(parts: DiagnosisParts): readonly Check[] {
	return [
		...machineChecks(parts),
		...serviceChecks(parts),
		...roomChecks(parts),
		{
			name: 'sound',
			limitMs: SOUND_MS,
			run: async (signal) => (parts.sound ? parts.sound(signal) : fine('soundNone')),
		},
	];
}

/** This computer: nothing here asks the network. */
export function machineChecks(parts: DiagnosisParts): readonly Check[] {
	const { folder, ledger } = parts;
	const check = (name: Check['name'], run: () => Outcome | Promise<Outcome>): Check => ({
		name,
		limitMs: LIMIT_MS,
		run: async () => run(),
	});
	return [
		check('versions', () => fine('versions', parts.versions())),
		check('settings', () => {
			const problem = parts.settingsProblem();
			return problem ? trouble(problem, 'warning') : fine('settingsFine');
		}),
		check('folder', () => writable(folder)),
		check('disk', () => freeSpace(folder)),
		check('ledger', async () => {
			const read = await ledger.read();
			if (!read.ok) return trouble(read.error);
			if (ledger.brokenFile() !== null) return warning('ledgerBroken');
			const left = read.value.filter(({ owner, state }) => state !== 'handed-over' && !ledger.isInUse(owner));
			return left.length > 0
				? warning('ledgerLeft', { number: left.length })
				: fine('ledgerFine', { number: read.value.length });
		}),
		check('history', () => lookAtHistory(join(folder, HISTORY))),
	];
}

async function writable(folder: string): Promise<Outcome> {
	const file = join(folder, `.doctor-${randomUUID()}`);
	try {
		await makeFolder(folder, { mode: 0o700 });
		await writeFile(file, 'x', { flag: 'wx', mode: 0o600 });
		return fine('folderWritable');
	} catch (failure) {
		return trouble({ kind: 'storage-failed', what: `folder: ${codeOf(failure, 'refused')}` });
	} finally {
		await rm(file, { force: true }).catch(() => {});
	}
}

async function freeSpace(folder: string): Promise<Outcome> {
	try {
		const { bavail, bsize } = await statfsAt(folder);
		const megabytes = Math.floor((bavail * bsize) / MEGABYTE);
		return megabytes < LEAST_FREE_MB ? warning('diskLow', { megabytes }) : fine('diskFree', { megabytes });
	} catch (failure) {
		return trouble({ kind: 'storage-failed', what: `disk: ${codeOf(failure, 'refused')}` }, 'warning');
	}
}

/**
 * At the first start the folder may not be there yet (`writable` makes it at the same time); then its parent tells
 * which disk it is on.
 */
async function statfsAt(folder: string): Promise<StatsFs> {
	try {
		return await statfs(folder);
	} catch (failure) {
		const above = dirname(folder);
		if (codeOf(failure) !== 'ENOENT' || above === folder) throw failure;
		return statfsAt(above);
	}
}

/** Read only: the history itself sets a broken file aside when it opens it. */
function lookAtHistory(path: string): Outcome {
	if (!existsSync(path)) return fine('historyNone');
	try {
		const database = new DatabaseSync(path, { readOnly: true, timeout: 200 });
		try {
			const conversations = database.prepare('SELECT count(*) AS n FROM conversation').get()?.['n'];
			const whole = statSync(path).size > READ_AT_MOST || isWhole(database);
			return whole ? fine('historyFine', { number: Number(conversations ?? 0) }) : warning('historyDamaged');
		} finally {
			database.close();
		}
	} catch (failure) {
		const code =
			typeof failure === 'object' && failure !== null && 'errcode' in failure ? failure.errcode : 0;
		// Busy or locked (sqlite.org/rescode.html): another program is using it.
		if (code === 5 || code === 6) return skipped('historyLater');
		return warning('historyDamaged');
	}
}

function isWhole(database: DatabaseSync): boolean {
	return database.prepare('PRAGMA quick_check(1)').get()?.['quick_check'] === 'ok';
}

/** A session with its room, and the sockets. One after the other: a plan may allow one at a time. */
export function roomChecks(parts: DiagnosisParts): readonly Check[] {
	return [
		{ name: 'room', needs: ['account'], limitMs: ROOM_MS, run: (signal) => lookAtRoom(parts, signal) },
		...sockets.map(
			(product, at): Check => ({
				name: product,
				needs: ['key'],
				after: [sockets[at - 1] ?? 'room'],
				limitMs: SOCKET_MS,
				run: (signal) => lookAtSocket(parts, product, signal),
			}),
		),
	];
}

async function lookAtRoom({ room, busy, clock }: DiagnosisParts, signal: AbortSignal): Promise<Outcome> {
	if (busy()) return skipped('roomBusy');
	const started = clock.now();
	const opened = await room.open(signal);
	if (!opened.ok) return trouble(opened.error);
	const reached = signal.aborted ? null : await opened.value.signal(signal);
	const ms = Math.round(clock.now() - started);
	// In any case: whatever was found, and even if nobody listens any more.
	const closed = await opened.value.close();
	if (reached === null) return skipped('cancelled');
	if (!reached.ok) return trouble(reached.error);
	return closed.ok ? fine('roomFine', { ms }) : warning('roomLeft');
}

async function lookAtSocket(parts: DiagnosisParts, product: Socket, signal: AbortSignal): Promise<Outcome> {
	if (product === 's2s' && parts.busy()) return skipped('roomBusy');
	const started = parts.clock.now();
	const dialled = await parts.dialSocket(product, signal);
	if (dialled.ok) {
		return fine('socketFine', { host: dialled.value.host, ms: Math.round(parts.clock.now() - started) });
	}
	return dialled.error.kind === 'socket-off' ? skipped('socketOff') : trouble(dialled.error);
}
