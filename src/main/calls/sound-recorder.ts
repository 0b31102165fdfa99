import { execFile, spawn } from 'node:child_process';
import type { SystemSoundState } from '#shared/host/calls.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import { withoutSecrets } from '#shared/lib/environment.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { createMixDown } from '#shared/sound/mix-down.ts';
import { floatToS16 } from '#shared/sound/pcm.ts';
import { isWithin, parentOf, watchSoundServer } from './sound-server.ts';

/** A stream that a program plays into the sound server. */
export interface SinkInput {
	readonly index: number;
	/** Process that plays it; 0 = the server does not know. */
	readonly pid: number;
	/** Name to show. Programs without one are named by their process, so that two never count as one. */
	readonly application: string;
	/** True while the stream is paused. */
	readonly corked: boolean;
	/** True if muted in the system's mixer: such a stream yields only silence. */
	readonly muted: boolean;
	/** Volume of each channel, 65536 = 100 %; empty = it cannot be read or set. */
	readonly volume: readonly number[];
}

/** `pactl list sink-inputs`: the names of programs by the index of their stream. */
export function parseNames(text: string): ReadonlyMap<number, string> {
	const streams = text.split(/^Sink Input #/m).slice(1);
	return new Map(
		streams.map((stream) => [
			Number.parseInt(stream, 10),
			/^\s*application\.name = "(.*)"$/m.exec(stream)?.[1]?.replaceAll(/\\(["\\])/g, '$1') ?? '',
		]),
	);
}

/** Reads `pactl -f json list sink-inputs`; null = no list. `names` replaces those pactl 16 cannot write. */
export function parseSinkInputs(
	text: string,
	names: ReadonlyMap<number, string> = new Map(),
): readonly SinkInput[] | null {
	let list: unknown;
	try {
		// An older pactl prints nothing when there are no streams.
		list = text.trim() === '' ? [] : JSON.parse(text);
	} catch {
		return null;
	}
	if (!Array.isArray(list)) return null;
	return list.flatMap((entry: unknown): SinkInput[] => {
		if (typeof entry !== 'object' || entry === null || !('index' in entry)) return [];
		const index = Number(entry.index);
		if (!Number.isInteger(index) || index < 0) return [];
		const properties = 'properties' in entry ? entry.properties : null;
		const property = (name: string): string => {
			const value: unknown =
				typeof properties === 'object' && properties !== null ? Reflect.get(properties, name) : undefined;
			return typeof value === 'string' ? value.trim() : '';
		};
		const pid = Number(property('application.process.id'));
		const binary = withoutNull(property('application.process.binary'));
		const written = property('application.name');
		const named = written === '(null)' ? names.get(index) || written : written;
		const own = `(${Number.isInteger(pid) && pid > 0 ? pid : `#${index}`})`;
		const nameless = [binary || withoutNull(property('media.name')), own]
			.filter((part) => part !== '')
			.join(' ');
		return [
			{
				index,
				pid: Number.isInteger(pid) && pid > 0 ? pid : 0,
				application: (withoutNull(named) || (named === '' && binary) || nameless).slice(0, 300),
				corked: 'corked' in entry && entry.corked === true,
				muted: 'mute' in entry && entry.mute === true,
				volume: volumeOf('volume' in entry ? entry.volume : null),
			},
		];
	});
}

/** Removes pactl's placeholder for a name that it cannot write. */
function withoutNull(name: string): string {
	return name === '(null)' ? '' : name;
}

/** `{"front-left": {"value": 65536, …}, …}`, in the order of the channels. */
function volumeOf(value: unknown): number[] {
	if (typeof value !== 'object' || value === null) return [];
	const channels = Object.values(value).map((one: unknown) =>
		typeof one === 'object' && one !== null && 'value' in one ? one.value : null,
	);
	return channels.every((one): one is number => Number.isInteger(one)) ? channels : [];
}

/** Each program once, sorted by name. */
export function applicationsOf(inputs: readonly SinkInput[]): SystemSoundState['applications'] {
	const byName = new Map<string, SinkInput[]>();
	for (const input of inputs) {
		// An empty name stands for everything the computer plays.
		if (input.application === '') continue;
		byName.set(input.application, [...(byName.get(input.application) ?? []), input]);
	}
	return [...byName]
		.map(([name, streams]) => {
			const running = streams.filter(({ corked }) => !corked);
			return {
				name,
				playing: running.length > 0,
				muted: (running.length > 0 ? running : streams).every(({ muted }) => muted),
			};
		})
		.sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** The sound server answers in a few ms; treat one that hangs as gone. */
const LIMIT_MS = 4000;
const LONGEST_ANSWER = 4 << 20;
/** How much sound the server buffers before it delivers, and so the longest delay that this adds. */
const LATENCY_MS = 20;
/** We mix the channels ourselves: the server averages them, and opposite channels would cancel out. */
const CHANNELS = 2;
const FRAME_BYTES = 2 * CHANNELS;

export type SoundRecorder = ReturnType<typeof createPulseRecorder>;

/**
 * The part of the sound server needed to listen to other programs.
 * PulseAudio, or PipeWire's replacement for it, through their command-line tools. Each stream is recorded
 * alone, as it plays into its sink (`parec --monitor-stream`), so that our own sound is never recorded.
 * `ownPid` and every process it started count as ourselves.
 */
export function createPulseRecorder(
	clock: Clock,
	env: NodeJS.ProcessEnv = process.env,
	ownPid = process.pid,
) {
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
		/** Streams of other programs; never our own. */
		async streams(): Promise<Result<readonly SinkInput[], Problem>> {
			const answer = await list('-f', 'json');
			if (!answer.ok) return answer;
			const named = answer.value.includes('"(null)"') ? await list() : null;
			const found = parseSinkInputs(answer.value, named?.ok ? parseNames(named.value) : undefined);
			if (!found) return err({ kind: 'system-sound-failed', reason: 'pactl' });
			return ok(found.filter(({ pid }) => !isWithin(pid, ownPid, parentOf)));
		},
		/** `volume` holds one value per channel, 65536 = 100 %, like `SinkInput.volume`. */
		setVolume: (index: number, volume: readonly number[]): Promise<Result<void, Problem>> =>
			new Promise((resolve) => {
				const options = { env: surroundings, timeout: LIMIT_MS };
				const args = ['set-sink-input-volume', String(index), ...volume.map(String)];
				execFile('pactl', args, options, (failure) =>
					resolve(failure ? err(problemOf(failure.code, 'pactl')) : ok()),
				);
			}),
		/** `changed`: streams came, went or changed. `ended`: no more reports. The returned function stops it. */
		watch: (changed: () => void, ended: () => void): Cancel =>
			watchSoundServer(clock, surroundings, /sink-input/, changed, ended),
		/**
		 * Records one stream, without moving it, as mono 16 bit at `rateHz`; each piece is a new array. `ended`
		 * is called once, unless the returned function stops the recording. It gets a problem if nothing can be
		 * recorded here at all.
		 */
		record(
			index: number,
			rateHz: number,
			heard: (samples: Int16Array) => void,
			ended: (problem: Problem | null) => void,
		): Cancel {
			const args = [
				...['--raw', '--format=s16le', `--channels=${CHANNELS}`, `--rate=${rateHz}`],
				...[`--latency-msec=${LATENCY_MS}`, `--monitor-stream=${index}`, '--client-name=Dragoman'],
			];
			const child = spawn('parec', args, { env: surroundings, stdio: ['ignore', 'pipe', 'ignore'] });
			let over = false;
			const mixDown = createMixDown();
			/** Buffers for the channels of a chunk, reused for the next one. */
			let own = Array.from({ length: CHANNELS }, () => new Float32Array(0));
			/** The start of a frame that the pipe has split in two. */
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
