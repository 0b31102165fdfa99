import { ClientMessage } from './client-message.ts';

/**
 * The JSON text of a command. Throws on anything that is not one of our commands: that is a bug, never the user's
 * fault. `checkTask` checks the ranges that the user chooses from.
 */
export function encodeClientMessage(message: ClientMessage): string {
	return JSON.stringify(ClientMessage.parse(message));
}
