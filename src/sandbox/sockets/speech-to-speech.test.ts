import { inflateSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { createFaults } from '#sandbox/faults.ts';
import type { InterpreterTransport } from '#sandbox/interpreter/transport.ts';
import type { Synthesizer } from '#sandbox/speech/synthesizer.ts';
import { buildTask } from '#shared/conversation/task-builder.ts';
import type { Task } from '#shared/protocol/task.ts';
import { defaultSettings } from '#shared/settings/schema.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { serveSpeechToSpeech } from './speech-to-speech.ts';

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
