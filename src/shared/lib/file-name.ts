/** Device names, which Windows reserves in every folder, with any extension. */
const RESERVED = /^(con|prn|aux|nul|(com|lpt)[\d¹²³]|conin_|conout_)[ .]*(\.|$)/i;
const MOST_CHARACTERS = 80;
/** A file name may have 255 bytes (Windows: characters): this leaves room for a language and an extension. */
const MOST_BYTES = 200;

/** `text` as a file name valid on every system, without an extension; empty if no valid characters remain. */
export function fileStem(text: string): string {
	const plain = text
		.normalize('NFC')
		.replace(/[^\p{L}\p{M}\p{N} ._-]/gu, '_')
		// Windows removes dots and spaces at the end; a dot at the beginning hides a file.
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

/** Length of a code point in UTF-8. */
function bytesOf(point: number): number {
	if (point < 0x80) return 1;
	if (point < 0x800) return 2;
	return point < 0x10000 ? 3 : 4;
}
