import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Terminal } from '#main/cli/terminal.ts';
import { hostOfNobody } from '#test/support/nobody-there.ts';
import { type Ran, runInProcess } from '#test/support/run-command.ts';

/** The files of the mirror, by path. */
const files = new Map<string, string>();
const server = createServer((request, response) => {
	const body = files.get(request.url ?? '');
	response.writeHead(body === undefined ? 404 : 200).end(body);
});
let base: string;
let folder: string;

beforeAll(async () => {
	await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
	base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), 'dragoman-cli-models-'));
	files.clear();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const run = (
	args: readonly string[],
	env: NodeJS.ProcessEnv = {},
	fields: Partial<Terminal> = {},
): Promise<Ran> =>
	runInProcess('models', args, {
		env: { DRAGOMAN_USER_DATA: folder, DRAGOMAN_MODELS_URL: base, ...env },
		...fields,
	});

const czech = 'mozilla-en-cs';
function offerCzech(): void {
	files.set(`/${czech}/model.encs.intgemm.alphas.bin`, 'a model');
	files.set(`/${czech}/lex.50.50.encs.s2t.bin`, '{}');
	files.set(`/${czech}/vocab.encs.spm`, 'v');
}

test('lists what there is, as the interface of scripts says', async () => {
	const { status, out } = await run(['list', '--json']);
	expect(status).toBe(0);
	const all = JSON.parse(out);
	expect(all).toContainEqual({
		id: 'silero-v5',
		role: 'activity',
		languages: [],
		bytes: 2_327_524,
		licence: 'MIT',
		state: 'available',
	});
	expect(all.find(({ id }: { id: string }) => id === 'mozilla-en-pt')).toMatchObject({
		languages: ['en', 'pt'],
	});
	expect((await run(['list'])).out).toMatch(
		/^mozilla-en-pt +translator +en > pt +37\.0 +MPL-2\.0 +available$/m,
	);
});

test('adds a model from a mirror, says how far it is, and removes it', async () => {
	offerCzech();
	const added = await run(['add', czech], {}, { isErrorTerminal: true });
	expect(added).toMatchObject({ status: 0, out: `${czech} is installed.\n` });
	expect(added.error).toMatch(new RegExp(`Downloading ${czech} \\[\\.+\\] 0 % \\(0\\.0 of \\d+\\.\\d MB`));
	expect(readdirSync(join(folder, 'models', czech))).toContain('model.encs.intgemm.alphas.bin');
	const again = await run(['add', czech, '--json']);
	expect(JSON.parse(again.out)).toMatchObject([{ id: czech, state: 'installed', bytes: 10 }]);
	expect((await run(['remove', czech])).status).toBe(0);
	expect(readdirSync(join(folder, 'models'))).toEqual([]);
	expect((await run(['remove', 'nothing'])).status).toBe(4);
});

test('a file that is not what the maker published: exit 7, also when it is copied', async () => {
	files.set('/silero-v5/silero_vad_v5.onnx', 'x'.repeat(2_327_524));
	const wrong = await run(['add', 'silero-v5', '--json']);
	expect(wrong.status).toBe(7);
	expect(JSON.parse(wrong.out)).toMatchObject({ error: { kind: 'model-altered', code: 7 } });
	const source = join(folder, 'source', 'silero-v5');
	mkdirSync(source, { recursive: true });
	writeFileSync(join(source, 'silero_vad_v5.onnx'), 'something else');
	const copied = await run(['add', 'silero-v5', '--from', dirname(source)], { DRAGOMAN_MODELS_URL: '' });
	expect(copied.status).toBe(7);
	expect(copied.error).toMatch(/silero_vad_v5\.onnx of silero-v5 is not the published one/);
});

test('copies from a folder into the one that is named, for another computer', async () => {
	offerCzech();
	await run(['add', czech]);
	const from = join(folder, 'models');
	const to = join(folder, 'elsewhere');
	const copied = await run(['add', czech, '--from', from, '--models', to], { DRAGOMAN_MODELS_URL: '' });
	expect(copied.status).toBe(0);
	expect(readdirSync(join(to, czech))).toContain('installed.json');
	// Its hash came with it.
	cpSync(from, join(folder, 'altered'), { recursive: true });
	writeFileSync(join(folder, 'altered', czech, 'lex.50.50.encs.s2t.bin'), '[]');
	rmSync(to, { recursive: true });
	expect((await run(['add', czech, '--from', join(folder, 'altered'), '--models', to])).status).toBe(7);
});

test('a pair means all that it needs', async () => {
	const hash = createHash('sha256').update('').digest('hex');
	// Installed, as far as its record says.
	for (const [id, name] of [
		['silero-v5', 'silero_vad_v5.onnx'],
		['whisper-base', 'base-tokens.txt'],
	] as const) {
		mkdirSync(join(folder, 'models', id), { recursive: true });
		writeFileSync(join(folder, 'models', id, name), 'x');
		writeFileSync(
			join(folder, 'models', id, 'installed.json'),
			JSON.stringify({ files: { [name]: { bytes: 1, sha256: hash } } }),
		);
	}
	const added = await run(['add', 'pt-zh-hans', '--json']);
	// The first that the mirror does not have.
	expect(added.status).toBe(1);
	const { models } = JSON.parse(added.out);
	expect(models.map(({ id, state }: { id: string; state: string }) => [id, state])).toEqual([
		['silero-v5', 'installed'],
		['whisper-base', 'available'],
		['mozilla-en-zh', 'available'],
		['mozilla-pt-en', 'available'],
	]);
	expect((await run(['add', 'eu-en'])).status).toBe(4);
	expect((await run(['add'])).status).toBe(2);
});

test('without a network: exit 6 after a few tries', async () => {
	const nobody = `http://${await hostOfNobody()}`;
	const { status, error } = await run(['add', czech], { DRAGOMAN_MODELS_URL: nobody });
	expect(status).toBe(6);
	expect(error).toMatch(/Trying again\./);
}, 30_000);

test('Ctrl-C ends it, and keeps what has come', async () => {
	offerCzech();
	const control = new AbortController();
	control.abort();
	expect((await run(['add', czech], {}, { signal: control.signal })).status).toBe(130);
});
