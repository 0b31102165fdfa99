import {
	type ControlDown,
	ControlUp,
	packMessage,
	type SpeechOpening,
	type TranscribingOpening,
	type VoiceFrame,
} from '#shared/host/streams.ts';
import type { Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import type { ClientMessage } from '#shared/protocol/client-message.ts';
import type { ServerMessage } from '#shared/protocol/server-message.ts';
import type { Served, ServeParts } from './ends.ts';

/** What a port carries: a conversation over a socket. */
export interface SpeechStream {
	/** Resolves when the socket is up. A failed one leaves nothing behind. */
	open(signal: AbortSignal): Promise<Result<void, Problem>>;
	send(command: ClientMessage): boolean;
	/** Asks for what was said so far as final texts; absent where the service cannot be asked. */
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

export type CreateSpeechStream = (
	opening: SpeechOpening | TranscribingOpening,
	heard: (event: SpeechStreamEvent) => void,
) => SpeechStream;

/** Often enough to see the first packet leave, seldom enough to cost nothing. */
const COUNTS_MS = 250;

/**
 * Unfinished texts of a segment go to the page this often, always the newest: it shows no more, and would fall behind a
 * service that sends thousands.
 */
const UNFINISHED_MS = 50;

/** A conversation: commands and captured sound up, messages and voices down. */
export function serveSpeech(
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
		// In the order they came.
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
