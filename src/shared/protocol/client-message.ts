import { z } from 'zod/mini';
import { Task } from './task.ts';

const empty = z.looseObject({});
/** `global` = every language. */
const dropped = z.looseObject({ languages: z.array(z.string()), pause_task: z.optional(z.boolean()) });

/** Commands, the same on the data channel and the speech-to-speech socket (protocol 4.4). */
export const ClientMessage = z.lazy(() =>
	z.discriminatedUnion('message_type', [
		z.object({ message_type: z.literal('set_task'), data: Task }),
		z.object({ message_type: z.literal('get_task'), data: empty }),
		z.object({ message_type: z.literal('pause_task'), data: empty }),
		/** Older generation's way to drop the phrase in progress. */
		z.object({ message_type: z.literal('flush_task'), data: dropped }),
		/** Current generation's way to drop the phrase in progress. */
		z.object({ message_type: z.literal('interrupt_task'), data: dropped }),
		z.object({
			message_type: z.literal('tts_task'),
			data: z.looseObject({ text: z.string(), language: z.string(), translate_text: z.boolean() }),
		}),
		z.object({
			message_type: z.literal('end_task'),
			data: z.looseObject({ force: z.optional(z.boolean()), eos_timeout: z.optional(z.number()) }),
		}),
	]),
);
export type ClientMessage = z.infer<typeof ClientMessage>;
export type CommandName = ClientMessage['message_type'];

/**
 * The JSON text of a command. Throws on anything that is not one of our commands: that is a bug, never the user's
 * fault. `checkTask` checks the ranges that the user chooses from.
 */
export function encodeClientMessage(message: ClientMessage): string {
	return JSON.stringify(ClientMessage.parse(message));
}
