import { expect, test } from 'vitest';
import { buildTask } from '#shared/conversation/task-builder.ts';
import { encodeBase64 } from '#shared/lib/base64.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { ok } from '#shared/lib/result.ts';
import { defaultSettings } from '#shared/settings/schema.ts';
import { s16ToBytes } from '#shared/sound/pcm.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import type { SocketHeard, Sockets } from './socket.ts';
import { createSpeechToSpeech } from './speech-to-speech.ts';

const task = buildTask({ ...defaultSettings, hear: ['es', 'de'] }, 'websocket');

/** A conversation over a socket whose other end the test plays. */
async function setUp() {
	const clock = createManualClock();
	let service: SocketHeard | null = null;
	const sockets: Sockets = {
		async open(_target, heard) {
			service = heard;
			const still = { waitingMs: 0, roundTripMs: 0 };
			return ok({ ...still, send: () => true, sendAudio: () => true, close: async () => {} });
		},
	};
	const engine = createSpeechToSpeech({
		sockets,
		address: () => ok('wss://speech.test'),
		clock,
		log: silentLogger,
		random: () => 0.5,
		chunkMs: 320,
		keepSpeech: false,
	});
	const heard: string[] = [];
	engine.listen((event) => {
		if (event.type === 'audio' && event.frame.samples.length > 0)
			heard.push(`${event.frame.transcriptionId} ${event.frame.language}`);
	});
	await engine.open(null, new AbortController().signal);
	engine.send({ message_type: 'set_task', data: task });

	return {
		engine,
		heard,
		sound(id: string, language: string) {
			const data = {
				transcription_id: id,
				language,
				last_chunk: false,
				data: encodeBase64(s16ToBytes(new Int16Array(480).fill(9))),
			};
			service?.frame(JSON.stringify({ message_type: 'output_audio_data', data }));
		},
	};
}

test.each(['flush_task', 'interrupt_task'] as const)(
	'sound of a phrase that %s dropped is not heard when it comes late; later phrases are',
	async (name) => {
		const it = await setUp();
		it.sound('a', 'es');
		it.engine.send({ message_type: name, data: { languages: ['global'], pause_task: false } });
		it.sound('a', 'es');
		it.sound('a', 'de');
		it.sound('b', 'es');
		expect(it.heard).toEqual(['a es', 'b es']);
		expect(it.engine.counts().piecesDropped).toBe(2);
		await it.engine.close();
	},
);

test('a drop in one language leaves the others, and one that followed takes nothing back', async () => {
	const it = await setUp();
	it.sound('a', 'es');
	it.engine.send({ message_type: 'interrupt_task', data: { languages: ['es'], pause_task: false } });
	it.sound('a', 'es');
	it.sound('a', 'de');
	it.engine.send({ message_type: 'interrupt_task', data: { languages: ['de'], pause_task: false } });
	it.sound('a', 'es');
	it.sound('a', 'de');
	expect(it.heard).toEqual(['a es', 'a de']);
	await it.engine.close();
});
