import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Terminal } from '#main/cli/terminal.ts';
import { startSandbox } from '#sandbox/sandbox.ts';
import { nobodyThere } from '#test/support/nobody-there.ts';
import { runInProcess } from '#test/support/run-command.ts';

const KEY = 'cli-test-key';
const sandbox = await startSandbox({ key: KEY });
let folder: string;
afterAll(() => sandbox.close());
beforeEach(async () => {
	folder = await mkdtemp(join(tmpdir(), 'dragoman-cli-'));
});
afterEach(async () => {
	for (const { id } of sandbox.openSessions()) {
		const path = `/session-storage/sessions/${encodeURIComponent(id)}`;
		await fetch(sandbox.addresses.api + path, {
			method: 'DELETE',
			headers: { authorization: `Bearer ${KEY}` },
		});
	}
	await rm(folder, { recursive: true, force: true });
});

function environment(fields: Record<string, string> = {}): NodeJS.ProcessEnv {
	return {
		DRAGOMAN_API_URL: sandbox.addresses.api,
		DRAGOMAN_API_KEY: KEY,
		DRAGOMAN_USER_DATA: folder,
		...fields,
	};
}

/** One command in this process. */
async function run(line: string, fields: Partial<Terminal> = {}) {
	const ran = await runInProcess('sessions', line.split(' '), { env: environment(), ...fields });
	return { ...ran, json: () => JSON.parse(ran.out) };
}

/** `create` as a process of its own. */
function startCreate(account: NodeJS.ProcessEnv, stdio: StdioOptions): ChildProcess {
	const args = ['src/main/cli/index.ts', 'sessions', 'create'];
	return spawn(process.execPath, args, { env: { ...process.env, ...account }, stdio });
}

async function create(): Promise<{ id: string; label: string }> {
	return (await run('create --json')).json();
}

describe('sessions', () => {
	test('a session whose room may not be used is refused and deleted', async () => {
		const env = environment({ DRAGOMAN_ALLOWED_HOSTS: 'elsewhere.example' });
		expect((await run('create --json', { env })).json()).toMatchObject({
			error: { kind: 'address-refused' },
		});
		expect(sandbox.openSessions()).toEqual([]);
	});

	test('a session is handed over when its token has been taken, and not before', async () => {
		const kept = () => readFile(join(folder, 'ledger.json'), 'utf8');
		let before = '';
		const outTaken = async () => {
			before = await kept();
			return true;
		};
		expect(await run('create', { outTaken })).toMatchObject({ status: 0 });
		expect(before).toContain('"open"');
		expect(await kept()).toContain('"handed-over"');
	});

	test('one whose token is not taken is deleted, and never was the user’s', async () => {
		let prunedBefore = '';
		const outTaken = async () => {
			prunedBefore = (await run('prune')).out;
			return false;
		};
		expect(await run('create --json', { outTaken })).toMatchObject({ status: 1 });
		expect(prunedBefore).toBe('1 in use by a running program, kept\n');
		expect(sandbox.openSessions()).toEqual([]);
		expect((await run('prune')).out).toBe('Nothing to do: the ledger is empty.\n');
	});

	test('one that cannot be recorded as the user’s is deleted: its reason is no second document', async () => {
		const outTaken = async () => {
			// As little can be locked as on a read-only disk, also by root.
			await rm(join(folder, 'ledger.lock'));
			await mkdir(join(folder, 'ledger.lock'));
			return true;
		};
		const made = await run('create --json', { outTaken });
		expect(made).toMatchObject({ status: 1, error: expect.stringMatching(/^This could not be saved .*\n$/) });
		expect(made.json()).toMatchObject({ publisher: expect.any(String) });
		expect(sandbox.openSessions()).toEqual([]);
	});

	test.runIf(process.platform === 'linux')(
		'a session whose token cannot be written is deleted',
		{ timeout: 30_000 },
		async () => {
			const full = openSync('/dev/full', 'w');
			const before = sandbox.counts().created;
			const child = startCreate(environment(), ['ignore', full, 'ignore']);
			const ended = new Promise<number | null>((done) => child.on('close', done));
			closeSync(full);
			expect(await ended).toBe(1);
			expect([sandbox.counts().created, sandbox.openSessions()]).toEqual([before + 1, []]);
		},
	);

	test('until when an extended session lives is in the record of this computer', async () => {
		const { id } = await create();
		await run(`extend ${id} --ttl 3600`);
		const kept = await readFile(join(folder, 'ledger.json'), 'utf8');
		const [, until] = /"expiresAt":\s*(\d+)/.exec(kept) ?? [];
		expect(Number(until) - Date.now()).toBeGreaterThan(3_000_000);
	});

	test('create, list, show, extend and delete, by id and by short name', async () => {
		const made = (await run('create --json')).json();
		expect(made).toEqual({
			id: expect.any(String),
			label: expect.stringMatching(/^[0-9a-f]{8}$/),
			webrtc_url: sandbox.addresses.webrtc,
			publisher: expect.stringMatching(/^eyJ/),
			expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
		});
		const listed = (await run('list --json')).json();
		expect(listed).toMatchObject({ sessions: [{ id: made.id, owner: 'this-computer' }], complete: true });
		const table = (await run('list')).out.split('\n');
		expect(table[0]).toMatch(/^SESSION +WHOSE +CREATED +UPDATED +EXPIRES +LEFT$/);
		expect(table[1]).toMatch(new RegExp(`^${made.label} +this computer .* (9 min \\d+ s|10 min)$`));
		expect((await run(`show ${made.id} --json`)).json()).toMatchObject({ label: made.label });
		expect((await run(`extend ${made.label} --ttl 7260`)).out).toMatch(/\((2 h 1 min|2 h)\)/);
		expect(await run(`delete ${made.label} --yes`)).toMatchObject({ status: 0, error: '' });
		expect(sandbox.openSessions()).toEqual([]);
		expect(await run(`show ${made.label}`)).toMatchObject({
			status: 4,
			out: '',
			error: `There is no session "${made.label}". Those there are: npm run cli -- sessions list\n`,
		});
		expect((await run('list')).out).toBe('No open sessions.\n');
	});

	test('prune never takes what was handed to the user, nor what is foreign', async () => {
		await create();
		await run('create', { env: environment({ DRAGOMAN_USER_DATA: join(folder, 'other') }) });
		expect(await run('prune')).toMatchObject({
			status: 0,
			out: '1 handed to you by "sessions create", kept\n',
		});
		expect(sandbox.openSessions().length).toBe(2);
		const { sessions } = (await run('list --json')).json();
		expect(sessions.map((row: { owner: string }) => row.owner).toSorted()).toEqual([
			'foreign',
			'this-computer',
		]);
	});

	test('prune deletes what a program left behind, and leaves other accounts alone', async () => {
		const { id } = await create();
		const path = join(folder, 'ledger.json');
		await writeFile(path, (await readFile(path, 'utf8')).replace('handed-over', 'open'));
		const stranger = { env: environment({ DRAGOMAN_API_KEY: `${KEY}+extra-fields` }) };
		expect((await run('prune --json', stranger)).json()).toMatchObject({
			deleted: 0,
			kept: { other_accounts: 1 },
		});
		expect(sandbox.openSessions().map((session) => session.id)).toEqual([id]);
		expect((await run('prune --json')).json()).toMatchObject({ deleted: 1, failed: 0 });
		expect(sandbox.openSessions()).toEqual([]);
		expect((await run('prune')).out).toBe('Nothing to do: the ledger is empty.\n');
	});

	test('prune --json tells what it did and what failed in one document', { timeout: 60_000 }, async () => {
		const account = environment({ DRAGOMAN_API_KEY: `${KEY}+500@delete:4` });
		await run('create', { env: account });
		const path = join(folder, 'ledger.json');
		await writeFile(path, (await readFile(path, 'utf8')).replace('handed-over', 'open'));
		const pruned = await run('prune --json', { env: account });
		expect(pruned.json()).toMatchObject({
			deleted: 0,
			failed: 1,
			error: { kind: 'service-failed', code: 6 },
		});
		expect(pruned.status).toBe(6);
	});

	test('prune says when the ledger was broken', async () => {
		await writeFile(join(folder, 'ledger.json'), 'not a ledger');
		const pruned = await run('prune');
		expect(pruned.status).toBe(1);
		expect(pruned.error).toContain('ledger.json.broken-');
	});

	test('a list that is too long is said to be so', async () => {
		const { id } = await create();
		const endless = { env: environment({ DRAGOMAN_API_KEY: `${KEY}+repeat-token` }) };
		expect((await run('list --json', endless)).json()).toMatchObject({ sessions: [{ id }], complete: false });
		const { error } = await run('list', endless);
		expect(error).toBe("The service's list is too long to be shown in full.\n");
		expect((await run('list')).error).toBe('');
	});

	test.each([
		['this computer', 'label', ''],
		['this computer', 'id', ''],
		['foreign', 'id', ''],
		['foreign', 'id', '+sessions-null'],
	] as const)(
		'delete of a session that is %s, by its %s, asks, and does nothing where nobody can answer%s',
		async (whose, by, unlisted) => {
			const DRAGOMAN_USER_DATA = whose === 'foreign' ? join(folder, 'other') : folder;
			const made = await run('create --json', { env: environment({ DRAGOMAN_USER_DATA }) });
			const env = environment({ DRAGOMAN_API_KEY: `${KEY}${unlisted}` });
			const { label, [by]: name } = made.json();
			expect(await run(`delete ${name}`, { env })).toMatchObject({ status: 2, out: '' });
			let asked = '';
			const no = async (question: string) => {
				asked = question;
				return false;
			};
			expect(await run(`delete ${name}`, { env, confirm: no })).toMatchObject({ status: 1 });
			expect(asked).toContain(`Delete session ${label} (${whose}`);
			expect(sandbox.openSessions().length).toBe(1);
			expect(await run(`delete ${name}`, { env, confirm: async () => true })).toMatchObject({ status: 0 });
			expect(sandbox.openSessions()).toEqual([]);
		},
	);
});

describe('an address that only the settings name', () => {
	const settings = () =>
		writeFile(join(folder, 'settings.json'), JSON.stringify({ apiUrl: sandbox.addresses.api }));

	test('gets no key of the environment or of standard input: 3, and what to do', async () => {
		await settings();
		const before = sandbox.counts().requests;
		const env = { DRAGOMAN_API_KEY: KEY, DRAGOMAN_USER_DATA: folder };
		const fromEnvironment = await run('list', { env });
		expect(fromEnvironment).toMatchObject({
			status: 3,
			out: '',
			error: expect.stringMatching(/is not sent to 127\.0\.0\.1:\d+\. .*--api-url/),
		});
		const fromInput = await run('list --key-stdin --json', {
			env: { DRAGOMAN_USER_DATA: folder },
			readInput: async () => KEY,
		});
		expect(fromInput.json()).toMatchObject({ error: { kind: 'key-elsewhere', code: 3 } });
		expect(sandbox.counts().requests).toBe(before);
	});

	test('gets it when an option names the same, and without a key it is said that there is none', async () => {
		await settings();
		const env = { DRAGOMAN_API_KEY: KEY, DRAGOMAN_USER_DATA: folder };
		expect(await run(`list --api-url ${sandbox.addresses.api}`, { env })).toMatchObject({ status: 0 });
		const without = await run('list --json', { env: { DRAGOMAN_USER_DATA: folder } });
		expect(without.json()).toMatchObject({ error: { kind: 'api-key-missing', code: 3 } });
	});
});

describe('exit statuses', () => {
	const withKey = (fault: string) => ({ env: environment({ DRAGOMAN_API_KEY: `${KEY}+${fault}` }) });

	test.each([
		['401', 'list', 3, 'api-key-rejected'],
		['403', 'list', 3, 'forbidden'],
		['404', 'list', 4, 'not-found'],
		['403-limit', 'create', 5, 'session-limit'],
		['403-credit', 'create', 5, 'no-credit'],
		['429-day', 'list', 5, 'rate-limited'],
		['500-after', 'create', 1, 'session-uncertain'],
		['malformed-json', 'list', 1, 'unexpected-answer'],
	])('%s on %s is %i', async (fault, command, code, kind) => {
		const { status, json } = await run(`${command} --json`, withKey(fault));
		expect(status).toBe(code);
		const { errors, ...error } = json().error;
		expect(error).toEqual({ kind, message: expect.stringMatching(/\w/), code });
		// The service's words are shown, unless it said nothing readable or acted before it failed.
		const spoke = !['500-after', 'malformed-json'].includes(fault);
		const record = {
			title: expect.any(String),
			error_code: expect.any(String),
			instance: expect.any(String),
		};
		if (spoke) expect(errors).toEqual([expect.objectContaining(record)]);
	});

	test('each of several errors is in the document, and has its line for people', async () => {
		const { json } = await run('list --json', withKey('422-many'));
		const errors: { field?: string; error_code: string }[] = json().error.errors;
		expect(errors.map(({ field, error_code }) => [field, error_code])).toEqual([
			['body.data.name', '100022'],
			['body.data.samples[0].lang_code', '100026'],
			['body.data.description', '100027'],
			[undefined, '100028'],
		]);
		const { error: err } = await run('list', withKey('422-many'));
		expect(err).toMatch(
			/^ {2}Field refused: body\.data\.name: is taken.*; code 100022; field body\.data\.name;/m,
		);
		expect(err).toMatch(/^ {2}Account refused: .*; code 100028; type .*; instance .*#4$/m);
	});

	test('a service that is not there is 6, a missing key 3, an address that no key may go to 2', async () => {
		const gone = await nobodyThere();
		expect(await run(`list --api-url ${gone}`)).toMatchObject({ status: 6 });
		expect(await run('list', { env: environment({ DRAGOMAN_API_KEY: '' }) })).toMatchObject({ status: 3 });
		expect(await run('list --api-url http://192.168.0.9')).toMatchObject({ status: 2 });
		const nonsense = environment({ DRAGOMAN_API_URL: 'nonsense' });
		expect(await run('list', { env: nonsense })).toMatchObject({ status: 2, out: '' });
	});

	test.each([
		'',
		'frob',
		'list extra',
		'show',
		'extend x',
		'extend x --ttl 0',
		'extend x --ttl 1.5',
		'list --ttl 5',
		'list --nope',
		'prune --yes',
	])('"sessions %s" is not understood: 2', async (line) =>
		expect(await run(line)).toMatchObject({ status: 2, out: '' }),
	);

	test('the key can come from standard input, and then nobody is asked', async () => {
		const terminal = {
			env: environment({ DRAGOMAN_API_KEY: '' }),
			readInput: async () => `${KEY}\n`,
			confirm: async () => true,
		};
		expect(await run('list --key-stdin', terminal)).toMatchObject({ status: 0 });
		expect(await run('delete x --key-stdin', terminal)).toMatchObject({ status: 2 });
	});

	/** Ctrl-C once the create call has arrived: from there on it must not be cut off. */
	async function createInterrupted(account: NodeJS.ProcessEnv): Promise<number | null> {
		const { requests } = sandbox.counts();
		const child = startCreate(account, 'ignore');
		const ended = new Promise<number | null>((done) => child.on('close', done));
		await expect
			.poll(() => sandbox.counts().requests, { timeout: 20_000, interval: 20 })
			.toBeGreaterThan(requests);
		child.kill('SIGINT');
		return ended;
	}

	test('Ctrl-C ends a command with 130, and a session just made is deleted', {
		timeout: 30_000,
	}, async () => {
		const before = sandbox.counts();
		expect(await createInterrupted(environment({ DRAGOMAN_API_KEY: `${KEY}+slow@create` }))).toBe(130);
		expect(sandbox.openSessions()).toEqual([]);
		expect(sandbox.counts().created).toBe(before.created + 1);
	});

	test('Ctrl-C on a session just made that cannot be deleted then leaves it to prune', {
		timeout: 60_000,
	}, async () => {
		const account = environment({ DRAGOMAN_API_KEY: `${KEY}+slow@create+500@delete:4` });
		expect(await createInterrupted(account)).toBe(130);
		expect(sandbox.openSessions()).toHaveLength(1);
		expect((await run('prune --json', { env: account })).json()).toMatchObject({ deleted: 1, failed: 0 });
		expect(sandbox.openSessions()).toEqual([]);
	});
});
