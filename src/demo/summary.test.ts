import { expect, test } from 'vitest';
import type { CaptionRecord } from '#shared/captions/export-json.ts';
import { describe, type Facts, subtitleFiles, summarise } from './summary.ts';

function caption(fields: Partial<CaptionRecord>): CaptionRecord {
	const times = { start_ms: 0, end_ms: 1000 };
	return { id: 'a', part: '0', language: 'en', kind: 'source', text: '', final: true, ...times, ...fields };
}

function factsOf(captions: readonly CaptionRecord[]): Facts {
	const sound = new Int16Array(480);
	const delays = { firstPacketMs: 1, liveMs: 2, speechStartMs: 3, firstCaptionMs: 4 };
	const driven = { captions, heard: sound, spoken: sound, picture: new Uint8Array(), ...delays };
	return {
		service: 'sandbox',
		api: 'http://127.0.0.1',
		from: 'en',
		to: ['es', 'fr'],
		input: 'talk.wav',
		inputS: 20,
		sessions: { created: 1, deleted: 1 },
		driven,
	};
}

const talk = [
	caption({ text: 'Before.' }),
	caption({ kind: 'translation', language: 'es', text: 'Antes.' }),
	caption({
		id: 'l',
		kind: 'lost',
		language: '',
		text: '[15 s of speech are missing]',
		start_ms: 2000,
		end_ms: 17_000,
	}),
	caption({ id: 'b', text: 'After.', start_ms: 17_500, end_ms: 18_000 }),
];

test('speech that was lost has a line in the subtitles of each language, where it is missing', () => {
	const files = subtitleFiles(factsOf(talk));
	expect([...files.keys()]).toEqual(['captions.en.srt', 'captions.es.srt', 'captions.fr.srt']);
	for (const text of files.values())
		expect(text).toContain('00:00:02,000 --> 00:00:17,000\n[15 s of speech are missing]\n');
	expect(files.get('captions.en.srt')).toMatch(/Before\..*missing.*After\./s);
});

test('the summary says how much was lost, and nothing where nothing was', () => {
	const summary = summarise(factsOf(talk));
	expect(summary.lost_ms).toBe(15_000);
	expect(describe(summary, 'out')).toContain('15.00 s of speech never reached the interpreter');
	const whole = summarise(factsOf(talk.filter(({ kind }) => kind !== 'lost')));
	expect(whole.lost_ms).toBe(0);
	expect(describe(whole, 'out')).not.toContain('never reached');
});
