import type { BrowserCommand } from 'vitest/node';
import type { RoomAccess } from './room-commands.ts';
import { type RoomServer, startRoomServer } from './room-server.ts';
import { type LineMode, startTcpProxy, type TcpProxy } from './tcp-proxy.ts';

/** What the far side of a sandbox room is told to do. */
export type SandboxRoomOrder =
	| { readonly say: object }
	/** Exactly these voices from now on. */
	| { readonly publish: readonly string[] }
	| { readonly line: 'cut' | LineMode }
	/** Closes the client's connection. */
	| { readonly end: true }
	| { readonly stop: true };

interface Running {
	readonly server: RoomServer;
	readonly line: TcpProxy;
}

const rooms = new Map<string, Running>();
let made = 0;

function running(id: string): Running {
	const room = rooms.get(id);
	if (!room) throw new Error(`no sandbox room ${id}`);
	return room;
}

/** A room of the sandbox, behaving like a current or an older LiveKit server. */
const sandboxRoom: BrowserCommand<[livekit: 'current' | 'older']> = async (
	_context,
	livekit,
): Promise<RoomAccess & { id: string }> => {
	const server = await startRoomServer({ livekit });
	const url = new URL(server.url);
	const line = await startTcpProxy(Number(url.port));
	made += 1;
	const id = String(made);
	rooms.set(id, { server, line });
	url.port = String(line.port);
	return { id, webrtcUrl: url.href, publisher: await server.token() };
};

/** Answers the commands that have arrived. */
const sandboxRoomDo: BrowserCommand<[id: string, order?: SandboxRoomOrder]> = async (_context, id, order) => {
	const { server, line } = running(id);
	const recorder = server.recorder();
	if (!order) return recorder.commands;
	if ('say' in order) recorder.port.say(order.say);
	if ('publish' in order) recorder.port.publish(order.publish);
	if ('end' in order) recorder.port.end('done');
	if ('line' in order) {
		if (order.line === 'cut') line.cut();
		else line.set(order.line);
	}
	if ('stop' in order) {
		rooms.delete(id);
		await line.close();
		await server.stop();
	}
	return recorder.commands;
};

export const sandboxRoomCommands = { sandboxRoom, sandboxRoomDo };

declare module 'vitest/browser' {
	interface BrowserCommands {
		sandboxRoom(livekit: 'current' | 'older'): Promise<RoomAccess & { id: string }>;
		sandboxRoomDo(id: string, order?: SandboxRoomOrder): Promise<readonly string[]>;
	}
}
