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

/** A conversation: commands and captured sound up, messages and voices down. */
export function serveSpeech(
	opening: SpeechOpening | TranscribingOpening,
	{ ends, scope, log, over }: ServeParts,
	createSpeechStream: CreateSpeechStream,
): Served {
	const tell = (message: ControlDown) => {
		if (!scope.closed) ends.control.post(message);
	};
	const stream = createSpeechStream(opening, (event) => {
		if (scope.closed) return;
		switch (event.type) {
			case 'message': {
				const message = packMessage(event.message);
				if (message) tell({ type: 'message', message });
				return;
			}
			case 'audio':
				return ends.voice.post(event.frame);
			case 'closed':
				tell({ type: 'down', problem: event.problem });
				return over();
			default:
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
