import type { Room } from 'livekit-client';

type SignalSocket = NonNullable<Room['engine']['client']['ws']>;

/**
 * The library reads its socket as a stream and never ends that stream when the socket has closed (2.18.7,
 * `WebSocketStream`). The browser keeps a waiting reader, and with it the socket and all its listeners, for as long as
 * the page lives: one per room and per reconnection. So the stream is ended with its socket.
 */
export function endStreamsWithSockets(room: Room): void {
	const { client } = room.engine;
	let current = client.ws;
	Object.defineProperty(client, 'ws', {
		get: () => current,
		set(next: SignalSocket | undefined) {
			current = next;
			if (next) void endWithSocket(next).catch(() => {});
		},
	});
}

/** Called before the library learns of the opening, so that each of its readers is seen. */
async function endWithSocket(socket: SignalSocket): Promise<void> {
	// One that never opens has no stream.
	const { readable } = await socket.opened;
	const getReader: () => ReadableStreamDefaultReader<string | ArrayBuffer> =
		readable.getReader.bind(readable);
	const readers: ReadableStreamDefaultReader<string | ArrayBuffer>[] = [];
	Reflect.set(readable, 'getReader', () => {
		const reader = getReader();
		readers.push(reader);
		return reader;
	});
	await socket.closed.catch(() => {});
	// Only the active reader; the others have released their lock and reject.
	for (const reader of readers) await reader.cancel().catch(() => {});
}
