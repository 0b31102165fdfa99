const ARABIC: Readonly<Record<string, string>> = { أ: 'ا', إ: 'ا', آ: 'ا', ى: 'ي', ة: 'ه' };
const PUNCTUATION: Readonly<Record<string, string>> = {
	'％': '%',
	'٪': '%',
	'：': ':',
	'．': '.',
	'，': ',',
	'－': '-',
	'–': '-',
	'‑': '-',
	'−': '-',
	'＋': '+',
	'￥': '¥',
	'＄': '$',
	'（': '(',
	'）': ')',
	'／': '/',
	'　': ' ',
	'\u202f': '\u00a0',
	'\u2009': '\u00a0',
	// Direction marks around numbers in right-to-left texts.
	'\u200e': ' ',
	'\u200f': ' ',
	'\u2066': ' ',
	'\u2067': ' ',
	'\u2068': ' ',
	'\u2069': ' ',
};

/** Lower case, plain digits and one form of each sign; every UTF-16 unit keeps its position. */
export function plainOf(text: string): string {
	let plain = '';
	for (let at = 0; at < text.length; at++) {
		const unit = text[at] as string;
		const code = unit.charCodeAt(0);
		plain += digitOf(code) ?? PUNCTUATION[unit] ?? ARABIC[unit] ?? small(unit);
	}
	return plain;
}

function digitOf(code: number): string | null {
	for (const zero of [0x0660, 0x06f0, 0xff10]) {
		if (code >= zero && code <= zero + 9) return String(code - zero);
	}
	return null;
}

function small(unit: string): string {
	const lower = unit.toLowerCase();
	return lower.length === 1 ? lower : unit;
}
