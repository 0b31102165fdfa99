import {
	existsSync,
	lstatSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { Problem } from '#shared/problem.ts';
import { notRun } from '#test/support/not-run.ts';
import { createFileSink } from './wav-sink.ts';

let folder = '';

beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), 'dragoman-sink-'));
	return () => rmSync(folder, { recursive: true });
});

test('a file appears whole under its name, in folders that are made on the way', async () => {
	const path = join(folder, 'a/b/said.wav');
	const sink = createFileSink(path);
	sink.write(new Int16Array(240));
	expect(existsSync(path)).toBe(false);
	expect(await sink.finish()).toMatchObject({ ok: true });
	expect(readFileSync(path)).toHaveLength(44 + 480);
	expect(readdirSync(join(folder, 'a/b'))).toEqual(['said.wav']);
});

const other = process.platform === 'win32' ? 'Windows has neither' : '';
test.skipIf(other !== '' && notRun('rights and links', other))(
	'a link to a file stays one, and that file has its rights and the new sound',
	async () => {
		const [path, target] = [join(folder, 'said.wav'), join(folder, 'kept/real.wav')];
		mkdirSync(join(folder, 'kept'));
		writeFileSync(target, 'of yesterday', { mode: 0o600 });
		symlinkSync(target, path);
		const sink = createFileSink(path);
		sink.write(new Int16Array(240));
		await sink.begun;
		expect(readFileSync(target, 'utf8')).toBe('of yesterday');
		expect(await sink.finish()).toMatchObject({ ok: true });
		expect(lstatSync(path).isSymbolicLink()).toBe(true);
		expect(readFileSync(target)).toHaveLength(44 + 480);
		expect(statSync(target).mode & 0o777).toBe(0o600);
		expect(readdirSync(join(folder, 'kept'))).toEqual(['real.wav']);
	},
);

test('what lies beside it under the name of a part is neither written to nor through', async () => {
	const path = join(folder, 'said.wav');
	writeFileSync(join(folder, 'elsewhere'), '');
	symlinkSync(join(folder, 'elsewhere'), `${path}.part`);
	const sink = createFileSink(path);
	sink.write(new Int16Array(240));
	expect(await sink.finish()).toMatchObject({ ok: true });
	expect(readFileSync(join(folder, 'elsewhere'), 'utf8')).toBe('');
	expect(readdirSync(folder).sort()).toEqual(['elsewhere', 'said.wav', 'said.wav.part']);
});

test.each(['finish', 'discard'] as const)(
	'where a file stands in the way, %s does not throw',
	async (end) => {
		writeFileSync(join(folder, 'file'), '');
		const sink = createFileSink(join(folder, 'file/below/said.wav'));
		expect(await sink.begun).toMatchObject({ ok: false, error: { kind: 'storage-failed' } });
		sink.write(new Int16Array(240));
		const ended = await sink[end]();
		if (end === 'finish') expect(ended).toMatchObject({ ok: false, error: { kind: 'storage-failed' } });
		expect(readFileSync(join(folder, 'file'))).toHaveLength(0);
	},
);

test('a folder under its name is found out at the beginning, and told at once', async () => {
	const path = join(folder, 'said.wav');
	mkdirSync(path);
	const told: Problem[] = [];
	const sink = createFileSink(path, (failure) => told.push(failure));
	const failure = { kind: 'storage-failed', what: `${path} (EISDIR)` };
	expect(await sink.begun).toEqual({ ok: false, error: failure });
	expect(told).toEqual([failure]);
	await sink.discard();
	expect(readdirSync(folder)).toEqual(['said.wav']);
});

test('discarded it takes away the folders that were made for it, unless something else is in them', async () => {
	await createFileSink(join(folder, 'a/b/said.wav')).discard();
	expect(readdirSync(folder)).toEqual([]);
	const [one, two] = [createFileSink(join(folder, 'c/d/one.wav')), createFileSink(join(folder, 'c/two.wav'))];
	expect((await two.finish()).ok).toBe(true);
	await one.discard();
	expect(readdirSync(join(folder, 'c'))).toEqual(['two.wav']);
});

test('it can end under another name than its own', async () => {
	const sink = createFileSink(join(folder, 'said.wav'));
	sink.write(new Int16Array(240));
	expect(await sink.finish(join(folder, 'said.cut.wav'))).toMatchObject({ ok: true });
	expect(readdirSync(folder)).toEqual(['said.cut.wav']);
});
