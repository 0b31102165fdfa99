import type { FaultSet } from '#sandbox/faults.ts';
import { failure, warning } from '#sandbox/interpreter/messages.ts';
import type { Interpreter, InterpreterTransport } from '#sandbox/interpreter/transport.ts';
import { opusDurationMs } from '#sandbox/speech/codec.ts';
import { FRAME_MS, resample, SPEECH_HZ, toS16 } from '#sandbox/speech/pcm.ts';
import type { Synthesizer } from '#sandbox/speech/synthesizer.ts';
import type { Clock } from '#shared/lib/clock.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import { createScope, type Scope } from '#shared/lib/scope.ts';
import type { Task } from '#shared/protocol/client-message.ts';
import { field, parseJson } from '#shared/protocol/json.ts';
import { COMMAND, ERROR_CODE, WARNING_CODE } from '#shared/protocol/vocabulary.ts';
import { createBursts } from './bursts.ts';
import { type Connection, type Endpoint, textOf } from './connection.ts';
import { createSoundInput, type Sound, type SoundInput } from './sound-input.ts';

/** Being ahead of or behind real time by more than this causes a warning, ms: five chunks of 320 ms. */
const TOLERANCE_MS = 1600;

/** A gap of this length without audio is a stall, ms. */
const STALL_MS = 3000;

/** Minimum time between two equal warnings, ms. */
const AGAIN_MS = 2000;

const LOOK_MS = 250;

const texts: Readonly<Partial<Record<Warning, string>>> = {
	[WARNING_CODE.tooFast]: 'Audio arrives faster than real time',
	[WARNING_CODE.tooSlow]: 'Audio arrives slower than real time',
	[WARNING_CODE.stalled]: 'No audio arrives; send silence, or pause_task to pause',
};

/** Maximum payload of one chunk, bytes (protocol 5.1.2); less than the documented 1 KB is accepted. */
const CHUNK_MAX = 512 * 1024;

/** A conversation over a socket: commands and audio from the client, texts and bursts of speech back (protocol 5.1). */
export function serveSpeechToSpeech(parts: {
	connection: Connection;
	clock: Clock;
	faults: FaultSet;
	synthesizer: Synthesizer;
	random: () => number;
	/**
	 * The client sends a file (`AS_HEARD`): its audio cannot arrive too fast, and need not wait for its voice.
	 */
	asHeard: boolean;
	/** This computer interprets: audio may arrive at any speed. */
	isHere: boolean;
	createInterpreter(port: InterpreterTransport): Interpreter;
}): Endpoint {
	const { connection, clock, faults, synthesizer, random, asHeard, isHere } = parts;
	const scope = createScope(clock);
	let listening: { source: string; input: SoundInput } | null = null;
	/** Outlives the task, because the tail has the same format. */
	let zlib = false;

	function learn(): void {
		const output = interpreter.task?.output_stream;
		if (output) zlib = output.target.format === 'zlib_pcm_s16le';
	}

	const bursts = createBursts({
		clock,
		random,
		faults,
		samples: (packets) => synthesizer.samples(packets),
		zlib: () => {
			learn();
			return zlib;
		},
		say: (message) => connection.say(message),
		atOnce: asHeard,
	});
	const interpreter = parts.createInterpreter({
		say(message) {
			// Queue levels have no envelope and are only sent to rooms (protocol 10, row 14).
			if (Array.isArray(message) || 'message_type' in message) connection.say(message);
		},
		asHeard,
		// There are no tracks: each chunk names its language.
		publish() {},
		lengthMs: ({ packets }) =>
			packets.reduce(
				(sum, packet) => sum + (synthesizer.isFrame(packet) ? FRAME_MS : opusDurationMs(packet)),
				0,
			),
		speak: (language, speech) => bursts.speak(language, speech),
		end: (why) =>
			why === 'done' ? connection.close(1000, 'task ended') : connection.close(1008, 'no audio'),
	});
	const pacing = createPacing({
		clock,
		scope,
		running: () => !asHeard && (interpreter.task ?? null) !== null,
		mayBeAhead: isHere,
		warn: (code, text) => connection.say(warning(code, text)),
	});

	function heard(level: number, durationMs: number, samples: Float32Array, rateHz: number): void {
		interpreter.hear(level, durationMs);
		if (samples.length === 0) return;
		const [frame] = synthesizer.frames(toS16(resample(samples, rateHz, SPEECH_HZ)));
		if (frame) interpreter.heardPacket?.(frame);
	}

	/** Input in the format of the task; a live change takes effect with the next chunk. */
	function input(task: Task): SoundInput {
		const source = JSON.stringify(task.input_stream.source);
		if (listening?.source !== source)
			listening = { source, input: createSoundInput(soundOf(task), clock, heard) };
		return listening.input;
	}

	function hear(data: unknown): void {
		const audio = readAudio(data);
		if (!audio.ok) {
			connection.say(failure(ERROR_CODE.validation, audio.error, 'data.data'));
			return;
		}
		connection.working();
		const { task } = interpreter;
		// Before the task runs and while it is paused, audio is dropped, but proves that the client is alive.
		if (task) pacing.arrived(input(task).hear(audio.value));
		else interpreter.hear(0, 0);
	}

	return {
		receive(frame) {
			// Also before a command: `end_task` removes the task while its tail is still to be spoken.
			learn();
			const text = textOf(frame);
			const json = text === null ? null : parseJson(text);
			if (json?.ok && field(json.value, 'message_type') === COMMAND.inputAudioData) {
				hear(field(json.value, 'data'));
				return;
			}
			if (json?.ok && field(json.value, 'message_type') === COMMAND.ttsTask) connection.working();
			interpreter.command(text ?? frame);
		},
		gone() {
			scope.close();
			interpreter.close();
			bursts.close();
		},
	};
}

function readAudio(data: unknown): Result<Buffer, string> {
	const parsed = typeof data === 'string' ? parseJson(data) : ok(data);
	const coded = field(parsed.ok ? parsed.value : null, 'data');
	if (typeof coded !== 'string') return err('Field required');
	if (coded.length > (CHUNK_MAX * 4) / 3 + 4) return err(`At most ${CHUNK_MAX} bytes of audio`);
	if (!/^[A-Za-z0-9+/]*={0,2}$/.test(coded)) return err('Input should be base64');
	return ok(Buffer.from(coded, 'base64'));
}

function soundOf({ input_stream: { source } }: Task): Sound {
	if (source.format === 'wav') return { kind: 'wav' };
	if (source.format === 'opus') return { kind: 'opaque' };
	const { sample_rate: rateHz = SPEECH_HZ, channels = 1 } = source;
	return { kind: 'raw', layout: { format: 'pcm_s16le', rateHz, channels } };
}

type Warning = (typeof WARNING_CODE)[keyof typeof WARNING_CODE];

/** Checks that audio arrives in real time (protocol 4.6, 5.1.2). `running`: whether it is expected. */
export function createPacing(parts: {
	clock: Clock;
	scope: Scope;
	running: () => boolean;
	/** Audio never counts as too fast. */
	mayBeAhead?: boolean;
	warn: (code: string, text: string) => void;
}) {
	const { clock, scope, running, mayBeAhead, warn } = parts;
	/** Starting point for comparing real time with audio; null until audio arrives. */
	let since: { startedAt: number; audioMs: number } | null = null;
	let lastAt = clock.now();
	let stalled = false;
	const told = new Map<string, number>();
	let lookedAt = clock.now();

	function say(code: Warning): void {
		const now = clock.now();
		// A warning ends this comparison; a new one starts.
		since = null;
		if (now - (told.get(code) ?? Number.NEGATIVE_INFINITY) < AGAIN_MS) return;
		told.set(code, now);
		warn(code, texts[code] ?? '');
	}

	function look(): void {
		const now = clock.now();
		// If this process was delayed, audio that arrived meanwhile is still unread.
		const heldUp = now - lookedAt > LOOK_MS * 2;
		lookedAt = now;
		if (heldUp) return;
		if (!running()) {
			since = null;
			stalled = false;
			lastAt = now;
			return;
		}
		if (now - lastAt >= STALL_MS) {
			if (!stalled) say(WARNING_CODE.stalled);
			stalled = true;
		} else if (since && now - since.startedAt - since.audioMs > TOLERANCE_MS) say(WARNING_CODE.tooSlow);
	}

	scope.every(LOOK_MS, look);

	return {
		/** Counts audio that has just arrived. */
		arrived(audioMs: number): void {
			if (!running()) return;
			const now = clock.now();
			lastAt = now;
			stalled = false;
			// The first piece was recorded before it arrived: it starts the comparison but does not count.
			if (!since) {
				since = { startedAt: now, audioMs: 0 };
				return;
			}
			since.audioMs += audioMs;
			if (!mayBeAhead && since.audioMs - (now - since.startedAt) > TOLERANCE_MS) say(WARNING_CODE.tooFast);
		},
	};
}
