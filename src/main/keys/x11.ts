import { readFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { homedir, hostname } from 'node:os';
import { join } from 'node:path';
import type { Combination } from '#shared/keys/combination.ts';
import type { Clock } from '#shared/lib/clock.ts';
import { usesWayland } from '#shared/overlay/placement.ts';
import type { Keyboard } from './held-keys.ts';

/** Messages that tell which keys are down: little-endian, padded to four bytes (X11, appendix B). Pure. */

interface Cookie {
	readonly name: string;
	readonly data: Buffer;
}

const padded = (length: number) => Math.ceil(length / 4) * 4;

function setupRequest({ name, data }: Cookie): Buffer {
	const request = Buffer.alloc(12 + padded(name.length) + padded(data.length));
	request.write('l', 0);
	request.writeUInt16LE(11, 2);
	request.writeUInt16LE(name.length, 6);
	request.writeUInt16LE(data.length, 8);
	request.write(name, 12, 'latin1');
	data.copy(request, 12 + padded(name.length));
	return request;
}

/** Length of the set-up's answer in bytes, from its first eight. */
function setupLength(head: Buffer): number {
	return 8 + head.readUInt16LE(6) * 4;
}

/** The first and last keycode; null: the server does not accept this cookie. */
export function readSetup(answer: Buffer): { readonly first: number; readonly last: number } | null {
	if (answer[0] !== 1 || answer.length < 40) return null;
	return { first: answer.readUInt8(34), last: answer.readUInt8(35) };
}

const queryKeymap = Buffer.from([44, 0, 1, 0]);

export function getKeyboardMapping(first: number, last: number): Buffer {
	return Buffer.from([101, 0, 2, 0, first, last - first + 1, 0, 0]);
}

/** Length in bytes of a packet that begins with these 32: replies, and events of extensions, are longer. */
export function packetLength(head: Buffer): number {
	return head[0] === 1 || head[0] === 35 ? 32 + head.readUInt32LE(4) * 4 : 32;
}

const MAPPING_NOTIFY = 34;

/** Keycodes by the symbol on the key (keysym), whatever the layout. */
type Places = ReadonlyMap<number, readonly number[]>;

export function readMapping(reply: Buffer, first: number): Places {
	const perKey = reply.readUInt8(1);
	const places = new Map<number, number[]>();
	for (let at = 32, index = 0; perKey > 0 && at + 4 <= reply.length; at += 4, index++) {
		const keysym = reply.readUInt32LE(at);
		const keycode = first + Math.floor(index / perKey);
		if (keysym === 0) continue;
		const known = places.get(keysym);
		if (!known) places.set(keysym, [keycode]);
		else if (!known.includes(keycode)) known.push(keycode);
	}
	return places;
}

/** One bit for each keycode. */
function isKeyDown(reply: Buffer, keycode: number): boolean {
	return ((reply[8 + (keycode >> 3)] ?? 0) & (1 << (keycode & 7))) !== 0;
}

/** Keysyms (X11/keysymdef.h). */
const MODIFIERS = {
	Mod: [0xffe3, 0xffe4],
	Shift: [0xffe1, 0xffe2],
	Alt: [0xffe9, 0xffea, 0xffe7, 0xffe8],
} as const;
/** These keys, held down as well, give a combination another meaning. */
const SUPER = [0xffeb, 0xffec];
const NAMED: Readonly<Record<string, number>> = {
	Space: 0x20,
	Plus: 0x2b,
	Backspace: 0xff08,
	Tab: 0xff09,
	Enter: 0xff0d,
	Escape: 0xff1b,
	Home: 0xff50,
	ArrowLeft: 0xff51,
	ArrowUp: 0xff52,
	ArrowRight: 0xff53,
	ArrowDown: 0xff54,
	PageUp: 0xff55,
	PageDown: 0xff56,
	End: 0xff57,
	Insert: 0xff63,
	Delete: 0xffff,
};

/** The keysym of a key; null if it has none. */
function keysymOf(key: string): number | null {
	const named = Object.hasOwn(NAMED, key) ? NAMED[key] : undefined;
	if (named !== undefined) return named;
	const number = /^F(\d{1,2})$/.exec(key)?.[1];
	if (number !== undefined) return 0xffbe + Number(number) - 1;
	const [letter = ''] = key.toLowerCase();
	const point = letter.codePointAt(0) ?? 0;
	if (letter !== key.toLowerCase() || point < 0x20) return null;
	// Latin-1 characters are keysyms as they are; others are marked as Unicode.
	return point < 0x100 ? point : 0x1000000 + point;
}

/** True if the key and exactly these modifiers are down. */
export function isCombinationDown(
	{ modifiers, key }: Combination,
	places: Places,
	isDown: (keycode: number) => boolean,
): boolean {
	const anyDown = (keysyms: readonly number[]) =>
		keysyms.some((keysym) => places.get(keysym)?.some(isDown) ?? false);
	const keysym = keysymOf(key);
	if (keysym === null || !anyDown([keysym]) || anyDown(SUPER)) return false;
	// Whether a sign needs Shift depends on the keyboard.
	const isSign = !/^([A-Z]|\w{2,})$/.test(key);
	// `Ctrl` in settings that came from a Mac is the same key as `Mod` here.
	const wanted = modifiers.map((one) => (one === 'Ctrl' ? 'Mod' : one));
	return (['Mod', 'Alt', 'Shift'] as const).every(
		(one) => (one === 'Shift' && isSign) || anyDown(MODIFIERS[one]) === wanted.includes(one),
	);
}

/**
 * The cookie for a display from an `.Xauthority`; without one the server may still admit its user. Entries:
 * family, address, number, name, data; two bytes of length, big-endian, before each but the first.
 */
export function findCookie(file: Buffer, display: string, hostName: string): Cookie {
	let found: Cookie = { name: '', data: Buffer.alloc(0) };
	let at = 2;
	function field(): Buffer {
		const length = at + 2 <= file.length ? file.readUInt16BE(at) : 0;
		const value = file.subarray(at + 2, at + 2 + length);
		at += 2 + length;
		return value;
	}
	while (at < file.length) {
		const [address, number, name, data] = [field(), field(), field(), field()];
		at += 2;
		const isDisplay = number.length === 0 || String(number) === display;
		if (!isDisplay || String(name) !== 'MIT-MAGIC-COOKIE-1') continue;
		const cookie = { name: String(name), data };
		if (String(address) === hostName) return cookie;
		if (found.name === '') found = cookie;
	}
	return found;
}

/** The number of a display of this computer, from `DISPLAY`; null for a display elsewhere, or none. */
export function displayNumber(display: string | undefined): string | null {
	return /^(?:unix)?:(\d{1,5})(?:\.\d+)?$/.exec(display ?? '')?.[1] ?? null;
}

/** Limit for an answer; a server on this computer needs less than a millisecond. */
const LIMIT_MS = 2000;
/** Longer than any answer to our requests, in bytes. */
const LONGEST = 1 << 20;

interface X11Connection {
	/** The range of keycodes. */
	readonly first: number;
	readonly last: number;
	/** The reply. Rejects on an error from the server, when the connection ends, or after two seconds. */
	ask(request: Buffer): Promise<Buffer>;
	/** Calls back when the keyboard layout changed. */
	onMapping(heard: () => void): void;
	close(): void;
}

/** Rejects with a sentence if this computer has no X server that admits us. */
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
 * The keyboard of an X session, whichever program has the focus. Nothing is grabbed: the keys reach that
 * program, too. When polled, the server reports which keys are down at this moment; we read only the
 * requested ones, and keep nothing.
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
