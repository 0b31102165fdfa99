import { expect, test } from 'vitest';
import type { CaptionRecord } from '#shared/captions/export-formats.ts';
import { describe, type Facts, subtitleFiles, summarise } from './converse.ts';

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

test('the subtitles of each language have a line where speech was lost', () => {
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

/** A recording, 48 kHz, with sound from and to these ms. */
function sound(lengthMs: number, ...spans: readonly (readonly [fromMs: number, toMs: number])[]): Int16Array {
	const pcm = new Int16Array(lengthMs * 48);
	for (const [fromMs, toMs] of spans) pcm.fill(8000, fromMs * 48, toMs * 48);
	return pcm;
}

test('delays are from what was said to what was heard, and null where one of them was not', () => {
	const facts = factsOf([]);
	const spoken = sound(9000, [1000, 2000], [4000, 6000]);
	const heard = sound(9000, [3000, 3600], [5000, 8500]);
	const of = (fields: Partial<Facts['driven']>) =>
		summarise({ ...facts, driven: { ...facts.driven, spoken, heard, firstCaptionMs: 1500, ...fields } })
			.delays_ms;
	expect(of({})).toEqual({
		start_to_first_packet: 1,
		start_to_live: 2,
		start_to_speech: 3,
		start_to_first_caption: 1500,
		start_to_first_voice: 3000,
		speech_start_to_first_caption: 500,
		speech_start_to_voice_start: 2000,
		speech_end_to_voice_start: 1000,
		last_speech_end_to_voice_end: 2500,
	});
	const silence = sound(9000);
	expect(of({ heard: silence })).toMatchObject({
		start_to_first_voice: null,
		speech_start_to_first_caption: 500,
		speech_start_to_voice_start: null,
		speech_end_to_voice_start: null,
		last_speech_end_to_voice_end: null,
	});
	expect(of({ spoken: silence })).toMatchObject({
		start_to_first_voice: 3000,
		speech_start_to_first_caption: null,
		speech_start_to_voice_start: null,
	});
	expect(of({ firstCaptionMs: null })).toMatchObject({ speech_start_to_first_caption: null });
});

test('captions of a target are those of its own code, and of a variant where there are none of it', () => {
	const says = (language: string, text: string, fields: Partial<CaptionRecord> = {}) =>
		caption({ id: text, kind: 'translation', language, text, ...fields });
	const of = (...captions: readonly CaptionRecord[]) => summarise(factsOf(captions)).texts.translations;
	expect(of(says('es', 'Hola'), says('es-MX', 'Qué onda'), says('fr-CA', 'Allô'))).toEqual({
		es: ['Hola'],
		fr: ['Allô'],
	});
	expect(of(says('ES', 'Hola'), says('es-MX', 'Qué onda'), says('est', 'Tere'))).toEqual({
		es: ['Hola'],
		fr: [],
	});
	expect(of(says('es', 'Ho', { final: false }), caption({ language: 'es', text: 'Hola' }))).toEqual({
		es: [],
		fr: [],
	});
});
