import { createStreams, type PortEnd, type SpeechStreamEvent } from '#main/streaming/streams.ts';
import type { Host } from '#renderer/host.ts';
import { createAudioEngine } from '#renderer/sound/context.ts';
import { systemClock } from '#renderer/system-clock.ts';
import { createStreamPortsReceiver } from '#renderer/transport/stream-ports.ts';
import { createWebsocketTransport } from '#renderer/transport/websocket-transport.ts';
import { PORTS } from '#shared/host/names.ts';
import { StreamOpening } from '#shared/host/streams.ts';
import type { Clock } from '#shared/lib/clock.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import type { ClientMessage } from '#shared/protocol/client-message.ts';

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
export function createStreamRig(clock: Clock = systemClock, maxQueueMs = 20_000) {
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
