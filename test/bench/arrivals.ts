import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Told by a LiveKit server when it has the first packet of a microphone. */
export interface Arrivals {
	/** For the server's configuration. */
	readonly webhook: string;
	/** When the first packet of the newest user's microphone was there, ms since 1970; null = none so far. */
	newest(): number | null;
	close(): Promise<void>;
}

export async function listenForArrivals(): Promise<Arrivals> {
	let newest: number | null = null;
	const server = createServer((request, response) => {
		const at = performance.timeOrigin + performance.now();
		let body = '';
		request.on('data', (piece) => {
			body += piece;
		});
		request.on('end', () => {
			response.end();
			const { event, participant } = JSON.parse(body) as {
				event: string;
				participant?: { identity: string };
			};
			// Said when the first packet is there, not when the track is asked for.
			if (event === 'track_published' && participant?.identity.startsWith('user_')) newest = at;
		});
	});
	await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
	return {
		webhook: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
		newest: () => newest,
		async close() {
			server.closeAllConnections();
			await new Promise((done) => server.close(done));
		},
	};
}
