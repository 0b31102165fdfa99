import { type IncomingHttpHeaders, type RequestOptions, request } from 'node:http';

export interface GuestAnswer {
	readonly status: number;
	readonly headers: IncomingHttpHeaders;
	/** The text received so far. */
	text(): string;
	/** What has come so far of a voice. */
	sound(): Buffer;
	/** The captions that have come so far. */
	frames(): readonly unknown[];
	/** The connection is gone. */
	readonly gone: Promise<void>;
	leave(): void;
}

/** Asks the guests' server as a browser does; resolves with the first byte of the answer. Rejects where nothing answers. */
export function askAsGuest(address: string, options: RequestOptions = {}): Promise<GuestAnswer> {
	return new Promise((done, fail) => {
		const asked = request(address, { agent: false, ...options }, (response) => {
			let text = '';
			const isSound = response.headers['content-type'] === 'application/octet-stream';
			response.setEncoding(isSound ? 'latin1' : 'utf8');
			response.on('data', (more: string) => {
				text += more;
			});
			response.on('error', () => {});
			done({
				status: response.statusCode ?? 0,
				headers: response.headers,
				text: () => text,
				sound: () => Buffer.from(text, 'latin1'),
				frames: () =>
					[...text.matchAll(/^data: (\{.*)\n/gm)].map(([, json = '']): unknown => JSON.parse(json)),
				gone: new Promise((end) => response.once('close', () => end())),
				leave: () => asked.destroy(),
			});
		});
		asked.on('error', fail);
		asked.end();
	});
}
