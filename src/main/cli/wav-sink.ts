import { type FileHandle, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isPipeOrDevice, openPart, type Place, partOf, placeOf, takePlace } from '#main/lib/files.ts';
import { codeOf } from '#main/lib/node-error.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { SOCKET_AUDIO } from '#shared/protocol/socket-audio.ts';
import { s16ToBytes } from '#shared/sound/s16le.ts';
import { wavHead } from '#shared/sound/wav.ts';
import { makeOutputFolder, removeEmptyFolder } from './output-folder.ts';

/** A WAV being written, 24 kHz mono. `finish` reports what failed. */
export interface WavSink {
	/** In order; need not be awaited. */
	write(samples: Int16Array): void;
	/** Resolves when it can be written to, or cannot. Never rejects. */
	readonly begun: Promise<Result<void, Problem>>;
	/** Samples written so far. */
	readonly length: number;
	/** `as`: another name for a file than it was made with. */
	finish(as?: string): Promise<Result<void, Problem>>;
	/** Nothing is left of it. Harmless after `finish`. */
	discard(): Promise<void>;
}

/**
 * Why no WAV can be written under these names, as a sentence; null = nothing is known against it. A WAV takes the place
 * of what is there once it is whole: a pipe would be gone.
 */
export async function wavRefusal(paths: Iterable<string>): Promise<string | null> {
	for (const path of paths) {
		if (await isPipeOrDevice(path))
			return `--out: ${path} is a pipe or a device. Use --out - and send standard output there.`;
	}
	return null;
}

/**
 * A file that appears under its name only when it is complete; until then it is a new `.part` file beside it. Missing
 * folders are made, and removed again when the file is discarded and they are empty. `tell` hears of the first failure
 * at once; nothing is written after it.
 */
export function createFileSink(path: string, tell: (failure: Problem) => void = () => {}): WavSink {
	/** Behind links, with the rights of a file that is there. */
	let place: Place = { path };
	let part = partOf(path);
	let length = 0;
	let handle: FileHandle | null = null;
	let failed: Problem | null = null;
	let isOver = false;
	let turn: Promise<void> = Promise.resolve();

	function queue(work: () => Promise<void>): Promise<void> {
		turn = turn.then(async () => {
			if (failed !== null) return;
			try {
				await work();
			} catch (thrown) {
				fail(thrown);
			}
		});
		return turn;
	}

	function fail(thrown: unknown): void {
		if (failed !== null) return;
		failed = { kind: 'storage-failed', what: `${path} (${codeOf(thrown, 'not written')})` };
		tell(failed);
	}

	const outcome = () => (failed === null ? ok() : err(failed));
	const begun = queue(async () => {
		await makeOutputFolder(dirname(path));
		place = (await placeOf(path)) ?? place;
		part = partOf(place.path);
		handle = await openPart(part);
		await handle.write(headOf(null));
	}).then(outcome);

	/** A part that could not even be created is not there to be removed. */
	const removePart = () => rm(part, { force: true }).catch(() => {});

	async function close(): Promise<void> {
		isOver = true;
		await turn;
		// On some disks only this tells that they are full.
		await handle?.close().catch(fail);
		handle = null;
	}

	return {
		begun,
		write(samples) {
			if (isOver) return;
			length += samples.length;
			const bytes = s16ToBytes(samples);
			// A disk that becomes full takes a part of the bytes: unlike `write`, this goes on, and fails.
			void queue(async () => void (await handle?.writeFile(bytes)));
		},
		get length() {
			return length;
		},
		async finish(as = path) {
			const head = headOf(length);
			await queue(async () => void (await handle?.write(head, 0, undefined, 0)));
			await close();
			await queue(() => takePlace(part, as === path ? place : { path: as }));
			if (failed !== null) await removePart();
			return outcome();
		},
		async discard() {
			if (isOver) return;
			await close();
			await removePart();
			await removeEmptyFolder(dirname(path));
		},
	};
}

/** A pipe: its header cannot say how long the sound will be. */
export function createPipeSink(put: (bytes: Uint8Array) => Promise<void>): WavSink {
	let length = 0;
	let turn = put(headOf(null));
	return {
		begun: Promise.resolve(ok()),
		write(samples) {
			length += samples.length;
			const bytes = s16ToBytes(samples);
			turn = turn.then(() => put(bytes));
		},
		get length() {
			return length;
		},
		async finish() {
			await turn;
			return ok();
		},
		async discard() {
			await turn;
		},
	};
}

/** `samples` null = not known yet. */
function headOf(samples: number | null): Uint8Array {
	const bytes = samples === null ? null : samples * 2;
	return wavHead({ rateHz: SOCKET_AUDIO.sampleRateHz, channels: 1, bytes });
}
