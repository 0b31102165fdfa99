import { createStreams, type PortEnd } from '#main/streaming/streams.ts';
import type { SpokenPiece } from '#main/streaming/text-to-speech.ts';
import type { Host } from '#renderer/host.ts';
import { createAudioEngine } from '#renderer/sound/context.ts';
import { systemClock } from '#renderer/system-clock.ts';
import {
	openSpeakingStream,
	type SpeakingEvent,
	type SpeakingStream,
} from '#renderer/transport/speaking-stream.ts';
import { createStreamPortsReceiver } from '#renderer/transport/stream-ports.ts';
import { PORTS } from '#shared/host/names.ts';
import { StreamOpening, type VoiceFrame } from '#shared/host/streams.ts';
import type { Clock } from '#shared/lib/clock.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';

export interface SpeakingRig {
	readonly stream: SpeakingStream;
	/** What the stream told, in words. */
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
export function createSpeakingRig(refusal: Problem | null = null, clock: Clock = systemClock): SpeakingRig {
	const texts: string[] = [];
	const told: string[] = [];
	let hear: (piece: SpokenPiece) => void = () => {};
	let finish: (result: Result<void, Problem>) => void = () => {};
	let cancels = 0;
	let closed = 0;
	let voice: PortEnd | null = null;
	let held: unknown[] | null = null;
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
			open: async () => (refusal ? err(refusal) : ok()),
			speak(text, heard) {
				texts.push(text);
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
		case 'failed':
			return `failed ${event.id} ${event.problem.kind}${event.partly ? ' partly' : ''}`;
		case 'lost':
			return `lost ${event.problem.kind}`;
		default:
			return event.type;
	}
}
