import { afterEach, expect, test, vi } from 'vitest';
import { createStreams, type PortEnd } from '#main/streaming/streams.ts';
import type { SpokenPiece } from '#main/streaming/text-to-speech.ts';
import type { Host } from '#renderer/host.ts';
import { createAudioEngine } from '#renderer/sound/context.ts';
import { systemClock } from '#renderer/system-clock.ts';
import { PORTS } from '#shared/host/names.ts';
import { StreamOpening, type VoiceFrame } from '#shared/host/streams.ts';
import type { Clock } from '#shared/lib/clock.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { openSpeakingStream, type SpeakingEvent, type SpeakingStream } from './speaking-stream.ts';
import { createStreamPortsReceiver } from './stream-ports.ts';

interface SpeakingRig {
	readonly stream: SpeakingStream;
	/** The stream's events, in words. */
	told(): readonly string[];
	/** Texts that reached the service. */
	readonly texts: readonly string[];
	/** The service speaks for `ms`. */
	sound(ms: number): void;
	/** The text is at its end, or failed. */
	finish(problem?: Problem): void;
	/** Sound stays on its way to the page until it is let go. */
	hold(): void;
	letGo(): void;
	/** A piece of sound that was already in flight, past everything in main. */
	lateSound(id: string, ms: number): void;
	cancels(): number;
	/** Number of sockets that were closed. */
	closed(): number;
	endByMain(): Promise<void>;
	close(): Promise<void>;
}

const receiver = createStreamPortsReceiver(window);

function endOf(port: MessagePort): PortEnd {
	return {
		post: (value) => port.postMessage(value),
		listen(heard) {
			port.onmessage = ({ data }) => heard(data);
		},
		closed: (heard) => port.addEventListener('close', heard),
		close: () => port.close(),
	};
}

function tone(ms: number): Int16Array<ArrayBuffer> {
	return Int16Array.from({ length: ms * 24 }, (_, index) => Math.round(8000 * Math.sin(index / 20)));
}

/**
 * The stream with main's real side of the ports in the same page, and a service controlled by the test behind it.
 * `clock`: the stream's own.
 */
function createSpeakingRig(
	refusal: Problem | null = null,
	clock: Clock = systemClock,
	from?: string,
): SpeakingRig {
	const texts: string[] = [];
	const told: string[] = [];
	let hear: (piece: SpokenPiece) => void = () => {};
	let finish: (result: Result<void, Problem>) => void = () => {};
	let cancels = 0;
	let closed = 0;
	let voice: PortEnd | null = null;
	let held: unknown[] | null = null;
	let named: string | undefined;
	const streams = createStreams({
		clock: systemClock,
		log: silentLogger,
		createPorts(stream) {
			const channels = [new MessageChannel(), new MessageChannel(), new MessageChannel()] as const;
			const ports = channels.map((channel) => channel.port2);
			window.postMessage({ name: PORTS, note: { stream } }, window.location.origin, ports);
			const [control, capture, sound] = channels;
			voice = endOf(sound.port1);
			const post = (value: unknown) => (held ? void held.push(value) : voice?.post(value));
			return { control: endOf(control.port1), capture: endOf(capture.port1), voice: { ...voice, post } };
		},
		createSpeechStream: () => {
			throw new Error('not a conversation');
		},
		createSpeaker: () => ({
			piecesDropped: 0,
			open: async ({ from }) => {
				named = from;
				return refusal ? err(refusal) : ok();
			},
			speak(text, heard, translated) {
				texts.push(text);
				if (named) translated?.(`${text} from ${named}`);
				hear = heard;
				return new Promise((done) => {
					finish = done;
				});
			},
			cancel() {
				cancels += 1;
				finish(err({ kind: 'cancelled' }));
			},
			async close() {
				closed += 1;
			},
		}),
	});
	let id = '';
	const host: Pick<Host, 'ask'> = {
		async ask(name, input) {
			if (name === 'stream.open') {
				const opening = StreamOpening.parse(input);
				id = opening.stream;
				return (await streams.open(opening)) as Result<never, Problem>;
			}
			if (name === 'stream.close') await streams.close((input as { stream: string }).stream);
			return { ok: true, value: undefined as never };
		},
	};
	const engine = createAudioEngine({ clock: systemClock, log: silentLogger });
	const stream = openSpeakingStream({
		host,
		receiver,
		engine,
		clock,
		language: 'es',
		voiceId: 'default_low',
		from,
		heard: (event) => void told.push(wordsOf(event)),
	});
	return {
		stream,
		told: () => told,
		texts,
		sound: (ms) => hear({ generationId: 'g1', samples: tone(ms) }),
		finish: (problem) => finish(problem ? err(problem) : ok()),
		hold() {
			held = [];
		},
		letGo() {
			for (const value of held ?? []) voice?.post(value);
			held = null;
		},
		lateSound(transcriptionId, ms) {
			const frame: VoiceFrame = {
				language: 'es',
				transcriptionId,
				partId: '0',
				sequence: 1_000_000 + told.length,
				last: false,
				samples: tone(ms),
			};
			voice?.post(frame);
		},
		cancels: () => cancels,
		closed: () => closed,
		endByMain: () => streams.close(id),
		async close() {
			stream.close();
			await streams.closeAll();
			await engine.close();
		},
	};
}

function wordsOf(event: SpeakingEvent): string {
	switch (event.type) {
		case 'sounding':
		case 'played':
			return `${event.type} ${event.id}`;
		case 'translated':
			return `translated ${event.id} ${event.text}`;
		case 'failed':
			return `failed ${event.id} ${event.problem.kind}${event.partly ? ' partly' : ''}`;
		case 'lost':
			return `lost ${event.problem.kind}`;
		default:
			return event.type;
	}
}

const soon = { timeout: 10_000, interval: 20 };
let rig: SpeakingRig;
afterEach(() => rig.close());

test('a text is heard, and its end is told when it was heard, not when it came', async () => {
	rig = createSpeakingRig();
	await vi.waitFor(() => expect(rig.told()).toEqual(['opened']), soon);
	rig.stream.speak('a', 'Hola');
	await vi.waitFor(() => expect(rig.texts).toEqual(['Hola']), soon);
	const began = performance.now();
	rig.sound(1500);
	rig.finish();
	await vi.waitFor(() => expect(rig.told()).toEqual(['opened', 'voice', 'sounding a', 'played a']), soon);
	expect(performance.now() - began).toBeGreaterThan(1400);
});

test('what is said instead of a text is told', async () => {
	rig = createSpeakingRig(null, systemClock, 'en');
	await vi.waitFor(() => expect(rig.told()).toEqual(['opened']), soon);
	rig.stream.speak('a', 'Hello');
	await vi.waitFor(() => expect(rig.told()).toContain('translated a Hello from en'), soon);
});

test('a text without any sound is over as well', async () => {
	rig = createSpeakingRig();
	await vi.waitFor(() => expect(rig.told()).toEqual(['opened']), soon);
	rig.stream.speak('a', '…');
	await vi.waitFor(() => expect(rig.texts).toHaveLength(1), soon);
	rig.finish();
	await vi.waitFor(() => expect(rig.told().at(-1)).toBe('played a'), soon);
});

test('of a dropped text nothing more is heard or told, also of what comes late, and the next one is', async () => {
	rig = createSpeakingRig();
	await vi.waitFor(() => expect(rig.told()).toEqual(['opened']), soon);
	rig.stream.speak('a', 'Una historia larga');
	await vi.waitFor(() => expect(rig.texts).toHaveLength(1), soon);
	rig.sound(20_000);
	await vi.waitFor(() => expect(rig.told()).toContain('sounding a'), soon);
	rig.stream.drop('a');
	await vi.waitFor(() => expect(rig.cancels()).toBe(1), soon);
	// As if it had been in flight while the text was dropped.
	rig.lateSound('a', 20_000);
	const began = performance.now();
	rig.stream.speak('b', 'Otra cosa');
	await vi.waitFor(() => expect(rig.texts).toHaveLength(2), soon);
	rig.sound(300);
	rig.finish();
	await vi.waitFor(() => expect(rig.told().slice(-2)).toEqual(['sounding b', 'played b']), soon);
	expect(performance.now() - began).toBeLessThan(8000);
	expect(rig.told()).not.toContain('played a');
});

test('what is still on its way when all of it was handed out is heard before the text is over', async () => {
	rig = createSpeakingRig();
	await vi.waitFor(() => expect(rig.told()).toEqual(['opened']), soon);
	rig.stream.speak('a', 'Hola');
	await vi.waitFor(() => expect(rig.texts).toHaveLength(1), soon);
	rig.sound(200);
	rig.finish();
	await vi.waitFor(() => expect(rig.told().at(-1)).toBe('played a'), soon);
	rig.hold();
	rig.stream.speak('b', 'Otra cosa');
	await vi.waitFor(() => expect(rig.texts).toHaveLength(2), soon);
	rig.sound(300);
	rig.finish();
	// Meanwhile the worklet has told more than once that nothing is heard.
	await new Promise((done) => setTimeout(done, 900));
	rig.letGo();
	await vi.waitFor(() => expect(rig.told().at(-1)).toBe('played b'), soon);
	expect(rig.told().slice(-2)).toEqual(['sounding b', 'played b']);
});

test('a text that was dropped before any sound of it came stays silent', async () => {
	rig = createSpeakingRig();
	await vi.waitFor(() => expect(rig.told()).toEqual(['opened']), soon);
	rig.stream.speak('a', 'Hola');
	await vi.waitFor(() => expect(rig.texts).toHaveLength(1), soon);
	rig.stream.drop('a');
	rig.lateSound('a', 3000);
	rig.stream.speak('b', 'Adiós');
	await vi.waitFor(() => expect(rig.texts).toHaveLength(2), soon);
	rig.finish();
	await vi.waitFor(() => expect(rig.told().at(-1)).toBe('played b'), soon);
	expect(rig.told().filter((what) => what.startsWith('sounding'))).toEqual([]);
});

test('a failure is told with what was heard of it', async () => {
	rig = createSpeakingRig();
	await vi.waitFor(() => expect(rig.told()).toEqual(['opened']), soon);
	rig.stream.speak('a', 'Hola');
	await vi.waitFor(() => expect(rig.texts).toHaveLength(1), soon);
	rig.sound(400);
	rig.finish({ kind: 'connection-lost', reason: 'closed 1006' });
	await vi.waitFor(() => expect(rig.told().at(-1)).toBe('failed a connection-lost partly'), soon);
});

test('a text that is not heard to its end within 8 s of when it should be over has failed: playback is blocked', async () => {
	const clock = createManualClock();
	rig = createSpeakingRig(null, clock);
	await vi.waitFor(() => expect(rig.told()).toEqual(['opened']), soon);
	rig.stream.speak('a', 'Una historia larga');
	await vi.waitFor(() => expect(rig.texts).toHaveLength(1), soon);
	rig.sound(20_000);
	rig.finish();
	// Its end has come.
	await vi.waitFor(() => expect(clock.pending).toBeGreaterThan(0), soon);
	const failures = () => rig.told().filter((what) => what.startsWith('failed'));
	clock.advance(27_999);
	expect(failures()).toEqual([]);
	clock.advance(1);
	expect(failures()).toEqual(['failed a output-blocked partly']);
});

test('a text is not ended by the time limit of one that was heard or dropped before it', async () => {
	const clock = createManualClock();
	rig = createSpeakingRig(null, clock);
	await vi.waitFor(() => expect(rig.told()).toEqual(['opened']), soon);
	async function say(id: string, ms: number): Promise<void> {
		const before = rig.texts.length;
		rig.stream.speak(id, 'Hola');
		await vi.waitFor(() => expect(rig.texts).toHaveLength(before + 1), soon);
		rig.sound(ms);
		await vi.waitFor(() => expect(rig.told()).toContain(`sounding ${id}`), soon);
		const { pending } = clock;
		rig.finish();
		// Its end has come.
		await vi.waitFor(() => expect(clock.pending).toBeGreaterThan(pending), soon);
	}
	await say('heard', 200);
	await vi.waitFor(() => {
		clock.advance(100);
		expect(rig.told().at(-1)).toBe('played heard');
	}, soon);
	await say('dropped', 2000);
	rig.stream.drop('dropped');
	await say('last', 20_000);
	clock.advance(12_000);
	expect(rig.told().at(-1)).toBe('sounding last');
	clock.advance(16_000);
	expect(rig.told().at(-1)).toBe('failed last output-blocked partly');
});

test('a refused stream is lost with its reason', async () => {
	rig = createSpeakingRig({ kind: 'socket-off', socket: 'tts' });
	await vi.waitFor(() => expect(rig.told()).toEqual(['lost socket-off']), soon);
});

test('main ending the stream is a loss; our own closing tells nothing', async () => {
	rig = createSpeakingRig();
	await vi.waitFor(() => expect(rig.told()).toEqual(['opened']), soon);
	await rig.endByMain();
	await vi.waitFor(() => expect(rig.told()).toEqual(['opened', 'lost connection-lost']), soon);
	await rig.close();
	rig = createSpeakingRig();
	await vi.waitFor(() => expect(rig.told()).toEqual(['opened']), soon);
	rig.stream.close();
	rig.stream.close();
	await vi.waitFor(() => expect(rig.closed()).toBe(1), soon);
	expect(rig.told()).toEqual(['opened']);
});
