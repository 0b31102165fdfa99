import { readFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { homedir, hostname } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '#shared/lib/clock.ts';
import { usesWayland } from '#shared/overlay/abilities.ts';
import type { Keyboard } from './held-keys.ts';
import {
	displayNumber,
	findCookie,
	getKeyboardMapping,
	isCombinationDown,
	isKeyDown,
	MAPPING_NOTIFY,
	packetLength,
	queryKeymap,
	readMapping,
	readSetup,
	setupLength,
	setupRequest,
} from './x11-wire.ts';

/** A server of this computer answers within a millisecond. */
const LIMIT_MS = 2000;
/** Larger than anything that is asked for here. */
const LONGEST = 1 << 20;

export interface X11Connection {
	/** Keycodes there are. */
	readonly first: number;
	readonly last: number;
	/** The reply. Rejects on an error from the server, when the connection ends, or after two seconds. */
	ask(request: Buffer): Promise<Buffer>;
	/** The keyboard layout changed. */
	onMapping(heard: () => void): void;
	close(): void;
}

/** Rejects with a sentence where there is no X server of this computer that lets us in. */
export async function connectX11(env: NodeJS.ProcessEnv, clock: Clock): Promise<X11Connection> {
	const display = displayNumber(env.DISPLAY);
	if (display === null) throw new Error('DISPLAY names no X server of this computer');
	let mapped: () => void = () => {};
	let waiting: { readonly done: (reply: Buffer) => void; readonly failed: (cause: Error) => void }[] = [];
	let received = Buffer.alloc(0);
	let isSetUp = false;
	const socket = createConnection(`/tmp/.X11-unix/X${display}`);

	function end(cause: Error): void {
		socket.destroy();
		const left = waiting;
		waiting = [];
		for (const { failed } of left) failed(cause);
	}

	function take(): Buffer | null {
		const least = isSetUp ? 32 : 8;
		if (received.length < least) return null;
		const length = isSetUp ? packetLength(received) : setupLength(received);
		if (length > LONGEST) {
			end(new Error('the X server says what it never says'));
			return null;
		}
		if (received.length < length) return null;
		const packet = received.subarray(0, length);
		received = received.subarray(length);
		return packet;
	}

	function next(): Promise<Buffer> {
		if (socket.destroyed) return Promise.reject(new Error('no connection to the X server'));
		const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
		const stop = clock.after(LIMIT_MS, () => end(new Error('the X server does not answer')));
		waiting.push({ done: resolve, failed: reject });
		return promise.finally(stop);
	}

	socket.on('data', (bytes) => {
		received = Buffer.concat([received, bytes]);
		for (let packet = take(); packet; packet = take()) {
			if (!isSetUp) {
				isSetUp = true;
				waiting.shift()?.done(packet);
			} else if (packet[0] === 1) waiting.shift()?.done(packet);
			else if (packet[0] === 0) waiting.shift()?.failed(new Error(`X error ${packet[1]}`));
			else if (((packet[0] ?? 0) & 0x7f) === MAPPING_NOTIFY) mapped();
		}
	});
	socket.on('error', end);
	socket.on('close', () => end(new Error('the X server has ended')));

	socket.write(setupRequest(findCookie(readAuthority(env), display, hostname())));
	const setup = readSetup(await next());
	if (!setup) {
		const refused = new Error('the X server lets nobody in');
		end(refused);
		throw refused;
	}
	return {
		...setup,
		ask(request) {
			const reply = next();
			socket.write(request);
			return reply;
		},
		onMapping(heard) {
			mapped = heard;
		},
		close: () => end(new Error('closed')),
	};
}

function readAuthority(env: NodeJS.ProcessEnv): Buffer {
	try {
		return readFileSync(env.XAUTHORITY || join(env.HOME || homedir(), '.Xauthority'));
	} catch {
		return Buffer.alloc(0);
	}
}

/**
 * The keyboard of an X session, whichever program has the focus. Nothing is grabbed: the keys reach that program, too.
 * When asked, the server tells which keys are down at this moment; we read only those asked about, and keep nothing.
 */
export async function openX11Keyboard(env: NodeJS.ProcessEnv, clock: Clock): Promise<Keyboard> {
	const connection = await connectX11(env, clock);
	const { first, last } = connection;
	let places = await mapping();
	let isOutdated = false;
	connection.onMapping(() => {
		isOutdated = true;
	});

	async function mapping() {
		return readMapping(await connection.ask(getKeyboardMapping(first, last)), first);
	}

	return {
		async anyDown(combinations) {
			if (isOutdated) {
				isOutdated = false;
				places = await mapping();
			}
			const reply = await connection.ask(queryKeymap);
			return combinations.some((one) => isCombinationDown(one, places, (key) => isKeyDown(reply, key)));
		},
		close: connection.close,
	};
}

/** Whether this session has a keyboard that can be polled: X does; on Wayland no program may see keys meant for others. */
export function hasX11Keyboard(platform: string, env: NodeJS.ProcessEnv): boolean {
	return platform === 'linux' && !usesWayland(env, '') && displayNumber(env.DISPLAY) !== null;
}
