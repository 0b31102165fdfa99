import { parseXml } from '@rgrove/parse-xml';
import { unzipSync } from 'fflate';
import { expect, test, vi } from 'vitest';
import { minutesDocument } from '#main/captions/minutes.ts';
import { captionFile, captionFormats, noWords } from '#shared/captions/export-formats.ts';
import type { Segment } from '#shared/captions/segment.ts';
import { hostileTexts } from '#test/support/texts.ts';

/* Files that a person opens elsewhere: in a player, in a spreadsheet, as rendered Markdown. */

// A busy machine takes its time.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const segments = hostileTexts.map(
	(text, at): Segment =>
		({
			key: `k${at}`,
			transcriptionId: `t${at}`,
			partId: '0',
			kind: 'source',
			language: 'en',
			text,
			startMs: at * 1000,
			endMs: at * 1000 + 900,
			final: true,
		}) as Segment,
);

function fileOf(format: (typeof captionFormats)[number]): string {
	const track = { id: 'source|en', kind: 'source', language: 'en' } as const;
	const [title = ''] = hostileTexts;
	const words = {
		...noWords,
		title,
		about: title,
		time: title,
		said: title,
		track: title,
		locale: title,
		lost: () => title,
	};
	return [...captionFile(segments, { format, track, aligned: false, words })].join('');
}

test('Markdown holds no tag, no link and no picture', () => {
	const text = fileOf('markdown');
	// Escaped characters are plain text; none of the rest may begin any markup.
	const bare = text.replace(/\\[\\`*_[\]<>|~#$]/g, '');
	expect(bare.replace(/^# /gm, '').replace(/^\|.*\|$/gm, (row) => row.slice(1, -1))).not.toMatch(/[<>[\]`]/);
	expect(bare).not.toMatch(/&(?!amp;)/);
	expect(text.split('\n').length).toBeLessThan(segments.length + 10);
});

test('a page holds no tag and no address but its own', () => {
	const [, table = ''] = fileOf('html').split('</style>');
	const own =
		/<\/?(?:head|body|h1|p|table|thead|tbody|tr|th|td|html)(?: (?:class|dir|lang|scope)="[a-z]+")*>/g;
	expect(table.replace(own, '')).not.toMatch(/[<>"]/);
	expect(fileOf('html').split('</title>')[0]).not.toMatch(/<(?!!doctype|\/?(?:html|head|meta|title)\b)/);
});

test('a document holds nothing but text, its own fields and the paper', async () => {
	const xml = unzipSync(await minutesDocument(fileOf('docx')))['word/document.xml'];
	const { children } = parseXml(new TextDecoder().decode(xml));
	expect(JSON.stringify(children)).not.toMatch(/"name":"(?!w:)/);
});

test('WebVTT holds no tag, and SubRip none that a player would take for one', () => {
	const vtt = fileOf('vtt')
		.split('\n')
		.filter((line) => !line.includes(' --> '))
		.join('\n');
	expect(vtt).not.toMatch(/[<>]/);
	expect(fileOf('srt').replace(/^\d\d:.* --> .*$/gm, '')).not.toMatch(/<[a-z/!]|-->|\{\\/i);
});

test('a spreadsheet takes no cell for a formula', () => {
	const cells = fileOf('csv')
		.split('\r\n')
		.slice(1)
		.map((line) => line.replace(/^[^,]*,[^,]*,/, ''));
	for (const cell of cells) expect(cell).not.toMatch(/^"?[\s\p{Cf}]*[=+\-@]/u);
});

test('JSON is read back as it was, and plain text is plain text: one line for each', () => {
	const read = JSON.parse(fileOf('json')) as { text: string }[];
	expect(read.map(({ text }) => text)).toEqual(hostileTexts.map((text) => text.toWellFormed()));
	expect(fileOf('text').trimEnd().split('\n').length).toBeLessThanOrEqual(segments.length);
});

test('every format is looked at', () => {
	expect([...captionFormats].sort()).toEqual([
		'csv',
		'docx',
		'html',
		'json',
		'markdown',
		'srt',
		'text',
		'vtt',
	]);
});
