import { execFile, spawn } from 'node:child_process';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import { withoutSecrets } from '#shared/lib/environment.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { createMixDown } from '#shared/sound/mix-down.ts';
import { floatToS16 } from '#shared/sound/s16le.ts';
import { isWithin, parentOf, parseNames, parseSinkInputs, type SinkInput } from './sink-inputs.ts';
import { watchSoundServer } from './sound-server.ts';

/** The part of the sound server needed to listen to other programs. */
export interface SoundRecorder {
	/** Streams of other programs; never our own. */
	streams(): Promise<Result<readonly SinkInput[], Problem>>;
	/** Each channel's, 65536 = 100 %, as `SinkInput.volume` has them. */
	setVolume(index: number, volume: readonly number[]): Promise<Result<void, Problem>>;
	/** `changed`: streams came, went or changed. `ended`: nothing more is reported. The result ends it. */
	watch(changed: () => void, ended: () => void): Cancel;
	/**
	 * One stream alone, without moving it: mono 16 bit at `rateHz`, in pieces as they come, each an array of
	 * its own. `ended` is called once, unless we end it; with a problem when nothing can be recorded here at all.
	 * The result ends it.
	 */
	record(
		index: number,
		rateHz: number,
		heard: (samples: Int16Array) => void,
		ended: (problem: Problem | null) => void,
	): Cancel;
}

/** It answers in a few ms; a server that hangs is as good as away. */
const LIMIT_MS = 4000;
const LONGEST_ANSWER = 4 << 20;
/** How much the server buffers before it delivers, and so how much later a word is heard at most. */
const LATENCY_MS = 20;
/** Mixed here: the server would average them, and opposite channels would cancel each other. */
const CHANNELS = 2;
const FRAME_BYTES = 2 * CHANNELS;

/**
 * PulseAudio, or PipeWire's replacement for it, through their command-line tools. Each stream is recorded alone, from
 * what it gives to its sink (`parec --monitor-stream`), so that nothing of ours is ever in it. `ownPid` and every
 * process it started count as ourselves.
 */
export function createPulseRecorder(
	clock: Clock,
	env: NodeJS.ProcessEnv = process.env,
	ownPid = process.pid,
): SoundRecorder {
	const surroundings = { ...withoutSecrets(env), LC_ALL: 'C.UTF-8', LANGUAGE: '' };

	function list(...form: readonly string[]): Promise<Result<string, Problem>> {
		return new Promise((resolve) => {
			const options = { env: surroundings, timeout: LIMIT_MS, maxBuffer: LONGEST_ANSWER };
			execFile('pactl', [...form, 'list', 'sink-inputs'], options, (failure, answer) =>
				resolve(failure ? err(problemOf(failure.code, 'pactl')) : ok(answer)),
			);
		});
	}

	return {
		async streams() {
			const answer = await list('-f', 'json');
			if (!answer.ok) return answer;
			const named = answer.value.includes('"(null)"') ? await list() : null;
			const found = parseSinkInputs(answer.value, named?.ok ? parseNames(named.value) : undefined);
			if (!found) return err({ kind: 'system-sound-failed', reason: 'pactl' });
			return ok(found.filter(({ pid }) => !isWithin(pid, ownPid, parentOf)));
		},
		setVolume: (index, volume) =>
			new Promise((resolve) => {
				const options = { env: surroundings, timeout: LIMIT_MS };
				const args = ['set-sink-input-volume', String(index), ...volume.map(String)];
				execFile('pactl', args, options, (failure) =>
					resolve(failure ? err(problemOf(failure.code, 'pactl')) : ok()),
				);
			}),
		watch: (changed, ended) => watchSoundServer(clock, surroundings, /sink-input/, changed, ended),
		record(index, rateHz, heard, ended) {
			const args = [
				...['--raw', '--format=s16le', `--channels=${CHANNELS}`, `--rate=${rateHz}`],
				...[`--latency-msec=${LATENCY_MS}`, `--monitor-stream=${index}`, '--client-name=Dragoman'],
			];
			const child = spawn('parec', args, { env: surroundings, stdio: ['ignore', 'pipe', 'ignore'] });
			let over = false;
			const mixDown = createMixDown();
			/** The channels of a chunk, used again for the next. */
			let own = Array.from({ length: CHANNELS }, () => new Float32Array(0));
			/** Part of a frame, where the pipe cut one in two. */
			let rest = Buffer.alloc(0);
			const end = (problem: Problem | null) => {
				if (over) return;
				over = true;
				ended(problem);
			};
			child.once('error', (failure: NodeJS.ErrnoException) =>
				end(failure.code === 'ENOENT' ? problemOf(failure.code, 'parec') : null),
			);
			child.once('close', () => end(null));
			child.stdout.on('data', (chunk: Buffer) => {
				if (over) return;
				const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
				const frames = Math.floor(bytes.length / FRAME_BYTES);
				rest = Buffer.from(bytes.subarray(frames * FRAME_BYTES));
				if (frames === 0) return;
				if (own.some((channel) => channel.length < frames)) own = own.map(() => new Float32Array(frames));
				const channels = own.map((channel, at) => {
					for (let frame = 0; frame < frames; frame += 1)
						channel[frame] = bytes.readInt16LE(frame * FRAME_BYTES + at * 2) / 32_768;
					return channel.subarray(0, frames);
				});
				const samples = new Int16Array(frames);
				floatToS16(mixDown.mix(channels), samples);
				heard(samples);
			});
			return () => {
				over = true;
				child.kill();
			};
		},
	};
}

function problemOf(code: unknown, program: string): Problem {
	return code === 'ENOENT'
		? { kind: 'recorder-missing', program }
		: { kind: 'system-sound-failed', reason: program };
}
