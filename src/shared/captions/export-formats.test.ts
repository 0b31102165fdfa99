import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TranscriptMessage } from '#shared/protocol/server-message.ts';
import { anyText } from '#test/support/texts.ts';
import { createAssembler } from './assembler.ts';
import {
	captionFile,
	captionFormats,
	csvLines,
	type ExportOptions,
	fileEnding,
	formatByEnding,
	isDocument,
	isPage,
	noWords,
	plainFile,
} from './export-formats.ts';
import { exportName } from './export-name.ts';
import type { Segment } from './segment.ts';
import { type CaptionTrack, captionTracks, othersOf } from './tracks.ts';

const source: CaptionTrack = { id: 'source|en', kind: 'source', language: 'en' };
const arabic: CaptionTrack = { id: 'translation|ar', kind: 'translation', language: 'ar' };

function segment(n: number, kind: Segment['kind'], language: string, text: string, partId = '0'): Segment {
	const times = { startMs: n * 2000, endMs: n * 2000 + 1500 };
	const key = `${kind}|t${n}|${partId}|${language}`;
	return { key, transcriptionId: `t${n}`, partId, kind, language, text, final: true, ...times };
}

const words: ExportOptions['words'] = {
	...noWords,
	title: 'Lisbon | *notes*',
	time: 'Time',
	said: 'Said',
	track: 'Arabic',
	lost: (ms) => `[${ms} ms lost]`,
};

function write(segments: readonly Segment[], fields: Partial<ExportOptions>): string {
	const wish: ExportOptions = { format: 'text', track: arabic, aligned: true, words, ...fields };
	return [...captionFile(segments, wish)].join('');
}

/** Where a text has a part for the first time. */
function spanOf(text: string, part: string) {
	const start = text.indexOf(part);
	return { start, end: start + part.length };
}

const talk = [
	segment(1, 'source', 'en', 'Hello | there.'),
	segment(1, 'translation', 'ar', 'مرحبا', '0'),
	segment(1, 'translation', 'ar', 'هناك 3.', '1'),
	segment(1, 'translation', 'fr', 'Bonjour.'),
	segment(2, 'lost', '', ''),
	segment(3, 'source', 'de', '=HYPERLINK("x")'),
];

describe('a format', () => {
	test('is known by how its files end, in any case', () => {
		for (const format of captionFormats) {
			expect(formatByEnding(fileEnding(format))).toBe(format);
			expect(formatByEnding(fileEnding(format).toUpperCase())).toBe(format);
		}
		expect(formatByEnding('exe')).toBeUndefined();
	});

	test('is for a person to read, or for a program; one is made in main', () => {
		expect(captionFormats.filter(isPage)).toEqual(['docx', 'html', 'markdown']);
		expect(captionFormats.filter(isDocument)).toEqual(['docx']);
	});
});

describe('side by side', () => {
	test('nothing is written where nothing was said, and no empty line where one language has nothing', () => {
		const quiet = [segment(1, 'source', 'en', ' '), segment(1, 'translation', 'ar', '')];
		expect(write(quiet, { format: 'text' })).toBe('');
		expect(write(quiet, { format: 'csv' }).trimEnd().split('\r\n')).toHaveLength(1);
		const alone = [segment(1, 'translation', 'ar', 'a'), segment(3, 'source', 'en', 'b')];
		expect(write(alone, { format: 'srt' })).toBe(
			'1\n00:00:02,000 --> 00:00:03,500\n\u2067a\u2069\n\n2\n00:00:06,000 --> 00:00:07,500\nb\n',
		);
	});

	test('text: what was said, a tab, its translation; lost speech and what has no translation stand alone', () => {
		expect(write(talk, {})).toBe(
			'Hello | there.\t\u2067مرحبا هناك 3.\u2069\n[1500 ms lost]\t\n=HYPERLINK("x")\t\n',
		);
	});

	test('subtitles: what was said above its translation', () => {
		expect(write(talk, { format: 'srt' })).toContain(
			'1\n00:00:02,000 --> 00:00:03,500\nHello | there.\n\u2067مرحبا هناك 3.\u2069\n\n2\n',
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
			'| 00:00:02 | Hello \\| there. | \u2067مرحبا هناك 3.\u2069 |',
		]);
	});

	test('a page: what it is about, a row each, each text in its direction, lost speech marked', () => {
		const about = 'May 4 · English';
		const page = write(talk, { format: 'html', words: { ...words, about, locale: 'ar', direction: 'rtl' } });
		expect(page).toMatch(/^<!doctype html>\n<html lang="ar" dir="rtl">/);
		expect(page).toContain(`<h1 dir="auto">Lisbon | *notes*</h1>\n<p>${about}</p>`);
		expect(page).toContain('<th scope="col">Time</th><th scope="col">Said</th><th scope="col">Arabic</th>');
		expect(page).toContain(
			'<tr><td class="at">00:00:02</td><td lang="en" dir="ltr">Hello | there.</td><td lang="ar" dir="rtl">مرحبا هناك 3.</td></tr>',
		);
		expect(page).toContain(
			'<tr class="lost"><td class="at">00:00:04</td><td lang="ar" dir="rtl">[1500 ms lost]</td>',
		);
		expect(write(talk, { format: 'html' })).not.toContain('<p>');
	});

	test('Markdown: what it is about below its heading, where that is known', () => {
		const page = write(talk, { format: 'markdown', words: { ...words, about: 'May 4 · English' } });
		expect(page.split('\n').slice(1, 5)).toEqual(['', 'May 4 · English', '', '| Time | Said | Arabic |']);
	});

	test('CSV: a column each, and no formula', () => {
		const lines = write(talk, { format: 'csv' }).split('\r\n');
		expect(lines[0]).toBe('\ufeffstart,end,Said,Arabic');
		expect(lines[3]).toBe('00:00:06.000,00:00:07.500,"\'=HYPERLINK(""x"")",');
	});
});

describe('minutes', () => {
	const french: CaptionTrack = { id: 'translation|fr', kind: 'translation', language: 'fr' };
	const others = [{ track: french, head: 'French' }];
	const cut = { final: false, cutOff: true } as const;
	const cutWords = { ...words, cutOff: 'cut off' };
	const broken = [
		...talk,
		{ ...segment(4, 'source', 'en', 'And the'), ...cut },
		{ ...segment(4, 'translation', 'ar', 'و'), ...cut },
	];

	test('have every language in a column of its own', () => {
		const lines = write(talk, { format: 'markdown', others }).split('\n').slice(2, -1);
		expect(lines).toEqual([
			'| Time | Said | Arabic | French |',
			'| --- | --- | --- | --- |',
			'| 00:00:02 | Hello \\| there. | \u2067مرحبا هناك 3.\u2069 | Bonjour. |',
			'| 00:00:04 | \\[1500 ms lost\\] |  |  |',
			'| 00:00:06 | =HYPERLINK("x") | — | — |',
		]);
		expect(write(talk, { others })).toBe(
			'Hello | there.\t\u2067مرحبا هناك 3.\u2069\tBonjour.\n[1500 ms lost]\t\t\n=HYPERLINK("x")\t\t\n',
		);
		expect(write(talk, { format: 'srt', others })).toContain('هناك 3.\u2069\nBonjour.\n');
	});

	test('offer as further columns what has none yet', () => {
		const tracks = captionTracks(talk);
		const [, ar, fr] = tracks;
		if (!ar || !fr) throw new Error('two translations');
		expect([othersOf(ar, tracks), othersOf(fr, tracks)]).toEqual([[fr], [ar]]);
		const sides = ['en', 'es', 'fr'].map(
			(language): CaptionTrack => ({ id: `language|${language}`, kind: 'language', language }),
		);
		const [en, es] = sides;
		if (!en || !es) throw new Error('three languages');
		expect(othersOf(en, sides)).toEqual(sides.slice(2));
		expect(othersOf(es, sides)).toEqual(sides.slice(2));
	});

	test('mark what broke off, which is in no other file', () => {
		for (const format of captionFormats) {
			const file = write(broken, { format, words: cutWords });
			expect(file.includes('And the'), format).toBe(isPage(format));
		}
		expect(write(broken, { format: 'markdown', words: cutWords })).toContain(
			'| And the \\[cut off\\] | \u2067و [cut off]\u2069 |'.replace('[cut off]\u2069', '\\[cut off\\]\u2069'),
		);
		expect(write(broken, { format: 'html', words: cutWords })).toContain('>And the [cut off]</td>');
	});

	test('mark where a language has nothing', () => {
		expect(write(talk, { format: 'html' })).toContain(
			'<td lang="de" dir="ltr">=HYPERLINK(&quot;x&quot;)</td><td class="lost" dir="ltr">—</td>',
		);
		expect(write(talk, { format: 'csv' })).not.toContain('—');
	});

	test('a page may run and fetch nothing, and is whole', () => {
		const page = write(talk, { format: 'html' });
		expect(page).toContain(
			`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
		);
		expect(page.endsWith('</tbody>\n</table>\n</body>\n</html>\n')).toBe(true);
	});

	test('controls and breaks in a text are one blank, and an ampersand is a character', () => {
		const given = [segment(1, 'source', 'en', 'A\u0007\u0008B &\r\n\r\nC')];
		expect(write(given, { format: 'html', aligned: false, track: source })).toContain('>A B &amp; C</td>');
		expect(write(given, { format: 'markdown' })).toContain('| A B &amp; C |');
		const title = { ...words, title: 'a\n\nb\u0000\u0001c' };
		expect(write(given, { format: 'html', words: title })).toContain('<title>a b c</title>');
		expect(write(given, { format: 'markdown', words: title })).toContain('# a b');
	});

	test('a page names no language that is more than a name', () => {
		const page = write([segment(1, 'source', '"><script>', 'Hello `x`\n|<script>')], { format: 'html' });
		expect(page).not.toContain('<script>');
		expect(page).toContain('lang="&quot;&gt;&lt;script&gt;" dir="ltr">Hello `x` |&lt;script&gt;</td>');
	});
});

describe('what is in doubt', () => {
	const sums = [
		segment(1, 'source', 'en', 'It costs 15 <b> euros, 20 at most.'),
		segment(1, 'translation', 'ar', 'يكلف 50 يورو، 20 على الأكثر.'),
		segment(2, 'source', 'en', 'Thank you, 20.'),
		segment(2, 'translation', 'ar', 'شكرًا، 20.'),
	];
	const asked: unknown[] = [];
	const inDoubt: ExportOptions['inDoubt'] = (said, translated) => {
		asked.push([said.language, translated.language]);
		if (!said.text.includes('15')) return [[], []];
		const [there, here] = [translated.text, said.text];
		return [[spanOf(here, '15 <b> euros'), spanOf(here, '20')], [spanOf(there, '50 يورو')]];
	};
	const doubt = 'Not the same *here*.';

	test('a page marks what is in doubt, in each column, and says what the mark means', () => {
		const page = write(sums, { format: 'html', inDoubt, words: { ...words, doubt } });
		expect(page).toContain('<p><mark>⚠</mark> Not the same *here*.</p>');
		expect(page).toContain(
			'<td lang="en" dir="ltr">It costs <mark>15 &lt;b&gt; euros</mark>, <mark>20</mark> at most.</td>' +
				'<td lang="ar" dir="rtl">يكلف <mark>50 يورو</mark>، 20 على الأكثر.</td>',
		);
		expect(page).toContain(
			'<td lang="en" dir="ltr">Thank you, 20.</td><td lang="ar" dir="rtl">شكرًا، 20.</td>',
		);
		expect(asked).toEqual([
			['en', 'ar'],
			['en', 'ar'],
		]);
		// The marks must survive on paper, where browsers omit background colours, and in black and white.
		expect(page).toMatch(/\.lost, mark \{[^}]* print-color-adjust: exact;/);
		expect(page).toContain('td mark::before { content: "\\26a0\\a0";');
	});

	test('so does Markdown', () => {
		const lines = write(sums, { format: 'markdown', inDoubt, words: { ...words, doubt } }).split('\n');
		expect(lines[2]).toBe('⚠ Not the same \\*here\\*.');
		expect(lines[6]).toContain('| It costs **⚠ 15 \\<b\\> euros**, **⚠ 20** at most. |');
	});
});

test('the name of a file is at most eighty letters of what a person wrote, and says the language of its one track', () => {
	const name = (text: string, fields: Partial<ExportOptions> = {}) =>
		exportName(text, { format: 'srt', track: source, aligned: false, ...fields });
	expect(name(' a/b ')).toBe('a_b.en.srt');
	expect(name('é'.repeat(80))).toBe(`${'é'.repeat(80)}.en.srt`);
	expect(name('é'.repeat(81))).toBe(`${'é'.repeat(80)}.en.srt`);
	expect(name('m', { aligned: true })).toBe('m.en.srt');
	expect(name('m', { aligned: true, track: arabic })).toBe('m.srt');
	expect(name('', { format: 'json' })).toBe('dragoman.json');
});

describe('one language', () => {
	test.each(captionFormats)('%s has a line for speech that was lost, in each layout and track', (format) => {
		for (const track of captionTracks(talk))
			for (const aligned of [true, false])
				expect(write(talk, { format, track, aligned })).toContain('1500 ms lost');
	});

	test('holds its own texts and the marks of lost speech', () => {
		expect(write(talk, { aligned: false, track: source })).toBe('Hello | there.\n[1500 ms lost]\n');
		expect(write(talk, { track: source, format: 'csv' })).toContain('Hello | there.\r\n00:00:04.000');
		expect(JSON.parse(write(talk, { format: 'json' }))).toHaveLength(6);
	});

	test('names the language of each text on a page, and marks lost speech alone', () => {
		const page = write(talk, { format: 'html', aligned: false, track: source });
		expect(page).toContain('<td lang="en" dir="ltr">Hello | there.</td>');
		expect(page.match(/class="lost"/g)).toHaveLength(1);
		expect(plainFile('csv', talk.slice(0, 1)).split('\r\n')[0]).toBe('\ufeffstart,end,');
	});
});

/** How programs parse a CSV file: what separates cells, whether quotes protect against that, what ends a row. */
interface Dialect {
	readonly name: string;
	readonly separator: string;
	/** `lax`: also in the middle of a cell, as some do. */
	readonly quotes: 'strict' | 'lax' | 'none';
}

const ours: Dialect = { name: 'RFC 4180', separator: ',', quotes: 'strict' };
const dialects: readonly Dialect[] = [
	ours,
	...[';', '\t', '|'].flatMap((separator) =>
		(['strict', 'lax', 'none'] as const).map((quotes) => ({
			name: `parted by ${JSON.stringify(separator)}, quotes ${quotes}`,
			separator,
			quotes,
		})),
	),
];

/** A reader as simple as it gets: character by character, the same for every dialect. */
function readCsv(text: string, { separator, quotes }: Dialect = ours): string[][] {
	const rows: string[][] = [[]];
	let field = '';
	let quoted = false;
	let fresh = true;
	const end = () => {
		rows.at(-1)?.push(field);
		field = '';
		fresh = true;
	};
	for (let n = text.startsWith('\ufeff') ? 1 : 0; n < text.length; n++) {
		const one = text.charAt(n);
		if (quoted && one === '"' && text[n + 1] === '"') {
			field += '"';
			n++;
		} else if (quoted) {
			if (one === '"') quoted = false;
			else field += one;
		} else if (one === '"' && (quotes === 'lax' || (quotes === 'strict' && fresh))) {
			quoted = true;
			fresh = false;
		} else if (one === separator) {
			end();
		} else if (one === '\n' || one === '\r') {
			if (one === '\r' && text[n + 1] === '\n') n++;
			end();
			rows.push([]);
		} else {
			field += one;
			fresh = false;
		}
	}
	if (field !== '' || !fresh) end();
	return rows.filter((row) => row.length > 0);
}

const hostile = fc.oneof(
	anyText,
	fc
		.array(
			fc.constantFrom(
				...['=', '+', '-', '@', '|', '%', '"', "'", ',', ';', '\r\n', '\r', '\n', '\t', '\v', ' '],
				...['\0', '\u2028', '\u3164', '\u200b', '\u202e', '＝1', 'x', '-->', '<b>', '`'],
			),
		)
		.map((all) => all.join('')),
);

/** A formula's sign with nothing visible before it, and no apostrophe. */
const isFormula = /^["\s\p{Cc}\p{Cf}\p{DI}]*[=+\-@|%＝＋－＠]/u;
/** The same, or harmless by an apostrophe. */
const begins = /^["'\s\p{Cc}\p{Cf}\p{DI}]*[=+\-@|%＝＋－＠]/u;

/** Writes the table directly, with any text: captions have lost line breaks and tabs by then. */
const csvOf = (...texts: readonly string[]) =>
	[
		...csvLines({
			columns: ['a', 'b'],
			sided: false,
			rows: texts.map((text) => ({ startMs: 0, endMs: 0, texts: [text, text], languages: ['', ''] })),
		}),
	].join('');

test('CSV read back has every text in its place and whole, whatever was said', () => {
	fc.assert(
		fc.property(fc.array(hostile, { maxLength: 8 }), (texts) => {
			const [head, ...rows] = readCsv(csvOf(...texts));
			expect(head).toHaveLength(4);
			expect(rows.map((row) => row.slice(2).map(unmarked))).toEqual(texts.map((text) => [text, text]));
			const captions = texts.map((text, n) => segment(n, 'source', 'en', text));
			const saved = readCsv(write(captions, { format: 'csv', track: source })).slice(1);
			const plain = write(captions, { format: 'text', track: source });
			expect(saved.map(([, , text = '']) => `${unmarked(text)}\n`).join('')).toBe(plain);
		}),
		{ numRuns: 300 },
	);
	/** Removes the apostrophe again wherever a cell could begin. */
	function unmarked(text: string): string {
		const parts = text.split(/(\r\n|[\n\r\t;|\v\f\x85\u2028\u2029])/);
		return parts
			.map((part, n) => (n % 2 === 0 && begins.test(parts.slice(n).join('')) ? part.slice(1) : part))
			.join('');
	}
});

test.each(dialects)('no cell of the CSV is a formula, whatever was said: $name', (dialect) => {
	fc.assert(
		fc.property(fc.array(hostile, { maxLength: 6 }), (texts) => {
			for (const row of readCsv(csvOf(...texts), dialect))
				for (const cell of row) expect(cell).not.toMatch(isFormula);
		}),
		{ numRuns: 300 },
	);
});

test.each([
	['=1+1', `"'=1+1"`],
	['a;=1+1', `"a;'=1+1"`],
	['a;\t@x', `"a;'\t'@x"`],
	['a\n -2', `"a\n' -2"`],
	['a\r\n"+3', `"a\r\n'""+3"`],
	["'=1", `"''=1"`],
	['no; 5-4 = 1, @home', '"no; 5-4 = 1, @home"'],
	['well-known', 'well-known'],
])('CSV of %j: an apostrophe where a formula could begin, nowhere else', (text, expected) => {
	expect(csvOf(text)).toBe(`\ufeffstart,end,a,b\r\n00:00:00.000,00:00:00.000,${expected},${expected}\r\n`);
});

test('Markdown has a line for each row, with as many cells, whatever was said', () => {
	fc.assert(
		fc.property(fc.array(hostile, { maxLength: 8 }), (texts) => {
			// A row without a text is left out.
			const all = texts.map((text, n) => segment(n, 'source', 'en', `${text}x`));
			const written = write(all, { format: 'markdown', track: source }).split('\n');
			const lines = written.slice(written.findIndex((line) => line.startsWith('| --- |')) + 1, -1);
			expect(lines).toHaveLength(all.length);
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
	['बैठक การประชุม', 'srt', false, 'बैठक การประชุม.ar.srt'],
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
