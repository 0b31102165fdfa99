import { ClientMessage } from './client-message.ts';

/**
 * The JSON text of a command. Throws on what is not a command of ours: that is a bug, never the
 * user's doing. Ranges the user may choose within are `checkTask`'s.
 */
export function encodeClientMessage(message: ClientMessage): string {
	return JSON.stringify(ClientMessage.parse(message));
}
