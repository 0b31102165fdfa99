import { inflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createFaults } from '#sandbox/faults.ts';
import type { InterpreterTransport } from '#sandbox/interpreter/transport.ts';
import type { Synthesizer } from '#sandbox/speech/synthesizer.ts';
import { buildTask } from '#shared/conversation/task-builder.ts';
import { createScope } from '#shared/lib/scope.ts';
import type { Task } from '#shared/protocol/client-message.ts';
import { defaultSettings } from '#shared/settings/schema.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { createPacing, serveSpeechToSpeech } from './speech-to-speech.ts';

const packed: Task = {
	...buildTask(defaultSettings, 'websocket'),
	output_stream: {
		content_type: 'audio',
		target: { type: 'ws', format: 'zlib_pcm_s16le', sample_rate: 24_000, channels: 1 },
	},
};

it('packs also the first sentence, when it is spoken only after the task was ended', async () => {
	const clock = createManualClock();
	const said: object[] = [];
	let task: Task | null = packed;
	let port: InterpreterTransport | null = null;
	const endpoint = serveSpeechToSpeech({
		connection: {
			open: true,
			say: (message) => void said.push(message),
			raw() {},
			working() {},
			close() {},
		},
		clock,
		faults: createFaults(),
		synthesizer: { samples: async () => new Int16Array(2400), isFrame: () => true } as unknown as Synthesizer,
		random: () => 0.5,
		asHeard: false,
		isHere: false,
		createInterpreter(given) {
			port = given;
			return {
				get task() {
					return task;
				},
				command() {
					task = null;
				},
				hear() {},
				close() {},
			};
		},
	});
	endpoint.receive(Buffer.from('{"message_type":"end_task","data":{}}'), { binary: false });
	const tail = port as InterpreterTransport | null;
	tail?.speak('es', { transcriptionId: 'a', partId: '0', packets: [new Uint8Array(1)] });
	await clock.run(1000);
	endpoint.gone();
	expect(said).toHaveLength(1);
	expect(said[0]).toMatchObject({ message_type: 'output_audio_data', data: { last_chunk: true } });
	const { data } = (said[0] as { data: { data: string } }).data;
	expect(inflateSync(Buffer.from(data, 'base64'))).toEqual(Buffer.alloc(4800));
});

function setUp(mayBeAhead = false) {
	const clock = createManualClock();
	const scope = createScope(clock);
	const warnings: { atMs: number; code: string }[] = [];
	let running = true;
	const pacing = createPacing({
		clock,
		scope,
		running: () => running,
		mayBeAhead,
		warn: (code) => warnings.push({ atMs: clock.now(), code }),
	});
	return {
		clock,
		scope,
		warnings,
		codes: () => warnings.map(({ code }) => code),
		run: (on: boolean) => {
			running = on;
		},
		/** Chunks of 320 ms, one every `periodMs`. */
		send(count: number, periodMs: number) {
			for (let sent = 0; sent < count; sent += 1) {
				pacing.arrived(320);
				clock.advance(periodMs);
			}
		},
	};
}

describe('pacing', () => {
	it('says nothing of real time, nor of a hiccup of a second made up for', () => {
		const { clock, codes, send } = setUp();
		send(30, 320);
		clock.advance(1000);
		send(3, 0);
		send(30, 320);
		expect(codes()).toEqual([]);
	});

	it('says when audio is too fast, not more than every other second', () => {
		const { warnings, send } = setUp();
		send(100, 100);
		expect(warnings.length).toBeGreaterThan(1);
		expect(warnings.every(({ code }) => code === 'AUDIO_STREAM_TOO_FAST')).toBe(true);
		const gaps = warnings.slice(1).map(({ atMs }, index) => atMs - (warnings[index]?.atMs ?? 0));
		expect(Math.min(...gaps)).toBeGreaterThanOrEqual(2000);
	});

	it('lets this computer be given what was said earlier at once', () => {
		const { codes, send } = setUp(true);
		send(100, 1);
		send(30, 320);
		expect(codes()).toEqual([]);
	});

	it('says when audio is too slow', () => {
		const { codes, send } = setUp();
		send(10, 640);
		expect(new Set(codes())).toEqual(new Set(['AUDIO_STREAM_TOO_SLOW']));
	});

	it('says once that audio has stopped, and again when it stops again', () => {
		const { clock, codes, send } = setUp();
		send(3, 320);
		clock.advance(9000);
		expect(codes().filter((code) => code === 'AUDIO_STREAM_STALLED')).toHaveLength(1);
		send(3, 320);
		clock.advance(9000);
		expect(codes().filter((code) => code === 'AUDIO_STREAM_STALLED')).toHaveLength(2);
	});

	it('expects nothing before the task runs and while it is paused', () => {
		const { clock, codes, run, send } = setUp();
		run(false);
		send(20, 10);
		clock.advance(20_000);
		run(true);
		send(20, 320);
		expect(codes()).toEqual([]);
	});

	it('ends with its scope', () => {
		const { clock, scope } = setUp();
		scope.close();
		expect(clock.pending).toBe(0);
	});
});
