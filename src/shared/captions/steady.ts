/**
 * What of an unfinished caption may be relied upon (peers.md asks for little erasure). The service sends
 * the whole text anew each time and takes words back; on the screen it should move as little as possible.
 */
export interface Steady {
	/** What to show: the text of the last version, or more when that one only took words from the end. */
	readonly shown: string;
	/** UTF-16 units from the start of `shown` on which the last two versions agree; ends between words. */
	readonly steady: number;
	/** UTF-16 units of shown text that were taken back so far. */
	readonly erased: number;
	/** The last version as it came. */
	readonly text: string;
}

/** Nothing is certain of a first version. */
export function firstVersion(text: string, final: boolean): Steady {
	return { shown: text, steady: final ? text.length : 0, erased: 0, text };
}

/**
 * The next version of the same caption. A final is shown exactly and whole. A version that is the beginning
 * of what is shown leaves it there: what comes in place of the end is not known yet, and taking it away
 * now would only make it jump twice. So never more is erased than by showing each version as it comes.
 */
export function nextVersion(before: Steady, text: string, final: boolean): Steady {
	const kept = commonLength(before.shown, text);
	if (final) return { shown: text, steady: text.length, erased: before.erased + lost(before, kept), text };
	const agreed = wholeWords(text, commonLength(before.text, text));
	if (kept === text.length) return { ...before, steady: Math.min(agreed, text.length), text };
	return { shown: text, steady: agreed, erased: before.erased + lost(before, kept), text };
}

/** What stands and what is uncertain; the space between them is not marked as either. */
export function splitSteady(text: string, steady: number): readonly [stands: string, uncertain: string] {
	const uncertain = text.slice(steady).trimStart();
	return [text.slice(0, text.length - uncertain.length), uncertain];
}

function lost({ shown }: Steady, kept: number): number {
	return shown.length - kept;
}

/** UTF-16 units both begin with; never half a surrogate pair. */
function commonLength(one: string, other: string): number {
	const most = Math.min(one.length, other.length);
	let length = 0;
	while (length < most && one.charCodeAt(length) === other.charCodeAt(length)) length++;
	return insidePair(one, length) || insidePair(other, length) ? length - 1 : length;
}

function insidePair(text: string, at: number): boolean {
	return /[\uD800-\uDBFF]/.test(text.charAt(at - 1)) && /[\uDC00-\uDFFF]/.test(text.charAt(at));
}

/** Written without spaces between words: every letter stands for itself. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/** Back to the end of a word: half of one is not something to rely on. */
function wholeWords(text: string, length: number): number {
	if (length === text.length || length === 0) return length;
	const isBoundary = (at: number) =>
		/\s/.test(text.charAt(at)) || /\s/.test(text.charAt(at - 1)) || UNSPACED.test(text.charAt(at - 1));
	let end = length;
	while (end > 0 && !isBoundary(end)) end--;
	// A letter keeps the marks that belong to it.
	while (end > 0 && end < text.length && /\p{M}|\u200d/u.test(text.charAt(end))) end--;
	return insidePair(text, end) ? end - 1 : end;
}
