import { describe, expect, test } from 'vitest';
import {
	cut,
	decodeText,
	decodeUtf8,
	field,
	isObject,
	MAX_JSON_LENGTH,
	parseJson,
	plainText,
	textField,
} from './json.ts';

test('an object is one, a list or null is none', () => {
	expect([{}, { a: 1 }, Object.create(null)].map(isObject)).toEqual([true, true, true]);
	expect([[], null, undefined, 'x', 7, true, () => 1].map(isObject)).toEqual(Array(7).fill(false));
});

test('a field is its own, never inherited, and as text only where it is text', () => {
	const value = JSON.parse('{"a":"x","b":7,"__proto__":"own","n":null}');
	expect(['a', 'b', '__proto__', 'n', 'toString', 'none'].map((name) => field(value, name))).toEqual([
		'x',
		7,
		'own',
		null,
		undefined,
		undefined,
	]);
	expect(['a', 'b', 'n', 'none'].map((name) => textField(value, name))).toEqual([
		'x',
		undefined,
		undefined,
		undefined,
	]);
	for (const none of [null, undefined, 'length', 7, ['a']]) expect(field(none, 'length')).toBeUndefined();
});

describe('JSON text', () => {
	test('of more than 1 MiB is not read', () => {
		const text = (length: number) => `"${'a'.repeat(length - 2)}"`;
		expect(parseJson(text(100_000)).ok).toBe(true);
		expect(parseJson(text(MAX_JSON_LENGTH + 1))).toEqual({ ok: false, error: 'too-large' });
	});

	test.each([
		['{', '}'],
		['[', ']'],
	])('nests 32 levels of %s, no more', (open, close) => {
		const nested = (depth: number) =>
			open === '['
				? open.repeat(depth) + close.repeat(depth)
				: `${'{"a":'.repeat(depth - 1)}{}${close.repeat(depth - 1)}`;
		expect(parseJson(nested(32)).ok).toBe(true);
		expect(parseJson(nested(33))).toEqual({ ok: false, error: 'too-deep' });
	});

	test('depth is what is open at once, not what there was', () => {
		const levels = '[[[]]]';
		expect(parseJson(`[${Array(100).fill(levels).join()}]`).ok).toBe(true);
		const objects = '{"a":{"b":{}}}';
		expect(parseJson(`[${Array(100).fill(objects).join()}]`).ok).toBe(true);
	});

	test('what stands in a text is no bracket and no name, whatever is escaped in it', () => {
		for (const inside of ['[', '{', '\\"[', '\\\\\\"[', ':'])
			expect(parseJson(JSON.stringify(JSON.parse(`"${inside.repeat(3000)}"`))).ok).toBe(true);
		// A text that ends with a backslash ends: what follows counts.
		expect(parseJson(`["\\\\",${'['.repeat(40)}${']'.repeat(40)}]`)).toEqual({
			ok: false,
			error: 'too-deep',
		});
		const names = `{${Array(25_001).fill('"a":1').join()}}`;
		expect(parseJson(names)).toEqual({ ok: false, error: 'too-many' });
	});

	test('may begin with one byte order mark', () => {
		expect(parseJson('\ufeff{"a":1}')).toEqual({ ok: true, value: { a: 1 } });
		expect(parseJson('\ufeff\ufeff1')).toEqual({ ok: false, error: 'not-json' });
		expect(parseJson('')).toEqual({ ok: false, error: 'not-json' });
	});
});

describe('UTF-8', () => {
	const reference = (bytes: Uint8Array) => {
		try {
			return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
		} catch {
			return null;
		}
	};
	const points = [0, 0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xe000, 0xfffd, 0xffff, 0x10000, 0x10ffff];

	test('at every edge of its lengths is read as the platform does', () => {
		for (const point of points) {
			const text = `a${String.fromCodePoint(point)}b`;
			expect(decodeUtf8(new TextEncoder().encode(text))).toBe(text);
		}
	});

	test('of any three bytes with an edge among them is read as the platform does, or not at all', () => {
		const edges = [
			...[0x00, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf],
			...[0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff],
		];
		for (const first of edges)
			for (const second of edges)
				for (const third of [0x41, 0x7f, 0x80, 0x8f, 0x90, 0xbf, 0xc2, 0xff])
					for (const rest of [[], [0x80], [0xbf], [0x41]]) {
						const bytes = Uint8Array.of(first, second, third, ...rest);
						if (decodeUtf8(bytes) !== reference(bytes)) expect([...bytes]).toBe('as the platform');
					}
	});

	test.each([4095, 4096, 4097, 8192, 10_000])('of %i letters is whole', (length) => {
		const text = `${'ж'.repeat(length - 1)}z`;
		expect(decodeUtf8(new TextEncoder().encode(text))).toBe(text);
	});
});

describe('plain text', () => {
	test.each([
		['<b>bold</b> word', 'bold word'],
		['a<br/>b', 'a b'],
		['a<!-- no -->b', 'a b'],
		['a </SPAN class="x"> b', 'a b'],
		['1 < 2 > 1', '1 < 2 > 1'],
		['<3 and </ and <', '<3 and </ and <'],
		['  one\n\n two\tthree  ', 'one two three'],
		['a\u0000\u001f\u007fb', 'a b'],
		['a\u200e\u200f\u202a\u202e\u2066\u2069b', 'a b'],
		['a\ud83d b', 'a\ufffd b'],
		['', ''],
		[' <i> ', ''],
	])('of %j is %j', (text, plain) => {
		expect(plainText(text, 100)).toBe(plain);
	});

	test('is cut, and read no further than twenty times what is kept', () => {
		expect(plainText('abcdef', 6)).toBe('abcdef');
		expect(plainText('abcdefg', 6)).toBe('abcdef');
		expect(plainText(`${' '.repeat(119)}xy`, 6)).toBe('x');
		expect(plainText(`${' '.repeat(120)}xy`, 6)).toBe('');
	});
});

test.each([
	['abc', 3, 'abc'],
	['abc', 2, 'ab'],
	['a😀b', 4, 'a😀b'],
	['a😀b', 3, 'a😀'],
	['a😀b', 2, 'a'],
	['a\udbff\udfffb', 2, 'a'],
	['a\ud800\udc00b', 2, 'a'],
	['a\ue000b', 2, 'a\ue000'],
	['a\ud7ffb', 2, 'a\ud7ff'],
	['a\udc00b', 2, 'a\ufffd'],
	['\ud800', 5, '\ufffd'],
])('%j cut to %i units is %j: never half a character', (text, most, kept) => {
	expect(cut(text, most)).toBe(kept);
});

describe('text of other programs', () => {
	const said = 'Mañana a las ocho, señor 😀\r\n';
	const utf16 = (text: string) => [...Buffer.from(text, 'utf16le')];
	const swapped = (bytes: readonly number[]) => [...Buffer.from(bytes).swap16()];

	test.each<[string, readonly number[], string | null]>([
		['UTF-8', [...Buffer.from(said)], said],
		['UTF-8 with a mark', [...Buffer.from(`\uFEFF${said}`)], said],
		['UTF-16 with a mark', utf16(`\uFEFF${said}`), said],
		['UTF-16, high bytes first', swapped(utf16(`\uFEFF${said}`)), said],
		['UTF-16 without a mark', utf16(said), said],
		['UTF-16 without a mark, high bytes first', swapped(utf16(said)), said],
		['the end that DOS puts behind', [...Buffer.from('one\x1a')], 'one'],
		['more than is decoded at once', utf16(`\uFEFF${'日本語 '.repeat(6000)}`), '日本語 '.repeat(6000)],
		['nothing', [], ''],
		['Windows-1252', [...Buffer.from('Mañana', 'latin1')], null],
		['Shift JIS', [0x93, 0xfa, 0x96, 0x7b, 0x0a], null],
		['ISO 2022, whose bytes are all ASCII', [...Buffer.from('\x1b$BF|K\\\x1b(B')], null],
		['UTF-16 cut in the middle of a unit', utf16(`\uFEFF${said}`).slice(0, -1), null],
		['half a character', utf16('\uFEFFa\ud83d'), null],
		['UTF-32', [0xff, 0xfe, 0, 0, 0x61, 0, 0, 0], null],
		['no text', [0x7f, 0x45, 0x4c, 0x46, 1, 1, 0, 0, 0, 3], null],
		['zeros', [0, 0, 0, 0], null],
	])('%s', (_, bytes, text) => {
		expect(decodeText(Uint8Array.from(bytes))).toBe(text);
	});
});
