import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyText } from '#test/support/texts.ts';
import { plainFile, writeJson } from './export-formats.ts';
import type { Segment } from './segment.ts';

const writeSrt = (segments: readonly Segment[]) => plainFile('srt', segments);
const writeVtt = (segments: readonly Segment[]) => plainFile('vtt', segments);
const writeText = (segments: readonly Segment[]) => plainFile('text', segments);

function segment(fields: Partial<Segment>): Segment {
	return {
		key: 'translation|a|0|es',
		transcriptionId: 'a',
		partId: '0',
		kind: 'translation',
		language: 'es',
		text: 'Hola',
		final: true,
		startMs: 0,
		endMs: 1000,
		...fields,
	};
}

const hostile = fc.oneof(
	anyText,
	fc
		.array(
			fc.constantFrom(
				'-->',
				'<i>',
				'</b>',
				'&amp;',
				'&',
				'<',
				'>',
				'\r\n',
				'\n\n',
				'{\\an8}',
				'7',
				' ',
				'ñ',
				'سلام',
				'\u202e',
				'\u2069',
			),
		)
		.map((parts) => parts.join('')),
);

const tracks = fc.array(
	fc
		.record({
			text: hostile,
			language: fc.constantFrom('es', 'ar', 'ja'),
			startMs: fc.oneof(
				fc.double({ min: 0, max: 20_000, noNaN: true }),
				fc.integer({ min: 0, max: 400_000_000 }),
			),
			lengthMs: fc.nat({ max: 20_000 }),
		})
		.map(({ text, language, startMs, lengthMs }) =>
			segment({ text, language, startMs, endMs: startMs + lengthMs }),
		),
	{ maxLength: 12 },
);

interface ReadCue {
	readonly startMs: number;
	readonly endMs: number;
	readonly text: string;
}

/** A reader as simple as players are: blocks between empty lines, one timing line, the rest is text. */
function readCues(body: string, timing: RegExp): readonly ReadCue[] {
	const blocks = body.split('\n\n').filter((block) => block.trim() !== '');
	return blocks.map((block) => {
		const lines = block.replace(/\n$/, '').split('\n');
		const at = lines.findIndex((line) => timing.test(line));
		const [, ...numbers] = (timing.exec(lines[at] ?? '') ?? []).map(Number);
		const [h1 = -1, m1 = 0, s1 = 0, ms1 = 0, h2 = -1, m2 = 0, s2 = 0, ms2 = 0] = numbers;
		const ms = (h: number, m: number, s: number, rest: number) => ((h * 60 + m) * 60 + s) * 1000 + rest;
		return { startMs: ms(h1, m1, s1, ms1), endMs: ms(h2, m2, s2, ms2), text: lines.slice(at + 1).join('\n') };
	});
}

const SRT_TIMING = /^(\d{2,}):(\d\d):(\d\d),(\d{3}) --> (\d{2,}):(\d\d):(\d\d),(\d{3})$/;
const VTT_TIMING = /^(\d{2,}):(\d\d):(\d\d)\.(\d{3}) --> (\d{2,}):(\d\d):(\d\d)\.(\d{3})$/;

const WITHOUT_FORMAT = /[\u2060\u202a-\u202e\u2066-\u2069]/g;
const oneLine = (text: string) =>
	text
		.toWellFormed()
		.replace(WITHOUT_FORMAT, '')
		.replace(/[\p{Cc}\u2028\u2029\s]+/gu, ' ')
		.trim();

function expectOrdered(cues: readonly ReadCue[]): void {
	for (const [index, cue] of cues.entries()) {
		expect(cue.startMs).toBeGreaterThanOrEqual(cues[index - 1]?.endMs ?? 0);
		expect(cue.endMs).toBeGreaterThan(cue.startMs);
	}
}

/** Texts with something to read, in the order in which they start. */
function expectedTexts(segments: readonly Segment[]): readonly string[] {
	return [...segments]
		.sort((a, b) => Math.round(a.startMs) - Math.round(b.startMs))
		.map(({ text }) => oneLine(text))
		.filter((text) => text !== '');
}

describe('SRT', () => {
	test('is read back with every text, in order and without overlap, whatever is in the texts', () => {
		fc.assert(
			fc.property(tracks, (segments) => {
				const body = writeSrt(segments);
				const cues = readCues(body, SRT_TIMING);
				expectOrdered(cues);
				expect(cues.map(({ text }) => oneLine(text))).toEqual(expectedTexts(segments));
				expect(body.match(/-->/g)?.length ?? 0).toBe(cues.length);
				expect(body).not.toMatch(/<[a-z/!]|\{\\|\r/i);
			}),
			{ numRuns: 200 },
		);
	});

	test('is empty when there is nothing to read', () => {
		expect(writeSrt([segment({ text: ' \n ' })])).toBe('');
	});
});

describe('VTT', () => {
	test('is read back with every text, in order and without overlap, whatever is in the texts', () => {
		const unescaped = (text: string) =>
			text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
		fc.assert(
			fc.property(tracks, (segments) => {
				const body = writeVtt(segments);
				expect(body.startsWith('WEBVTT\n')).toBe(true);
				const cues = readCues(body.slice('WEBVTT\n'.length), VTT_TIMING);
				expectOrdered(cues);
				expect(cues.map(({ text }) => oneLine(unescaped(text)))).toEqual(expectedTexts(segments));
				for (const { text } of cues) expect(text).not.toMatch(/[<>\r\n]|&(?!amp;|lt;|gt;)/);
			}),
			{ numRuns: 200 },
		);
	});
});

describe('overlaps', () => {
	const spans = (segments: readonly Segment[]) =>
		readCues(writeSrt(segments), SRT_TIMING).map(({ startMs, endMs }) => [startMs, endMs]);

	test('end where the next caption begins', () => {
		expect(spans([segment({ startMs: 0, endMs: 5000 }), segment({ startMs: 2000, endMs: 4000 })])).toEqual([
			[0, 2000],
			[2000, 4000],
		]);
	});

	test('parts of one sentence share its time by their length', () => {
		expect(
			spans([
				segment({ text: 'abc', startMs: 1000, endMs: 5000 }),
				segment({ text: 'd', partId: '1', startMs: 1000, endMs: 5000 }),
			]),
		).toEqual([
			[1000, 4000],
			[4000, 5000],
		]);
	});

	test('each caption begins in its own time, and no part is too short to be seen, where there is room', () => {
		const sentence = fc.record({
			parts: fc.integer({ min: 1, max: 4 }),
			second: fc.nat({ max: 20 }),
			lengthMs: fc.nat({ max: 20_000 }),
		});
		const sentences = fc.uniqueArray(sentence, { selector: ({ second }) => second, maxLength: 12 });
		fc.assert(
			fc.property(sentences, (all) => {
				const segments = all.flatMap(({ parts, second, lengthMs }) => {
					const times = { startMs: second * 1000, endMs: second * 1000 + lengthMs };
					return Array.from({ length: parts }, (_, n) => segment({ partId: `${n}`, ...times }));
				});
				const shown = spans(segments);
				for (const [startMs = 0, endMs = 0] of shown) expect(endMs - startMs).toBeGreaterThanOrEqual(175);
				const starts = shown.map(([startMs = 0]) => startMs);
				expect(starts).toEqual(starts.toSorted((a, b) => a - b));
				for (const { second } of all) expect(starts).toContain(second * 1000);
			}),
		);
	});

	test('a caption of no length is shown long enough to be seen', () => {
		expect(spans([segment({ startMs: 100, endMs: 100 })])).toEqual([[100, 800]]);
	});
});

test('plain text has one caption a line', () => {
	const segments = [
		segment({ text: 'Uno\ndos' }),
		segment({ text: '' }),
		segment({ text: 'سلام', language: 'fa' }),
	];
	expect(writeText(segments)).toBe('Uno dos\n\u2067سلام\u2069\n');
});

describe('JSON', () => {
	test('is captions.json, field by field', () => {
		expect(
			JSON.parse(writeJson([segment({ text: 'a "b"\n', startMs: 1.4, endMs: 2.6, final: false })])),
		).toEqual([
			{
				id: 'a',
				part: '0',
				language: 'es',
				kind: 'translation',
				text: 'a "b"\n',
				start_ms: 1,
				end_ms: 3,
				final: false,
			},
		]);
		expect(writeJson([])).toBe('[]\n');
		// Mine, as with one side only.
		expect(writeJson([segment({ leg: 'outgoing' })])).toBe(writeJson([segment({})]));
	});

	test('keeps every caption and its text', () => {
		fc.assert(
			fc.property(tracks, (segments) => {
				const read: unknown = JSON.parse(writeJson(segments));
				expect(read).toMatchObject(segments.map(({ text }) => ({ text: text.toWellFormed() })));
			}),
		);
	});
});
