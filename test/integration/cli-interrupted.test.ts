import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isTopic } from '#main/cli/command-list.ts';
import { type Sandbox, startSandbox } from '#sandbox/sandbox.ts';
import { runInProcess } from '#test/support/run-command.ts';
import { newFolder, writeSample } from '#test/support/voices.ts';

const KEY = 'interrupted-key';
let sandbox: Sandbox;
let front: Server;
let folder = '';
/** Requests of the command, as `GET /path`. */
let asked: string[] = [];
/** Keeps an answer back: called with the number of the request. */
let hold = async (_: number): Promise<void> => {};

beforeEach(async () => {
	sandbox = await startSandbox({ key: KEY });
	folder = newFolder();
	hold = async () => {};
	front = createServer(async (request, response) => {
		asked.push(`${request.method} ${request.url}`);
		const number = asked.length;
		const body = request.method === 'POST' ? await text(request.setEncoding('latin1')) : '';
		await hold(number);
		const { host: _, connection: __, 'transfer-encoding': ___, ...headers } = request.headers;
		if (response.destroyed) return;
		const answer = await fetch(`${sandbox.addresses.api}${request.url}`, {
			method: request.method ?? 'GET',
			headers: headers as Record<string, string>,
			...(request.method === 'POST' && { body: Buffer.from(body, 'latin1') }),
		});
		response.writeHead(answer.status, { 'Content-Type': answer.headers.get('content-type') ?? 'text/plain' });
		response.end(Buffer.from(await answer.arrayBuffer()));
	});
	await new Promise<void>((done) => front.listen(0, '127.0.0.1', done));
});
afterEach(async () => {
	front.close();
	front.closeAllConnections();
	await sandbox.close();
	rmSync(folder, { recursive: true, force: true });
});

async function run(words: string, signal = new AbortController().signal) {
	const [topic = '', ...args] = words.split(' ');
	if (!isTopic(topic)) throw new Error(`no topic: ${topic}`);
	asked = [];
	return await runInProcess(topic, args, {
		signal,
		env: {
			DRAGOMAN_API_URL: `http://127.0.0.1:${(front.address() as AddressInfo).port}`,
			DRAGOMAN_API_KEY: KEY,
			DRAGOMAN_USER_DATA: folder,
		},
	});
}

/** Makes one of each kind; their ids. */
async function furnish(): Promise<{ session: string; glossary: string; voice: string }> {
	const session = JSON.parse((await run('sessions create --json')).out).id;
	const glossary = (await run(`glossaries ${add()}`)).out.trim();
	const voice = JSON.parse((await run(`voices ${clone()} --json`)).out).voice_id;
	return { session, glossary, voice };
}

function add(): string {
	const path = join(folder, 'names.csv');
	writeFileSync(path, 'train,tren\n');
	return `add ${path} --name Names --from en --to es`;
}
const clone = () => `clone ${writeSample(folder)} --name Ana --lang es --i-have-consent`;

/** Whether the promise settles soon. */
const soon = (promise: Promise<unknown>) => Promise.race([promise.then(() => true), wait(1500, false)]);

/** What there is at the service. */
const left = async () => [sandbox.openSessions().map(({ id }) => id), (await run('glossaries list')).out];

interface Case {
	readonly words: (made: { session: string; glossary: string; voice: string }) => string;
	/** How many requests the command makes. */
	readonly requests: number;
	/** Numbers of those that are not cut off, because what they did must be known. */
	readonly whole?: readonly number[];
	/** Number of the one with which all that was wanted is done. */
	readonly doneWith?: number;
}

const cases: readonly (readonly [string, Case])[] = [
	['sessions list', { words: () => 'sessions list', requests: 1 }],
	['sessions show, not listed', { words: () => 'sessions show gone', requests: 2 }],
	['sessions create', { words: () => 'sessions create', requests: 2, whole: [1] }],
	[
		'sessions extend',
		{ words: ({ session }) => `sessions extend ${session} --ttl 3600`, requests: 3, doneWith: 3 },
	],
	[
		'sessions delete',
		{ words: ({ session }) => `sessions delete ${session} --yes`, requests: 2, whole: [2], doneWith: 2 },
	],
	['glossaries list', { words: () => 'glossaries list', requests: 1 }],
	['glossaries show, by name', { words: () => 'glossaries show Names', requests: 3 }],
	['glossaries add', { words: () => `glossaries ${add()}`, requests: 2, whole: [1, 2], doneWith: 2 }],
	['glossaries enable, by name', { words: () => 'glossaries enable Names', requests: 5 }],
	[
		'glossaries delete',
		{ words: ({ glossary }) => `glossaries delete ${glossary} --yes`, requests: 2, whole: [2], doneWith: 2 },
	],
	['voices clone', { words: () => `voices ${clone()} --wait`, requests: 2, whole: [1], doneWith: 2 }],
	['voices status', { words: ({ voice }) => `voices status ${voice}`, requests: 1 }],
	['balance', { words: () => 'balance', requests: 1 }],
];

test.each(cases)(
	'Ctrl-C ends "%s" at whichever request it waits for, and nothing half made stays',
	{ timeout: 60_000 },
	async (_, { words, requests, whole = [], doneWith }) => {
		const line = words(await furnish());
		const before = await left();
		for (let at = 1; at <= requests; at += 1) {
			const pressed = new AbortController();
			const { promise: released, resolve: release } = Promise.withResolvers<void>();
			hold = async (number) => {
				if (number !== at) return;
				pressed.abort();
				await released;
			};
			const ran = run(line, pressed.signal);
			await expect.poll(() => pressed.signal.aborted, { timeout: 15_000, interval: 20 }).toBe(true);
			const isCut = await soon(ran);
			expect([at, isCut]).toEqual([at, !whole.includes(at)]);
			release();
			hold = async () => {};
			const { status, out, error } = await ran;
			if (at === doneWith) {
				expect([status, out]).toEqual([0, expect.stringMatching(/\w/)]);
				continue;
			}
			expect([at, status, out + error]).toEqual([at, 130, expect.stringContaining('Cancelled.')]);
			expect(await left()).toEqual(before);
		}
	},
);

test('a command that was interrupted before it began asks the service nothing', async () => {
	const made = await furnish();
	for (const [name, { words }] of cases) {
		const { status } = await run(words(made), AbortSignal.abort());
		expect([name, status, asked]).toEqual([name, 130, []]);
	}
});

test('a glossary whose rows are still to be sent when Ctrl-C is pressed is taken away again', async () => {
	const pressed = new AbortController();
	hold = async (number) => {
		if (number === 1) pressed.abort();
	};
	expect(await run(`glossaries ${add()}`, pressed.signal)).toMatchObject({ status: 130 });
	expect(asked).toEqual(['POST /saas/glossary', expect.stringMatching(/^DELETE /)]);
	expect((await run('glossaries list')).out).toBe('No glossaries.\n');
});

test('Ctrl-C ends "sessions prune" at the session it deletes; the next one finds them all', async () => {
	for (let made = 0; made < 2; made += 1) await run('sessions create');
	const ledger = join(folder, 'ledger.json');
	writeFileSync(ledger, readFileSync(ledger, 'utf8').replaceAll('handed-over', 'open'));
	const pressed = new AbortController();
	hold = () => {
		pressed.abort();
		return new Promise(() => {});
	};
	const out = '2 could not be deleted, kept in the ledger\n';
	expect(await run('sessions prune', pressed.signal)).toEqual({ status: 130, out, error: '' });
	expect(asked).toHaveLength(1);
	hold = async () => {};
	expect(await run('sessions prune')).toEqual({ status: 0, out: '2 deleted\n', error: '' });
});
