import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, utimes } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'vite';
import { createSessionClient, type SessionAccount } from '#main/service/session-client.ts';
import { createSystemClock } from '#main/system-clock.ts';
import { type Sandbox, startSandbox } from '#sandbox/sandbox.ts';
import type { HistoryCaption } from '#shared/host/history.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { type Program, startProgram } from './program.ts';

/** When a program is killed: at one of its steps, at a moment of one of its calls, or some time after it began. */
export interface Kill {
	readonly by: 'step' | 'moment' | 'time';
	/** Counted from 1; for `time`, ms. */
	readonly at: number;
}

/** What a program said before it was gone. */
type Said =
	| { readonly type: 'begun' }
	| { readonly type: 'ended'; readonly steps: number }
	| { readonly type: 'set'; readonly warmIdleS: number }
	| Spoken;

interface Spoken {
	readonly type: 'handed' | 'kept';
	readonly id: string;
	/** One batch. */
	readonly captions: readonly HistoryCaption[];
}

interface Life {
	/** Null: it was killed. */
	readonly steps: number | null;
	readonly moments: number;
	readonly lastedMs: number;
	readonly said: readonly Said[];
	/** Sessions in its ledger when it was gone. */
	readonly known: readonly string[];
}

export interface Outcome {
	/** Empty: all that was promised held. */
	readonly failures: readonly string[];
	/** Programs that were killed before their end; the others came to it. */
	readonly killed: number;
	/** Counts of the last program that came to its end; null if none did. */
	readonly whole: Pick<Life, 'steps' | 'moments' | 'lastedMs'> | null;
	/** Sessions in the ledger that the next start deleted. */
	readonly cleared: number;
	/** Sessions whose answer was lost because the program died: shown as probably ours. */
	readonly unanswered: number;
	/** Finals that were acknowledged; all of them are there, or it is a failure. */
	readonly finals: number;
	/** The most batches of captions of one program that were handed over and neither acknowledged nor found. */
	readonly lost: number;
}

/** One program after the other on the same folder and the same service, each killed; then one that lives. */
export interface Bench {
	run(kills: readonly Kill[]): Promise<Outcome>;
	close(): Promise<void>;
}

const KEY = 'crash-test-key';
const FOREIGN = 3;
const DAY_S = 86_400;
const clock = createSystemClock();
/** `kill -9` loses nothing that the kernel has, so a memory file system is as good as a disk here, and spares it. */
const SCRATCH = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** What may lie in the folder of a program that has ended. */
const EXPECTED = /^(ledger\.(json|lock|owners)|history\.sqlite(-wal|-shm)?|settings\.json(\.bak)?)$/;

/** The program that is killed, in one file: it starts in half the time. */
interface Child {
	readonly path: string;
	remove(): void;
}

export async function buildChild(): Promise<Child> {
	const root = join(import.meta.dirname, '..', '..');
	const folder = mkdtempSync(join(tmpdir(), 'dragoman-crash-child-'));
	await build({
		root,
		configFile: false,
		logLevel: 'error',
		ssr: { noExternal: true },
		build: { ssr: 'test/crash/crash-child.ts', outDir: folder, target: 'node24', minify: false },
	});
	return {
		path: join(folder, 'crash-child.js'),
		remove: () => rmSync(folder, { recursive: true, force: true }),
	};
}

export async function startBench({ path }: Child): Promise<Bench> {
	const sandbox = await startSandbox({ key: KEY });
	const front = await startFront(sandbox.addresses.api);
	const account = accountAt(sandbox);
	const foreign: string[] = [];
	for (let n = 0; n < FOREIGN; n++) foreign.push(await made(account));

	async function live(folder: string, kill: Kill | null): Promise<Life> {
		const fatal = kill?.by === 'step' ? kill.at : 0;
		const child = spawn(process.execPath, [path, front.base, KEY, folder, `${fatal}`], {
			stdio: ['ignore', 'pipe', 'inherit'],
			env: { ...process.env, NODE_COMPILE_CACHE: join(dirname(path), 'compiled') },
		});
		const gone = new Promise((done) => child.once('close', done));
		let moments = 0;
		front.begin(async () => {
			moments += 1;
			if (kill?.by !== 'moment' || moments !== kill.at) return;
			child.kill('SIGKILL');
			await gone;
		});
		let begunAt = 0;
		let cancel = () => {};
		const said: Said[] = [];
		for await (const line of createInterface({ input: child.stdout })) {
			// What was still in the pipe when it died counts; half a line does not.
			if (!line.endsWith('}')) continue;
			const one = JSON.parse(line) as Said;
			said.push(one);
			if (one.type !== 'begun') continue;
			begunAt = clock.now();
			if (kill?.by === 'time') cancel = clock.after(kill.at, () => void child.kill('SIGKILL'));
		}
		await gone;
		cancel();
		const lastedMs = clock.now() - begunAt;
		if (!wasKilled(child) && child.exitCode !== 0) throw new Error(`ended with ${child.exitCode}`);
		// Calls it had sent are still carried out, before the next program starts.
		await front.settled();
		front.begin(() => {});
		const ended = said.find((one) => one.type === 'ended');
		const steps = wasKilled(child) || !ended ? null : ended.steps;
		return { steps, moments, lastedMs, said, known: await knownIds(folder) };
	}

	async function run(kills: readonly Kill[]): Promise<Outcome> {
		const folder = await mkdtemp(join(SCRATCH, 'dragoman-crash-'));
		try {
			const lives: Life[] = [];
			for (const kill of kills) lives.push(await live(folder, kill));
			// As if it were started the next day: what a living program might still be writing is not cleared away.
			for (const name of await readdir(folder)) await utimes(join(folder, name), 1, 1);
			return await recovered(folder, lives);
		} finally {
			await rm(folder, { recursive: true, force: true, maxRetries: 3 });
		}
	}

	async function recovered(folder: string, lives: readonly Life[]): Promise<Outcome> {
		const failures: string[] = [];
		const check = (what: string, right: boolean) => void (right || failures.push(what));
		const killed = lives.filter(({ steps }) => steps === null).length;
		const before = sandbox.openSessions().map(({ id }) => id);
		/** Requested, but the answer was lost: the program was killed before it, or a busy machine was too late. */
		const nameless = (await entriesOf(folder)).filter(({ id }) => id === null).length;
		const program = startProgram({ base: front.base, key: KEY, folder, clock, exit: () => {} });

		const swept = await program.keeper.sweep();
		check(`the sweep failed: ${JSON.stringify(swept)}`, swept.ok && swept.value.failed === 0);
		check('the ledger was broken', program.ledger.brokenFile() === null);
		const open = sandbox.openSessions().map(({ id }) => id);
		check(
			'a foreign session is gone',
			foreign.every((id) => open.includes(id)),
		);
		check(`foreign sessions were called: ${front.trespasses().length}`, front.trespasses().length === 0);
		const known = new Set(lives.flatMap((life) => life.known));
		check('a session of the ledger is left', !open.some((id) => known.has(id)));
		const unanswered = open.filter((id) => !foreign.includes(id));
		check(`${unanswered.length} left, ${nameless} creates without an answer`, unanswered.length <= nameless);
		const rows = await program.keeper.list();
		const probably = rows.ok ? rows.value.filter(({ owner }) => owner === 'probably-ours').length : -1;
		check('what is left is not shown as probably ours', probably >= unanswered.length);

		const kept = await checkCaptions(program, lives, check);
		const set = lives.flatMap((life) => life.said).some((one) => one.type === 'set');
		check('a setting is lost', !set || program.settings.values().warmIdleS === 90);
		check('the settings were broken', program.settings.snapshot().problem === null);

		const again = await program.admission.sessions.open();
		check(`no conversation after it: ${JSON.stringify(again)}`, again.ok);
		if (again.ok) await program.admission.sessions.close(again.value.handle);
		await program.quit.begin('quit');
		const left = sandbox.openSessions().map(({ id }) => id);
		check('what came after it left a session', left.length === foreign.length + unanswered.length);
		check('the ledger names a session that is gone', (await knownIds(folder)).length === 0);
		const litter = (await readdir(folder)).filter((name) => !EXPECTED.test(name));
		const owners = await readdir(join(folder, 'ledger.owners')).catch(() => []);
		check(`left lying: ${[...litter, ...owners]}`, litter.length + owners.length === 0);
		for (const id of unanswered) await account.remove(id);
		return {
			failures,
			killed,
			whole: lives.findLast(({ steps }) => steps !== null) ?? null,
			cleared: before.length - open.length,
			unanswered: unanswered.length,
			...kept,
		};
	}

	return {
		run,
		async close() {
			await front.close();
			await sandbox.close();
		},
	};
}

/** Everything acknowledged is there, word for word; the batch that was under way is there whole, or missing. */
async function checkCaptions(
	{ history }: Program,
	lives: readonly Life[],
	check: (what: string, right: boolean) => void,
): Promise<Pick<Outcome, 'finals' | 'lost'>> {
	const there = new Map<string, HistoryCaption>();
	const spokenBy = lives.map(({ said }) =>
		said.filter((one): one is Spoken => one.type === 'handed' || one.type === 'kept'),
	);
	for (const id of new Set(spokenBy.flat().map((one) => one.id))) {
		const page = await history.answers['history.read']({ id, after: null, limit: 500 });
		for (const one of page.ok ? page.value.captions : []) there.set(`${id} ${one.key}`, one);
	}
	let finals = 0;
	for (const { id, captions } of spokenBy.flat().filter(({ type }) => type === 'kept')) {
		for (const { key, text, final } of captions) {
			const found = there.get(`${id} ${key}`);
			if (final) finals += 1;
			// A final that came later has replaced what was not final.
			const isReplaced = !final && found?.final === true;
			check(`lost although acknowledged: ${text}`, isReplaced || found?.text === text);
		}
	}
	/** How many captions of each program's batches that were not acknowledged are missing. */
	const missing = spokenBy.map((spoken) =>
		spoken
			.filter(({ type }, at) => type === 'handed' && spoken[at + 1]?.type !== 'kept')
			.map(({ id, captions }) => {
				const gone = captions.filter(({ key, text }) => there.get(`${id} ${key}`)?.text !== text).length;
				check('half a batch is there', gone === 0 || gone === captions.length);
				return gone;
			}),
	);
	const lost = Math.max(0, ...missing.map((batches) => batches.filter((gone) => gone > 0).length));
	const state = await history.answers['history.state'](undefined);
	check('the history was broken', state.ok && state.value.problem === null);
	check(`${lost} batches lost that were under way`, lost <= 1);
	return { finals, lost };
}

const wasKilled = (child: ChildProcess): boolean => child.signalCode === 'SIGKILL';

/** The ledger's entries, as they are on the disk. */
async function entriesOf(folder: string): Promise<readonly { readonly id: string | null }[]> {
	const text = await readFile(join(folder, 'ledger.json'), 'utf8').catch(() => '{"entries":[]}');
	return JSON.parse(text).entries;
}

async function knownIds(folder: string): Promise<readonly string[]> {
	return (await entriesOf(folder)).flatMap(({ id }) => (id === null ? [] : [id]));
}

function accountAt(sandbox: Sandbox): SessionAccount {
	const common = { clock, random: Math.random, log: silentLogger, fetch };
	const found = createSessionClient({
		...common,
		baseUrl: () => sandbox.addresses.api,
		key: () => KEY,
	}).account();
	if (!found.ok) throw new Error(found.error.kind);
	return found.value;
}

async function made(account: SessionAccount): Promise<string> {
	const created = await account.create();
	if (!created.ok) throw new Error(created.error.problem.kind);
	// Extended, because nobody uses it and it must not expire meanwhile.
	const extended = await account.extend(created.value.id, DAY_S);
	if (!extended.ok) throw new Error(extended.error.kind);
	return created.value.id;
}

/** A proxy between a program and the service that sees every call and can strike at each of its moments. */
interface Front {
	readonly base: string;
	/** A program begins. `strike` is called at each moment of each of its calls, in order, and waited for. */
	begin(strike: () => Promise<void> | void): void;
	/** Ids in the answers to creates, in the order in which the service made them. */
	created(): readonly string[];
	/** Ids that were asked to be deleted or extended and were made for somebody else. */
	trespasses(): readonly string[];
	/** Resolves when every call that the program, dead by now, has sent is done. */
	settled(): Promise<void>;
	close(): Promise<void>;
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
	const chunks: Buffer[] = [];
	for await (const chunk of request) chunks.push(chunk as Buffer);
	return Buffer.concat(chunks);
}

/**
 * Each call has four moments: it arrived; the service has acted and nothing of its answer is sent; half of the answer
 * is sent; all of it. What arrived is done even if its sender is dead by then, as on a real network.
 */
async function startFront(service: string): Promise<Front> {
	let strike: () => Promise<void> | void = () => {};
	const created: string[] = [];
	const trespasses: string[] = [];

	const running = new Set<Promise<void>>();
	const connections = new Set<Socket>();
	let earlier: ReadonlySet<Socket> = connections;

	async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
		// The sender may disappear at any moment.
		response.on('error', () => {});
		const { method = 'GET', url = '/', headers } = request;
		const body = await bodyOf(request);
		const id = decodeURIComponent(/\/sessions\/([^/?]+)/.exec(url)?.[1] ?? '');
		if (method !== 'GET' && id !== '' && !created.includes(id)) trespasses.push(id);
		await strike();
		const { authorization = '', 'content-type': type = 'application/json' } = headers;
		const answer = await fetch(service + url, {
			method,
			headers: { authorization, 'content-type': type },
			...(body.length > 0 && { body: new Uint8Array(body) }),
		});
		const text = Buffer.from(await answer.arrayBuffer());
		if (method === 'POST' && url.endsWith('/session') && answer.ok)
			created.push(JSON.parse(text.toString()).data.id);
		await strike();
		for (const name of ['content-type', 'date', 'retry-after']) {
			const value = answer.headers.get(name);
			if (value !== null) response.setHeader(name, value);
		}
		if (text.length > 0) response.setHeader('content-length', text.length);
		response.writeHead(answer.status);
		const half = text.subarray(0, text.length / 2);
		await new Promise<void>((done) => response.write(half, () => done()));
		await strike();
		response.end(text.subarray(half.length));
		await strike();
	}

	const server = createServer((request, response) => {
		// A call that broke off while being sent was never made.
		const done = handle(request, response)
			.catch(() => void response.destroy())
			.finally(() => void running.delete(done));
		running.add(done);
	});
	server.on('connection', (one) => {
		connections.add(one);
		one.once('close', () => connections.delete(one));
	});
	await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
	return {
		base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		begin(heard) {
			strike = heard;
			earlier = new Set(connections);
		},
		created: () => created,
		trespasses: () => trespasses,
		async settled() {
			// Connections come in order: when this one is there, all before it are.
			const last = connect((server.address() as AddressInfo).port, '127.0.0.1');
			await once(last, 'connect');
			const isMine = (one: Socket) => one.remotePort === last.localPort;
			// Another may still come before it.
			while (![...connections].some(isMine)) await once(server, 'connection');
			const others = [...connections].filter((one) => !isMine(one) && !one.closed && !earlier.has(one));
			await Promise.all(others.map((one) => new Promise((done) => one.once('close', done))));
			last.destroy();
			await Promise.all(running);
		},
		async close() {
			server.closeAllConnections();
			await new Promise((done) => server.close(done));
		},
	};
}
