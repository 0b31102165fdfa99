import { expect, test } from 'vitest';
import { type CaptionFormat, captionFile, noWords } from './export-formats.ts';
import type { Segment } from './segment.ts';

const said: Segment = {
	kind: 'source',
	key: 'said',
	transcriptionId: 't1',
	partId: '0',
	language: 'en',
	text: 'Hello.',
	startMs: 0,
	endMs: 1000,
	final: true,
};
const lost: Segment = {
	kind: 'lost',
	key: 'lost',
	transcriptionId: 't2',
	partId: '0',
	language: '',
	text: '',
	startMs: 2000,
	endMs: 3500,
	final: true,
};

/** A file for a reader of the language `locale`, side by side or of one track. */
function written(format: CaptionFormat, locale: string, aligned: boolean): string {
	const words = {
		...noWords,
		locale,
		direction: locale === 'ar' ? ('rtl' as const) : ('ltr' as const),
		lost: (ms: number) => `(${ms} ms lost)`,
	};
	const track = aligned
		? ({ id: 'translation|es', kind: 'translation', language: 'es' } as const)
		: ({ id: 'source|en', kind: 'source', language: 'en' } as const);
	return [...captionFile([said, lost], { format, track, aligned, words })].join('');
}

test.each([
	['beside its translation', true],
	['alone', false],
])('the note on lost speech has the direction of its reader, %s', (_, aligned) => {
	for (const format of ['srt', 'vtt', 'text', 'markdown', 'csv'] as const) {
		expect(written(format, 'ar', aligned), format).toContain('\u2067(1500 ms lost)\u2069');
		expect(written(format, 'de', aligned), format).not.toContain('\u2067');
	}
	expect(written('html', 'ar', aligned)).toContain('<td lang="ar" dir="rtl">(1500 ms lost)</td>');
	expect(written('html', 'de', aligned)).toContain('<td lang="de" dir="ltr">(1500 ms lost)</td>');
});

test('a file for programs says of lost speech that it has no language', () => {
	expect(JSON.parse(written('json', 'ar', false))[1]).toMatchObject({ kind: 'lost', language: '' });
});
