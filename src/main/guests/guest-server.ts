import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, isIPv4, type Socket } from 'node:net';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import { guestScript } from './guest-script.ts';
import type { GuestFrame } from './guests.ts';

/* The page that guests read: a single response that loads nothing else. */

/* The window's colours (`renderer/ui/theme.css`), for browsers that do not know `light-dark()`. */
const style = `
:root {
	color-scheme: light dark; font: 22px/1.45 "Noto Sans", system-ui, sans-serif; background: var(--bg); color: var(--ink);
	--bg: #f5f4f0; --surface: #fff; --ink: #1a1c1a; --ink-2: #4b4d48; --line: #dfdcd3; --line-strong: #85827a;
	--accent: #0a655c; --accent-ink: #fff; --live: #1a6b3a;
}
@media (prefers-color-scheme: dark) {
	:root {
		--bg: #101312; --surface: #181c1b; --ink: #f1f0ec; --ink-2: #c0bfb8; --line: #2d3332; --line-strong: #7b827f;
		--accent: #6bd8c7; --accent-ink: #04211d; --live: #7ad79b;
	}
}
* { box-sizing: border-box }
body { display: flex; flex-direction: column; height: 100vh; height: 100dvh; margin: 0 }
header {
	display: flex; flex-wrap: wrap; gap: 8px; align-items: center; padding: 8px 16px;
	border-bottom: 1px solid var(--line); background: var(--surface); font-size: 16px;
}
#live { display: flex; gap: 8px; align-items: center; margin: 0; color: var(--ink-2); font-size: 14px }
#live[hidden] { display: none }
#live::before { width: 10px; height: 10px; border-radius: 50%; background: var(--live); animation: beat 2s infinite; content: "" }
@keyframes beat { 50% { opacity: .35 } }
@media (prefers-reduced-motion: reduce) { #live::before { animation: none } }
label { display: flex; flex: 1; gap: 8px; align-items: center; min-width: 0; color: var(--ink-2) }
select { flex: 1; min-width: 0; max-width: 20em; text-overflow: ellipsis }
select, button {
	min-width: 44px; min-height: 44px; padding: 0 12px; border: 1px solid var(--line-strong); border-radius: 10px;
	background: var(--surface); color: var(--ink); font: inherit;
}
:focus { outline: none }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
main:focus-visible { outline-offset: -2px }
main { position: relative; flex: 1; overflow-y: auto; padding: 0 16px; overflow-wrap: anywhere }
main > div { margin: 16px 0; padding-inline-start: 13px; border-inline-start: 3px solid var(--line-strong) }
main > .theirs { padding-inline-start: 10px; border-inline-start: 6px double var(--accent) }
main p { margin: 0 }
main .open { color: var(--ink-2); font-style: italic }
#state { margin: 0; padding: 8px 16px; color: var(--ink-2); font-size: 16px }
#state:empty { padding: 0 }
#listen { flex: 1 0 100% }
@media (min-width: 600px) { #listen { flex: none } }
#listen.on { border-color: transparent; background: var(--accent); color: var(--accent-ink) }
#newest { align-self: center; margin: 8px; border-color: transparent; background: var(--accent); color: var(--accent-ink) }
#aloud, .side { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }
@media (max-width: 440px) { #language { position: absolute; clip-path: inset(50%) } }
@media (forced-colors: active) { #live::before { forced-color-adjust: none } select, button { border-color: ButtonBorder } }
`;

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
<p id="live"></p>
<label><span id="language"></span><select id="choice"></select></label>
<button id="smaller" type="button" dir="ltr">A−</button>
<button id="larger" type="button" dir="ltr">A+</button>
<button id="listen" type="button" hidden></button>
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

/** Limits on the resources that guests may use. */
export const GUEST_LIMITS = {
	/** Maximum simultaneous guests. */
	guests: 50,
	/** Maximum simultaneous connections, for whatever purpose. */
	connections: 200,
	/** Connections from one address, which phones behind a common router share. */
	connectionsOfOne: 20,
	/** Size of a request's first line and headers. */
	headerBytes: 8192,
	/** Time until a request is complete, ms; checked every `lookMs`. */
	requestMs: 10_000,
	lookMs: 2000,
	/** Limit of the data that waits for a guest's connection: a guest beyond it is dropped and may reconnect. */
	waitingBytes: 256 * 1024,
	/** The same for the voice: beyond it blocks are left out, so that the voice never falls behind. */
	waitingVoiceBytes: 8 * 1024,
} as const;

/** Something is sent this often, ms; else a network may cut the idle connection, or the page think it dead. */
const KEEP_ALIVE_MS = 15_000;
/** Captions are sent at most this often, ms. */
const FRAME_MS = 200;
/** Time to send the last words, ms. */
const LAST_WORDS_MS = 300;
/** 128 bits, too many to guess. */
const TOKEN_BYTES = 16;

const HEADERS = {
	'Cache-Control': 'no-store',
	'Referrer-Policy': 'no-referrer',
	'X-Content-Type-Options': 'nosniff',
	Connection: 'close',
} as const;

/** The page, the captions and the voices for guests, while they are shared. */
export interface GuestServer {
	/** The page's address for whoever reaches this computer at `host`. It contains the token: never log it. */
	address(host: string): string;
	count(): number;
	show(frame: GuestFrame): void;
	/** Sets whether a conversation runs; initially none does. */
	live(isLive: boolean): void;
	/** Sets the languages in which a voice can be heard; initially none. */
	voices(languages: readonly string[]): void;
	/** The languages in which somebody listens. */
	listening(): readonly string[];
	/** Sends a block of a voice, already encoded, to everyone who listens in its language. */
	speak(language: string, block: Uint8Array): void;
	/** Tells the guests that sharing has ended. Resolves when nothing listens and every connection is closed. */
	close(): Promise<void>;
}

/** Listens on a free port of every IPv4 interface. Rejects if that fails. */
export async function openGuestServer(parts: {
	readonly clock: Clock;
	/** Called when a guest came or went, or listens in another language. */
	changed(): void;
	/** Default: `GUEST_LIMITS.requestMs`. */
	readonly requestMs?: number;
}): Promise<GuestServer> {
	const { clock, changed, requestMs = GUEST_LIMITS.requestMs } = parts;
	const token = randomBytes(TOKEN_BYTES).toString('base64url');
	const expected = sha256(token);
	/** Connections by the id that each page gave itself. */
	const guests = new Map<string, ServerResponse>();
	/** The guests who listen to a voice. */
	const listeners = new Map<string, { readonly language: string; readonly response: ServerResponse }>();
	const sockets = new Set<Socket>();
	let newest = event({ part: 0, rows: [] });
	/** The newest frame that was sent; a new guest gets its lines first (`FRAME_ROWS` in `shared/overlay/frames.ts`). */
	let sent = newest;
	/** While this timer runs, new data waits. */
	let pace: Cancel | null = null;
	let port = 0;
	let isClosed = false;
	let liveness = liveEvent(false);
	let voices = voicesEvent([]);

	const server = createServer(
		{
			maxHeaderSize: GUEST_LIMITS.headerBytes,
			headersTimeout: requestMs,
			requestTimeout: requestMs,
			connectionsCheckingInterval: GUEST_LIMITS.lookMs,
			// Node's own answer would explain which header is missing.
			requireHostHeader: false,
		},
		answer,
	);
	server.maxConnections = GUEST_LIMITS.connections;
	server.on('clientError', (_, socket) => socket.destroy());
	// Otherwise Node would answer these requests itself.
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
		// An error may also come later, when a connection cannot be accepted: then this does nothing.
		server.on('error', fail);
		server.listen(0, '0.0.0.0', done);
	});
	({ port } = server.address() as AddressInfo);
	const stopKeeping = clock.every(KEEP_ALIVE_MS, () => send('event: here\ndata:\n\n'));

	function answer(request: IncomingMessage, response: ServerResponse): void {
		// Ignore it: a guest that leaves is no failure.
		response.on('error', () => {});
		// A request behind another on its connection, which no browser sends, would wait for ever behind the
		// captions; one that comes at the end would not learn that sharing is over.
		if (isClosed || !response.socket) {
			request.socket.destroy();
			return;
		}
		const wanted = request.method === 'GET' && isOurs(request.headers.host) ? below(request.url ?? '') : null;
		// No body, to give no hint about what is wrong.
		if (wanted === null) response.writeHead(404, { Connection: 'close', 'Content-Length': 0 }).end();
		else if (wanted.language) listen(wanted.id, wanted.language, request, response);
		else if (wanted.id) welcome(wanted.id, request, response);
		else {
			const page = { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': guestPolicy };
			response.writeHead(200, { ...HEADERS, ...page }).end(guestPage);
		}
	}

	/** True for an address; a host name could be another site's that leads here (DNS rebinding). */
	function isOurs(host = ''): boolean {
		const [, ip = '', at] = /^([\d.]+):(\d+)$/.exec(host) ?? [];
		return isIPv4(ip) && Number(at) === port;
	}

	/**
	 * Reads a request below the token, which is compared in constant time: the guest who asks for the
	 * captions or for the voice of a language. An empty id = the page is requested; null = there is nothing
	 * at this address.
	 */
	function below(url: string): { readonly id: string; readonly language: string } | null {
		const [, given = '', reader = '', listener = '', language = ''] =
			/^\/([^/]+)\/(?:captions\/([0-9a-z]{1,24})|voice\/([0-9a-z]{1,24})\/([A-Za-z]{2,3}(?:-[A-Za-z]{4})?))?$/.exec(
				url,
			) ?? [];
		if (!timingSafeEqual(sha256(given), expected)) return null;
		// Only a guest with captions may listen, so there are never more listeners than guests.
		return listener && !guests.has(listener) ? null : { id: reader || listener, language };
	}

	function welcome(id: string, { socket }: IncomingMessage, response: ServerResponse): void {
		response.writeHead(200, { ...HEADERS, 'Content-Type': 'text/event-stream; charset=utf-8' });
		// A phone reconnects: close its former connection now, because its end would go unnoticed for minutes.
		const former = guests.get(id);
		former?.destroy();
		if (!former && guests.size >= GUEST_LIMITS.guests) {
			// EventSource does not report the status to its page, so send an event.
			response.end('event: full\ndata: full\n\n');
			return;
		}
		response.write(sent + liveness + voices);
		guests.set(id, response);
		socket.once('close', () => leave(id, response));
		if (!former) changed();
	}

	function leave(id: string, guest: ServerResponse): void {
		if (guests.get(id) !== guest) return;
		guests.delete(id);
		listeners.get(id)?.response.destroy();
		listeners.delete(id);
		changed();
	}

	function listen(id: string, language: string, { socket }: IncomingMessage, response: ServerResponse): void {
		response.writeHead(200, { ...HEADERS, 'Content-Type': 'application/octet-stream' });
		response.flushHeaders();
		const former = listeners.get(id);
		listeners.set(id, { language, response });
		former?.response.destroy();
		socket.once('close', () => {
			if (listeners.get(id)?.response !== response) return;
			listeners.delete(id);
			changed();
		});
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
			// A frame without rows clears the page, so it is never skipped.
			if (!pace || frame.rows.length === 0) handOut();
		},
		live(isLive) {
			const next = liveEvent(isLive);
			if (next === liveness) return;
			liveness = next;
			send(next);
		},
		voices(languages) {
			const next = voicesEvent(languages);
			if (next === voices) return;
			voices = next;
			send(next);
		},
		listening: () => [...new Set([...listeners.values()].map(({ language }) => language))],
		speak(language, block) {
			for (const { language: wanted, response } of listeners.values())
				if (wanted === language && response.writableLength < GUEST_LIMITS.waitingVoiceBytes)
					response.write(block);
		},
		async close() {
			isClosed = true;
			stopKeeping();
			pace?.();
			const closed = new Promise<void>((done) => server.close(() => done()));
			// Send the last words of a conversation, which may still be waiting.
			if (newest !== sent) send(newest);
			for (const guest of guests.values()) guest.end('event: over\ndata: over\n\n');
			guests.clear();
			for (const { response } of listeners.values()) response.destroy();
			listeners.clear();
			const cut = clock.after(LAST_WORDS_MS, () => server.closeAllConnections());
			await closed;
			cut();
		},
	};
}

function event(frame: GuestFrame): string {
	return `data: ${JSON.stringify(frame)}\n\n`;
}

function liveEvent(isLive: boolean): string {
	return `event: live\ndata: ${isLive ? 'yes' : 'no'}\n\n`;
}

function voicesEvent(languages: readonly string[]): string {
	return `event: voices\ndata: ${JSON.stringify(languages)}\n\n`;
}

function sha256(text: string): Buffer {
	return createHash('sha256').update(text).digest();
}

function hashOf(text: string): string {
	return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
