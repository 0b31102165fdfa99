import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '#shared/lib/clock.ts';
import type { TokenClaims } from './accounts.ts';
import type { Faults } from './faults.ts';
import type { Interpreter, InterpreterPort } from './interpreter/interpreter.ts';

interface Rooms {
	request(req: IncomingMessage, res: ServerResponse): boolean;
	upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): boolean;
	open(room: string, sessionId: string): Promise<void>;
	close(room: string): Promise<void>;
	onPresence(heard: (sessionId: string, connected: boolean) => void): void;
	closeAll(): Promise<void>;
}

export interface RoomsParts {
	livekit: 'current' | 'older';
	clock: Clock;
	faults: Faults;
	verifyToken(token: string): TokenClaims | null;
	createInterpreter(port: InterpreterPort, sessionId: string): Interpreter;
}

const none: Rooms = {
	request: () => false,
	upgrade: () => false,
	open: async () => {},
	close: async () => {},
	onPresence: () => {},
	closeAll: async () => {},
};

/** The rooms, or none while they are not written. */
export async function loadRooms(parts: RoomsParts): Promise<Rooms> {
	const path = './room/rooms.ts';
	try {
		const { createRooms } = await import(path);
		return createRooms(parts);
	} catch {
		return none;
	}
}
