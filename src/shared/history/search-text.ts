/** Marks above and below letters that people omit in a search: Latin, Greek, Cyrillic, Hebrew, Arabic. */
const MARKS = /[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed]/g;
/** Invisible characters, which must not prevent a word from being found. */
const UNSEEN = /[\u00ad\u200b-\u200f\u2060\u202a-\u202e\u2066-\u2069\ufeff]/g;

/**
 * Text normalised for search: lower case, with one small sigma and one small i, without accents and invisible
 * marks. Other marks (of Devanagari, Thai, Japanese) count as letters for their readers and are kept. Each character
 * is folded separately, so that positions map back to the original.
 */
export function folded(text: string): string {
	let all = '';
	for (const character of text) all += foldedCharacter(character);
	return all;
}

function foldedCharacter(character: string): string {
	const plain = character.normalize('NFKD').replace(MARKS, '').replace(UNSEEN, '').toLowerCase();
	// The dotless ı is the lower case of I in Turkish; fold it to the i of other languages.
	return plain.replace(MARKS, '').replace('ς', 'σ').replace('ı', 'i');
}

/** The folded words of a query; all of them must occur in one caption. At most `MOST_WORDS`. */
export function wordsOf(query: string): readonly string[] {
	const words = folded(query)
		// SQLite ends a text at a NUL, even inside the quotation marks around a word.
		.split(/[\s\0]+/u)
		.filter((word) => word !== '');
	return [...new Set(words)].slice(0, MOST_WORDS);
}

const MOST_WORDS = 8;

/** A piece of a text; `hit` = the piece is a search word. */
export interface Piece {
	readonly text: string;
	readonly hit: boolean;
}

/** Splits the text to highlight the hits. Joined, the pieces are always the text. */
export function pieces(text: string, words: readonly string[]): readonly Piece[] {
	const { plain, starts, ends } = withPlaces(text);
	const spans = words
		.filter((word) => word !== '')
		.flatMap((word) => placesOf(plain, word).map((at) => [at, at + word.length] as const))
		.sort(([a], [b]) => a - b);
	const all: Piece[] = [];
	let done = 0;
	for (const [from, to] of spans) {
		const start = Math.max(done, starts[from] ?? text.length);
		const end = ends[to - 1] ?? text.length;
		if (end <= start) continue;
		if (start > done) all.push({ text: text.slice(done, start), hit: false });
		all.push({ text: text.slice(start, end), hit: true });
		done = end;
	}
	if (done < text.length) all.push({ text: text.slice(done), hit: false });
	return all;
}

/** The folded text, with the original's start and end for each index: a character may fold to several. */
function withPlaces(text: string) {
	let plain = '';
	const starts: number[] = [];
	const ends: number[] = [];
	let at = 0;
	for (const character of text) {
		const put = foldedCharacter(character);
		for (let n = 0; n < put.length; n++) {
			starts.push(at);
			ends.push(at + character.length);
		}
		plain += put;
		at += character.length;
	}
	return { plain, starts, ends };
}

function placesOf(plain: string, word: string): readonly number[] {
	const places: number[] = [];
	for (let at = plain.indexOf(word); at !== -1; at = plain.indexOf(word, at + word.length)) places.push(at);
	return places;
}
