import { describe, expect, it, vi } from 'vitest';
import { createFaults } from '#sandbox/faults.ts';
import type { Synthesizer } from '#sandbox/speech/synthesizer.ts';
import { decodeSttMessage } from '#shared/protocol/speech-to-text.ts';
import { decodeTtsMessage } from '#shared/protocol/text-to-speech.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import transcribed from '#test/wire/speech-to-text.json' with { type: 'json' };
import spoken from '#test/wire/text-to-speech.json' with { type: 'json' };
import type { Connection } from './connection.ts';
import { serveSpeechToText } from './speech-to-text.ts';
import { serveTextToSpeech } from './text-to-speech.ts';

type Json = Record<string, unknown>;

function createConnection(): Connection & { readonly said: Json[] } {
	const said: Json[] = [];
	return {
		open: true,
		said,
		say: (message) => void said.push(message as Json),
		raw() {},
		working() {},
		close() {},
	};
}

/** Which fields a message has and of what type, as `path: type` lines. */
function shape(value: unknown, path = ''): string[] {
	if (typeof value !== 'object' || value === null)
		return [`${path}: ${value === null ? 'null' : typeof value}`];
	return Object.entries(value).flatMap(([name, inner]) => shape(inner, `${path}.${name}`));
}

const shapesOf = (messages: readonly unknown[]) =>
	new Set(messages.map((message) => shape(message).sort().join('\n')));

/** Reads every text as 600 ms of silence. */
const synthesizer = {
	read: async () => ({ samples: new Float32Array(14_400), rateHz: 24_000, note: null }),
	samples: async () => new Int16Array(14_400),
} as unknown as Synthesizer;

describe('speech to text', () => {
	it('says what the wire samples say, field for field', async () => {
		const clock = createManualClock();
		const connection = createConnection();
		const endpoint = serveSpeechToText({
			connection,
			clock,
			faults: createFaults(),
			random: () => 0.5,
			generation: 'current',
			asHeard: false,
			settings: {
				sound: { kind: 'raw', layout: { format: 'pcm_s16le', rateHz: 16_000, channels: 1 } },
				language: 'en',
				targets: ['es'],
			},
		});
		const loud = Buffer.from(new Int16Array(5120).fill(8000).buffer);
		for (let at = 0; at < 5000; at += 320) {
			endpoint.receive(at < 2000 ? loud : Buffer.alloc(loud.length), { binary: true });
			await clock.run(320);
		}
		endpoint.gone();
		const texts = transcribed.filter(({ expect: { type } }) => type === 'text').map(({ wire }) => wire);
		expect(shapesOf(connection.said)).toEqual(shapesOf(texts));
		const kinds = new Set(connection.said.map((message) => decodeSttMessage(message)).map(kindOf));
		expect(kinds).toEqual(new Set(texts.map((wire) => kindOf(decodeSttMessage(wire)))));
		expect(clock.pending).toBe(0);
	});

	it.each([
		[false, 1],
		[true, 0],
	])(
		'without audio for 10 s it ends, but not for a file (%s), whose sender waits for us',
		async (asHeard, ends) => {
			const clock = createManualClock();
			const close = vi.fn();
			const endpoint = serveSpeechToText({
				connection: { ...createConnection(), close },
				clock,
				faults: createFaults(),
				random: () => 0.5,
				generation: 'current',
				asHeard,
				settings: {
					sound: { kind: 'raw', layout: { format: 'pcm_s16le', rateHz: 16_000, channels: 1 } },
					language: 'en',
					targets: [],
				},
			});
			await clock.run(60_000);
			expect(close).toHaveBeenCalledTimes(ends);
			endpoint.gone();
			expect(clock.pending).toBe(0);
		},
	);

	function kindOf(message: ReturnType<typeof decodeSttMessage>): string {
		return message.type === 'text' ? `${message.kind} ${message.final ? 'final' : 'growing'}` : message.type;
	}
});

describe('text to speech', () => {
	const commands = spoken.filter(({ direction }) => direction === 'client');
	const [init] = commands;

	async function answersTo(wires: readonly unknown[]): Promise<readonly Json[]> {
		const clock = createManualClock();
		const connection = createConnection();
		const endpoint = serveTextToSpeech({
			connection,
			clock,
			faults: createFaults(),
			synthesizer,
			timbreOf: (id) => (id.startsWith('default_') ? 'low' : null),
			random: () => 0.5,
			generation: 'current',
			asHeard: false,
		});
		for (const wire of wires) endpoint.receive(Buffer.from(JSON.stringify(wire)), { binary: false });
		await clock.run(5000);
		endpoint.gone();
		return connection.said;
	}

	it.each(commands)('takes or refuses, as its source says: $what', async ({ wire, expect: wanted }) => {
		const said = await answersTo(wire.type === 'init' ? [wire] : [init?.wire, wire]);
		expect(said.some((message) => message.message_type === 'error')).toBe(!wanted.ok);
	});

	it('says what the wire samples say, field for field', async () => {
		const text = commands.find(({ wire }) => wire.type === 'text');
		const said = await answersTo([init?.wire, text?.wire]);
		const samples = spoken.filter(({ expect: { type } }) => type === 'audio').map(({ wire }) => wire);
		expect(shapesOf(said)).toEqual(shapesOf(samples));
		expect(said.map((message) => decodeTtsMessage(message)).at(-1)).toMatchObject({ audio: '', last: true });
	});
});
