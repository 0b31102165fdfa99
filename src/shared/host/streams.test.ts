import { expect, test } from 'vitest';
import { SpeakUp, StreamOpening, TYPED_LENGTH } from './streams.ts';

const stream = 'a-name-nobody-guesses';
const typed = { stream, purpose: 'text-to-speech', language: 'es', voiceId: 'default_low' };

test.each([
	['typed texts', typed, true],
	['an unknown purpose', { ...typed, purpose: 'text-to-song' }, false],
	['a purpose with the wish of another', { stream, purpose: 'speech-to-speech', language: 'es' }, false],
	['a name that can be guessed', { ...typed, stream: '1' }, false],
	['no voice', { ...typed, voiceId: '' }, false],
	['no language', { stream, purpose: 'text-to-speech', voiceId: 'default_low' }, false],
])('a stream for %s', (_, opening, fits) => {
	expect(StreamOpening.safeParse(opening).success).toBe(fits);
});

test.each([
	['a text', { type: 'speak', id: 't1', text: 'Hola' }, true],
	['the longest text', { type: 'speak', id: 't1', text: 'a'.repeat(TYPED_LENGTH) }, true],
	['a longer text', { type: 'speak', id: 't1', text: 'a'.repeat(TYPED_LENGTH + 1) }, false],
	['no text', { type: 'speak', id: 't1', text: '' }, false],
	['a text without a name', { type: 'speak', id: '', text: 'Hola' }, false],
	['a cancel of nothing', { type: 'cancel' }, false],
	[
		'a command of a conversation',
		{ type: 'command', command: { message_type: 'get_task', data: {} } },
		false,
	],
])('%s on the port of typed texts', (_, said, fits) => {
	expect(SpeakUp.safeParse(said).success).toBe(fits);
});
