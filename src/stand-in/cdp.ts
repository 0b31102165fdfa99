import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter } from 'node:events';
import type { Readable, Writable } from 'node:stream';

type Params = Record<string, unknown>;

interface Message {
	readonly id?: number;
	readonly method?: string;
	readonly params?: Params;
	readonly sessionId?: string;
	readonly result?: Params;
	readonly error?: { readonly message: string };
}

/** The connection to one target; the one without an id is the browser's own. */
export interface CdpSession {
	readonly id: string | undefined;
	/** Rejects when the browser refuses or has gone. */
	send(method: string, params?: Params): Promise<Params>;
	on(method: string, heard: (params: Params) => void): void;
	off(method: string, heard: (params: Params) => void): void;
}

export interface Browser {
	readonly root: CdpSession;
	session(id: string): CdpSession;
	/** Resolves when the process has ended, whether or not we ended it. */
	readonly exited: Promise<void>;
	close(): Promise<void>;
}

const CLOSE_LIMIT_MS = 2000;

/**
 * Starts a Chromium and talks to it over a pipe (never over a port that others could find). It has its own process
 * group, so that Ctrl-C in a terminal reaches only us; when we die the pipe closes and it exits.
 */
export function startBrowser(options: {
	readonly executablePath: string;
	readonly args: readonly string[];
	readonly env: Readonly<Record<string, string>>;
	/** Lines the browser writes to standard error. */
	heard(line: string): void;
}): Browser {
	const child: ChildProcess = spawn(options.executablePath, ['--remote-debugging-pipe', ...options.args], {
		stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
		env: { ...process.env, ...options.env },
		detached: process.platform !== 'win32',
	});
	const toBrowser = child.stdio[3] as Writable;
	const fromBrowser = child.stdio[4] as Readable;
	const waiting = new Map<number, { done(result: Params): void; fail(error: Error): void; method: string }>();
	const events = new EventEmitter();
	events.setMaxListeners(0);
	let next = 0;
	let gone = false;

	const exited = new Promise<void>((done) => {
		const end = () => {
			gone = true;
			for (const { fail, method } of waiting.values()) fail(new Error(`browser gone: ${method}`));
			waiting.clear();
			done();
		};
		child.once('exit', end);
		child.once('error', end);
	});
	// `exited` reports a broken pipe.
	toBrowser.on('error', () => {});
	fromBrowser.on('error', () => {});

	let text = '';
	fromBrowser.setEncoding('utf8');
	fromBrowser.on('data', (chunk: string) => {
		text += chunk;
		const messages = text.split('\0');
		text = messages.pop() ?? '';
		for (const one of messages) receive(JSON.parse(one) as Message);
	});
	let errors = '';
	child.stderr?.setEncoding('utf8');
	child.stderr?.on('data', (chunk: string) => {
		errors += chunk;
		const lines = errors.split('\n');
		errors = lines.pop() ?? '';
		for (const line of lines) options.heard(line);
	});

	function receive(message: Message): void {
		if (message.id === undefined) {
			events.emit(`${message.sessionId ?? ''}:${message.method}`, message.params ?? {});
			return;
		}
		const waits = waiting.get(message.id);
		waiting.delete(message.id);
		if (message.error) waits?.fail(new Error(`${waits.method}: ${message.error.message}`));
		else waits?.done(message.result ?? {});
	}

	function session(id: string | undefined): CdpSession {
		return {
			id,
			send(method, params = {}) {
				if (gone) return Promise.reject(new Error(`browser gone: ${method}`));
				const number = ++next;
				return new Promise((done, fail) => {
					waiting.set(number, { done, fail, method });
					toBrowser.write(`${JSON.stringify({ id: number, method, params, sessionId: id })}\0`);
				});
			},
			on: (method, heard) => void events.on(`${id ?? ''}:${method}`, heard),
			off: (method, heard) => void events.off(`${id ?? ''}:${method}`, heard),
		};
	}

	const root = session(undefined);
	return {
		root,
		session,
		exited,
		async close() {
			if (gone) return;
			root.send('Browser.close').catch(() => {});
			const timer = setTimeout(() => child.kill('SIGKILL'), CLOSE_LIMIT_MS);
			await exited;
			clearTimeout(timer);
		},
	};
}
