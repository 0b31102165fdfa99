import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
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
	expect(existsSync(`${path}.part`)).toBe(false);
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
