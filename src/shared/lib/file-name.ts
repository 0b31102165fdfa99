/** Names of devices, which Windows reserves in every folder, with any ending. */
const RESERVED = /^(con|prn|aux|nul|(com|lpt)[\d¹²³]|conin_|conout_)[ .]*(\.|$)/i;
const MOST_CHARACTERS = 80;
/** A name has 255 bytes at most, and as many characters on Windows: this leaves room for a language and an ending. */
const MOST_BYTES = 200;

/** `text` as the name of a file on every system, without its ending; empty if nothing is left of it. */
export function fileStem(text: string): string {
	const plain = text
		.normalize('NFC')
		.replace(/[^\p{L}\p{M}\p{N} ._-]/gu, '_')
		// Windows drops them from the end; a dot at the beginning hides a file.
		.replace(/^[ .]+/, '');
	let stem = '';
	let bytes = 0;
	for (const character of [...plain].slice(0, MOST_CHARACTERS)) {
		bytes += bytesOf(character.codePointAt(0) ?? 0);
		if (bytes > MOST_BYTES) break;
		stem += character;
	}
	const ended = stem.replace(/[ .]+$/, '');
	return RESERVED.test(ended) ? `_${ended}` : ended;
}

/** In UTF-8. */
function bytesOf(point: number): number {
	if (point < 0x80) return 1;
	if (point < 0x800) return 2;
	return point < 0x10000 ? 3 : 4;
}
