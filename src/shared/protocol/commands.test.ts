import { expect, test } from 'vitest';
import { decodeClientMessage } from './decode-client-message.ts';

const send = (name: unknown, data?: unknown) =>
	decodeClientMessage(JSON.stringify({ message_type: name, data }));
const dataOf = (name: string, data?: unknown) => {
	const read = send(name, data);
	return read.ok ? read.value.data : read.error;
};
const fault = (field: string, text: unknown = expect.any(String)) => ({
	code: 'VALIDATION_ERROR',
	field,
	text,
});

// One test: what a schema is made of is made once.
test('each command has its own data, with whatever else comes in it', () => {
	const more = { of_another_time: [1] };
	for (const name of ['get_task', 'pause_task', 'end_task']) {
		expect(send(name, more)).toEqual({ ok: true, value: { message_type: name, data: more } });
		expect(dataOf(name)).toEqual({});
		expect(dataOf(name, null)).toEqual({});
		expect(dataOf(name, { a: null, b: 1 })).toEqual({ b: 1 });
	}
	for (const name of ['flush_task', 'interrupt_task']) {
		const whole = { languages: ['es', 'fr'], pause_task: true, ...more };
		expect(send(name, whole)).toEqual({ ok: true, value: { message_type: name, data: whole } });
		expect(dataOf(name)).toEqual({ languages: ['global'] });
		expect(dataOf(name, { languages: null, pause_task: null })).toEqual({ languages: ['global'] });
		expect(dataOf(name, { languages: 'es' })).toEqual({ languages: ['es'] });
		expect(dataOf(name, { languages: [5] })).toEqual(fault('languages.0'));
		expect(dataOf(name, { languages: 5 })).toEqual(fault('languages'));
		expect(dataOf(name, { pause_task: 'yes' })).toEqual(fault('pause_task'));
	}
	const spoken = { text: 'Hello', language: 'en', translate_text: true, ...more };
	expect(send('tts_task', spoken)).toEqual({ ok: true, value: { message_type: 'tts_task', data: spoken } });
	for (const absent of [undefined, null])
		expect(dataOf('tts_task', { ...spoken, translate_text: absent })).toEqual({
			...spoken,
			translate_text: false,
		});
	for (const [name, wrong] of [
		['text', 5],
		['text', undefined],
		['language', 5],
		['language', undefined],
		['translate_text', 'yes'],
	] as const)
		expect(dataOf('tts_task', { ...spoken, [name]: wrong })).toEqual(fault(name));
	expect(dataOf('end_task', { force: true, eos_timeout: 5 })).toEqual({ force: true, eos_timeout: 5 });
	expect(dataOf('end_task', { force: 'yes' })).toEqual(fault('force'));
	expect(dataOf('end_task', { eos_timeout: 'soon' })).toEqual(fault('eos_timeout'));
});

test('an end may be waited for one to thirty seconds', () => {
	for (const seconds of [1, 30])
		expect(dataOf('end_task', { eos_timeout: seconds })).toEqual({ eos_timeout: seconds });
	for (const seconds of [0.9, 30.1])
		expect(dataOf('end_task', { eos_timeout: seconds })).toEqual(
			fault('eos_timeout', 'Must be between 1 and 30'),
		);
});

test('a text to speak that is too long says how long it may be', () => {
	expect(dataOf('tts_task', { text: '', language: 'en' })).toEqual(
		fault('text', 'Must have 1 to 2048 characters'),
	);
});

test('data may be JSON written as text', () => {
	expect(dataOf('pause_task', '{"a":1}')).toEqual({ a: 1 });
	for (const wrong of ['[1]', '{', '5', 5, [1], true])
		expect(dataOf('pause_task', wrong)).toEqual(fault('data', 'Input should be an object'));
});

test.each([
	['no JSON', '{', 'The message cannot be read: not-json', ''],
	['no UTF-8', Uint8Array.of(0x22, 0xff, 0x22), 'The message is not UTF-8', ''],
	['no name', '{"data":{}}', 'message_type is missing', 'message_type'],
	['a name that is a number', '{"message_type":5}', 'message_type is missing', 'message_type'],
	['a list', '[]', 'message_type is missing', 'message_type'],
	['a name nobody knows', '{"message_type":"do_<b>it</b>"}', 'Unknown message_type do_ it', 'message_type'],
	[
		'a long name',
		`{"message_type":"${'x'.repeat(100)}"}`,
		`Unknown message_type ${'x'.repeat(64)}`,
		'message_type',
	],
])('%s is a bad request', (_, input, text, field) => {
	expect(decodeClientMessage(input)).toEqual({ ok: false, error: { code: 'BAD_REQUEST', text, field } });
});

test('sound is no command, bytes are read as text', () => {
	expect(send('input_audio_data', { data: 'AAAA' }).ok).toBe(false);
	expect(decodeClientMessage(new TextEncoder().encode('{"message_type":"get_task"}'))).toEqual({
		ok: true,
		value: { message_type: 'get_task', data: {} },
	});
});
