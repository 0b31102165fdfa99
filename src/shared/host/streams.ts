import { z } from 'zod/mini';
import { Problem } from '#shared/problem.ts';
import { ClientMessage } from '#shared/protocol/client-message.ts';
import type { ServerMessage } from '#shared/protocol/server-message.ts';

/**
 * Messages on the MessagePorts of a stream, whose socket, with the key, is in main. A stream has three ports, in
 * this order, because they are used on three threads:
 *
 * - `control`: JSON both ways, with the page (`ControlUp`, `ControlDown`)
 * - `capture`: `CaptureFrame` from the capture worklet to main
 * - `voice`: `VoiceFrame` from main to the player worklet
 *
 * Audio never passes through the page's main thread, so a busy page does not interrupt it. A frame is copied
 * once, between the processes; nothing is listed for transfer, because Electron's main side cannot receive a
 * transferred buffer.
 */
export const STREAM_PORTS = ['control', 'capture', 'voice'] as const;

/** Mono 16 bit at 24 kHz, 20 ms; a separate array, never a view of a larger one. */
export type CaptureFrame = Int16Array;

export interface VoiceFrame {
	readonly language: string;
	readonly transcriptionId: string;
	readonly partId: string;
	/** Grows with every frame of the stream. */
	readonly sequence: number;
	/** The last frame of this part of a sentence. */
	readonly last: boolean;
	/** Mono 16 bit at 24 kHz; may be empty. */
	readonly samples: Int16Array;
}

/** Chosen by the window, unguessable; identifies the stream in `stream.close` and with its ports. */
export const streamName = z.string().check(z.minLength(16), z.maxLength(64));

export const SpeechOpening = z.lazy(() =>
	z.object({
		stream: streamName,
		purpose: z.literal('speech-to-speech'),
		/** Buffers 5 s of speech captured before the task runs, because the conversation is being resumed. */
		keepSpeech: z.boolean(),
		/** Length of audio sent in one message, ms (protocol 5.1.2). */
		chunkMs: z.number().check(z.gte(20), z.lte(1000)),
	}),
);
export type SpeechOpening = z.infer<typeof SpeechOpening>;

/** Captions only: its control port works like that of a conversation; the voice port is unused. */
export const TranscribingOpening = z.lazy(() =>
	z.object({
		stream: streamName,
		purpose: z.literal('speech-to-text'),
		/** One of `TRANSCRIBED_SOURCES`; `auto` lets the service detect it. */
		language: z.string().check(z.minLength(2), z.maxLength(16)),
		/** Target languages of the translated captions, from `TRANSCRIBED_TARGETS`. */
		targets: z.array(z.string().check(z.minLength(2), z.maxLength(16))).check(z.maxLength(20)),
		/** Length of audio sent in one message, ms. */
		chunkMs: z.number().check(z.gte(20), z.lte(1000)),
	}),
);
export type TranscribingOpening = z.infer<typeof TranscribingOpening>;

/** The settings of the window's socket transport. */
export type SocketOpening = Omit<SpeechOpening, 'stream'> | Omit<TranscribingOpening, 'stream'>;

/** Speaks typed texts in one language with one voice; its control port carries `SpeakUp` and `SpeakDown`. */
export const SpeakingOpening = z.lazy(() =>
	z.object({
		stream: streamName,
		purpose: z.literal('text-to-speech'),
		/** One of `SPOKEN_LANGUAGES`. */
		language: z.string().check(z.minLength(2), z.maxLength(16)),
		/** Language of texts that are translated before they are spoken, only on this computer. Default: as typed. */
		from: z.optional(z.string().check(z.minLength(2), z.maxLength(16))),
		voiceId: z.string().check(z.minLength(1), z.maxLength(128)),
	}),
);
export type SpeakingOpening = z.infer<typeof SpeakingOpening>;

export const StreamOpening = z.lazy(() =>
	z.discriminatedUnion('purpose', [SpeechOpening, TranscribingOpening, SpeakingOpening]),
);
export type StreamOpening = z.infer<typeof StreamOpening>;

/** The note that accompanies the ports from main through the preload to the page. */
export const PortsNote = z.object({ stream: z.string() });

export const ControlUp = z.lazy(() =>
	z.discriminatedUnion('type', [
		z.object({ type: z.literal('command'), command: ClientMessage }),
		/** Requests final texts of all speech so far; only speech to text supports that. */
		z.object({ type: z.literal('finalize') }),
		z.object({ type: z.literal('close') }),
	]),
);
export type ControlUp = z.infer<typeof ControlUp>;

const level = z.object({ currentMs: z.number(), maxMs: z.nullable(z.number()) });
const state = z.enum(['running', 'paused', 'unknown']);
const text = z.string();

/** `ServerMessage` as JSON; audio has its own port. */
const PortMessage = z.lazy(() =>
	z.discriminatedUnion('type', [
		z.object({
			type: z.literal('task-status'),
			command: text,
			event: text,
			status: state,
			transcriptionId: z.nullable(text),
		}),
		z.object({ type: z.literal('current-task'), status: state, targets: z.array(text) }),
		z.object({
			type: z.literal('transcript'),
			kind: z.enum(['source', 'translation']),
			final: z.boolean(),
			transcriptionId: text,
			partId: text,
			language: text,
			text,
			startS: z.nullable(z.number()),
			endS: z.nullable(z.number()),
		}),
		z.object({ type: z.literal('queue-level'), levels: z.array(z.tuple([text, level])) }),
		z.object({
			type: z.literal('timings'),
			transcriptionId: text,
			timingsS: z.array(z.tuple([text, z.number()])),
		}),
		z.object({ type: z.literal('end-of-stream') }),
		z.object({ type: z.literal('warning'), code: text, text }),
		z.object({ type: z.literal('error'), code: text, text, field: text }),
		z.object({ type: z.literal('unknown'), name: text }),
	]),
);
type PortMessage = z.infer<typeof PortMessage>;

export const ControlDown = z.lazy(() =>
	z.discriminatedUnion('type', [
		z.object({ type: z.literal('message'), message: PortMessage }),
		z.object({ type: z.literal('up') }),
		z.object({ type: z.literal('restoring'), cause: text }),
		z.object({ type: z.literal('down'), problem: Problem }),
		/** Counted since the stream was opened. */
		z.object({
			type: z.literal('counts'),
			chunksSent: z.number(),
			chunksReceived: z.number(),
			roundTripMs: z.number(),
		}),
		/** Speech that will never reach the interpreter, ms. */
		z.object({ type: z.literal('speech-lost'), ms: z.number() }),
	]),
);
export type ControlDown = z.infer<typeof ControlDown>;

/** Null for audio, which has its own port, and for answers that only concern files. */
export function packMessage(message: ServerMessage): PortMessage | null {
	switch (message.type) {
		case 'output-audio':
		case 'sound-heard':
			return null;
		case 'queue-level':
			return { type: 'queue-level', levels: [...message.levels] };
		case 'timings':
			return { ...message, timingsS: [...message.timingsS] };
		case 'current-task':
			return { ...message, targets: [...message.targets] };
		default:
			return message;
	}
}

export function unpackMessage(message: PortMessage): ServerMessage {
	switch (message.type) {
		case 'queue-level':
			return { type: 'queue-level', levels: new Map(message.levels) };
		case 'timings':
			return { ...message, timingsS: new Map(message.timingsS) };
		default:
			return message;
	}
}

/**
 * Messages on the control port of a stream that speaks typed texts (`streams.ts`). Its audio uses the voice
 * port, with the text's own `id` as `transcriptionId`; the capture port is unused.
 */

/** More than anybody types at once; texts are split at sentence ends for the socket's limit (protocol 5.3). */
export const TYPED_LENGTH = 5000;

const id = z.string().check(z.minLength(1), z.maxLength(64));

export const SpeakUp = z.lazy(() =>
	z.discriminatedUnion('type', [
		/** Ends the current text. */
		z.object({
			type: z.literal('speak'),
			id,
			text: z.string().check(z.minLength(1), z.maxLength(TYPED_LENGTH)),
		}),
		/** Stops generating and delivering this text; harmless when the text is finished. */
		z.object({ type: z.literal('cancel'), id }),
		z.object({ type: z.literal('close') }),
	]),
);
export type SpeakUp = z.infer<typeof SpeakUp>;

export const SpeakDown = z.lazy(() =>
	z.discriminatedUnion('type', [
		/** The words spoken instead of the text, sentence by sentence, before they are audible. */
		z.object({ type: z.literal('translated'), id, text: z.string() }),
		/** End of a text that was not cancelled; `ms` of its speech were delivered. */
		z.object({ type: z.literal('made'), id, ms: z.number() }),
		z.object({ type: z.literal('failed'), id, ms: z.number(), problem: Problem }),
		/** The stream has ended. */
		z.object({ type: z.literal('closed') }),
	]),
);
export type SpeakDown = z.infer<typeof SpeakDown>;
