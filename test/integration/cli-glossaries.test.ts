import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Terminal } from '#main/cli/terminal.ts';
import { type Sandbox, startSandbox } from '#sandbox/sandbox.ts';
import { type Ran, runInProcess } from '#test/support/run-command.ts';
import { newFolder } from '#test/support/voices.ts';

const KEY = 'glossary-key';
let sandbox: Sandbox;
let folder = '';
beforeEach(async () => {
	sandbox = await startSandbox({ key: KEY });
	folder = newFolder();
});
afterEach(async () => {
	await sandbox.close();
	rmSync(folder, { recursive: true, force: true });
});

/** One command in this process; `faults` are those of its key. */
async function run(line: string, faults = '', fields: Partial<Terminal> = {}): Promise<Ran> {
	const [topic, ...args] = line.split(' ');
	const ran = await runInProcess(topic === 'balance' ? 'balance' : 'glossaries', args, {
		env: {
			DRAGOMAN_API_URL: sandbox.addresses.api,
			DRAGOMAN_API_KEY: faults === '' ? KEY : `${KEY}+${faults}`,
			DRAGOMAN_USER_DATA: folder,
			...fields.env,
		},
		...(fields.confirm && { confirm: fields.confirm }),
	});
	return ran;
}

function file(text: string | Uint8Array, name = 'names.csv'): string {
	const path = join(folder, name);
	writeFileSync(path, text);
	return path;
}

async function add(text = 'train,tren\ncoffee,café\n', more = '', faults = ''): Promise<Ran> {
	return run(`glossaries add ${file(text)} --name Names --from en --to es${more}`, faults);
}

const idOf = ({ out }: Ran) => out.trim();

test('makes a glossary, lists and shows it, switches it off and on, and deletes it', async () => {
	expect(await run('glossaries list')).toEqual({ status: 0, out: 'No glossaries.\n', error: '' });
	const added = await add();
	expect(added).toMatchObject({ status: 0, error: '' });
	const id = idOf(added);
	const listed = await run('glossaries list');
	expect(listed.out).toMatch(new RegExp(`^${id}  Names  translation  en > es    on     2$`, 'm'));
	expect(JSON.parse((await run('glossaries list --json')).out)).toMatchObject({
		glossaries: [{ glossary_id: id, name: 'Names', from: 'en', to: 'es', enabled: true, entries: 2 }],
	});
	expect((await run(`glossaries disable ${id}`)).out).toMatch(/^state +off$/m);
	expect((await run(`glossaries show ${id}`)).out).toMatch(/^state +off$/m);
	// Also by its name.
	expect(JSON.parse((await run('glossaries enable Names --json')).out)).toMatchObject({ enabled: true });
	expect((await run(`glossaries show ${id}`)).out).toMatch(/^state +on$/m);
	expect(await run(`glossaries delete ${id}`)).toMatchObject({ status: 2, out: '' });
	const asked: string[] = [];
	const confirm = async (question: string) => asked.push(question) > 1;
	expect(await run(`glossaries delete ${id}`, '', { confirm })).toMatchObject({ status: 1 });
	expect(await run(`glossaries delete ${id}`, '', { confirm })).toMatchObject({ status: 0 });
	expect(asked[0]).toBe('Delete the glossary "Names" (en > es) for good?');
	expect((await run('glossaries list')).out).toBe('No glossaries.\n');
	expect(await run(`glossaries delete ${id} --yes`)).toMatchObject({ status: 4 });
	expect((await run(`glossaries show ${id}`)).error).toContain('There is no glossary');
});

test('two of one name are told apart by their ids', async () => {
	const [first] = [idOf(await add()), idOf(await add())];
	expect(await run('glossaries delete Names --yes')).toMatchObject({
		status: 4,
		error: expect.stringContaining('Use its id.'),
	});
	const asked: string[] = [];
	const confirm = async (question: string) => asked.push(question) > 0;
	const deleted = await run(`glossaries delete ${first} --yes --json`, '', { confirm });
	expect([deleted.status, JSON.parse(deleted.out)]).toEqual([
		0,
		{ glossary_id: first, name: 'Names', deleted: true },
	]);
	expect(asked).toEqual([]);
	expect(await run('glossaries delete Names --yes')).toMatchObject({ status: 0 });
});

test.each(['show Names', 'enable Names', 'delete Names --yes'])(
	'where the list is refused, %s says that, and not that there is no such glossary',
	async (words) => {
		await add();
		const ran = await run(`glossaries ${words}`, '403@glossaries');
		expect(ran).toMatchObject({ status: 3, out: '' });
		expect(ran.error).not.toContain('There is no glossary');
		const { error } = JSON.parse((await run(`glossaries ${words} --json`, '403@glossaries')).out);
		expect(error).toMatchObject({ kind: 'forbidden', code: 3 });
	},
);

test('a long list is read to its end', async () => {
	const ids = [];
	for (let at = 0; at < 51; at += 1) ids.push(idOf(await add(`word${at},palabra`)));
	const { glossaries } = JSON.parse((await run('glossaries list --json')).out);
	expect(glossaries.map((one: { glossary_id: string }) => one.glossary_id)).toEqual(ids);
});

test('the other kinds are about one language', async () => {
	const hot = `glossaries add ${file('Palabra\nDragoman')} --name Hot --from en --kind asr_hot --json`;
	expect(JSON.parse((await run(hot)).out)).toMatchObject({
		kind: 'asr_hot',
		from: 'en',
		to: 'en',
		entries: 2,
	});
	// A language into which nothing is translated.
	const cantonese = `glossaries add ${file('詞')} --name Hot --from yue --kind asr_hot --json`;
	expect(JSON.parse((await run(cantonese)).out)).toMatchObject({ from: 'yue', to: 'yue' });
	const asr = `glossaries add ${file('dragon man,Dragoman')} --name Asr --from EN-US --kind asr --json`;
	expect(JSON.parse((await run(asr)).out)).toMatchObject({
		kind: 'asr',
		from: 'en-us',
		to: 'en-us',
		entries: 1,
	});
});

test.each([
	['without a name', '--from en --to es', '--name is missing.'],
	['with a name the service does not take', '--name Namé --from en --to es', '--name needs'],
	['with a name too short', '--name ab --from en --to es', '--name needs'],
	['without a language', '--name Names --to es', '--from is missing'],
	['without the other', '--name Names --from en', '--to is missing'],
	['with a language nobody knows', '--name Names --from en --to xx', '"xx" is not a language'],
	['with a detected one', '--name Names --from auto --to es', '"auto" is not a language'],
	['of one language with itself', '--name Names --from en-us --to en-gb', 'the same language'],
	[
		'of a kind nobody knows',
		'--name Names --from en --to es --kind x',
		'--kind must be one of translation, asr, asr_hot.',
	],
	['of words to listen for in two', '--name Names --from en --to es --kind asr_hot', 'leave --to out'],
])('%s none is made: usage', async (_, words, says) => {
	const ran = await run(`glossaries add ${file('a,b')} ${words}`);
	expect(ran).toMatchObject({ status: 2, out: '' });
	expect(ran.error).toContain(says);
});

test('what is wrong in the file is said by line, before anything is sent', async () => {
	const before = sandbox.counts().requests;
	const wrong = await add('train,tren\nno second\ncoffee,"café\n');
	expect(wrong).toMatchObject({ status: 7, out: '' });
	expect(wrong.error).toContain('Line 3: A quotation mark is not closed');
	const json = await add('train,tren\nno second\n,x\n', ' --json');
	expect(json.status).toBe(7);
	expect(JSON.parse(json.out)).toMatchObject({
		error: {
			kind: 'table-invalid',
			code: 7,
			more: 0,
			lines: [
				{ line: 2, reason: 'two-columns' },
				{ line: 3, reason: 'empty' },
			],
		},
	});
	expect((await add(`${'x'.repeat(999_999)},y\n`.slice(0, 1_000_001))).error).toContain('larger than 1 MB');
	expect(await add('z'.repeat(3_000_000))).toMatchObject({ status: 7 });
	expect(await run('glossaries add /nowhere/x.csv --name Names --from en --to es')).toMatchObject({
		status: 7,
	});
	expect((await run(`glossaries add ${folder} --name Names --from en --to es`)).error).toContain(
		'it is not a file',
	);
	const latin = file(Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x2c, 0x78]), 'latin.csv');
	expect((await run(`glossaries add ${latin} --name Names --from en --to es`)).error).toContain('not UTF-8');
	const zip = file(Buffer.from('PK\x03\x04\x14\0\x06\0'), 'book.xlsx');
	expect((await run(`glossaries add ${zip} --name Names --from en --to es`)).error).toContain('not UTF-8');
	expect(sandbox.counts().requests).toBe(before);
});

test('sends every word of a table in UTF-16 whose line ends are mixed', async () => {
	const mixed = file(Buffer.from('\uFEFFKubernetes\r\nGrafana\nPrometheus\nLoki\r\n', 'utf16le'), 'hot.csv');
	const added = await run(`glossaries add ${mixed} --name Mixed --kind asr_hot --from en --json`);
	expect(added.status).toBe(0);
	expect(JSON.parse(added.out)).toMatchObject({ entries: 4 });
	const { glossary_id: id } = JSON.parse(added.out);
	const table = await fetch(`${sandbox.addresses.api}/saas/glossary/${id}/upload`, {
		headers: { Authorization: `Bearer ${KEY}` },
	});
	expect(await table.text()).toBe('Kubernetes\nGrafana\nPrometheus\nLoki\n');
	expect((await run(`glossaries delete ${id} --yes`)).status).toBe(0);
});

test('a glossary whose rows are refused is taken away again', async () => {
	const refused = await add('train,tren', '', '422@upload-glossary');
	expect(refused).toMatchObject({ status: 1, out: '' });
	expect((await run('glossaries list')).out).toBe('No glossaries.\n');
	const left = await add('train,tren', '', '422@upload-glossary+500@delete-glossary');
	expect(left.error).toMatch(/A glossary without entries is left at the service: [\w-]+\. Delete it\./);
	expect((await run('glossaries list')).out).toMatch(/Names .* 0$/m);
});

test('without an answer it is said that it may have been made', async () => {
	const ran = await add('train,tren', '', '500-after@create-glossary');
	expect(ran).toMatchObject({ status: 6, out: '' });
	expect(ran.error).toContain('It may have been made all the same');
});

test('a switch that has no effect is not called done', async () => {
	const id = idOf(await add());
	expect(await run(`glossaries disable ${id}`, 'glossary-unchanged')).toMatchObject({ status: 1, out: '' });
});

test.each(['list', 'show g1', 'enable g1', 'delete g1 --yes'])(
	'a service without glossaries: %s says so',
	async (words) => {
		const ran = await run(`glossaries ${words}`, 'no-glossaries');
		expect(ran).toMatchObject({ status: 4, out: '' });
		expect(ran.error).toContain('This service does not offer glossaries');
	},
);

test('adding one to a service without glossaries says so as well', async () => {
	const ran = await add('train,tren', '', 'no-glossaries');
	expect(ran).toMatchObject({ status: 4, error: expect.stringContaining('does not offer glossaries') });
	expect(ran.error).not.toContain('may have been made');
});

test('a command that asks the service leaves damaged settings where they are, and says so', async () => {
	const path = file('{"version": 2,', 'settings.json');
	const ran = await run('glossaries list --json');
	expect(ran).toMatchObject({ status: 0, error: expect.stringMatching(/^The settings file .*\.\n$/) });
	expect(JSON.parse(ran.out)).toEqual({ glossaries: [] });
	expect(readFileSync(path, 'utf8')).toBe('{"version": 2,');
});

test('a wrong key is 3, no service 6', async () => {
	const env = { DRAGOMAN_API_KEY: 'wrong' };
	expect(await run('glossaries list', '', { env })).toMatchObject({ status: 3 });
	expect(await run('balance', '', { env })).toMatchObject({ status: 3 });
	const nowhere = { DRAGOMAN_API_URL: sandbox.addresses.api };
	await sandbox.close();
	expect(await run('glossaries list', '', { env: nowhere })).toMatchObject({ status: 6 });
	expect(await run('balance', '', { env: nowhere })).toMatchObject({ status: 6 });
	expect(await run('balance', '', { env: { DRAGOMAN_API_KEY: '' } })).toMatchObject({ status: 3 });
});

test('the credit is told, and where it is not, so', async () => {
	expect(await run('balance')).toEqual({
		status: 0,
		out: '1000 credits, about 10.00 US dollars\n',
		error: '',
	});
	expect(JSON.parse((await run('balance --json')).out)).toEqual({ credits: 1000, usd_equivalent: 10 });
	const ran = await run('balance', 'no-balance');
	expect(ran).toMatchObject({
		status: 4,
		error: expect.stringContaining('does not report the remaining credit'),
	});
});

test.each([
	['as text', { data: { credits: '12.5' } }, '12.5 credits\n'],
	['in dollars alone', { usd_equivalent: 3 }, '3.00 US dollars\n'],
	['as nothing to count with', { data: { credits: null } }, ''],
])('a service that tells the credit %s is understood', async (_, body, out) => {
	const server = createServer((_request, response) => {
		response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
	});
	await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
	const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	expect((await run('balance', '', { env: { DRAGOMAN_API_URL: url } })).out).toBe(out);
	server.close();
});
