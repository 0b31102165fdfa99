import { unzipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { captionFile, type InDoubt, noWords } from '#shared/captions/export-formats.ts';
import type { Segment } from '#shared/captions/segment.ts';
import type { CaptionTrack } from '#shared/captions/tracks.ts';
import { minutesDocument } from './minutes.ts';

const arabic: CaptionTrack = { id: 'translation|ar', kind: 'translation', language: 'ar' };
const french: CaptionTrack = { id: 'translation|fr', kind: 'translation', language: 'fr' };
const words = {
	...noWords,
	title: 'Lisbon <b>',
	about: 'May 4 · English',
	locale: 'en',
	time: 'Time',
	who: 'Speaker',
	said: 'Original',
	track: 'Arabic',
	cutOff: 'cut off',
	speaker: { outgoing: 'You', incoming: 'Them' },
	lost: (ms: number) => `[${ms} ms lost]`,
};

function segment(n: number, kind: Segment['kind'], language: string, text: string, more = {}): Segment {
	const times = { startMs: n * 2000, endMs: n * 2000 + 1500 };
	const key = `${kind}|t${n}|0|${language}`;
	return { key, transcriptionId: `t${n}`, partId: '0', kind, language, text, final: true, ...times, ...more };
}

/** The document as a word processor finds it in the file. */
async function documentOf(segments: readonly Segment[], more: Partial<typeof words> = {}): Promise<string> {
	const others = [{ track: french, head: 'French' }];
	const options = {
		format: 'docx',
		track: arabic,
		aligned: true,
		others,
		words: { ...words, ...more },
	} as const;
	const bytes = await minutesDocument([...captionFile(segments, options)].join(''));
	const inside = unzipSync(bytes);
	expect(Object.keys(inside)).toEqual(expect.arrayContaining(['[Content_Types].xml', 'word/document.xml']));
	return new TextDecoder('utf-8', { fatal: true }).decode(inside['word/document.xml']);
}

const cellsOf = (xml: string) => xml.match(/<w:tc>.*?<\/w:tc>/gs) ?? [];
const textOf = (xml: string) =>
	[...xml.matchAll(/<w:t[ >][^<]*?>?([^<>]*)<\/w:t>/g)].map(([, text]) => text).join('');
const cellWith = (xml: string, text: string) =>
	cellsOf(xml).find((cell) => textOf(cell).includes(text)) ?? '';

describe('minutes as a document', () => {
	test('what is in doubt is marked in its text, and what the mark means is said', async () => {
		const segments = [
			segment(1, 'source', 'en', 'It costs 15 euros.'),
			segment(1, 'translation', 'ar', 'يكلف 50 يورو.'),
		];
		const options = {
			format: 'docx',
			track: arabic,
			aligned: true,
			words: { ...words, doubt: 'Not the same.' },
		} as const;
		const spanOf = (text: string, part: string) => {
			const start = text.indexOf(part);
			return { start, end: start + part.length };
		};
		const inDoubt: InDoubt = (said, told) => [
			[spanOf(said.text, '15 euros')],
			[spanOf(told.text, '50 يورو')],
		];
		const bytes = await minutesDocument([...captionFile(segments, { ...options, inDoubt })].join(''));
		const xml = new TextDecoder().decode(unzipSync(bytes)['word/document.xml']);
		expect(textOf(xml)).toContain('⚠ Not the same.');
		const runs = (cellWith(xml, 'It costs').match(/<w:r>.*?<\/w:r>/gs) ?? []).map((run) => [
			textOf(run),
			run.includes('<w:shd '),
		]);
		expect(runs).toEqual([
			['It costs ', false],
			['⚠ 15 euros', true],
			['.', false],
		]);
		expect(cellWith(xml, 'يكلف')).toContain('<w:shd ');
	});

	test('a column for each language, its title on every page, a row for each thing said', async () => {
		const xml = await documentOf([
			segment(1, 'source', 'en', 'Hello.'),
			segment(1, 'translation', 'ar', 'مرحبا 3.'),
			segment(1, 'translation', 'fr', 'Bonjour.'),
		]);
		expect(cellsOf(xml).map(textOf)).toEqual([
			...['Time', 'Original', 'Arabic', 'French'],
			...['00:00:02', 'Hello.', 'مرحبا 3.', 'Bonjour.'],
		]);
		expect(xml.match(/<w:tblHeader\/>/g)).toHaveLength(1);
		expect(xml).toMatch(/w:orient="landscape"/);
		expect(xml).toContain('May 4 · English');
	});

	test('each text in its language and direction', async () => {
		const xml = await documentOf([
			segment(1, 'source', 'en', 'Hello.'),
			segment(1, 'translation', 'ar', 'مرحبا.'),
		]);
		expect(cellWith(xml, 'مرحبا')).toMatch(/<w:bidi\/>.*<w:rtl\/>.*<w:lang w:val="ar" w:bidi="ar"\/>/s);
		expect(cellWith(xml, 'Hello')).not.toMatch(/<w:(?:bidi|rtl)\/>/);
		expect(cellWith(xml, 'Hello')).toContain('w:val="en"');
		expect(xml).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
	});

	test('is turned round for who reads from right to left', async () => {
		const said = [segment(1, 'source', 'en', 'Hello.')];
		expect(await documentOf(said)).not.toContain('<w:bidiVisual/>');
		expect(await documentOf(said, { locale: 'ar', direction: 'rtl' } as never)).toContain('<w:bidiVisual/>');
	});

	test('marks lost speech, cut-off texts and missing translations', async () => {
		const xml = await documentOf([
			segment(1, 'source', 'en', 'Good', { final: false, cutOff: true }),
			segment(2, 'lost', '', ''),
		]);
		expect(textOf(cellWith(xml, 'Good'))).toBe('Good [cut off]');
		const amber = cellsOf(xml).filter((cell) => cell.includes('w:fill="FFF2CC"'));
		expect(amber.map(textOf)).toEqual(['—', '—', '00:00:04', '[1500 ms lost]', '', '']);
	});

	test('says who spoke where both sides did', async () => {
		const xml = await documentOf([
			segment(1, 'source', 'en', 'Hello.'),
			segment(2, 'source', 'ar', 'نعم', { leg: 'incoming' }),
		]);
		expect(cellsOf(xml).map(textOf)).toEqual(expect.arrayContaining(['Speaker', 'You', 'Them']));
	});

	test.each([
		'a | b `c` <script>alert(1)</script> & "d"',
		'one\ntwo\u0000\u0007\uffff three',
		'word '.repeat(3000),
		'\ud800 \u202e <w:p/>',
	])('text is text, whatever was said: %#', async (text) => {
		const xml = await documentOf([segment(1, 'source', 'en', text)], { title: text, about: text });
		expect(xml).not.toMatch(/<script|<w:p\/><\/w:t>/);
		// biome-ignore lint/suspicious/noControlCharactersInRegex: XML holds none of them
		expect(xml).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u202e\uffff]/);
		expect(xml.match(/<w:tr[ >]/g)).toHaveLength(2);
	});

	test('a language that is none is left out', async () => {
		const xml = await documentOf([segment(1, 'source', '"/><x', 'Hello.')]);
		expect(cellWith(xml, 'Hello')).not.toContain('<w:lang');
	});

	test('what no list of formats wrote is refused', async () => {
		await expect(minutesDocument('{"table":{}}')).rejects.toThrow();
		await expect(minutesDocument('x')).rejects.toThrow();
	});
});
