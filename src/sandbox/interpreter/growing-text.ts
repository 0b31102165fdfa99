/** Speech reveals a text about as fast as people talk. */
const WORDS_PER_S = 2.6;
/** For scripts without gaps between words. */
const CHARACTERS_PER_S = 8;

/**
 * How much of `text` has been heard after `spokenMs`, at least a first piece. Never the whole text
 * with its full stop: that is for the final.
 */
export function heardSoFar(text: string, spokenMs: number): string {
	const words = text.split(' ');
	if (words.length > 1) {
		const count = Math.max(1, Math.floor((spokenMs / 1000) * WORDS_PER_S));
		return unfinished(words.slice(0, count).join(' '));
	}
	const characters = [...text];
	return unfinished(
		characters.slice(0, Math.max(1, Math.floor((spokenMs / 1000) * CHARACTERS_PER_S))).join(''),
	);
}

/** A recogniser's second thoughts: the last word is heard differently for a moment. */
export function misheard(text: string): string {
	const cut = text.replace(/\S{2}$/u, '');
	return cut.trim() === '' ? text : cut;
}

function unfinished(text: string): string {
	return text.replace(/[.,!?;:。、?？،؟\s]+$/u, '');
}
