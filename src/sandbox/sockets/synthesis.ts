import type { FaultSet } from '#sandbox/faults.ts';
import { createPhrasePicker } from '#sandbox/interpreter/phrase-picker.ts';
import { draw } from '#sandbox/interpreter/timing.ts';
import { encodeMp3 } from '#sandbox/speech/encode.ts';
import { resample, SPEECH_HZ, s16Bytes, toFloat, toS16 } from '#sandbox/speech/pcm.ts';
import type { Synthesizer } from '#sandbox/speech/synthesizer.ts';
import type { Timbre } from '#sandbox/speech/timbre.ts';
import { writeWav } from '#sandbox/speech/wav.ts';
import type { Clock } from '#shared/lib/clock.ts';
import { createScope } from '#shared/lib/scope.ts';
import { disorder, type Piece } from './bursts.ts';
import type { Connection } from './connection.ts';

export type OutputFormat = 'pcm' | 'mp3' | 'wav';

export interface VoiceChoice {
	readonly timbre: Timbre;
	/** 1 is normal. */
	readonly tempo: number;
}

/** Texts of one connection, spoken in their order. */
export interface Synthesis {
	/** Speaks whole sentences as part of a generation. */
	speak(id: string, text: string, voice: VoiceChoice): void;
	/** The generation is complete: its last chunk is marked. */
	finish(id: string): void;
	/** Drops what is not sent yet of one generation, or of all; nothing more is sent about it. */
	cancel(id?: string): void;
	close(): void;
}

const CHUNK_MS = 200;
const SPEED = [3, 5] as const;
/** Text taken → its speech begins, ms. */
const FIRST = [150, 300] as const;

/** PCM goes out sentence by sentence; `wav` and `mp3` are one file for each generation. */
export function createSynthesis(parts: {
	connection: Connection;
	clock: Clock;
	faults: FaultSet;
	synthesizer: Synthesizer;
	random: () => number;
	language: string;
	format: OutputFormat;
	/** Hz of what goes out. */
	rateHz: number;
}): Synthesis {
	const { connection, clock, faults, synthesizer, random, language, format, rateHz } = parts;
	const scope = createScope(clock);
	const phrasePicker = createPhrasePicker('script');
	let era = 0;
	let noteTold = false;
	let turn: Promise<void> = Promise.resolve();
	/** With `interleaved-chunks` each generation has a turn of its own. */
	const turns = new Map<string, Promise<void>>();
	const cancelled = new Set<string>();
	/** Generations that end in the middle. */
	const cut = new Set<string>();
	/** By generation: the parts of a file that is sent once it is complete. */
	const collected = new Map<string, Buffer[]>();
	let startedAt: number | null = null;

	function pause(ms: number): Promise<void> {
		return new Promise((done) => {
			if (scope.closed) done();
			else scope.after(ms, done);
		});
	}

	/** Runs steps in order; those cancelled meanwhile not at all. */
	function next(id: string, run: (stale: () => boolean) => Promise<void>): void {
		const mine = era;
		const stale = () => mine !== era || cancelled.has(id) || scope.closed;
		const step = () => (stale() ? undefined : run(stale));
		if (!faults.has('interleaved-chunks') || format !== 'pcm') turn = turn.then(step);
		else turns.set(id, (turns.get(id) ?? Promise.resolve()).then(step));
	}

	async function pcmOf(text: string, voice: VoiceChoice): Promise<Buffer> {
		const hasClip = phrasePicker.hasClip(text, language);
		if (!hasClip || voice.timbre === 'cloned') {
			const placeholder = faults.has('placeholder-voice');
			const {
				samples,
				rateHz: from,
				note,
			} = await synthesizer.read(text, language, { ...voice, placeholder });
			if (note !== null && !noteTold) {
				noteTold = true;
				connection.say({ message_type: 'warning', data: { code: 'PLACEHOLDER_VOICE', message: note } });
			}
			// The right words in the wrong voice are better than tones.
			if (note === null || !hasClip) return s16Bytes(toS16(resample(samples, from, rateHz)));
		}
		const samples = toFloat(await synthesizer.samples(phrasePicker.voiceOf(text, language)));
		return s16Bytes(toS16(resample(samples, SPEECH_HZ, rateHz)));
	}

	function chunk(id: string, bytes: Buffer, lengthMs: number, index: number): void {
		startedAt ??= clock.now();
		let audio = bytes.toString('base64');
		if (index % 2 === 1 && faults.has('bad-base64')) audio = '*** this is not base64 ***';
		if (index % 2 === 1 && faults.has('odd-bytes')) audio = Buffer.alloc(1201, 1).toString('base64');
		connection.say({
			message_type: 'audio_chunk',
			data: {
				audio,
				size: bytes.length,
				generation_id: id,
				last_chunk: false,
				chunk_generation_delta: Math.round(clock.now() - startedAt),
				audio_len: Math.round(lengthMs) / 1000,
			},
		});
	}

	async function send(id: string, bytes: Buffer, lengthMs: number, stale: () => boolean): Promise<void> {
		const parted = cutUp(bytes, lengthMs);
		const each = lengthMs / Math.max(1, parted.length);
		const pieces = disorder(parted, faults);
		for (const [index, piece] of pieces.entries()) {
			if (stale() || cut.has(id)) return;
			chunk(id, piece.bytes, each, index);
			if (index >= pieces.length / 2 && faults.take('cut-text')) cut.add(id);
			if (index === pieces.length - 1 || faults.has('fast-output')) continue;
			if (faults.has('stalled-output') && index % 3 === 2) await pause(3000);
			await pause(faults.has('slow-output') ? each * 2 : each / draw(SPEED, random));
		}
	}

	/** Raw samples are cut every 200 ms; a file into one piece for each 200 ms it lasts. */
	function cutUp(bytes: Buffer, lengthMs: number): readonly Piece[] {
		const samples = Math.round((rateHz * CHUNK_MS) / 1000) * 2;
		const count = Math.max(1, Math.ceil(lengthMs / CHUNK_MS));
		const size = format === 'pcm' ? samples : Math.max(1, Math.ceil(bytes.length / count));
		const pieces: Piece[] = [];
		for (let at = 0; at < bytes.length; at += size) {
			pieces.push({ bytes: bytes.subarray(at, at + size), last: at + size >= bytes.length });
		}
		return pieces;
	}

	async function sendFile(id: string, stale: () => boolean): Promise<void> {
		const pcm = Buffer.concat(collected.get(id) ?? []);
		collected.delete(id);
		if (pcm.length === 0) return;
		const file = format === 'wav' ? writeWav(pcm, rateHz) : await encodeMp3(pcm, rateHz);
		if (file) return send(id, file, (pcm.length / 2 / rateHz) * 1000, stale);
		connection.say({ message_type: 'error', data: { code: 'SERVER_ERROR', desc: 'ffmpeg made no mp3' } });
	}

	function marker(id: string): void {
		const data = { audio: '', size: 0, generation_id: id, last_chunk: true, chunk_generation_delta: null };
		if (!faults.has('no-last-chunk') && !cut.has(id))
			connection.say({ message_type: 'audio_chunk', data: { ...data, audio_len: null } });
		startedAt = null;
	}

	return {
		speak(id, text, voice) {
			next(id, async (stale) => {
				const ready = pause(draw(FIRST, random));
				const pcm = await pcmOf(text, voice);
				await ready;
				if (stale()) return;
				if (format === 'pcm') await send(id, pcm, (pcm.length / 2 / rateHz) * 1000, stale);
				else collected.set(id, [...(collected.get(id) ?? []), pcm]);
			});
		},
		finish(id) {
			next(id, async (stale) => {
				if (format !== 'pcm') await sendFile(id, stale);
				if (!stale()) marker(id);
			});
		},
		cancel(id) {
			if (id !== undefined) return void cancelled.add(id);
			era += 1;
			collected.clear();
			startedAt = null;
		},
		close() {
			era += 1;
			scope.close();
		},
	};
}
