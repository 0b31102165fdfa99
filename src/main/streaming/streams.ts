import {
	type ControlDown,
	ControlUp,
	packMessage,
	type SpeakDown,
	type SpeakingOpening,
	SpeakUp,
	type SpeechOpening,
	type StreamOpening,
	type TranscribingOpening,
	type VoiceFrame,
} from '#shared/host/streams.ts';
import type { Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import { createScope, type Scope } from '#shared/lib/scope.ts';
import type { Problem } from '#shared/problem.ts';
import type { ClientMessage } from '#shared/protocol/client-message.ts';
import { SOCKET_AUDIO } from '#shared/protocol/limits.ts';
import type { ServerMessage } from '#shared/protocol/server-message.ts';
import type { TextToSpeech } from './text-to-speech.ts';

/** Our end of one MessagePort. */
export interface PortEnd {
	post(value: unknown): void;
	/** Call once; earlier messages are delivered then. */
	listen(heard: (value: unknown) => void): void;
	/** Calls back when the other end has closed. */
	closed(heard: () => void): void;
	close(): void;
}

/** Our ends of the three ports of a stream. */
export interface StreamEnds {
	readonly control: PortEnd;
	readonly capture: PortEnd;
	readonly voice: PortEnd;
}

interface ServeParts {
	readonly ends: StreamEnds;
	/** Closed with the stream: nothing is reported afterwards. */
	readonly scope: Scope;
	readonly log: Logger;
	/** Ends the stream. */
	readonly over: () => void;
}

/** The operations that all kinds of streams share. */
interface Served {
	/** Resolves when the socket is open. A failure leaves nothing behind. */
	open(signal: AbortSignal): Promise<Result<void, Problem>>;
	close(): Promise<void>;
}

/** A conversation over a socket, connected to a port of the window. */
export interface SpeechStream {
	/** Resolves when the socket is open. A failure leaves nothing behind. */
	open(signal: AbortSignal): Promise<Result<void, Problem>>;
	send(command: ClientMessage): boolean;
	/** Asks the service to finalise all text so far; absent if the service cannot do that. */
	finalize?(): void;
	/** Mono 16 bit, 24 kHz. */
	audio(samples: Int16Array): void;
	close(): Promise<void>;
	counts(): { readonly chunksSent: number; readonly chunksReceived: number; readonly roundTripMs: number };
}

export type SpeechStreamEvent =
	| { readonly type: 'message'; readonly message: ServerMessage }
	| { readonly type: 'audio'; readonly frame: VoiceFrame }
	| { readonly type: 'up' }
	| { readonly type: 'restoring'; readonly cause: string }
	| { readonly type: 'closed'; readonly problem: Problem }
	| { readonly type: 'speech-lost'; readonly ms: number };

type CreateSpeechStream = (
	opening: SpeechOpening | TranscribingOpening,
	heard: (event: SpeechStreamEvent) => void,
) => SpeechStream;

/** How often counts are reported: often enough to see the first packet sent, seldom enough to cost nothing. */
const COUNTS_MS = 250;

/** Unfinished texts go to the page at this interval: a service may send thousands. */
const UNFINISHED_MS = 50;

/** Serves a conversation: commands and captured sound from the page, messages and voices to it. */
function serveSpeech(
	opening: SpeechOpening | TranscribingOpening,
	{ ends, scope, log, over }: ServeParts,
	createSpeechStream: CreateSpeechStream,
): Served {
	const tell = (message: ControlDown) => {
		if (!scope.closed) ends.control.post(message);
	};
	const unfinished = new Map<string, ServerMessage>();
	let isPaced = false;
	function tellMessage(given: ServerMessage): void {
		const message = packMessage(given);
		if (message) tell({ type: 'message', message });
	}
	function tellUnfinished(): void {
		for (const message of unfinished.values()) tellMessage(message);
		unfinished.clear();
	}
	function pace(): void {
		isPaced = unfinished.size > 0;
		tellUnfinished();
		if (isPaced) scope.after(UNFINISHED_MS, pace);
	}
	function heardMessage(message: ServerMessage): void {
		if (message.type === 'transcript' && !message.final) {
			const { kind, transcriptionId, partId, language } = message;
			unfinished.set(JSON.stringify([kind, transcriptionId, partId, language]), message);
			if (!isPaced) pace();
			return;
		}
		// Keep the order of arrival.
		tellUnfinished();
		tellMessage(message);
	}
	const stream = createSpeechStream(opening, (event) => {
		if (scope.closed) return;
		switch (event.type) {
			case 'message':
				return heardMessage(event.message);
			case 'audio':
				return ends.voice.post(event.frame);
			case 'closed':
				tellUnfinished();
				tell({ type: 'down', problem: event.problem });
				return over();
			default:
				tellUnfinished();
				tell(event);
		}
	});
	ends.control.listen((value) => {
		const parsed = ControlUp.safeParse(value);
		if (!parsed.success) return log.warn('a stream said what is not in the contract');
		if (parsed.data.type === 'close') return over();
		if (parsed.data.type === 'finalize') stream.finalize?.();
		else stream.send(parsed.data.command);
	});
	ends.capture.listen((value) => {
		if (!scope.closed && value instanceof Int16Array) stream.audio(value);
	});
	scope.every(COUNTS_MS, () => tell({ type: 'counts', ...stream.counts() }));
	return stream;
}

/** Two directions of a conversation, one closing stream for each, and the typed texts. More would be a bug. */
const MOST_STREAMS = 5;

interface Stream {
	readonly served: Served;
	readonly scope: Scope;
	end(): Promise<void>;
}

export type Streams = ReturnType<typeof createStreams>;

/** The streams of the window: sockets here, sound and messages over ports. */
export function createStreams(parts: {
	readonly clock: Clock;
	readonly log: Logger;
	/** Creates the ports of a stream: gives the window its ends and returns ours; null if there is no window. */
	readonly createPorts: (stream: string) => StreamEnds | null;
	readonly createSpeechStream: CreateSpeechStream;
	readonly createSpeaker: CreateSpeaker;
}) {
	const { clock, log, createPorts } = parts;
	const streams = new Map<string, Stream>();

	function serve(opening: StreamOpening, given: ServeParts): Served {
		switch (opening.purpose) {
			case 'speech-to-speech':
			case 'speech-to-text':
				return serveSpeech(opening, given, parts.createSpeechStream);
			case 'text-to-speech':
				return serveSpeaking(opening, given, parts.createSpeaker);
		}
	}

	function begin(opening: StreamOpening, ends: StreamEnds, abort: AbortController): Stream {
		const scope = createScope(clock);
		const served = serve(opening, { ends, scope, log, over: () => void stream.end() });
		let ending: Promise<void> | null = null;

		async function end(): Promise<void> {
			scope.close();
			abort.abort();
			await served.close();
			// The last messages have been sent by now, so the ports can be closed.
			for (const port of [ends.control, ends.capture, ends.voice]) port.close();
			if (streams.get(opening.stream) === stream) streams.delete(opening.stream);
		}

		const stream: Stream = {
			served,
			scope,
			end() {
				ending ??= end();
				return ending;
			},
		};
		// End the stream without a call from the page: a page that died sends none.
		ends.control.closed(() => void stream.end());
		return stream;
	}

	async function closeAll(): Promise<void> {
		await Promise.all([...streams.values()].map((stream) => stream.end()));
	}

	return {
		async open(opening: StreamOpening): Promise<Result<void, Problem>> {
			const id = opening.stream;
			if (streams.has(id) || streams.size >= MOST_STREAMS) return err({ kind: 'bug', where: 'stream.open' });
			const ends = createPorts(id);
			if (!ends) return err({ kind: 'cancelled' });
			const abort = new AbortController();
			const stream = begin(opening, ends, abort);
			streams.set(id, stream);
			const opened = await stream.served.open(abort.signal);
			if (stream.scope.closed) return err({ kind: 'cancelled' });
			if (opened.ok) return ok();
			await stream.end();
			return opened;
		},
		/** Resolves when the socket is closed. */
		async close(id: string): Promise<void> {
			await streams.get(id)?.end();
		},
		/** Closes all streams, because the page was closed or the account changes. */
		closeAll,
	};
}

type CreateSpeaker = () => TextToSpeech;

/** Serves typed texts from the page, one at a time, and their speech to it. */
function serveSpeaking(
	{ language, from, voiceId }: SpeakingOpening,
	{ ends, scope, log, over }: ServeParts,
	createSpeaker: CreateSpeaker,
): Served {
	const speaker = createSpeaker();
	/** The text being spoken. */
	let current: string | null = null;
	let sequence = 0;

	const tell = (message: SpeakDown) => ends.control.post(message);

	function hand(id: string, last: boolean, samples: Int16Array): void {
		const frame: VoiceFrame = { language, transcriptionId: id, partId: '0', sequence, last, samples };
		sequence += 1;
		ends.voice.post(frame);
	}

	async function speak(id: string, text: string): Promise<void> {
		current = id;
		let samplesInAll = 0;
		const isCurrent = () => !scope.closed && current === id;
		const spoken = await speaker.speak(
			text,
			({ samples }) => {
				if (!isCurrent()) return;
				samplesInAll += samples.length;
				hand(id, false, samples);
			},
			(translation) => isCurrent() && tell({ type: 'translated', id, text: translation }),
		);
		if (!isCurrent()) return;
		current = null;
		// Mark the end of the speech, however the text ended.
		hand(id, true, new Int16Array(0));
		const ms = Math.round((samplesInAll / SOCKET_AUDIO.sampleRateHz) * 1000);
		if (spoken.ok) return tell({ type: 'made', id, ms });
		log.warn('typed text not spoken', { problem: spoken.error.kind });
		tell({ type: 'failed', id, ms, problem: spoken.error });
	}

	ends.control.listen((value) => {
		const parsed = SpeakUp.safeParse(value);
		if (!parsed.success) return log.warn('a stream said what is not in the contract');
		const said = parsed.data;
		if (said.type === 'close') return over();
		if (said.type === 'speak') return void speak(said.id, said.text);
		if (said.id !== current) return;
		current = null;
		speaker.cancel();
	});

	return {
		open: (signal) => speaker.open({ language, from, voiceId }, signal),
		async close() {
			await speaker.close();
			tell({ type: 'closed' });
		},
	};
}
