import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createManualClock } from '#test/support/manual-clock.ts';
import type { BuildGraph } from './context.ts';
import { createVoicePlayer } from './voice-player.ts';

vi.mock('./worklets/voice-player.worklet.ts?worker&url', () => ({ default: '' }));

interface Processor {
	process(inputs: unknown, outputs: readonly (readonly Float32Array[])[]): boolean;
}

const RATE_HZ = 48_000;
const QUANTUM = 128;
let Registered: (new () => Processor) | null = null;
/** The one that plays. */
let processor: Processor | null = null;
let playedSamples = 0;

/** The worklet itself, in this thread: a context is its ports and a clock. */
beforeAll(async () => {
	let port: MessagePort | null = null;
	vi.stubGlobal('sampleRate', RATE_HZ);
	vi.stubGlobal('currentTime', 0);
	vi.stubGlobal('registerProcessor', (_name: string, made: new () => Processor) => {
		Registered = made;
	});
	vi.stubGlobal(
		'AudioWorkletProcessor',
		class {
			readonly port = port;
		},
	);
	vi.stubGlobal(
		'AudioWorkletNode',
		class {
			readonly port: MessagePort;
			constructor() {
				const { port1, port2 } = new MessageChannel();
				this.port = port1;
				port = port2;
				processor = Registered && new Registered();
			}
			connect() {}
			disconnect() {}
		},
	);
	await vi.importActual('./worklets/voice-player.worklet.ts');
});
afterAll(() => {
	vi.unstubAllGlobals();
});

function setUp() {
	let build: BuildGraph = () => () => {};
	const context = {
		audioWorklet: { addModule: async () => {} },
		createMediaStreamDestination: () => ({ stream: { getAudioTracks: () => [{ stop() {} }] } }),
	};
	const player = createVoicePlayer({
		engine: {
			isRunning: true,
			use(given) {
				build = given;
				return () => {};
			},
			setSink: async () => true,
			close: async () => {},
		},
		clock: createManualClock(),
		heard: () => {},
		lost: () => {},
	});
	const { port1, port2 } = new MessageChannel();
	player.playFrom(port1);
	let sequence = 0;
	let undo: ReturnType<BuildGraph> = () => {};
	return {
		player,
		/** 200 ms of a sentence, as loud as given, 0 to 1. */
		say(transcriptionId: string, loudness: number, last = true) {
			const samples = new Int16Array(4800).fill(loudness * 32_768);
			port2.postMessage({ language: 'es', transcriptionId, partId: '0', sequence, last, samples });
			sequence += 1;
		},
		/** Another context is there. */
		async begin() {
			undo = build(context as unknown as AudioContext);
			await vi.waitFor(() => expect(player.ready()).toBe(true));
		},
		/** The context is gone. */
		end: () => undo(),
		close() {
			player.close();
			port2.close();
		},
	};
}

/** The loudest sound of the next so many ms. */
async function loudest(ms: number): Promise<number> {
	// All that was said has come, also what waited for its port to come: what is posted now comes after it.
	for (let turn = 0; turn < 3; turn += 1) {
		const { port1, port2 } = new MessageChannel();
		await new Promise((done) => {
			port1.onmessage = done;
			port2.postMessage(null);
		});
		port1.close();
	}
	let most = 0;
	for (let left = ms; left > 0; left -= (QUANTUM / RATE_HZ) * 1000) {
		const out = new Float32Array(QUANTUM);
		vi.stubGlobal('currentTime', playedSamples / RATE_HZ);
		processor?.process([], [[out]]);
		playedSamples += QUANTUM;
		most = Math.max(most, ...out);
	}
	return Math.round(most * 10) / 10;
}

type Rig = ReturnType<typeof setUp>;
const endings: Record<string, (rig: Rig) => Promise<void>> = {
	async 'flushed before a move'({ player, end }) {
		player.flush();
		await end();
	},
	async 'flushed during a move'({ player, end }) {
		await end();
		player.flush();
	},
	async 'dropped before a move'({ player, end }) {
		player.drop('a');
		await end();
	},
	async 'dropped during a move'({ player, end }) {
		await end();
		player.drop('a');
	},
};

test.each(Object.keys(endings))(
	'what was %s is not heard after it, whatever still comes of it',
	async (name) => {
		const rig = setUp();
		await rig.begin();
		rig.say('a', 0.4, false);
		expect(await loudest(100)).toBe(0.4);
		await endings[name]?.(rig);
		rig.say('a', 0.4);
		rig.say('b', 0.2);
		await rig.begin();
		expect(await loudest(1000)).toBe(0.2);
		rig.close();
	},
);

test('what was dropped before any of it came is not heard after a move either', async () => {
	const rig = setUp();
	await rig.begin();
	rig.player.drop('a');
	await rig.end();
	await rig.begin();
	rig.say('a', 0.4);
	rig.say('b', 0.2);
	expect(await loudest(1000)).toBe(0.2);
	rig.close();
});
