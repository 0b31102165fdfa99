import { expect, test, vi } from 'vitest';
import { createStreams, type PortEnd, type SpeechStreamEvent } from '#main/streaming/streams.ts';
import type { Host } from '#renderer/host.ts';
import { createAudioEngine } from '#renderer/sound/context.ts';
import { systemClock } from '#renderer/system-clock.ts';
import { buildTask } from '#shared/conversation/task-builder.ts';
import { PORTS } from '#shared/host/names.ts';
import { StreamOpening } from '#shared/host/streams.ts';
import type { Clock } from '#shared/lib/clock.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import type { ClientMessage } from '#shared/protocol/client-message.ts';
import { decodeServerMessage } from '#shared/protocol/decode-server-message.ts';
import type { ServerMessage } from '#shared/protocol/server-message.ts';
import { defaultSettings } from '#shared/settings/schema.ts';
import { transportContract } from '#test/contract/transport.contract.ts';
import { createStreamPortsReceiver } from './stream-ports.ts';
import { createWebsocketTransport } from './websocket-transport.ts';

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

/** One for the whole page, because it closes ports that nobody waits for. */
const receiver = createStreamPortsReceiver(window);

/**
 * The transport with main's real side of the ports in the same page, and a socket controlled by the test behind it.
 * `clock` and `maxQueueMs` are the transport's own.
 */
function createStreamRig(clock: Clock = systemClock, maxQueueMs = 20_000) {
	const arrived: ClientMessage[] = [];
	const frames: Int16Array[] = [];
	let mode: 'welcome' | 'refuse' | 'stall' = 'welcome';
	let hear: (event: SpeechStreamEvent) => void = () => {};
	const streams = createStreams({
		clock: systemClock,
		log: silentLogger,
		createPorts(stream) {
			const [control, capture, voice] = [new MessageChannel(), new MessageChannel(), new MessageChannel()];
			window.postMessage({ name: PORTS, note: { stream } }, window.location.origin, [
				control.port2,
				capture.port2,
				voice.port2,
			]);
			return { control: endOf(control.port1), capture: endOf(capture.port1), voice: endOf(voice.port1) };
		},
		createSpeaker: () => {
			throw new Error('nothing is typed');
		},
		createSpeechStream(_options, heard) {
			hear = heard;
			let chunks = 0;
			let pace: ReturnType<typeof setInterval> | undefined;
			return {
				async open(signal): Promise<Result<void, Problem>> {
					if (mode === 'refuse') return err({ kind: 'api-key-rejected', status: 403 });
					if (mode === 'stall')
						await new Promise<void>((done) => signal.addEventListener('abort', () => done()));
					if (signal.aborted) return err({ kind: 'cancelled' });
					// The pacer sends silence where there is nothing else.
					pace = setInterval(() => {
						chunks += 1;
					}, 20);
					return ok();
				},
				send: (command) => arrived.push(command) > 0,
				audio: (samples) => void frames.push(samples),
				async close() {
					clearInterval(pace);
				},
				counts: () => ({ chunksSent: chunks, chunksReceived: 0, roundTripMs: 0 }),
			};
		},
	});
	const host: Pick<Host, 'ask'> = {
		async ask(name, input) {
			if (name === 'stream.open')
				return (await streams.open(StreamOpening.parse(input))) as Result<never, Problem>;
			if (name === 'stream.close') await streams.close((input as { stream: string }).stream);
			return { ok: true, value: undefined as never };
		},
	};
	const contexts: AudioContext[] = [];
	const engine = createAudioEngine({
		clock: systemClock,
		log: silentLogger,
		createContext() {
			const made = new AudioContext({ latencyHint: 'interactive' });
			contexts.push(made);
			return made;
		},
	});
	const transport = createWebsocketTransport({
		host,
		receiver,
		engine,
		clock,
		log: silentLogger,
		opening: () => ({ purpose: 'speech-to-speech', keepSpeech: false, chunkMs: 320 }),
		maxQueueMs,
	});
	return {
		transport,
		arrived,
		frames,
		/** Every context the engine made, the newest last. */
		contexts,
		set: (next: typeof mode) => {
			mode = next;
		},
		hear: (event: SpeechStreamEvent) => hear(event),
		async close() {
			await streams.closeAll();
			await engine.close();
		},
	};
}

const soon = { timeout: 10_000, interval: 20 };

function tone(ms: number): Int16Array {
	return Int16Array.from({ length: ms * 24 }, (_, index) => Math.round(8000 * Math.sin(index / 20)));
}

const piece = (
	language: string,
	sequence: number,
	samples: Int16Array,
	last = false,
	transcriptionId = 'a',
) =>
	({
		type: 'audio',
		frame: { language, transcriptionId, partId: '0', sequence, last, samples },
	}) as const;

async function microphone(): Promise<MediaStreamTrack> {
	const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
	const [track] = stream.getAudioTracks();
	if (!track) throw new Error('no microphone');
	return track;
}

transportContract('WebSocket, over ports', async () => {
	const rig = createStreamRig();
	const track = await microphone();
	return {
		transport: rig.transport,
		microphone: track,
		refuse: async () => rig.set('refuse'),
		stall: async () => rig.set('stall'),
		welcome: async () => rig.set('welcome'),
		async interrupt() {
			rig.hear({ type: 'restoring', cause: 'closed 1006' });
			rig.hear({ type: 'up' });
		},
		end: async () =>
			rig.hear({ type: 'closed', problem: { kind: 'connection-lost', reason: 'closed 1011' } }),
		arrived: () => rig.arrived.map((command) => JSON.stringify(command)),
		async say(message) {
			const decoded = decodeServerMessage(message);
			if (decoded.type !== 'output-audio') rig.hear({ type: 'message', message: decoded });
		},
		async speak(language) {
			rig.hear(piece(language, 0, tone(100)));
			return async () => {
				const task = buildTask({ ...defaultSettings, hear: ['fr'] }, 'websocket');
				await rig.transport.send({ message_type: 'set_task', data: task });
			};
		},
		async close() {
			track.stop();
			await rig.close();
		},
	};
});

test('what the microphone hears arrives as frames of 20 ms at 24 kHz, and nothing of it once it is taken away', async () => {
	const rig = createStreamRig();
	const track = await microphone();
	await rig.transport.setMicrophone(track);
	await rig.transport.open(new AbortController().signal);
	await vi.waitFor(() => expect(rig.frames.length).toBeGreaterThan(25), soon);
	expect(new Set(rig.frames.map((frame) => frame.length))).toEqual(new Set([480]));
	await rig.transport.setMicrophone(null);
	await vi.waitFor(async () => {
		const before = rig.frames.length;
		await new Promise((done) => setTimeout(done, 100));
		expect(rig.frames.length).toBe(before);
	}, soon);
	await rig.transport.close();
	track.stop();
	await rig.close();
});

test('the end of the stream is said when the last word was heard, not before', async () => {
	const rig = createStreamRig();
	const events: { readonly type: string; readonly atMs: number }[] = [];
	rig.transport.listen((event) => {
		const type = event.type === 'message' ? event.message.type : event.type;
		events.push({ type, atMs: performance.now() });
	});
	await rig.transport.open(new AbortController().signal);
	for (let at = 0; at < 8; at += 1) rig.hear(piece('es', at, tone(200), at === 7));
	rig.hear({ type: 'message', message: { type: 'end-of-stream' } });
	rig.hear({ type: 'closed', problem: { kind: 'session-lost', cause: 'closed by the service' } });
	await vi.waitFor(() => expect(events.map(({ type }) => type)).toContain('link'), soon);
	expect(events.map(({ type }) => type)).toEqual(['voice', 'end-of-stream', 'link']);
	expect((events[1]?.atMs ?? 0) - (events[0]?.atMs ?? 0)).toBeGreaterThan(1400);
	await rig.close();
});

test('what is dropped at the service is not heard here either', async () => {
	const rig = createStreamRig();
	const told: string[] = [];
	rig.transport.listen((event) => told.push(event.type));
	await rig.transport.open(new AbortController().signal);
	for (let at = 0; at < 40; at += 1) rig.hear(piece('es', at, tone(200)));
	const drop = { languages: ['global'], pause_task: false };
	// Sound and commands travel apart: the sound has arrived once it is heard.
	await vi.waitFor(() => expect(told).toContain('voice'), soon);
	await vi.waitFor(async () => expect((await rig.transport.stats()).packetsSent).toBeGreaterThan(30), soon);
	await rig.transport.send({ message_type: 'interrupt_task', data: drop });
	const ends: number[] = [];
	rig.transport.listen((event) => event.type === 'message' && ends.push(performance.now()));
	const began = performance.now();
	rig.hear({ type: 'message', message: { type: 'end-of-stream' } });
	await vi.waitFor(() => expect(ends).toHaveLength(1), soon);
	// Eight seconds were waiting.
	expect((ends[0] ?? 0) - began).toBeLessThan(2000);
	await rig.transport.close();
	await rig.close();
});

test('no more speech waits than the transport may keep: what would be too late is not heard', async () => {
	const rig = createStreamRig(systemClock, 1000);
	const told: string[] = [];
	rig.transport.listen((event) => told.push(event.type));
	await rig.transport.open(new AbortController().signal);
	const say = (at: number) => rig.hear(piece('es', at, tone(1000), true, `sentence ${at}`));
	say(0);
	await vi.waitFor(() => expect(told).toEqual(['voice']), soon);
	// Heard in full, all this would take longer than `soon`.
	for (let at = 1; at < 18; at += 1) say(at);
	rig.hear({ type: 'message', message: { type: 'end-of-stream' } });
	await vi.waitFor(() => expect(told).toEqual(['voice', 'message']), soon);
	await rig.transport.close();
	await rig.close();
});

test('its stats say how late a voice is that a late piece has held up', async () => {
	const rig = createStreamRig();
	const told: string[] = [];
	rig.transport.listen((event) => told.push(event.type));
	await rig.transport.open(new AbortController().signal);
	rig.hear(piece('es', 0, tone(100)));
	await vi.waitFor(() => expect(told).toEqual(['voice']), soon);
	await new Promise((done) => setTimeout(done, 700));
	rig.hear(piece('es', 1, tone(3000), true));
	const delayMs = async () => (await rig.transport.stats()).jitterBufferMs;
	await vi.waitFor(async () => expect(await delayMs()).toBeGreaterThan(100), soon);
	await rig.transport.close();
	await rig.close();
});

test('goes on, both ways, when the audio context stands still and is made anew', async () => {
	const rig = createStreamRig();
	const track = await microphone();
	const told: string[] = [];
	const tracks: MediaStreamTrack[] = [];
	rig.transport.listen((event) => {
		told.push(event.type === 'message' ? event.message.type : event.type);
		if (event.type === 'voice') tracks.push(event.track);
	});
	await rig.transport.setMicrophone(track);
	await rig.transport.open(new AbortController().signal);
	for (let at = 0; at < 20; at += 1) rig.hear(piece('es', at, tone(200), at === 19));
	await vi.waitFor(() => expect([rig.frames.length > 5, told]).toEqual([true, ['voice']]), soon);
	const [first] = rig.contexts;
	if (first) first.resume = async () => {};
	await first?.suspend();
	await vi.waitFor(() => expect(rig.contexts).toHaveLength(2), soon);
	// The new one plays what was not heard yet.
	await vi.waitFor(() => expect(told).toEqual(['voice', 'voice-gone', 'voice']), soon);
	expect(tracks.map(({ readyState }) => readyState)).toEqual(['ended', 'live']);
	const before = rig.frames.length;
	await vi.waitFor(() => expect(rig.frames.length).toBeGreaterThan(before + 10), soon);
	rig.hear({ type: 'message', message: { type: 'end-of-stream' } });
	await vi.waitFor(async () => expect((await rig.transport.stats()).jitterBufferMs).toBe(0), soon);
	await vi.waitFor(() => expect(told.slice(3)).toEqual(['end-of-stream']), soon);
	expect(first?.state).toBe('closed');
	await rig.transport.close();
	track.stop();
	await rig.close();
});

test('says so when the browser closes the audio context, and can be opened again', async () => {
	const rig = createStreamRig();
	const track = await microphone();
	const told: unknown[] = [];
	rig.transport.listen((event) => told.push(event.type === 'link' ? event.link : event.type));
	await rig.transport.setMicrophone(track);
	await rig.transport.open(new AbortController().signal);
	await vi.waitFor(() => expect(rig.frames.length).toBeGreaterThan(5), soon);
	await rig.contexts[0]?.close();
	const problem = { kind: 'connection-lost', reason: 'audio' };
	await vi.waitFor(() => expect(told).toEqual([{ state: 'down', problem }]), soon);
	expect((await rig.transport.open(new AbortController().signal)).ok).toBe(true);
	const before = rig.frames.length;
	await vi.waitFor(() => expect(rig.frames.length).toBeGreaterThan(before + 10), soon);
	await rig.transport.close();
	track.stop();
	await rig.close();
});

/** A stream whose tasks and answers the test gives; `voices` are the languages that are heard. */
async function changing() {
	const rig = createStreamRig();
	const voices = new Set<string>();
	let messages = 0;
	rig.transport.listen((event) => {
		if (event.type === 'voice') voices.add(event.language);
		if (event.type === 'voice-gone') voices.delete(event.language);
		if (event.type === 'message') messages += 1;
	});
	await rig.transport.open(new AbortController().signal);
	return {
		rig,
		voices,
		async task(language: string) {
			const data = buildTask({ ...defaultSettings, hear: [language] }, 'websocket');
			await rig.transport.send({ message_type: 'set_task', data });
		},
		async answer(message: ServerMessage) {
			const before = messages;
			if (message.type !== 'output-audio') rig.hear({ type: 'message', message });
			await vi.waitFor(() => expect(messages).toBe(before + 1), soon);
		},
		async speak(language: string) {
			rig.hear(piece(language, 0, tone(100)));
			await vi.waitFor(() => expect(voices).toContain(language), soon);
		},
	};
}

const confirmed: ServerMessage = {
	type: 'task-status',
	command: 'set_task',
	event: 'updated',
	status: 'running',
	transcriptionId: null,
};
const refused: ServerMessage = { type: 'error', code: 'VALIDATION_ERROR', text: 'No', field: '' };

test('a voice stays while a change of its language is not answered and when it is refused, and goes when one is confirmed', async () => {
	const { rig, voices, task, answer, speak } = await changing();
	await task('es');
	await answer(confirmed);
	await speak('es');
	await task('fr');
	expect([...voices]).toEqual(['es']);
	await answer(refused);
	expect([...voices]).toEqual(['es']);
	await task('de');
	await answer({ type: 'error', code: 'NOT_FOUND', text: '', field: '' });
	expect([...voices]).toEqual(['es']);
	await answer(confirmed);
	expect([...voices]).toEqual([]);
	await rig.transport.close();
	await rig.close();
});

test('a change that is sent once more as soon as it is refused, without the refused part, is answered once more', async () => {
	const { rig, voices, task, answer, speak } = await changing();
	await task('es');
	await answer(confirmed);
	await speak('es');
	await task('fr');
	rig.transport.listen((event) => {
		if (event.type === 'message' && event.message.type === 'error') void task('fr');
	});
	await answer(refused);
	expect([...voices]).toEqual(['es']);
	await answer(confirmed);
	expect([...voices]).toEqual([]);
	await rig.transport.close();
	await rig.close();
});

test('of several changes in a row the last may be refused: what is in force is heard, until the service names another', async () => {
	const { rig, voices, task, answer, speak } = await changing();
	await task('es');
	await answer(confirmed);
	await speak('es');
	await task('fr');
	await task('de');
	await answer(confirmed);
	await answer(refused);
	await speak('fr');
	await task('it');
	await answer({ type: 'current-task', status: 'running', targets: ['fr'] });
	expect([...voices]).toContain('fr');
	await answer({ type: 'current-task', status: 'running', targets: ['it'] });
	expect([...voices]).toEqual([]);
	await rig.transport.close();
	await rig.close();
});

/** The real clock, and how many of its timers would still fire. */
function countedClock(): Clock & { readonly pending: () => number } {
	const waiting = new Set<object>();
	return {
		...systemClock,
		after(delayMs, run) {
			const one = {};
			waiting.add(one);
			const cancel = systemClock.after(delayMs, () => {
				waiting.delete(one);
				run();
			});
			return () => {
				waiting.delete(one);
				cancel();
			};
		},
		pending: () => waiting.size,
	};
}

test.each(['welcome', 'refuse'] as const)('no timer outlives an opening that met: %s', async (met) => {
	const clock = countedClock();
	const rig = createStreamRig(clock);
	rig.set(met);
	await rig.transport.open(new AbortController().signal);
	await rig.transport.close();
	expect(clock.pending()).toBe(0);
	await rig.close();
});
