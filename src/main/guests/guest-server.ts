import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, isIPv4, type Socket } from 'node:net';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import { guestScript } from './guest-script.ts';
import type { GuestFrame } from './guests.ts';

/* The page that guests read: one answer that loads nothing. */

const style = `
:root { color-scheme: light dark; font: 22px/1.4 system-ui, sans-serif }
* { box-sizing: border-box }
body { display: flex; flex-direction: column; height: 100vh; height: 100dvh; margin: 0 }
header { display: flex; flex-wrap: wrap; gap: 8px; padding: 8px 12px; border-bottom: 1px solid GrayText; font-size: 16px }
label { display: flex; flex: 1; gap: 8px; align-items: center }
select { flex: 1; min-width: 0; max-width: 20em }
select, button { min-width: 44px; min-height: 44px; font: inherit }
main { position: relative; flex: 1; overflow-y: auto; padding: 0 12px; overflow-wrap: anywhere }
main > div { margin: 12px 0; padding-inline-start: 10px; border-inline-start: 3px solid GrayText }
main > .theirs { padding-inline-start: 7px; border-inline-start: 6px double LinkText }
main p { margin: 0 }
main .open { font-style: italic }
#state { margin: 0; padding: 8px 12px; font-size: 16px }
#state:empty { padding: 0 }
#newest { align-self: center; margin: 4px }
#aloud, .side { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }
`;

/** The whole page. */
export const guestPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Dragoman</title>
<style>${style}</style>
</head>
<body>
<header>
<label><span id="language"></span><select id="choice"></select></label>
<button id="smaller" type="button" dir="ltr">A−</button>
<button id="larger" type="button" dir="ltr">A+</button>
</header>
<main id="list" tabindex="0"></main>
<button id="newest" type="button" hidden></button>
<p id="state" role="status"></p>
<div id="aloud" aria-live="polite"></div>
<script>${guestScript}</script>
</body>
</html>
`;

/** Its content security policy: its own script and style, and the captions of its own server. */
const guestPolicy = [
	"default-src 'none'",
	"connect-src 'self'",
	`script-src ${hashOf(guestScript)}`,
	`style-src ${hashOf(style)}`,
	"base-uri 'none'",
	"form-action 'none'",
	"frame-ancestors 'none'",
].join('; ');

/** What guests may take of this computer. */
export const GUEST_LIMITS = {
	/** Who read along at once. */
	guests: 50,
	/** Connections at once, whatever they want. */
	connections: 200,
	/** Of them from one address: phones behind one router of their own share it. */
	connectionsOfOne: 20,
	/** The first line of a request and its headers. */
	headerBytes: 8192,
	/** Until a request is complete, ms; looked at every `lookMs`. */
	requestMs: 10_000,
	lookMs: 2000,
	/** What a guest's connection has not yet taken: whoever leaves more is dropped, and may come again. */
	waitingBytes: 256 * 1024,
} as const;

/** A line over which nothing goes for longer may be cut on its way, and the page takes it for dead, ms. */
const KEEP_ALIVE_MS = 15_000;
/** Captions are handed out at most this often, ms. */
const FRAME_MS = 200;
/** Time for the last words to leave this computer, ms. */
const LAST_WORDS_MS = 300;
/** 128 bits: nobody guesses it. */
const TOKEN_BYTES = 16;

const HEADERS = {
	'Cache-Control': 'no-store',
	'Referrer-Policy': 'no-referrer',
	'X-Content-Type-Options': 'nosniff',
	Connection: 'close',
} as const;

/** The page and the captions for guests, while they are shared. */
export interface GuestServer {
	/** The page's address for whoever reaches this computer at `host`. It holds the token: not for the log. */
	address(host: string): string;
	/** How many read along. */
	count(): number;
	show(frame: GuestFrame): void;
	/** Tells the guests that it is over. Resolves when nothing listens and every connection is gone. */
	close(): Promise<void>;
}

/** Listens on a free port of every IPv4 interface. Rejects when that cannot be. */
export async function openGuestServer(parts: {
	readonly clock: Clock;
	/** A guest came or went. */
	changed(): void;
	/** Default: `GUEST_LIMITS.requestMs`. */
	readonly requestMs?: number;
}): Promise<GuestServer> {
	const { clock, changed, requestMs = GUEST_LIMITS.requestMs } = parts;
	const token = randomBytes(TOKEN_BYTES).toString('base64url');
	const expected = sha256(token);
	/** By the id that each page gave itself. */
	const guests = new Map<string, ServerResponse>();
	const sockets = new Set<Socket>();
	let newest = event({ part: 0, rows: [] });
	/** The newest that was handed out. */
	let sent = newest;
	/** While it runs, what is new waits. */
	let pace: Cancel | null = null;
	let port = 0;
	let isClosed = false;

	const server = createServer(
		{
			maxHeaderSize: GUEST_LIMITS.headerBytes,
			headersTimeout: requestMs,
			requestTimeout: requestMs,
			connectionsCheckingInterval: GUEST_LIMITS.lookMs,
			// Node would say what is missing.
			requireHostHeader: false,
		},
		answer,
	);
	server.maxConnections = GUEST_LIMITS.connections;
	server.on('clientError', (_, socket) => socket.destroy());
	// Node would answer by itself.
	server.on('checkContinue', answer);
	server.on('checkExpectation', answer);
	server.on('connection', (socket: Socket) => {
		const ofOne = [...sockets].filter(({ remoteAddress }) => remoteAddress === socket.remoteAddress);
		if (ofOne.length >= GUEST_LIMITS.connectionsOfOne) {
			socket.destroy();
			return;
		}
		sockets.add(socket);
		socket.once('close', () => sockets.delete(socket));
	});
	await new Promise<void>((done, fail) => {
		// Also later, when a connection cannot be accepted: then it does nothing.
		server.on('error', fail);
		server.listen(0, '0.0.0.0', done);
	});
	({ port } = server.address() as AddressInfo);
	const stopKeeping = clock.every(KEEP_ALIVE_MS, () => send('event: here\ndata:\n\n'));

	function answer(request: IncomingMessage, response: ServerResponse): void {
		// A guest that leaves is no failure.
		response.on('error', () => {});
		// One behind another on its connection, as no browser asks, would wait for ever after the captions; one that comes
		// at the end would not be told that it is over.
		if (isClosed || !response.socket) {
			request.socket.destroy();
			return;
		}
		const wanted = request.method === 'GET' && isOurs(request.headers.host) ? below(request.url ?? '') : null;
		// No word of what is wrong.
		if (wanted === null) response.writeHead(404, { Connection: 'close', 'Content-Length': 0 }).end();
		else if (wanted) welcome(wanted, request, response);
		else {
			const page = { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': guestPolicy };
			response.writeHead(200, { ...HEADERS, ...page }).end(guestPage);
		}
	}

	/** A name would be another site's that leads here (DNS rebinding). */
	function isOurs(host = ''): boolean {
		const [, ip = '', at] = /^([\d.]+):(\d+)$/.exec(host) ?? [];
		return isIPv4(ip) && Number(at) === port;
	}

	/**
	 * The guest who asks for the captions below the token, which is compared in constant time; empty = the page is asked
	 * for; null = nothing that is here.
	 */
	function below(url: string): string | null {
		const [, given = '', id = ''] = /^\/([^/]+)\/(?:captions\/([0-9a-z]{1,24}))?$/.exec(url) ?? [];
		return timingSafeEqual(sha256(given), expected) ? id : null;
	}

	function welcome(id: string, { socket }: IncomingMessage, response: ServerResponse): void {
		response.writeHead(200, { ...HEADERS, 'Content-Type': 'text/event-stream; charset=utf-8' });
		// A phone that comes back: nobody else would know for minutes that its former line is dead.
		const former = guests.get(id);
		former?.destroy();
		if (!former && guests.size >= GUEST_LIMITS.guests) {
			// EventSource tells its page no status.
			response.end('event: full\ndata: full\n\n');
			return;
		}
		response.write(sent);
		guests.set(id, response);
		socket.once('close', () => leave(id, response));
		if (!former) changed();
	}

	function leave(id: string, guest: ServerResponse): void {
		if (guests.get(id) !== guest) return;
		guests.delete(id);
		changed();
	}

	function send(text: string): void {
		for (const [id, guest] of guests) {
			if (guest.writableLength > GUEST_LIMITS.waitingBytes) {
				leave(id, guest);
				guest.destroy();
			} else guest.write(text);
		}
	}

	function handOut(): void {
		pace?.();
		pace = clock.after(FRAME_MS, () => {
			pace = null;
			if (newest !== sent) handOut();
		});
		sent = newest;
		send(newest);
	}

	return {
		address: (host) => `http://${host}:${port}/${token}/`,
		count: () => guests.size,
		show(frame) {
			const next = event(frame);
			if (next === newest) return;
			newest = next;
			// One without rows clears the page, and so is never left out.
			if (!pace || frame.rows.length === 0) handOut();
		},
		async close() {
			isClosed = true;
			stopKeeping();
			pace?.();
			const closed = new Promise<void>((done) => server.close(() => done()));
			// The last words of a conversation may be waiting.
			if (newest !== sent) send(newest);
			for (const guest of guests.values()) guest.end('event: over\ndata: over\n\n');
			guests.clear();
			const cut = clock.after(LAST_WORDS_MS, () => server.closeAllConnections());
			await closed;
			cut();
		},
	};
}

function event(frame: GuestFrame): string {
	return `data: ${JSON.stringify(frame)}\n\n`;
}

function sha256(text: string): Buffer {
	return createHash('sha256').update(text).digest();
}

function hashOf(text: string): string {
	return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
