const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const CODES = Uint8Array.from(ALPHABET, (letter) => letter.charCodeAt(0));
const PAD = 0x3d;
const NOT_A_DIGIT = 0xff;
const DIGITS = new Uint8Array(128).fill(NOT_A_DIGIT);
for (const [digit, code] of CODES.entries()) DIGITS[code] = digit;
// The URL-safe letters are accepted as well.
DIGITS['-'.charCodeAt(0)] = 62;
DIGITS['_'.charCodeAt(0)] = 63;

/** A number of arguments that every engine accepts in one call. */
const PIECE = 8192;

/** Our own code, because this folder also runs without `Buffer` and `btoa`. */
export function encodeBase64(bytes: Uint8Array): string {
	const codes = new Uint8Array(Math.ceil(bytes.length / 3) * 4);
	for (let at = 0, put = 0; at < bytes.length; at += 3) {
		const left = bytes.length - at;
		const word = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
		codes[put++] = CODES[(word >> 18) & 63] ?? PAD;
		codes[put++] = CODES[(word >> 12) & 63] ?? PAD;
		codes[put++] = left > 1 ? (CODES[(word >> 6) & 63] ?? PAD) : PAD;
		codes[put++] = left > 2 ? (CODES[word & 63] ?? PAD) : PAD;
	}
	let text = '';
	for (let at = 0; at < codes.length; at += PIECE)
		text += String.fromCharCode(...codes.subarray(at, at + PIECE));
	return text;
}

/** `null` when the text is not base64. Padding may be missing; spaces are not allowed. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | null {
	const end = digitsIn(text);
	if (end % 4 === 1) return null;
	const bytes = new Uint8Array(Math.floor((end * 3) / 4));
	let word = 0;
	let bits = 0;
	let put = 0;
	for (let at = 0; at < end; at += 1) {
		const code = text.charCodeAt(at);
		const digit = code < 128 ? (DIGITS[code] ?? NOT_A_DIGIT) : NOT_A_DIGIT;
		if (digit === NOT_A_DIGIT) return null;
		word = ((word << 6) | digit) & 0xff_ffff;
		bits += 6;
		if (bits < 8) continue;
		bits -= 8;
		bytes[put++] = (word >> bits) & 0xff;
	}
	return bytes;
}

/** Length without the padding. */
function digitsIn(text: string): number {
	if (text.length % 4 !== 0) return text.length;
	if (text.endsWith('==')) return text.length - 2;
	return text.endsWith('=') ? text.length - 1 : text.length;
}
