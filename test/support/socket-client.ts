import { readFileSync } from 'node:fs';
import { type ClientOptions, WebSocket } from 'ws';
import type { Sandbox } from '#sandbox/sandbox.ts';

/** A frame of the service as it came, with the time since the connection was opened, ms. */
export interface Frame {
	readonly atMs: number;
	readonly binary: boolean;
	readonly text: string;
	/** The JSON in it, or null. */
	readonly message: Readonly<Record<string, unknown>> | null;
}

export interface Closing {
	readonly atMs: number;
	readonly code: number;
	readonly reason: string;
}

/** A plain client of one socket: it sends what it is told and keeps what it hears. */
export interface SocketClient {
	readonly ws: WebSocket;
	readonly frames: readonly Frame[];
	readonly closed: Promise<Closing>;
	/** Messages of that type so far; all without one. */
	messages(
		type?: string,
	): readonly { readonly atMs: number; readonly message_type: string; readonly data: Data }[];
	send(message: object): void;
	/** The first frame that fits, those before included; rejects after `limitMs` or when the socket closes first. */
	until(fits: (message: Readonly<Record<string, unknown>>) => boolean, limitMs?: number): Promise<Frame>;
	/** The first message of a type. */
	type(type: string, limitMs?: number): Promise<Frame>;
	now(): number;
}

type Data = Readonly<Record<string, unknown>>;

/** Rejects when the upgrade is refused, with the status as the error's `status`. */
export async function openSocket(url: string, options: ClientOptions = {}): Promise<SocketClient> {
	const ws = new WebSocket(url, { ...options, maxPayload: 0 });
	const frames: Frame[] = [];
	const waiting = new Set<() => void>();
	let startedAt = performance.now();
	const now = () => performance.now() - startedAt;
	const closed = new Promise<Closing>((done) =>
		ws.once('close', (code, reason) => done({ atMs: now(), code, reason: String(reason) })),
	);
	let isClosed = false;
	ws.on('close', () => {
		isClosed = true;
		for (const look of waiting) look();
	});
	ws.on('message', (data, binary) => {
		const text = String(data);
		frames.push({ atMs: now(), binary, text, message: parse(text) });
		for (const look of waiting) look();
	});
	await new Promise<void>((done, failed) => {
		ws.once('open', done);
		ws.once('unexpected-response', (_request, response) => {
			let body = '';
			response.on('data', (chunk) => (body += chunk));
			response.on('end', () => {
				failed(new UpgradeRefused(response.statusCode ?? 0, body, response.headers.location ?? null));
				ws.terminate();
			});
		});
		ws.once('error', failed);
	});
	ws.on('error', () => {});
	startedAt = performance.now();

	function until(
		fits: (message: Readonly<Record<string, unknown>>) => boolean,
		limitMs = 20_000,
	): Promise<Frame> {
		return new Promise((done, failed) => {
			const end = () => {
				clearTimeout(timer);
				waiting.delete(look);
			};
			const look = () => {
				const found = frames.find(({ message }) => message !== null && fits(message));
				if (found) done(found);
				else if (isClosed) failed(new Error(`closed before it came; had ${seen()}`));
				if (found || isClosed) end();
			};
			const timer = setTimeout(() => {
				end();
				failed(new Error(`not within ${limitMs} ms; had ${seen()}`));
			}, limitMs);
			waiting.add(look);
			look();
		});
	}

	const seen = () => frames.map(({ message }) => String(message?.message_type)).join(' ');

	return {
		ws,
		frames,
		closed,
		now,
		until,
		type: (type, limitMs) => until((message) => message.message_type === type, limitMs),
		messages: (type) =>
			frames.flatMap(({ atMs, message }) =>
				message && (type === undefined || message.message_type === type)
					? [{ atMs, message_type: String(message.message_type), data: (message.data ?? {}) as Data }]
					: [],
			),
		send: (message) => ws.send(JSON.stringify(message)),
	};
}

/** Why an upgrade was refused. */
export class UpgradeRefused extends Error {
	readonly status: number;
	readonly body: string;
	readonly location: string | null;
	constructor(status: number, body: string, location: string | null) {
		super(`upgrade refused with ${status}`);
		this.status = status;
		this.body = body;
		this.location = location;
	}
}

function parse(text: string): Readonly<Record<string, unknown>> | null {
	try {
		const value: unknown = JSON.parse(text);
		return typeof value === 'object' && value !== null ? { ...value } : null;
	} catch {
		return null;
	}
}

/** Opens speech to speech with the sandbox's key (and the faults of `K+NAME`), or another token. */
export function openSpeech(
	sandbox: Sandbox,
	options: { faults?: string; token?: string } = {},
): Promise<SocketClient> {
	const url = sandbox.addresses.s2s.replace('{hash}', 'a1b2c3d4');
	return openSocket(url, { headers: { authorization: `Bearer ${tokenOf(sandbox, options)}` } });
}

export function tokenOf(sandbox: Sandbox, options: { faults?: string; token?: string } = {}): string {
	return options.token ?? `${sandbox.addresses.key}${options.faults ? `+${options.faults}` : ''}`;
}

/** A task for sockets (protocol 5.1.1). */
export function socketTask(
	options: {
		targets?: readonly string[];
		output?: string | null;
		source?: object;
		allowed?: readonly string[];
		/** More about the transcription, and about each translation. */
		transcription?: object;
		translation?: object;
		/** Voice of every target; default none is named. */
		voiceId?: string;
	} = {},
): object {
	const { targets = ['es'], output = 'pcm_s16le', allowed, voiceId } = options;
	const voice = voiceId === undefined ? {} : { speech_generation: { voice_id: voiceId } };
	const source = { type: 'ws', format: 'pcm_s16le', sample_rate: 24_000, channels: 1, ...options.source };
	return {
		message_type: 'set_task',
		data: {
			input_stream: { content_type: 'audio', source },
			output_stream:
				output === null ? null : { content_type: 'audio', target: { type: 'ws', format: output } },
			pipeline: {
				transcription: { source_language: 'en', ...options.transcription },
				translations: targets.map((target) => ({
					target_language: target,
					...voice,
					...options.translation,
				})),
				...(allowed && { allowed_message_types: allowed }),
			},
		},
	};
}

/** Polls as the older generation needs it until the task runs. */
export async function ready(client: SocketClient): Promise<void> {
	const poll = setInterval(() => client.send({ message_type: 'get_task', data: {} }), 2100);
	try {
		await client.until(({ message_type: type }) => type === 'task_status' || type === 'current_task');
	} finally {
		clearInterval(poll);
	}
}

export const CHUNK_MS = 320;

/** Mono s16 of the recorded conversation (sentences 1 to 6); at 48 kHz each sample three times. */
export function conversation(rateHz: 16_000 | 48_000): Buffer {
	const pcm = readFileSync('resources/speech/en-conversation.wav').subarray(44);
	if (rateHz === 16_000) return pcm;
	const out = Buffer.alloc(pcm.length * 3);
	for (let at = 0; at * 2 < pcm.length; at += 1) {
		for (let copy = 0; copy < 3; copy += 1) out.writeInt16LE(pcm.readInt16LE(at * 2), (at * 3 + copy) * 2);
	}
	return out;
}

/** Sends audio in pieces of 320 ms at real time, `rateHz` mono s16; resolves when all is sent or the socket closed. */
export function pace(
	client: SocketClient,
	pcm: Buffer,
	options: { rateHz: number; send?: (chunk: Buffer) => void; chunkMs?: number; periodMs?: number },
): Promise<void> {
	const { rateHz, chunkMs = CHUNK_MS, periodMs = chunkMs } = options;
	const size = Math.round((rateHz * chunkMs) / 1000) * 2;
	const send =
		options.send ??
		((chunk) => client.send({ message_type: 'input_audio_data', data: { data: chunk.toString('base64') } }));
	const startedAt = performance.now();
	let at = 0;
	return new Promise((done) => {
		const step = () => {
			if (at >= pcm.length || client.ws.readyState !== client.ws.OPEN) return done();
			send(pcm.subarray(at, at + size));
			at += size;
			setTimeout(step, Math.max(0, startedAt + (at / size) * periodMs - performance.now()));
		};
		step();
	});
}

export function silence(ms: number, rateHz: number): Buffer {
	return Buffer.alloc(Math.round((rateHz * ms) / 1000) * 2);
}

/** Has a text of the client's own spoken in a conversation, as it is. */
export const speak = (client: SocketClient, text: string, language = 'es'): void =>
	client.send({ message_type: 'tts_task', data: { text, language, translate_text: false } });

/** The first message that has this in its data. */
export const withData = (client: SocketClient, name: string, value: unknown, limitMs?: number) =>
	client.until(({ data }) => (data as Data | null | undefined)?.[name] === value, limitMs);

/** Loudest sample of mono s16, 0 to 1. */
export function loudest(pcm: Buffer): number {
	let most = 0;
	for (let at = 0; at + 2 <= pcm.length; at += 2)
		most = Math.max(most, Math.abs(pcm.readInt16LE(at)) / 0x8000);
	return most;
}
