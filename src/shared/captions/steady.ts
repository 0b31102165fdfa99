/** Which beginning of a partial caption is stable: the text should move as little as possible. */
export interface Steady {
	/** The last version, or the longer one before if the last only removed words from the end. */
	readonly shown: string;
	/** UTF-16 units from the start of `shown` in which the last two versions agree; ends between words. */
	readonly steady: number;
	/** UTF-16 units of shown text erased so far. */
	readonly erased: number;
	/** The last version as received. */
	readonly text: string;
}

/** A first version: none of it is stable yet. */
export function firstVersion(text: string, final: boolean): Steady {
	return { shown: text, steady: final ? text.length : 0, erased: 0, text };
}

/**
 * The next version of the same caption. A final text is shown exactly and in full. A version that is only a
 * prefix of the shown text leaves it unchanged: its replacement is not known yet, and removing the end now would
 * make the text jump twice. This never erases more than showing each version as received.
 */
export function nextVersion(before: Steady, text: string, final: boolean): Steady {
	const kept = commonLength(before.shown, text);
	if (final) return { shown: text, steady: text.length, erased: before.erased + lost(before, kept), text };
	const agreed = wholeWords(text, commonLength(before.text, text));
	if (kept === text.length) return { ...before, steady: Math.min(agreed, text.length), text };
	return { shown: text, steady: agreed, erased: before.erased + lost(before, kept), text };
}

/** The stable and the uncertain piece; the space between them belongs to neither. */
export function splitSteady(text: string, steady: number): readonly [stands: string, uncertain: string] {
	const uncertain = text.slice(steady).trimStart();
	return [text.slice(0, text.length - uncertain.length), uncertain];
}

function lost({ shown }: Steady, kept: number): number {
	return shown.length - kept;
}

/** Length of the common beginning in UTF-16 units; never splits a surrogate pair. */
function commonLength(one: string, other: string): number {
	const most = Math.min(one.length, other.length);
	let length = 0;
	while (length < most && one.charCodeAt(length) === other.charCodeAt(length)) length++;
	return insidePair(one, length) || insidePair(other, length) ? length - 1 : length;
}

function insidePair(text: string, at: number): boolean {
	return /[\uD800-\uDBFF]/.test(text.charAt(at - 1)) && /[\uDC00-\uDFFF]/.test(text.charAt(at));
}

/** Scripts without spaces between words: every letter counts as a word. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/** Moves back to the end of a word: half a word is not stable. */
function wholeWords(text: string, length: number): number {
	if (length === text.length || length === 0) return length;
	const isBoundary = (at: number) =>
		/\s/.test(text.charAt(at)) || /\s/.test(text.charAt(at - 1)) || UNSPACED.test(text.charAt(at - 1));
	let end = length;
	while (end > 0 && !isBoundary(end)) end--;
	// A letter keeps its combining marks.
	while (end > 0 && end < text.length && /\p{M}|\u200d/u.test(text.charAt(end))) end--;
	return insidePair(text, end) ? end - 1 : end;
}
