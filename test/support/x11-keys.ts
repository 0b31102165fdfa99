import { connectX11, getKeyboardMapping, readMapping } from '#main/keys/x11.ts';
import { createSystemClock } from '#main/system-clock.ts';

/** Presses keys as a person does, whichever window has the keyboard (XTEST, version 2.2). */
export interface X11Keys {
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
