import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TranscriptMessage } from '#shared/protocol/server-message.ts';
import { anyText } from '#test/support/any-text.ts';
import { createAssembler } from './assembler.ts';
import { captionFile, captionFormats, type ExportWish, exportName } from './export-files.ts';
import type { Segment } from './segment.ts';
import { type CaptionTrack, captionTracks } from './tracks.ts';

const source: CaptionTrack = { id: 'source|en', kind: 'source', language: 'en' };
const arabic: CaptionTrack = { id: 'translation|ar', kind: 'translation', language: 'ar' };

function segment(n: number, kind: Segment['kind'], language: string, text: string, partId = '0'): Segment {
	const times = { startMs: n * 2000, endMs: n * 2000 + 1500 };
	const key = `${kind}|t${n}|${partId}|${language}`;
	return { key, transcriptionId: `t${n}`, partId, kind, language, text, final: true, ...times };
}

const words: ExportWish['words'] = {
	title: 'Lisbon | *notes*',
	time: 'Time',
	said: 'Said',
	track: 'Arabic',
	lost: (ms) => `[${ms} ms lost]`,
};

function write(segments: readonly Segment[], fields: Partial<ExportWish>): string {
	const wish: ExportWish = { format: 'text', track: arabic, aligned: true, words, ...fields };
	return [...captionFile(segments, wish)].join('');
}

const talk = [
	segment(1, 'source', 'en', 'Hello | there.'),
	segment(1, 'translation', 'ar', 'مرحبا', '0'),
	segment(1, 'translation', 'ar', 'هناك 3.', '1'),
	segment(1, 'translation', 'fr', 'Bonjour.'),
	segment(2, 'lost', '', ''),
	segment(3, 'source', 'de', '=HYPERLINK("x")'),
];

describe('side by side', () => {
	test('text: what was said, a tab, its translation; lost speech and what has no translation stand alone', () => {
		expect(write(talk, {})).toBe(
			'Hello | there.\t\u2067مرحبا\u2069 \u2067هناك 3.\u2069\n[1500 ms lost]\t\n=HYPERLINK("x")\t\n',
		);
	});

	test('subtitles: what was said above its translation', () => {
		expect(write(talk, { format: 'srt' })).toContain(
			'1\n00:00:02,000 --> 00:00:03,500\nHello | there.\n\u2067مرحبا\u2069 \u2067هناك 3.\u2069\n\n2\n',
		);
		expect(write(talk, { format: 'vtt' })).toContain(
			'WEBVTT\n\n00:00:02.000 --> 00:00:03.500\nHello | there.\n',
		);
	});

	test('Markdown: a table in which nothing that was said is markup', () => {
		expect(write(talk, { format: 'markdown' }).split('\n').slice(0, 5)).toEqual([
			'# Lisbon \\| \\*notes\\*',
			'',
			'| Time | Said | Arabic |',
			'| --- | --- | --- |',
			'| 00:00:02 | Hello \\| there. | \u2067مرحبا\u2069 \u2067هناك 3.\u2069 |',
		]);
	});

	test('CSV: a column each, and no formula', () => {
		const lines = write(talk, { format: 'csv' }).split('\r\n');
		expect(lines[0]).toBe('\ufeffstart,end,Said,Arabic');
		expect(lines[3]).toBe('00:00:06.000,00:00:07.500,"\'=HYPERLINK(""x"")",');
	});
});

describe('one language', () => {
	test('holds its own texts and the marks of lost speech', () => {
		expect(write(talk, { aligned: false, track: source })).toBe('Hello | there.\n[1500 ms lost]\n');
		expect(write(talk, { track: source, format: 'csv' })).toContain('Hello | there.\r\n00:00:04.000');
		expect(JSON.parse(write(talk, { format: 'json' }))).toHaveLength(6);
	});

	test('tracks are the source languages and each translation, in order of appearance', () => {
		expect(captionTracks(talk).map(({ id }) => id)).toEqual([
			'source|en',
			'translation|ar',
			'translation|fr',
			'source|de',
		]);
	});
});

/** A reader of RFC 4180 as simple as it gets. */
function readCsv(text: string): readonly (readonly string[])[] {
	const rows: string[][] = [];
	let row: string[] = [];
	for (const [, quoted, bare, end] of text.slice(1).matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
		row.push(quoted?.replaceAll('""', '"') ?? bare ?? '');
		if (end === ',') continue;
		rows.push(row);
		row = [];
	}
	return rows;
}

const hostile = fc.oneof(
	anyText,
	fc
		.array(
			fc.constantFrom(
				'=',
				'+',
				'-',
				'@',
				'|',
				'%',
				'"',
				',',
				'\r\n',
				'\t',
				' ',
				'\u200b',
				'\u202e',
				'＝1',
				'x',
				'-->',
				'<b>',
				'`',
			),
		)
		.map((all) => all.join('')),
);

test('CSV read back has every text in its place, and none begins as a formula, whatever was said', () => {
	fc.assert(
		fc.property(fc.array(fc.tuple(hostile, hostile), { maxLength: 8 }), (texts) => {
			const all = texts.flatMap(([said, told], n) => [
				segment(n, 'source', 'en', said),
				segment(n, 'translation', 'ar', told),
			]);
			const [head, ...rows] = readCsv(write(all, { format: 'csv' }));
			expect(head).toHaveLength(4);
			for (const row of rows) {
				expect(row).toHaveLength(4);
				for (const cell of row) expect(cell.replace(/[\s\p{Cf}]/gu, '')).not.toMatch(/^[=+\-@|%＝＋－＠]/u);
			}
			const plain = write(all, { format: 'text' }).split('\n').slice(0, -1);
			expect(rows.map(([, , said, told]) => `${unmarked(said)}\t${unmarked(told)}`)).toEqual(plain);
		}),
		{ numRuns: 200 },
	);
	function unmarked(cell = ''): string {
		return cell.replace(/^'(?=[\s\p{Cf}]*[=+\-@|%＝＋－＠])/u, '');
	}
});

test('Markdown has a line for each row, with as many cells, whatever was said', () => {
	fc.assert(
		fc.property(fc.array(hostile, { maxLength: 8 }), (texts) => {
			const all = texts.map((text, n) => segment(n, 'source', 'en', text));
			const lines = write(all, { format: 'markdown', track: source }).split('\n').slice(2, -1);
			for (const line of lines) expect(line.replace(/\\./g, '').split('|')).toHaveLength(4);
		}),
	);
});

test('any format of any conversation can be written, also an empty one', () => {
	for (const format of captionFormats) {
		expect(typeof write([], { format })).toBe('string');
		expect(write(talk, { format }).length).toBeGreaterThan(20);
	}
});

test.each([
	['Lisbon: notes/../x', 'srt', false, 'Lisbon_ notes_.._x.ar.srt'],
	['', 'markdown', true, 'dragoman.md'],
	['سفر', 'json', false, 'سفر.json'],
] as const)('%j as %s is called %s', (name, format, aligned, expected) => {
	expect(exportName(name, { format, aligned, track: arabic })).toBe(expected);
});

test('speech that was lost is marked in every format, every language and layout, and is no track of its own', () => {
	const captions = createAssembler();
	const say = (kind: 'source' | 'translation', id: string, language: string, text: string, atMs: number) => {
		const place = { transcriptionId: id, partId: '0', startS: null, endS: null };
		const message: TranscriptMessage = { type: 'transcript', kind, final: true, language, text, ...place };
		captions.receive(message, atMs);
	};
	say('source', 'a', 'en', 'before', 1000);
	say('translation', 'a', 'es', 'antes', 1000);
	captions.lose(4000, 9000);
	say('source', 'b', 'en', 'after', 12_000);
	say('translation', 'b', 'es', 'después', 12_000);
	const finals = captions.finals();
	const tracks = captionTracks(finals);
	expect(tracks.map(({ language }) => language)).toEqual(['en', 'es']);
	for (const track of tracks) {
		const [first, last] = track.language === 'en' ? ['before', 'after'] : ['antes', 'después'];
		for (const format of captionFormats) {
			for (const aligned of [true, false]) {
				const text = write(finals, { format, track, aligned });
				const places = [first, '4000 ms lost', last].map((part) => text.indexOf(part ?? ''));
				expect(places).not.toContain(-1);
				expect(places).toEqual([...places].sort((a, b) => a - b));
			}
		}
	}
	expect(write(finals, { format: 'srt', track: source, aligned: false })).toContain(
		'00:00:05,000 --> 00:00:09,000\n[4000 ms lost]',
	);
});
