import { type FileHandle, rm, rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import {
	codeOf,
	isPipeOrDevice,
	makeFolder,
	openPart,
	type Place,
	partOf,
	placeOf,
	takePlace,
	tryPlace,
	writeWhole,
} from '#main/lib/files.ts';
import type { Assembler } from '#shared/captions/assembler.ts';
import { fileEnding, plainFile } from '#shared/captions/export-formats.ts';
import type { Segment } from '#shared/captions/segment.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { SOCKET_AUDIO } from '#shared/protocol/limits.ts';
import { s16ToBytes } from '#shared/sound/pcm.ts';
import { wavHead } from '#shared/sound/wav.ts';

/** A WAV being written, 24 kHz mono. `finish` reports a failure. */
export interface WavSink {
	/** Writes in order; need not be awaited. */
	write(samples: Int16Array): void;
	/** Resolves once it is known whether the file can be written. Never rejects. */
	readonly begun: Promise<Result<void, Problem>>;
	/** Samples written so far. */
	readonly length: number;
	/** `as`: the final name, if it differs from the original one. */
	finish(as?: string): Promise<Result<void, Problem>>;
	/** Removes everything written. Does nothing after `finish`. */
	discard(): Promise<void>;
}

/**
 * Why no WAV can be written to these paths, as a sentence; null = no known reason. A finished WAV replaces the
 * existing file, so a pipe would be lost.
 */
export async function wavRefusal(paths: Iterable<string>): Promise<string | null> {
	for (const path of paths) {
		if (await isPipeOrDevice(path))
			return `--out: ${path} is a pipe or a device. Use --out - and send standard output there.`;
	}
	return null;
}

/**
 * A file that appears under its name only when it is complete; until then it is a new `.part` file beside it.
 * Missing folders are created, and removed again when the file is discarded and they are empty. `tell` is
 * called at once with the first failure, after which nothing is written.
 */
export function createFileSink(path: string, tell: (failure: Problem) => void = () => {}): WavSink {
	/** The path behind links, with the permissions of an existing file. */
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

	/** Ignore errors: if the part could not even be created, there is nothing to remove. */
	const removePart = () => rm(part, { force: true }).catch(() => {});

	async function close(): Promise<void> {
		isOver = true;
		await turn;
		// Some disks report only here that they are full.
		await handle?.close().catch(fail);
		handle = null;
	}

	return {
		begun,
		write(samples) {
			if (isOver) return;
			length += samples.length;
			const bytes = s16ToBytes(samples);
			// A full disk accepts only some of the bytes: unlike `write`, this writes the rest, and so fails.
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

/** Subtitles of the source and each translation, and `STEM.captions.json` with all. Returns the paths. */
export async function writeCaptions(
	stem: string,
	segments: readonly Segment[],
	source: string,
): Promise<Result<readonly string[], Problem>> {
	const files: (readonly [string, string])[] = [];
	for (const [language, track] of tracksOf(segments, source)) {
		for (const format of ['srt', 'vtt'] as const)
			files.push([`${stem}.${language}.${fileEnding(format)}`, plainFile(format, track)]);
	}
	return writeAll([...files, [`${stem}.captions.json`, plainFile('json', segments)]]);
}

/** Everything that was understood, with a text in place of each stretch that could not be sent. */
export function withLost(assembler: Pick<Assembler, 'segments'>): readonly Segment[] {
	return assembler
		.segments()
		.map((segment) =>
			segment.kind === 'lost' ? { ...segment, text: lostWords(segment.endMs - segment.startMs) } : segment,
		);
}

/** A mark is shown for at least this long, ms. */
const SHORTEST_MARK_MS = 1000;

/** The finished texts of a run cut off after `givenMs` of sound, with a mark for the cut; empty if none. */
export function cutOff(assembler: Pick<Assembler, 'segments'>, givenMs: number): readonly Segment[] {
	const finished = withLost(assembler).filter(({ final }) => final);
	if (finished.every(({ kind }) => kind === 'lost')) return [];
	const startMs = Math.max(...finished.map(({ endMs }) => endMs));
	const endMs = Math.max(startMs + SHORTEST_MARK_MS, givenMs);
	const place = { key: 'lost|cut|0|', transcriptionId: 'cut', partId: '0', language: '', startMs, endMs };
	return [...finished, { ...place, kind: 'lost', text: '[cut off here]', final: true }];
}

/** The stem for files of a run that was cut off; names without `.cut` are those of complete runs. */
export function cutStem(stem: string): string {
	return `${stem}.cut`;
}

/** How many texts there are, not counting marks of lost sound. */
export function textsOf(assembler: Pick<Assembler, 'segments'>): number {
	return assembler.segments().filter(({ kind }) => kind !== 'lost').length;
}

function lostWords(ms: number): string {
	return `[${(ms / 1000).toFixed(1)} s of sound were not sent]`;
}

function inTime(segments: readonly Segment[]): Segment[] {
	return [...segments].sort((a, b) => a.startMs - b.startMs);
}

/** One track per language; the source first. Each marks lost sound. */
export function tracksOf(
	segments: readonly Segment[],
	source: string,
): ReadonlyMap<string, readonly Segment[]> {
	const tracks = new Map<string, Segment[]>();
	const lost = segments.filter(({ kind }) => kind === 'lost');
	const texts = segments.filter(({ kind }) => kind !== 'lost');
	for (const segment of texts.sort((a, b) => Number(b.kind === 'source') - Number(a.kind === 'source'))) {
		const language = segment.kind === 'source' ? source : segment.language.replace(/[^a-z0-9-]/g, '_');
		tracks.set(language, [...(tracks.get(language) ?? []), segment]);
	}
	if (lost.length > 0)
		for (const [language, track] of tracks) tracks.set(language, inTime([...track, ...lost]));
	return tracks;
}

/** Creates the folders of files and checks that the files can be written, before the command does its work. */
export async function makePlacesFor(paths: readonly string[]): Promise<Result<void, Problem>> {
	for (const path of paths) {
		try {
			await makeOutputFolder(dirname(path));
			await tryPlace(path);
		} catch (thrown) {
			await removeEmptyFolder(dirname(path));
			return err({ kind: 'storage-failed', what: `${path} (${codeOf(thrown, 'not written')})` });
		}
	}
	return ok();
}

/** Writes each file as a whole; if that fails, the old file stays as it was. */
export async function writeAll(
	files: readonly (readonly [string, string | Uint8Array])[],
): Promise<Result<readonly string[], Problem>> {
	for (const [path, content] of files) {
		try {
			await makeOutputFolder(dirname(path));
			await writeWhole(path, content);
		} catch (thrown) {
			await removeEmptyFolder(dirname(path));
			return err({ kind: 'storage-failed', what: `${path} (${codeOf(thrown, 'not written')})` });
		}
	}
	return ok(files.map(([path]) => path));
}

/** A caption as one line of JSON, times in whole ms; `final` is there only if the text was cut off. */
export function captionEvent({
	kind,
	transcriptionId,
	partId,
	language,
	text,
	startMs,
	endMs,
	final,
}: Segment): object {
	const about = { type: kind, id: transcriptionId, part: partId, language, text };
	return { ...about, start_ms: startMs, end_ms: endMs, ...(!final && { final }) };
}

/** Folders that this run created for its output. */
const made = new Set<string>();

/** Like `makeFolder`, for a folder that `removeEmptyFolder` may remove again. */
async function makeOutputFolder(path: string): Promise<void> {
	for (const folder of await makeFolder(path)) made.add(folder);
}

/** Removes `path` and its parents, as far as this run made them and they are empty. Never rejects. */
export async function removeEmptyFolder(path: string): Promise<void> {
	for (let folder = path; made.has(folder); folder = dirname(folder)) {
		try {
			await rmdir(folder);
		} catch {
			return;
		}
		made.delete(folder);
	}
}
