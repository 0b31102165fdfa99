import fc from 'fast-check';
import { expect, it } from 'vitest';
import { anyText } from '#test/support/texts.ts';
import { decodeSttMessage } from './speech-to-text.ts';
import { decodeTtsMessage, TtsClientMessage } from './text-to-speech.ts';

/** As printed in protocol 5.2. */
const SAMPLE = `{"message_type":"transcription","transcription_id":"seg-1","language":"en","is_eos":false,
 "segment":{"text":"hello world","start_time":0.3,"end_time":1.8},
 "delta":{"text":"world","start_time":1.2,"end_time":1.8}}`;

it('reads a transcript: the segment is the truth, never the delta', () => {
	const text = {
		type: 'text',
		id: 'seg-1',
		language: 'en',
		text: 'hello world',
		startS: 0.3,
		endS: 1.8,
		finalized: false,
	};
	expect(decodeSttMessage(SAMPLE)).toEqual({ ...text, kind: 'source', final: false });
	expect(decodeSttMessage(SAMPLE.replace('false', 'true'))).toEqual({ ...text, kind: 'source', final: true });
	const translated = {
		message_type: 'translated_transcription',
		transcription_id: 'seg-1',
		language: 'ES',
		segment: { text: 'hola', start_time: null, end_time: 'x' },
	};
	expect(decodeSttMessage(translated)).toEqual({
		type: 'text',
		kind: 'translation',
		id: 'seg-1',
		language: 'es',
		text: 'hola',
		final: true,
		startS: null,
		endS: null,
		finalized: false,
	});
});

it.each([
	['Bye. <fin>', 'seg-1', 'Bye.', 'seg-1'],
	['<fin>Bye.<fin> ', 'seg-1', 'Bye.', 'seg-1'],
	['<fin>', 'seg-1', '', 'seg-1'],
	// Nothing was recognised, so there is nothing to have an id.
	['<fin>', undefined, '', ''],
	['<fin>', null, '', ''],
])('takes the marker out of %j', (said, transcription_id, text, id) => {
	for (const message_type of ['transcription', 'translated_transcription'])
		expect(decodeSttMessage({ message_type, transcription_id, segment: { text: said } })).toMatchObject({
			type: 'text',
			text,
			id,
			finalized: true,
		});
});

it('reads errors and warnings of the transcription socket, in an envelope or flat', () => {
	const code = 'VALIDATION_ERROR';
	for (const message of [
		{ message_type: 'error', code, desc: 'no' },
		{ message_type: 'error', data: { code, desc: 'no' } },
	]) {
		expect(decodeSttMessage(message)).toEqual({ type: 'error', code, text: 'no', field: '' });
	}
	expect(decodeSttMessage({ message_type: 'warning', data: { code: 'SLOW', message: 'why' } })).toEqual({
		type: 'warning',
		code: 'SLOW',
		text: 'why',
	});
});

it('reads a piece of speech and the marker of its end', () => {
	const chunk =
		'{"message_type":"audio_chunk","data":{"audio":"AAAA","size":3,"generation_id":"g1","last_chunk":false,"chunk_generation_delta":42,"audio_len":0.1}}';
	expect(decodeTtsMessage(chunk)).toEqual({ type: 'audio', generationId: 'g1', audio: 'AAAA', last: false });
	const marker = {
		message_type: 'audio_chunk',
		data: { audio: null, generation_id: null, last_chunk: true },
	};
	expect(decodeTtsMessage(marker)).toEqual({ type: 'audio', generationId: null, audio: '', last: true });
	expect(
		decodeTtsMessage({ message_type: 'error', data: { code: 'CONFLICT', desc: 'twice' } }),
	).toMatchObject({
		type: 'error',
		code: 'CONFLICT',
	});
});

it.each([
	[
		{ message_type: 'transcription', segment: { text: 'x' } },
		{ type: 'unknown', name: 'transcription' },
	],
	[
		{ message_type: 'translated_transcription', transcription_id: 'a', segment: {} },
		{ type: 'unknown', name: 'translated_transcription' },
	],
	[{ message_type: 'new' }, { type: 'unknown', name: 'new' }],
	[{ message_type: 'x'.repeat(65) }, { type: 'unknown', name: 'x'.repeat(64) }],
	[{ message_type: 5 }, { type: 'unknown', name: '(no-type)' }],
	[{}, { type: 'unknown', name: '(no-type)' }],
	['{', { type: 'unknown', name: '(not-json)' }],
	[{ message_type: 'warning' }, { type: 'warning', code: '', text: '' }],
	[
		{ message_type: 'warning', code: 'c'.repeat(65), message: 'm'.repeat(301) },
		{ type: 'warning', code: 'c'.repeat(64), text: 'm'.repeat(300) },
	],
])('reads %j as what it is', (message, read) => {
	expect(decodeSttMessage(message)).toEqual(read);
});

it.each([
	[0, 0],
	[1.5, 1.5],
	[-0.1, null],
	[Number.NaN, null],
	[Number.POSITIVE_INFINITY, null],
	['1', null],
	[undefined, null],
])('of a time of %j takes %j', (time, seconds) => {
	const read = decodeSttMessage({
		message_type: 'transcription',
		transcription_id: 'a',
		segment: { text: 'x', start_time: time, end_time: time },
	});
	expect(read).toMatchObject({ startS: seconds, endS: seconds, language: '', final: false });
});

it('never throws, whatever comes', () => {
	const types = fc.constantFrom(
		'transcription',
		'translated_transcription',
		'audio_chunk',
		'error',
		'warning',
		'',
	);
	const anything = fc.oneof(
		fc.jsonValue(),
		anyText,
		fc.tuple(types, fc.jsonValue(), fc.jsonValue()).map(([message_type, data, segment]) => ({
			message_type,
			data,
			segment,
			transcription_id: data,
		})),
	);
	fc.assert(
		fc.property(anything, (message) => {
			expect(decodeSttMessage(message)).toHaveProperty('type');
			expect(decodeTtsMessage(message)).toHaveProperty('type');
			TtsClientMessage.safeParse(message);
		}),
	);
});
