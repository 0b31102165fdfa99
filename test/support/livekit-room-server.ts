import { randomBytes } from 'node:crypto';
import { createLivekitRooms } from '#sandbox/room/livekit-rooms.ts';
import { createSystemClock } from '#sandbox/system-clock.ts';
import { type LivekitVersion, startLivekitServer } from './livekit-server.ts';
import { createRecorders, IDENTITY, type RoomServer, SESSION } from './room-server.ts';

/** A real LiveKit server with the sandbox's translator in one room of it, or why there is none. */
export async function startLivekitRoomServer(
	version: LivekitVersion,
): Promise<RoomServer | { missing: string }> {
	const server = await startLivekitServer(version);
	if ('missing' in server) return server;
	const room = `room-${randomBytes(4).toString('hex')}`;
	const recorders = createRecorders();
	const presence: boolean[] = [];
	const rooms = createLivekitRooms({
		...server,
		clock: createSystemClock(),
		createInterpreter: recorders.create,
	});
	rooms.onPresence((_session, connected) => presence.push(connected));
	await rooms.open(room, SESSION);
	return {
		url: rooms.url,
		room,
		token: () => rooms.tokenFor(room, IDENTITY, SESSION, 600),
		recorder: recorders.newest,
		presence,
		setFault() {
			throw new Error('a real server has no faults to switch');
		},
		strike() {
			throw new Error('a real server has no faults to strike');
		},
		closeRoom: () => rooms.close(room),
		async stop() {
			await rooms.closeAll();
			await server.stop();
		},
	};
}
