import { expect, test } from 'vitest';
import { decodeTtsMessage, TtsClientMessage } from './text-to-speech.ts';

const takes = (message: object) => TtsClientMessage.safeParse(message).success;

// One test: what a schema is made of is made once.
test('a client begins, speaks and cancels; each row is of its kind, and others may come beside them', () => {
	const init = {
		type: 'init',
		language: 'es',
		model: 'm',
		voice_options: { voice_id: 'v', speed: 1, deaccent_strength: 0.5 },
		output: { format: 'pcm', sample_rate: 24_000 },
		of_another_time: 1,
	};
	const text = {
		type: 'text',
		text: 'Hola',
		is_eos: true,
		generation_id: 'g',
		voice_options: { voice_id: 'v', speed: 1, deaccent_strength: 0.5 },
		reset_context: false,
		of_another_time: 1,
	};
	const cancel = { type: 'cancel', of_another_time: 1 };
	for (const message of [init, text, cancel])
		expect(TtsClientMessage.safeParse(message)).toEqual({ success: true, data: message });
	for (const least of [
		{ type: 'init', language: 'es', voice_options: { voice_id: 'v' } },
		{ ...init, output: {} },
		{ ...init, output: { format: 'mp3' } },
		{ ...init, output: { format: 'wav', of_another_time: 1 } },
		{ ...init, voice_options: { voice_id: 'v', of_another_time: 1 } },
		{ type: 'text', text: '' },
		{ ...text, voice_options: { of_another_time: 1 } },
		{ type: 'cancel' },
	])
		expect([least, takes(least)]).toEqual([least, true]);
	const wrong = [7];
	for (const row of ['type', 'language', 'model', 'voice_options', 'output'])
		expect([row, takes({ ...init, [row]: wrong })]).toEqual([row, false]);
	for (const row of ['type', 'language', 'voice_options'])
		expect([row, takes({ ...init, [row]: undefined })]).toEqual([row, false]);
	for (const row of ['voice_id', 'speed', 'deaccent_strength']) {
		const options = { ...init.voice_options, [row]: wrong };
		expect([row, takes({ ...init, voice_options: options })]).toEqual([row, false]);
		expect([row, takes({ ...text, voice_options: options })]).toEqual([row, false]);
	}
	expect(takes({ ...init, voice_options: {} })).toBe(false);
	expect(takes({ ...init, output: { format: 'ogg' } })).toBe(false);
	expect(takes({ ...init, output: { sample_rate: '24000' } })).toBe(false);
	for (const row of ['text', 'is_eos', 'generation_id', 'voice_options', 'reset_context'])
		expect([row, takes({ ...text, [row]: wrong })]).toEqual([row, false]);
	expect(takes({ type: 'text' })).toBe(false);
	expect(takes({ type: 'sing' })).toBe(false);
});

const chunk = (data: unknown) => decodeTtsMessage({ message_type: 'audio_chunk', data });

test('a piece of speech has its bytes, whose it is, and whether it is the last', () => {
	const piece = { type: 'audio', generationId: 'g', audio: 'AAAA', last: false };
	expect(chunk({ audio: 'AAAA', generation_id: 'g' })).toEqual(piece);
	expect(chunk({ audio: 'AAAA', generation_id: 'g', last_chunk: 'true' })).toEqual(piece);
	expect(chunk({ audio: 'AAAA', generation_id: 7, last_chunk: true })).toEqual({
		...piece,
		generationId: '7',
		last: true,
	});
	for (const none of [undefined, null, 'AAAA', [], { audio: 7 }])
		expect(chunk(none)).toEqual({ type: 'unknown', name: 'audio_chunk' });
});

test.each([
	[
		{ message_type: 'warning', data: { code: '<b>C</b>', message: 'a\nb' } },
		{ type: 'warning', code: 'C', text: 'a b' },
	],
	[{ message_type: 'warning' }, { type: 'warning', code: '', text: '' }],
	[
		{ message_type: 'warning', data: { code: 'c'.repeat(65), message: 'm'.repeat(301) } },
		{ type: 'warning', code: 'c'.repeat(64), text: 'm'.repeat(300) },
	],
	[
		{ message_type: 'error', data: { code: 'C', desc: 'no' } },
		{ type: 'error', code: 'C', text: 'no', field: '' },
	],
	[{ message_type: 'x'.repeat(65) }, { type: 'unknown', name: 'x'.repeat(64) }],
	[{ message_type: 7 }, { type: 'unknown', name: '(no-type)' }],
	[{}, { type: 'unknown', name: '(no-type)' }],
	['{', { type: 'unknown', name: '(not-json)' }],
	['{"message_type":"new"}', { type: 'unknown', name: 'new' }],
])('%j is read', (message, read) => {
	expect(decodeTtsMessage(message)).toEqual(read);
});
