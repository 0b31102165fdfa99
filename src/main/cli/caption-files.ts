import { dirname } from 'node:path';
import { tryPlace, writeWhole } from '#main/lib/files.ts';
import { codeOf } from '#main/lib/node-error.ts';
import type { Assembler } from '#shared/captions/assembler.ts';
import { fileEnding, plainFile } from '#shared/captions/formats.ts';
import type { Segment } from '#shared/captions/segment.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { makeOutputFolder, removeEmptyFolder } from './output-folder.ts';

/**
 * `STEM.<language>.srt` and `.vtt` for the source, under the name given, and for each translation, and
 * `STEM.captions.json` with all. Returns what was written.
 */
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

/**
 * What was finished when a run was cut off after `givenMs` of sound, followed by a mark that says so; empty when no text
 * was finished.
 */
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

/** Makes the folders of files and tries their places: what cannot be written is known before the work is done. */
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

/** Writes each whole; a file that could not be written is left as it was before. */
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
