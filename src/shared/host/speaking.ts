import { z } from 'zod/mini';
import { Problem } from '#shared/problem.ts';

/**
 * Messages on the control port of a stream that speaks typed texts (`streams.ts`). Its sound goes by the voice port,
 * each text under its own `id` as `transcriptionId`; the capture port is unused.
 */

/** More than anybody types at once; the socket's own limit is kept by splitting at sentence ends (protocol 5.3). */
export const TYPED_LENGTH = 5000;

const id = z.string().check(z.minLength(1), z.maxLength(64));

export const SpeakUp = z.lazy(() =>
	z.discriminatedUnion('type', [
		/** Ends what is being spoken. */
		z.object({
			type: z.literal('speak'),
			id,
			text: z.string().check(z.minLength(1), z.maxLength(TYPED_LENGTH)),
		}),
		/** Stops making and delivering this text; harmless when it is over. */
		z.object({ type: z.literal('cancel'), id }),
		z.object({ type: z.literal('close') }),
	]),
);
export type SpeakUp = z.infer<typeof SpeakUp>;

export const SpeakDown = z.lazy(() =>
	z.discriminatedUnion('type', [
		/** The only end of a text that was not cancelled; `ms` of its speech were delivered. */
		z.object({ type: z.literal('made'), id, ms: z.number() }),
		z.object({ type: z.literal('failed'), id, ms: z.number(), problem: Problem }),
		/** The stream is over. */
		z.object({ type: z.literal('closed') }),
	]),
);
export type SpeakDown = z.infer<typeof SpeakDown>;
