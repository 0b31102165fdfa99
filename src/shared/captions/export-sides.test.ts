import { describe, expect, test } from 'vitest';
import type { LegName } from '#shared/leg-name.ts';
import type { TranscriptMessage } from '#shared/protocol/server-message.ts';
import { compareInTime, createAssembler } from './assembler.ts';
import { type CaptionFormat, captionFile, noWords } from './export-formats.ts';
import { exportName } from './export-name.ts';
import type { Segment } from './segment.ts';
import { besideOf, type CaptionTrack, captionTracks, mayAlign } from './tracks.ts';

/** The texts of both sides of a meeting; both directions use the same ids. */
function meeting(): readonly Segment[] {
	const legs = { outgoing: createAssembler('outgoing'), incoming: createAssembler('incoming') };
	const say = (leg: LegName, id: string, said: [string, string], told: [string, string], atMs: number) => {
		for (const [kind, [language, text]] of [['source', said] as const, ['translation', told] as const]) {
			const place = { transcriptionId: id, partId: '0', startS: null, endS: null };
			const message: TranscriptMessage = { type: 'transcript', kind, final: true, language, text, ...place };
			legs[leg].receive(message, atMs);
		}
	};
	say('outgoing', 'a', ['en', 'Good morning.'], ['es', 'Buenos días.'], 1000);
	say('incoming', 'a', ['es', '¿Qué tal?'], ['en-us', 'How are you?'], 3000);
	say('outgoing', 'b', ['en', 'Fine.'], ['es', 'Bien.'], 5000);
	return [...legs.outgoing.finals(), ...legs.incoming.finals()].sort(compareInTime);
}

const words = {
	...noWords,
	title: 'x',
	who: 'Who',
	speaker: { outgoing: 'You', incoming: 'Them' },
	time: 'Time',
	said: 'Spanish',
	track: 'English',
	lost: (ms: number) => `[${ms}]`,
};

function write(format: CaptionFormat, language: string, aligned: boolean): string {
	const segments = meeting();
	const track = captionTracks(segments).find((one) => one.language === language);
	if (!track) throw new Error(`no track of ${language}`);
	return [...captionFile(segments, { format, track, aligned, words })].join('');
}

describe('a meeting is saved', () => {
	test('one language at a time: all of both sides, said or translated, in order of time', () => {
		expect(captionTracks(meeting()).map(({ id }) => id)).toEqual(['language|en', 'language|es']);
		expect(write('text', 'en', false)).toBe('Good morning.\nHow are you?\nFine.\n');
		expect(write('text', 'es', false)).toBe('Buenos días.\n¿Qué tal?\nBien.\n');
	});

	test('in two columns, each with one language, whoever spoke it', () => {
		expect(write('text', 'es', true)).toBe(
			'Good morning.\tBuenos días.\nHow are you?\t¿Qué tal?\nFine.\tBien.\n',
		);
		expect(write('csv', 'en', true)).toContain('00:00:03.000,00:00:03.000,¿Qué tal?,How are you?');
		expect(write('srt', 'en', true)).toContain('¿Qué tal?\nHow are you?\n');
	});

	test('as a page with whose words they were', () => {
		expect(write('html', 'en', true)).toContain(
			'<td class="at">00:00:03</td><td class="who">Them</td><td lang="es" dir="ltr">¿Qué tal?</td><td lang="en-us" dir="ltr">How are you?</td>',
		);
		expect(write('markdown', 'en', true)).toContain('| 00:00:01 | You | Buenos días. | Good morning. |');
		expect(write('markdown', 'en', false)).toContain('| Time | Who | English |\n| --- | --- | --- |');
	});

	test('as JSON with whose words they were, and no id twice', () => {
		const records = JSON.parse(write('json', 'en', false)) as { id: string; text: string; leg?: string }[];
		const theirs = records.filter(({ leg }) => leg === 'incoming').map(({ text }) => text);
		expect(new Set(theirs)).toEqual(new Set(['How are you?', '¿Qué tal?']));
		expect(new Set(records.map(({ id }) => id)).size).toBe(3);
	});

	test('with the other language as the column beside it, and a name without a language', () => {
		const tracks = captionTracks(meeting());
		const [english, spanish] = tracks;
		if (!english || !spanish) throw new Error('two tracks');
		expect(besideOf(english, tracks)).toBe(spanish);
		expect(mayAlign(english, tracks)).toBe(true);
		expect(exportName('m', { format: 'srt', track: english, aligned: true })).toBe('m.srt');
		expect(exportName('m', { format: 'srt', track: english, aligned: false })).toBe('m.en.srt');
	});
});

describe('face to face in one session', () => {
	const said = (kind: Segment['kind'], language: string, text: string, at: number): Segment => ({
		key: `${kind} ${at}`,
		transcriptionId: `${at}`,
		partId: '0',
		kind,
		language,
		text,
		final: true,
		startMs: at,
		endMs: at + 1000,
	});
	const talk = [
		said('source', 'en', 'Good morning.', 1000),
		said('translation', 'es', 'Buenos días.', 1000),
		said('source', 'es', '¿Qué tal?', 3000),
		said('translation', 'en-us', 'How are you?', 3000),
	];
	const save = (segments: readonly Segment[], language: string, aligned: boolean) => {
		const track = captionTracks(segments).find((one) => one.language === language);
		if (!track) throw new Error(`no track of ${language}`);
		return [...captionFile(segments, { format: 'text', track, aligned, words })].join('');
	};

	test('each language is one track, said or translated', () => {
		expect(captionTracks(talk).map(({ id }) => id)).toEqual(['language|en', 'language|es']);
		expect(save(talk, 'en', false)).toBe('Good morning.\nHow are you?\n');
		expect(save(talk, 'es', true)).toBe('Good morning.\tBuenos días.\nHow are you?\t¿Qué tal?\n');
	});
});

describe('a track', () => {
	const source: CaptionTrack = { id: 'source|en', kind: 'source', language: 'en' };
	const spanish: CaptionTrack = { id: 'translation|es', kind: 'translation', language: 'es' };
	const english: CaptionTrack = { id: 'language|en', kind: 'language', language: 'en' };

	test('may have what was said beside it where it is a translation of it', () => {
		expect(mayAlign(spanish, [source, spanish])).toBe(true);
		expect(mayAlign(spanish, [spanish])).toBe(false);
		expect(mayAlign(source, [source, spanish])).toBe(false);
		expect(mayAlign(english, [english])).toBe(false);
	});
});
