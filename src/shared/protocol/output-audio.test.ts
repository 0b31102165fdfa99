import { describe, expect, test } from 'vitest';
import { decodeServerMessage } from './decode-server-message.ts';

const wire = (data: unknown) => decodeServerMessage({ message_type: 'output_audio_data', data });
const DATA = {
	transcription_id: '1a0e',
	translation_part_id: '0',
	language: 'es',
	last_chunk: false,
	data: 'AQD+/w==',
	chunk_generation_delta: null,
};

describe('output_audio_data', () => {
	test('is the bytes of one sentence in one language', () => {
		expect(wire(DATA)).toEqual({
			type: 'output-audio',
			transcriptionId: '1a0e',
			partId: '0',
			language: 'es',
			last: false,
			payload: Uint8Array.of(1, 0, 0xfe, 0xff),
		});
	});

	test('ends a sentence with nothing in it', () => {
		const ended = { last: true, payload: new Uint8Array(0) };
		expect(wire({ ...DATA, last_chunk: true, data: '' })).toMatchObject(ended);
		expect(wire({ ...DATA, last_chunk: true, data: null })).toMatchObject(ended);
	});

	test('names its part as the texts do, number or string', () =>
		expect(wire({ ...DATA, translation_part_id: 3 })).toMatchObject({ partId: '3' }));

	test.each([['%%%'], [12], [{}], ['A']])('with %j for data still ends its sentence', (data) =>
		expect(wire({ ...DATA, last_chunk: true, data })).toMatchObject({ last: true, payload: null }),
	);

	test('is nothing where its data is no object', () => {
		for (const data of ['AAAA', [], 5])
			expect(wire(data)).toEqual({ type: 'unknown', name: 'output_audio_data' });
	});

	test('in a language that is none, or with blanks around it', () => {
		expect(wire({ ...DATA, language: ' ES-mx ' })).toMatchObject({ language: 'es-mx' });
		for (const language of [5, '', 'a b', 'x'.repeat(36)])
			expect(wire({ ...DATA, language })).toMatchObject({ language: 'und' });
	});

	test('without any bytes is empty', () =>
		expect(wire({})).toMatchObject({ payload: new Uint8Array(0), last: false }));

	test('without language or id is still sound', () =>
		expect(wire({ data: 'AAAA' })).toMatchObject({
			language: 'und',
			transcriptionId: '~unnamed',
			partId: '0',
		}));
});
