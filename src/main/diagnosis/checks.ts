import { randomUUID } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { connect, type TLSSocket } from 'node:tls';
import { codeOf, freeBytesAt, makeFolder } from '#main/lib/files.ts';
import { type Check, fine, type Outcome, skipped, trouble, warning } from '#shared/diagnosis/checks.ts';
import type { Clock } from '#shared/lib/clock.ts';
import type { Result } from '#shared/lib/result.ts';
import { type Problem, problemOfNetwork } from '#shared/problem.ts';

/** Creating a session may be slow, and its deletion is retried. */
const ROOM_MS = 25_000;

const SOCKET_MS = 12_000;

const sockets: readonly Socket[] = ['s2s', 'stt', 'tts'];

const LIMIT_MS = 5000;

const MEGABYTE = 1024 * 1024;

/** A long conversation with its log needs a fraction of this; with less, systems begin to misbehave. */
const LEAST_FREE_MB = 200;

/** A larger history is not read as a whole, because that would block the program, bytes. */
const READ_AT_MOST = 64 * MEGABYTE;

/** As `HISTORY_FILE` of `history/history-database.ts`. */
const HISTORY = 'history.sqlite';

const SOUND_MS = 5000;

/** All checks that Node can run, in the order shown, for both the command line and the app. */
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

/** Checks of this computer, which use no network. */
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
		const megabytes = Math.floor((await freeBytesAt(folder)) / MEGABYTE);
		return megabytes < LEAST_FREE_MB ? warning('diskLow', { megabytes }) : fine('diskFree', { megabytes });
	} catch (failure) {
		return trouble({ kind: 'storage-failed', what: `disk: ${codeOf(failure, 'refused')}` }, 'warning');
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

/** Checks a session with its room, and the sockets, one after the other: a plan may allow only one at a time. */
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
	// Close the room in any case, even after a failure or a cancellation.
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

const SERVICE_MS = 10_000;
/** Certificates and tokens are judged by the clock; a skew of a minute is tolerated everywhere. */
const MOST_SKEW_MS = 60_000;
const SOON_DAYS = 7;
const DAY_MS = 86_400_000;
/** Problems which mean that the service was not reached at all. */
const AWAY: ReadonlySet<Problem['kind']> = new Set([
	'service-unreachable',
	'timed-out',
	'proxy-refused',
	'proxy-login',
	'not-the-service',
]);

/** The service's REST interface, the route to it, and the key. */
export function serviceChecks(parts: DiagnosisParts): readonly Check[] {
	/** Measured by the check `service`, judged by the check `clock`. */
	let skewMs: number | null = null;
	let isAway = false;
	return [
		{
			name: 'proxy',
			limitMs: SERVICE_MS,
			async run() {
				const proxy = await parts.proxyOf(parts.base());
				if (proxy === 'unusable') return warning('proxyUnusable');
				return proxy === '' ? fine('proxyNone') : fine('proxyUsed', { proxy });
			},
		},
		{
			name: 'service',
			limitMs: SERVICE_MS,
			async run(signal) {
				const answer = await parts.probe(signal);
				isAway = !answer.ok && AWAY.has(answer.error.kind);
				if (!answer.ok) return trouble(answer.error);
				skewMs = answer.value.skewMs;
				return fine('serviceAnswers', { host: hostOf(parts.base()), ms: answer.value.ms });
			},
		},
		{ name: 'clock', needs: ['service'], limitMs: SERVICE_MS, run: async () => judgeClock(skewMs) },
		{
			name: 'certificate',
			after: ['proxy', 'service'],
			limitMs: SERVICE_MS,
			async run(signal) {
				const url = URL.parse(parts.base());
				if (url?.protocol !== 'https:') return skipped('certificateOpen');
				if ((await parts.proxyOf(parts.base())) !== '') return skipped('certificateBehindProxy');
				// This check would fail for the same reason. A service refused for its certificate does not count as unreachable.
				if (isAway) return skipped('waitsFor', { check: 'service' });
				return lookAtCertificate(url, parts.clock.wall(), signal);
			},
		},
		{
			name: 'key',
			limitMs: SERVICE_MS,
			async run() {
				const key = parts.key();
				return key.ok ? fine('keyHere', key.value) : trouble(key.error);
			},
		},
		{
			name: 'account',
			needs: ['service', 'key'],
			limitMs: 20_000,
			async run(signal) {
				const started = parts.clock.now();
				const checked = await parts.checkKey(signal);
				if (!checked.ok) return trouble(checked.error);
				return fine('keyAccepted', { ms: Math.round(parts.clock.now() - started) });
			},
		},
	];
}

function judgeClock(skewMs: number | null): Outcome {
	if (skewMs === null) return skipped('clockUnknown');
	const seconds = Math.round(Math.abs(skewMs) / 1000);
	if (Math.abs(skewMs) <= MOST_SKEW_MS) return fine('clockRight', { seconds });
	return warning('clockWrong', { minutes: Math.round(seconds / 60) });
}

/** Completes the TLS handshake and sends nothing; an untrusted certificate ends the handshake. */
function lookAtCertificate(url: URL, now: number, signal: AbortSignal): Promise<Outcome> {
	return new Promise((done) => {
		const host = url.hostname.replace(/^\[|\]$/g, '');
		const socket = connect({
			host,
			port: url.port === '' ? 443 : Number(url.port),
			servername: host,
			rejectUnauthorized: true,
		});
		const end = (outcome: Outcome): void => {
			socket.destroy();
			done(outcome);
		};
		signal.addEventListener('abort', () => end(skipped('cancelled')), { once: true });
		socket.on('error', (failure: NodeJS.ErrnoException) =>
			end(trouble(problemOfNetwork(failure.code ?? 'connection failed', url.href))),
		);
		socket.once('secureConnect', () => end(judgeCertificate(socket, now)));
	});
}

function judgeCertificate(socket: TLSSocket, now: number): Outcome {
	const certificate = socket.getPeerX509Certificate();
	const issuer = /(?:^|\n)O=([^\n]+)/.exec(certificate?.issuer ?? '')?.[1] ?? '?';
	const days = Math.floor(((certificate?.validToDate.getTime() ?? now) - now) / DAY_MS);
	return days < SOON_DAYS
		? warning('certificateSoon', { issuer: issuer.slice(0, 100), days })
		: fine('certificateFine', { issuer: issuer.slice(0, 100), days });
}

function hostOf(address: string): string {
	return URL.parse(address.replaceAll(/[{}]/g, ''))?.host ?? '';
}

/** The dependencies of the checks; `main/doctor.ts` creates them. */
export interface DiagnosisParts {
	readonly clock: Clock;
	/** Versions, by the names used in the texts: `app`, `shell`, `node`, `system`. */
	readonly versions: () => Readonly<Record<'app' | 'shell' | 'node' | 'system', string>>;
	/** Folder of the settings, ledger and history. */
	readonly folder: string;
	/** The problem with the settings' file; null = none. */
	readonly settingsProblem: () => Problem | null;
	readonly ledger: LedgerHealth;
	/** The current REST base. */
	readonly base: () => string;
	/** Checks, without a key, whether anything answers. */
	readonly probe: (signal: AbortSignal) => Promise<Result<{ ms: number; skewMs: number | null }, Problem>>;
	/** Host and scheme of the proxy for an address; empty = direct; `unusable` = one that cannot be used. */
	readonly proxyOf: (address: string) => Promise<string>;
	/** The origin of the key, and the host it is sent to. */
	readonly key: () => Result<{ readonly source: string; readonly host: string }, Problem>;
	/** A request that costs nothing, with the key. */
	readonly checkKey: (signal: AbortSignal) => Promise<Result<void, Problem>>;
	/** True while a conversation runs: a second session or socket might be one too many for the plan. */
	readonly busy: () => boolean;
	readonly room: RoomDoor;
	/** Opens the socket with the key and closes it at once, sending nothing; gives the host it reached. */
	readonly dialSocket: (product: Socket, signal: AbortSignal) => Promise<Result<{ host: string }, Problem>>;
	/** Checks the sound server; null if the system has none that can be asked. */
	readonly sound: ((signal: AbortSignal) => Promise<Outcome>) | null;
}

type Socket = 's2s' | 'stt' | 'tts';

export interface LedgerHealth {
	read(): Promise<Result<readonly { readonly owner: string; readonly state: string }[], Problem>>;
	isInUse(owner: string): boolean;
	brokenFile(): string | null;
}

/** Opens the sessions of one diagnosis. */
interface RoomDoor {
	/**
	 * Opens a session. It is in the ledger before it is created, so that not even a crash leaves it behind. An abort
	 * of `signal` does not interrupt its creation.
	 */
	open(signal: AbortSignal): Promise<Result<OpenedRoom, Problem>>;
}

export interface OpenedRoom {
	/** Connects to the room's signalling with the room's own token and closes at once. */
	signal(signal: AbortSignal): Promise<Result<void, Problem>>;
	/** Deletes the session. If that fails, the ledger keeps it for the next clean-up. */
	close(): Promise<Result<void, Problem>>;
}
