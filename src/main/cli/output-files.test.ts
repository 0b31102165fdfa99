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
import { createAssembler } from '#shared/captions/assembler.ts';
import { plainFile } from '#shared/captions/export-formats.ts';
import type { Problem } from '#shared/problem.ts';
import { notRun } from '#test/support/not-run.ts';
import { createFileSink, cutOff, tracksOf, withLost } from './output-files.ts';

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

function heard(assembler: ReturnType<typeof createAssembler>, id: string, text: string, atS: number): void {
	const part = { type: 'transcript', final: true, transcriptionId: id, partId: '0' } as const;
	const time = { startS: atS, endS: atS + 1 };
	assembler.receive({ ...part, ...time, kind: 'source', language: 'en', text }, atS * 1000);
	assembler.receive(
		{ ...part, ...time, kind: 'translation', language: 'es', text: `${text} es` },
		atS * 1000,
	);
}

test('what could not be sent is marked in every file, where it is missing', () => {
	const assembler = createAssembler();
	assembler.newEpoch(0, 0);
	heard(assembler, 'a', 'before', 1);
	assembler.lose(4200, 8000);
	heard(assembler, 'b', 'after', 9);
	const segments = withLost(assembler);
	const tracks = tracksOf(segments, 'en');
	expect([...tracks.keys()]).toEqual(['en', 'es']);
	for (const [language, track] of tracks) {
		const mark = language === 'en' ? '' : ' es';
		expect(plainFile('text', track)).toBe(`before${mark}\n[4.2 s of sound were not sent]\nafter${mark}\n`);
		expect(plainFile('srt', track)).toContain(
			'00:00:03,800 --> 00:00:08,000\n[4.2 s of sound were not sent]',
		);
	}
	const kinds = segments.map(({ kind }) => kind);
	expect(kinds.indexOf('lost')).toBe(2);
	expect(kinds).toHaveLength(5);
});

test('where nothing was lost, nothing is marked', () => {
	const assembler = createAssembler();
	heard(assembler, 'a', 'all of it', 1);
	expect(withLost(assembler)).toEqual(assembler.segments());
});

test('of a run that was cut off what was finished is kept, and marked behind it in every file', () => {
	const assembler = createAssembler();
	assembler.newEpoch(0, 0);
	heard(assembler, 'a', 'whole', 1);
	const begun = { type: 'transcript', final: false, transcriptionId: 'b', partId: '0' } as const;
	assembler.receive({ ...begun, startS: 3, endS: 4, kind: 'source', language: 'en', text: 'hal' }, 4000);
	const kept = cutOff(assembler, 5000);
	for (const [language, track] of tracksOf(kept, 'en')) {
		expect(plainFile('text', track)).toBe(`whole${language === 'en' ? '' : ' es'}\n[cut off here]\n`);
		expect(plainFile('srt', track)).toContain('00:00:02,000 --> 00:00:05,000\n[cut off here]');
	}
	expect(tracksOf(kept, 'en').size).toBe(2);
});

test('where no text was finished nothing is kept', () => {
	const assembler = createAssembler();
	assembler.lose(4200, 8000);
	expect(cutOff(assembler, 9000)).toEqual([]);
});
