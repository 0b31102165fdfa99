import { access, constants, type FileHandle, open } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { RecordedFrame } from '#shared/host/recording.ts';
import { atMost, type Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import { createScope, type Scope } from '#shared/lib/scope.ts';
import type { Problem } from '#shared/problem.ts';
import { WAV_HEAD_BYTES, wavHead } from '#shared/sound/wav.ts';

const CHANNELS = 2;

const BYTES = 2;

const FRAME = CHANNELS * BYTES;

/** The largest length a WAV header can state. */
const MOST_BYTES = 0xffff_ffff - WAV_HEAD_BYTES;

/** How often the header is updated: a crash loses no more than this. */
const SETTLE_MS = 1000;
/** How long to wait for the last pieces: they and the message that ends them travel separately. */
const LAST_LIMIT_MS = 500;
/** More waiting pieces than a working disk ever causes: beyond this the disk counts as full. */
const MOST_WAITING = 200;

/** Our ends of the three ports of a stream; the third is not used. */
export interface RecordingEnds {
	readonly control: {
		post(value: unknown): void;
		listen(heard: (value: unknown) => void): void;
		closed(heard: () => void): void;
		close(): void;
	};
	readonly capture: { listen(heard: (value: unknown) => void): void; close(): void };
	readonly voice: { close(): void };
}

export interface RecordingAnswers {
	'recording.begin'(input: {
		readonly stream: string;
		readonly suggestedName: string;
		readonly rateHz: number;
	}): Promise<Result<string | null, Problem>>;
	'recording.end'(input: { readonly stream: string }): Promise<Result<void, Problem>>;
}

/** Writes what the window records into files the user has named. */
export interface Recordings {
	readonly answers: RecordingAnswers;
	/** The page has gone, or the program ends: completes the open files. */
	closeAll(): Promise<void>;
}

interface Running {
	/** Waits for the last piece. The error means that not all of it could be written. */
	finish(): Promise<Result<void, Problem>>;
	end(): Promise<void>;
}

export function createRecordings({
	choosePlace,
	createPorts,
	begun,
	clock,
	log,
}: {
	/** Asks the user for a place; null = none. */
	readonly choosePlace: (suggestedName: string) => Promise<string | null>;
	readonly createPorts: (stream: string) => RecordingEnds | null;
	/** Called when the file exists; `startedMs`: its zero, on our clock. */
	readonly begun: (path: string, startedMs: number) => void;
	readonly clock: Clock;
	readonly log: Logger;
}): Recordings {
	const running = new Map<string, Running>();
	let isChoosing = false;
	/** Incremented when the recording page has gone. */
	let page = 0;

	function run(stream: string, path: string, file: WavFile, rateHz: number, ends: RecordingEnds): Running {
		const scope: Scope = createScope(clock);
		let turn: Promise<unknown> = Promise.resolve();
		let waiting = 0;
		let ending: Promise<void> | null = null;
		let failure: Problem | null = null;
		let hasBegun = false;

		function inTurn(work: () => Promise<void>): void {
			waiting += 1;
			turn = turn
				.then(work)
				.catch(fail)
				.finally(() => {
					waiting -= 1;
				});
		}

		function fail(): void {
			if (failure) return;
			log.warn('recording failed');
			failure = { kind: 'storage-failed', what: basename(path) };
			if (ending) return;
			ends.control.post({ type: 'failed', problem: failure });
			void end();
		}

		let last: () => void = () => {};
		const lastCame = new Promise<void>((done) => {
			last = done;
		});

		async function put(): Promise<void> {
			scope.close();
			await turn;
			// Some disks report only here that they are full.
			await file.close().catch(fail);
			for (const port of [ends.control, ends.capture, ends.voice]) port.close();
			running.delete(stream);
			log.info('recording ended');
		}

		function end(): Promise<void> {
			ending ??= put();
			return ending;
		}

		ends.capture.listen((value) => {
			const { at, samples } = value as RecordedFrame;
			if (samples === null) return last();
			if (ending || !Number.isSafeInteger(at) || at < 0 || !(samples instanceof Int16Array)) return;
			if (waiting >= MOST_WAITING) return fail();
			const startedMs = clock.now() - ((at + samples.length / CHANNELS) * 1000) / rateHz;
			inTurn(async () => {
				if (!(await file.write(at, samples))) throw new Error('full');
				if (!hasBegun) begun(path, startedMs);
				hasBegun = true;
			});
		});
		ends.control.listen(() => {});
		ends.control.closed(() => void end());
		scope.every(SETTLE_MS, () => inTurn(file.settle));
		return {
			end,
			async finish() {
				await atMost(clock, LAST_LIMIT_MS, lastCame);
				await end();
				return failure ? err(failure) : ok();
			},
		};
	}

	return {
		answers: {
			async 'recording.begin'({ stream, suggestedName, rateHz }) {
				if (running.size > 0 || isChoosing) return err({ kind: 'bug', where: 'recording.begin' });
				const asking = page;
				isChoosing = true;
				const path = await choosePlace(suggestedName).finally(() => {
					isChoosing = false;
				});
				if (path === null) return ok(null);
				if (asking !== page) return err({ kind: 'cancelled' });
				let file: WavFile;
				try {
					file = await createWavFile(path, rateHz);
				} catch {
					return err({ kind: 'storage-failed', what: basename(path) });
				}
				const ends = createPorts(stream);
				if (!ends) {
					await file.close();
					return err({ kind: 'cancelled' });
				}
				running.set(stream, run(stream, path, file, rateHz, ends));
				log.info('recording');
				return ok(path);
			},
			async 'recording.end'({ stream }) {
				return (await running.get(stream)?.finish()) ?? ok();
			},
		},
		async closeAll() {
			page += 1;
			await Promise.all([...running.values()].map((one) => one.end()));
		},
	};
}

/** A stereo WAV written as it is recorded: the file on the disk can be played at any moment. */
interface WavFile {
	/**
	 * Writes at position `at`, in samples per channel; a gap before it is silence.
	 * False: the file is full (6 h at 48 kHz).
	 */
	write(at: number, samples: Int16Array): Promise<boolean>;
	/** Writes the current length into the header. */
	settle(): Promise<void>;
	close(): Promise<void>;
}

/**
 * Throws if the file cannot be placed there. The file is created with the first sound: until then an existing
 * file of that name stays as it was, and a recording without sound leaves no file.
 */
async function createWavFile(path: string, rateHz: number): Promise<WavFile> {
	await access(dirname(path), constants.W_OK);
	await access(path, constants.W_OK).catch((failure: NodeJS.ErrnoException) => {
		if (failure.code !== 'ENOENT') throw failure;
	});
	let file: FileHandle | null = null;
	let bytes = 0;
	let said = 0;

	async function settle(): Promise<void> {
		if (file === null || said === bytes) return;
		said = bytes;
		const header = wavHead({ rateHz, channels: CHANNELS, bytes });
		await file.write(header, 0, WAV_HEAD_BYTES, 0);
	}

	return {
		async write(at, samples) {
			const from = at * FRAME;
			const length = samples.length * BYTES;
			if (from + length > MOST_BYTES) return false;
			const data = Buffer.from(samples.buffer, samples.byteOffset, length);
			const isFirst = file === null;
			file ??= await open(path, 'w', 0o600);
			// A gap need not be written: the file system reads it as zeros.
			const { bytesWritten } = await file.write(data, 0, length, WAV_HEAD_BYTES + from);
			if (bytesWritten < length) throw new Error('the disk is full');
			bytes = Math.max(bytes, from + length);
			if (isFirst) await settle();
			return true;
		},
		settle,
		async close() {
			try {
				await settle();
			} finally {
				await file?.close();
			}
		},
	};
}
