/**
 * Text in pieces of at most `longest` characters, cut between sentences; a longer sentence is cut between
 * words, and a word only if it must be. Only the space around pieces is lost, and no character is cut in two.
 */
export function splitText(text: string, language: string, longest: number): readonly string[] {
	const pieces: string[] = [];
	let piece = '';
	for (const part of parts(text.toWellFormed(), language, longest)) {
		if (piece.length + part.length > longest) {
			pieces.push(piece);
			piece = '';
		}
		piece += part;
	}
	pieces.push(piece);
	return pieces.map((one) => one.trim()).filter((one) => one !== '');
}

/** Splits by sentence, then word, then character. */
function* parts(text: string, language: string, longest: number): Generator<string> {
	for (const sentence of segments(text, language, 'sentence')) {
		if (sentence.length <= longest) yield sentence;
		else
			for (const word of segments(sentence, language, 'word')) {
				if (word.length <= longest) yield word;
				else yield* characters(word, longest);
			}
	}
}

/** Splits a word, even within a grapheme, which may be of any length, too. */
function* characters(word: string, longest: number): Generator<string> {
	for (const character of segments(word, 'und', 'grapheme')) {
		if (character.length <= longest) yield character;
		else yield* character;
	}
}

function* segments(
	text: string,
	language: string,
	granularity: 'sentence' | 'word' | 'grapheme',
): Generator<string> {
	for (const { segment } of new Intl.Segmenter(language, { granularity }).segment(text)) yield segment;
}
