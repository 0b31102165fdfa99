import { expect, test } from 'vitest';
import { readJsonBody } from './json-body.ts';

const read = (body: BodyInit | null) => readJsonBody(new Response(body));
const bytes = (...all: readonly number[]) => new Uint8Array(all);
const utf16 = (text: string, mark: readonly number[], swap: boolean) => {
	const coded = Buffer.from(text, 'utf16le');
	return Buffer.concat([Buffer.from(mark), swap ? coded.swap16() : coded]);
};
const json = (value: unknown) => ({ type: 'json', value });
const unreadable = (why: string, text?: string) => ({
	type: 'unreadable',
	why,
	...(text !== undefined && { text }),
});

test.each<[string, BodyInit | null, unknown]>([
	['no body', null, { type: 'none' }],
	['an empty one', '', { type: 'none' }],
	['white space', ' \n\t', { type: 'none' }],
	['white space behind a mark', '\uFEFF ', { type: 'none' }],
	['JSON', ' {"a":[1]} \n', json({ a: [1] })],
	['JSON behind a mark', '\uFEFF{"a":1}', json({ a: 1 })],
	['two marks, of which one is no JSON', '\uFEFF\uFEFF"a"', json('a')],
	['a letter of two bytes', '"é"', json('é')],
	['UTF-16, small end first', utf16('"é"', [0xff, 0xfe], false), json('é')],
	['UTF-16, large end first', utf16('"é"', [0xfe, 0xff], true), json('é')],
	['a letter that is no UTF-8: Latin-1', bytes(0x22, 0xe9, 0x22), json('é')],
	['half a mark: Latin-1', bytes(0x22, 0xff, 0x22), json('ÿ')],
	['the first half of a mark', bytes(0xff, 0x31), unreadable('not JSON', 'ÿ1')],
	['the first half of the other', bytes(0xfe, 0x31), unreadable('not JSON', 'þ1')],
	['the second half of a mark', bytes(0x31, 0xfe), unreadable('not JSON', '1þ')],
	['the second half of the other', bytes(0x31, 0xff), unreadable('not JSON', '1ÿ')],
	['a web page', ' <html>1</html>', { ...unreadable('a web page'), page: '<html>1</html>' }],
	['words', ' one,uno> ', unreadable('not JSON', 'one,uno>')],
	['words that end like a page', 'x <', unreadable('not JSON', 'x <')],
	['lists in lists', `${'['.repeat(33)}${']'.repeat(33)}`, unreadable('nested too deep')],
	['lists without end', `[${'[],'.repeat(50_000)}[]]`, unreadable('too much in it')],
])('%s', async (_, body, reading) => {
	expect(await read(body)).toEqual(reading);
});

test('a mark counts at the beginning only', async () => {
	expect(await read('"a\uFEFFb"')).toEqual(json('a\uFEFFb'));
});

test('a mebibyte is read, and not a byte more: the rest is let go of', async () => {
	const most = 1024 * 1024;
	expect(await read(`"${'a'.repeat(most - 2)}"`)).toEqual(json('a'.repeat(most - 2)));
	let left = false;
	const endless = new ReadableStream<Uint8Array>({
		pull: (to) => to.enqueue(new Uint8Array(65_536).fill(0x31)),
		cancel: () => {
			left = true;
		},
	});
	expect(await read(endless)).toEqual(unreadable('too long'));
	expect(left).toBe(true);
	expect(await read('1'.repeat(most + 1))).toEqual(unreadable('too long'));
});

test('a connection that breaks while it is read is no reading', async () => {
	const broken = new ReadableStream<Uint8Array>({ pull: (to) => to.error(new Error('reset')) });
	await expect(read(broken)).rejects.toThrow('reset');
});
