import { spawn, spawnSync } from 'node:child_process';
import { connectX11, getKeyboardMapping, readMapping } from '#main/keys/x11.ts';
import { createSystemClock } from '#main/system-clock.ts';
import { findChromium } from '#stand-in/chromium.ts';
import { e2eHost } from './launch.ts';

/** A display of the test's own, for windows that a person would see. */
interface Display {
	/** Environment for a program whose windows are to be shown there. */
	readonly env: Readonly<Record<string, string>>;
	stop(): Promise<void>;
}

/** Starts an X server of 1400 × 1000 with no window manager; says what is missing where it cannot. */
export async function startDisplay(): Promise<Display | { readonly missing: string }> {
	if (spawnSync('Xvfb', ['-help']).error) return { missing: 'Xvfb is not installed' };
	// The server chooses a free number and writes it when it is ready.
	const args = ['-displayfd', '3', '-screen', '0', '1400x1000x24', '-nolisten', 'tcp'];
	const server = spawn('Xvfb', args, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
	const ended = new Promise<void>((done) => server.once('close', () => done()));
	const number = await Promise.race([
		new Promise<string>((done) => server.stdio[3]?.once('data', (said) => done(String(said).trim()))),
		ended.then(() => null),
	]);
	if (number === null) return { missing: 'Xvfb does not start' };
	return {
		env: { DISPLAY: `:${number}` },
		async stop() {
			server.kill();
			await ended;
		},
	};
}

/** A display for the app's own windows; says what is missing if the browser in place of Electron cannot show any. */
export async function startAppDisplay(): Promise<Display | { readonly missing: string }> {
	if (e2eHost !== 'electron') {
		const found = await findChromium({ needWindow: true }).catch((failure: Error) => failure.message);
		if (typeof found === 'string') return { missing: found };
	}
	return startDisplay();
}

/** Presses keys as a person does, whichever window has the keyboard (XTEST, version 2.2). */
interface X11Keys {
	/** Presses a key by what is written on it (keysym). */
	press(keysym: number): Promise<void>;
	release(keysym: number): Promise<void>;
	close(): void;
}

const QUERY_EXTENSION = 98;
const PRESS = 2;
const RELEASE = 3;
const GET_INPUT_FOCUS = Buffer.from([43, 0, 1, 0]);

/** Rejects if the display of `env` does not support it. */
export async function createX11Keys(env: NodeJS.ProcessEnv): Promise<X11Keys> {
	const connection = await connectX11(env, createSystemClock());
	const { first, last } = connection;
	const name = 'XTEST';
	const question = Buffer.alloc(16);
	question.writeUInt8(QUERY_EXTENSION, 0);
	question.writeUInt16LE(4, 2);
	question.writeUInt16LE(name.length, 4);
	question.write(name, 8);
	const opcode = (await connection.ask(question)).readUInt8(9);
	const places = readMapping(await connection.ask(getKeyboardMapping(first, last)), first);

	async function fake(kind: number, keysym: number): Promise<void> {
		const request = Buffer.alloc(36);
		request.writeUInt8(opcode, 0);
		request.writeUInt8(2, 1);
		request.writeUInt16LE(9, 2);
		request.writeUInt8(kind, 4);
		request.writeUInt8(places.get(keysym)?.[0] ?? 0, 5);
		// The request has no reply; that of the next one shows that it was done.
		await connection.ask(Buffer.concat([request, GET_INPUT_FOCUS]));
	}
	return {
		press: (keysym) => fake(PRESS, keysym),
		release: (keysym) => fake(RELEASE, keysym),
		close: connection.close,
	};
}
