import { z } from 'zod/mini';
import { listFormat, type SharedFile } from '#main/lib/shared-file.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import { LADDER, rungOf, rungOfVolume, volumesAt } from '#shared/sound/volumes.ts';
import type { SinkInput, SoundRecorder } from './sound-recorder.ts';

/**
 * Each step runs a program, so few steps must lower the volume within a syllable.
 * It rises gently, from −12 dB in about 300 ms.
 */
const STEP_MS = 50;
const DOWN_RUNGS = 3;
const UP_RUNGS = 2;
/** The voice pauses between two sentences; the original must not jump up in between. */
const HOLD_MS = 500;
/** Time from a change of volume to the first recorded sample that shows it. */
const RECORDED_AFTER_MS = 30;
/** A stream that begins lowered is reported within this time, even if the program's first is up again. */
const PASSED_MS = 1000;
/** After this long, a program that has not come back keeps the volume it has. */
const FORGET_MS = 7 * 24 * 3_600_000;
const MOST_LEFT = 50;

/** A stream that was turned down, recorded so that the next start can restore it after a crash. */
export const LoweredStream = z.object({
	/** `SharedFile.owner` of the process that turned it down. */
	owner: z.string(),
	application: z.string(),
	index: z.number(),
	/** Each channel's volume before, 65536 = 100 %. */
	full: z.array(z.number()),
	/** ms since 1970. */
	at: z.number(),
});
export type LoweredStream = z.infer<typeof LoweredStream>;

export const loweredFormat = listFormat('streams', LoweredStream);

/** Turns other programs down while the translation speaks, through their own volume, and back up. */
export interface Lowering {
	/** Takes all current streams, and which of them are recorded: only those are turned down. */
	follow(streams: readonly SinkInput[], recorded: (index: number) => boolean): void;
	/** Sets the gain of the recorded streams, 0 to 1; 1 = original volume. Changes gradually. */
	lower(gain: number): void;
	/** Amplifies samples recorded from a stream, in place, to undo its lowered volume. */
	undo(index: number, samples: Int16Array): void;
	/** Restores all volumes at once. */
	restore(): Promise<void>;
	/** Restores the volumes that crashed programs left turned down. */
	clean(): Promise<void>;
	/** Restores, and releases the file. */
	close(): Promise<void>;
}

/** A recorded stream, as it is now. */
interface Stream {
	readonly application: string;
	full: readonly number[];
	/** Volume step; 0 = original volume. */
	rung: number;
	/** Volume step that the recorded sound shows now. */
	recordedRung: number;
	/** Steps used since it was last at its original volume: the program's next stream may start at one of them. */
	readonly passed: Set<number>;
	/** Gain of the last sample that was passed on. */
	lastGain: number;
	/** True if the user changed the volume while it was lowered: leave it until the voice speaks again. */
	isTheirs: boolean;
	isWritten: boolean;
}

export function createLowering({
	volumes,
	file,
	clock,
	log,
}: {
	readonly volumes: Pick<SoundRecorder, 'streams' | 'setVolume'>;
	readonly file: SharedFile<LoweredStream>;
	readonly clock: Clock;
	readonly log: Logger;
}): Lowering {
	const streams = new Map<number, Stream>();
	/** Streams that ended while turned down: the server remembers the volume, so the next may begin low. */
	let left: readonly Pick<Stream, 'application' | 'full'>[] = [];
	let goal = 0;
	/** The step under way. */
	let step: Promise<void> = Promise.resolve();
	let moving = false;
	let unhold: Cancel = () => {};
	const timers = new Set<Cancel>();

	function later(delayMs: number, run: () => void): void {
		const cancel = clock.after(delayMs, () => {
			timers.delete(cancel);
			run();
		});
		timers.add(cancel);
	}

	async function set(index: number, stream: Stream, rung: number): Promise<void> {
		stream.rung = rung;
		stream.passed.add(rung);
		if (rung === 0)
			later(PASSED_MS, () => {
				if (stream.rung === 0) stream.passed.clear();
			});
		const done = await volumes.setVolume(index, volumesAt(stream.full, rung));
		if (!done.ok) log.debug('a volume could not be set', { why: done.error.kind });
		later(RECORDED_AFTER_MS, () => {
			stream.recordedRung = rung;
		});
	}

	/** Called before anything is turned down, so that even a crash right after it leaves no program quiet. */
	async function writeDown(): Promise<boolean> {
		const fresh = [...streams].filter(([, stream]) => !stream.isWritten);
		if (fresh.length === 0) return true;
		const at = clock.wall();
		const entries = fresh.map(([index, { application, full }]) => ({
			owner: file.owner,
			application,
			index,
			full: [...full],
			at,
		}));
		const written = await file.change((all) => [...all, ...entries].slice(-MOST_LEFT));
		if (!written.ok) return false;
		for (const [, stream] of fresh) stream.isWritten = true;
		return true;
	}

	const isOff = ({ rung, isTheirs }: Stream) => !isTheirs && rung !== goal;

	/** Moves every stream by one step, again and again until all have their intended volume. */
	function move(): void {
		if (moving || ![...streams.values()].some(isOff)) return;
		moving = true;
		step = makeStep().then((made) => {
			// Stop after a failed step: a volume that could not be restored later must not be lowered.
			later(STEP_MS, () => {
				moving = false;
				if (made) move();
			});
		});
	}

	async function makeStep(): Promise<boolean> {
		if (goal > 0 && !(await writeDown())) return false;
		const off = [...streams].filter(([, stream]) => isOff(stream));
		await Promise.all(
			off.map(([index, stream]) => {
				const { rung } = stream;
				const next = rung < goal ? Math.min(goal, rung + DOWN_RUNGS) : Math.max(goal, rung - UP_RUNGS);
				return set(index, stream, next);
			}),
		);
		return true;
	}

	function takeOver(index: number, { application, volume }: SinkInput): Stream {
		const rungBelow = (one: Pick<Stream, 'application' | 'full'>) =>
			one.application === application ? rungOfVolume(one.full, volume) : -1;
		const gone = left.find((one) => rungBelow(one) > 0);
		if (gone) left = left.filter((one) => one !== gone);
		// If we set no stream of its program to this step, the volume is its own.
		const before = gone ?? [...streams.values()].find((one) => one.passed.has(rungBelow(one)));
		const full = before?.full ?? volume;
		const rung = before ? rungOfVolume(full, volume) : 0;
		const stream: Stream = {
			application,
			full,
			rung,
			recordedRung: rung,
			lastGain: LADDER[rung] ?? 1,
			passed: new Set([rung]),
			isTheirs: false,
			isWritten: false,
		};
		streams.set(index, stream);
		return stream;
	}

	async function forget(isOver: (entry: LoweredStream) => boolean): Promise<void> {
		await file.change((all) => all.filter((entry) => !isOver(entry)));
	}

	/** Restores a program that ended while turned down and plays again: the system has kept its low volume. */
	async function giveBack(index: number, { application, volume }: SinkInput): Promise<void> {
		const gone = left.find((one) => one.application === application && rungOfVolume(one.full, volume) > 0);
		if (!gone) return;
		left = left.filter((one) => one !== gone);
		const done = await volumes.setVolume(index, [...gone.full]);
		if (!done.ok) left = [...left, gone].slice(-MOST_LEFT);
	}

	const lowering: Lowering = {
		follow(all, recorded) {
			const there = new Map(all.map((input) => [input.index, input]));
			for (const [index, stream] of streams) {
				if (there.has(index) && recorded(index)) continue;
				streams.delete(index);
				if (stream.rung === 0) continue;
				if (there.has(index)) void volumes.setVolume(index, [...stream.full]);
				else left = [...left, stream].slice(-MOST_LEFT);
			}
			for (const [index, input] of there) {
				if (input.volume.length === 0) continue;
				if (!recorded(index)) {
					void giveBack(index, input);
					continue;
				}
				const stream = streams.get(index) ?? takeOver(index, input);
				const rung = rungOfVolume(stream.full, input.volume);
				if (rung === 0 || stream.passed.has(rung)) continue;
				// We did not set this volume, so the user did, even if it equals one of ours.
				Object.assign(stream, { full: input.volume, rung: 0, recordedRung: 0, isWritten: false });
				stream.passed.clear();
				stream.isTheirs = goal > 0;
			}
			move();
		},
		lower(gain) {
			unhold();
			const rung = rungOf(gain);
			const apply = () => {
				goal = rung;
				if (goal === 0) for (const stream of streams.values()) stream.isTheirs = false;
				move();
			};
			if (rung > 0) apply();
			else unhold = clock.after(HOLD_MS, apply);
		},
		undo(index, samples) {
			const stream = streams.get(index);
			const to = 1 / (LADDER[stream?.recordedRung ?? 0] ?? 1);
			const from = stream ? 1 / stream.lastGain : 1;
			if (!stream || (from === 1 && to === 1)) return;
			stream.lastGain = 1 / to;
			for (let at = 0; at < samples.length; at += 1) {
				const gain = from + ((to - from) * (at + 1)) / samples.length;
				samples[at] = Math.max(-32768, Math.min(32767, Math.round((samples[at] ?? 0) * gain)));
			}
		},
		async restore() {
			unhold();
			goal = 0;
			// A stream that began low needs no record of its own: that of its program covers it.
			const lowered = [...streams].filter(([, { isWritten, rung }]) => isWritten || rung > 0);
			const forLater = left;
			// A call during this time finds a stream lowered, and must know its original volume.
			left = [...left, ...lowered.map(([, stream]) => stream)];
			streams.clear();
			await step;
			for (const cancel of timers) cancel();
			timers.clear();
			moving = false;
			const refused = await Promise.all(
				lowered.map(async ([index, stream]) => {
					const done = await volumes.setVolume(index, [...stream.full]);
					return done.ok ? [] : [stream];
				}),
			);
			// These stay recorded for the next attempt or start;
			// if the program is gone, for the week of `FORGET_MS`.
			left = [...forLater, ...refused.flat()].slice(-MOST_LEFT);
			const stillLow = new Set(left.map(({ application }) => application));
			if (lowered.length > 0)
				await forget(({ owner, application }) => owner === file.owner && !stillLow.has(application));
		},
		async clean() {
			const read = await file.read();
			const orphans = read.ok ? read.value.filter(({ owner }) => !file.isInUse(owner)) : [];
			if (orphans.length === 0) return;
			const found = await volumes.streams();
			if (!found.ok) return;
			const over = new Set<string>();
			for (const orphan of orphans) {
				const theirs = found.value.filter(({ application }) => application === orphan.application);
				let isRestored = theirs.length > 0;
				for (const { index, volume } of theirs) {
					if (rungOfVolume(orphan.full, volume) <= 0) continue;
					const done = await volumes.setVolume(index, orphan.full);
					if (done.ok) log.info('a program was still turned down, and is as loud as before');
					else isRestored = false;
				}
				const isOld = clock.wall() - orphan.at > FORGET_MS;
				if (isRestored || isOld) over.add(keyOf(orphan));
			}
			left = [...left, ...orphans.filter((orphan) => !over.has(keyOf(orphan)))].slice(-MOST_LEFT);
			await forget((entry) => over.has(keyOf(entry)));
		},
		async close() {
			await lowering.restore();
			file.close();
		},
	};
	return lowering;
}

function keyOf({ owner, index, at }: LoweredStream): string {
	return `${owner} ${index} ${at}`;
}
