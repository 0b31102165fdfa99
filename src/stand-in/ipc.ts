import { strict } from './strict.ts';

type Handler = (event: never, ...args: unknown[]) => unknown;

const handlers = new Map<string, Handler>();

export const ipcMain = strict('ipcMain', {
	handle(channel: string, handler: Handler): void {
		if (handlers.has(channel)) throw new Error(`Attempted to register a second handler for '${channel}'`);
		handlers.set(channel, handler);
	},
	removeHandler: (channel: string): void => void handlers.delete(channel),
});

export async function invokeHandler(channel: string, event: unknown, args: unknown[]): Promise<unknown> {
	const handler = handlers.get(channel);
	if (!handler) throw new Error(`No handler registered for '${channel}'`);
	return handler(event as never, ...args);
}
