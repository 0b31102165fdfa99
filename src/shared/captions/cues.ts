import { isRightToLeft } from '#shared/protocol/languages.ts';
import type { Segment } from './segment.ts';

/** One caption of a subtitle file. Ends after it starts, and not after the next one starts. */
export interface Cue {
	readonly startMs: number;
	readonly endMs: number;
	/** One line of plain text, isolated if it is right-to-left. */
	readonly text: string;
}

/** A caption is shown at least this long when nothing follows, ms. */
const SHORTEST_MS = 700;

/** One track in order, without overlap or empty texts. Pieces of a sentence share its time by length. */
export function cuesOf(segments: readonly Segment[]): readonly Cue[] {
	return arranged(segments.map((segment) => ({ ...segment, text: captionText(segment) })));
}

/** Like `cuesOf`, for texts ready to be shown. */
export function arranged(texts: readonly Cue[]): readonly Cue[] {
	const readable = texts
		.map(({ startMs, endMs, text }) => ({
			startMs: wholeMs(startMs),
			endMs: Math.max(wholeMs(startMs), wholeMs(endMs)),
			text,
		}))
		.filter((cue) => cue.text !== '');
	// Stable: cues that start together keep their order.
	return separate(share(readable.sort((a, b) => a.startMs - b.startMs)));
}

/** Splits the time among cues with the same start. */
function share(cues: readonly Cue[]): readonly Cue[] {
	const shared: Cue[] = [];
	for (let first = 0; first < cues.length; ) {
		const group = sameStart(cues, first);
		first += group.length;
		shared.push(...divide(group, cues[first]?.startMs ?? Number.POSITIVE_INFINITY));
	}
	return shared;
}

function sameStart(cues: readonly Cue[], first: number): readonly Cue[] {
	let end = first + 1;
	while (end < cues.length && cues[end]?.startMs === cues[first]?.startMs) end++;
	return cues.slice(first, end);
}

/** No piece may begin after the next caption, or the order would be lost. */
function divide(group: readonly Cue[], nextMs: number): readonly Cue[] {
	const letters = group.reduce((sum, cue) => sum + cue.text.length, 0);
	const startMs = group[0]?.startMs ?? 0;
	const lastMs = group.reduce((latest, cue) => Math.max(latest, cue.endMs), startMs);
	const lengthMs = Math.min(Math.max(lastMs - startMs, SHORTEST_MS), nextMs - startMs);
	let passed = 0;
	return group.map((cue) => {
		const from = startMs + Math.floor((passed / letters) * lengthMs);
		passed += cue.text.length;
		return { ...cue, startMs: from, endMs: startMs + Math.floor((passed / letters) * lengthMs) };
	});
}

/** Ends each cue where the next begins; if no time would remain, the next one is moved later. */
function separate(cues: readonly Cue[]): readonly Cue[] {
	const apart: Cue[] = [];
	let freeMs = 0;
	for (const [index, cue] of cues.entries()) {
		const startMs = Math.max(cue.startMs, freeMs);
		const nextMs = cues[index + 1]?.startMs ?? Number.POSITIVE_INFINITY;
		const wantedMs = Math.max(cue.endMs, startMs + SHORTEST_MS);
		const endMs = Math.max(startMs + 1, Math.min(wantedMs, nextMs));
		apart.push({ ...cue, startMs, endMs });
		freeMs = endMs;
	}
	return apart;
}

const wholeMs = (ms: number): number => (Number.isFinite(ms) ? Math.max(0, Math.round(ms)) : 0);

/** Marks that reorder text beyond themselves; a stray one would break out of the isolation. */
export const DIRECTION_MARKS = /[\u202a-\u202e\u2066-\u2069]/g;
/** `captionText` puts this before a right-to-left text. */
export const RIGHT_TO_LEFT_ISOLATE = '\u2067';
const POP_ISOLATE = '\u2069';

/** The text on one line, isolated if its language is right-to-left; empty if there is nothing to read. */
export function captionText({ text, language }: Pick<Segment, 'text' | 'language'>): string {
	const line = text
		.toWellFormed()
		.replace(DIRECTION_MARKS, '')
		.replace(/[\p{Cc}\u2028\u2029\s]+/gu, ' ')
		.trim();
	if (line === '') return '';
	return isRightToLeft(language) ? RIGHT_TO_LEFT_ISOLATE + line + POP_ISOLATE : line;
}

/** `HH:MM:SS` and ms after `point`; hours use as many digits as they need. */
export function clockTime(ms: number, point: '.' | ','): string {
	const pad = (value: number, digits: number) => String(value).padStart(digits, '0');
	const seconds = Math.floor(ms / 1000);
	const clock = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
	return `${clock.map((part) => pad(part, 2)).join(':')}${point}${pad(ms % 1000, 3)}`;
}
