import { describe, expect, test } from 'vitest';
import { formsOf } from '#test/support/canary.ts';
import { longSecrets, redact, redactKnown } from './log.ts';

test('a secret is taken out as it is, as it stands in an address, and as it stands in JSON', () => {
	const secret = 'a+b "c" %ü\\';
	const text = [secret, encodeURIComponent(secret), JSON.stringify({ key: secret })].join(' | ');
	expect(redact(text, [secret])).toBe('[redacted] | [redacted] | {"key":"[redacted]"}');
});

test('what looks like a secret is taken out without being known', () => {
	const text = 'Bearer abc.def plbr_x9 wss://h/?token=q%2B1&x=1 eyJhbGciOi.eyJz.sig';
	expect(redact(text)).toBe('Bearer [redacted] [key] wss://h/?token=[redacted]&x=1 [jwt]');
});

test('nothing is taken out for an empty or very short secret', () => {
	expect(redact('a plain text', ['', 'a', 'pl'])).toBe('a plain text');
});

describe('a known secret', () => {
	const secret = 'Mossy+Lantern/Quiet=7&"';
	const bytes = Buffer.from(secret);
	const wrapped = (before: string) => Buffer.from(`${before}${secret} and more`).toString('base64');

	test.each([
		['as it is', secret],
		['in capitals', secret.toUpperCase()],
		['in an address', encodeURIComponent(secret)],
		['in an address, in small letters', encodeURIComponent(secret).toLowerCase()],
		['in an address, every letter', [...bytes].map((byte) => `%${byte.toString(16)}`).join('')],
		['in JSON', JSON.stringify(secret).slice(1, -1)],
		['in JSON with slashes', secret.replaceAll('/', '\\/')],
		['in HTML', secret.replaceAll('&', '&amp;').replaceAll('"', '&quot;')],
		['as hexadecimal digits', bytes.toString('hex')],
		['in base64', bytes.toString('base64')],
		['in base64 of an address', bytes.toString('base64url')],
		...['', 'a', 'ab', 'Bearer ', 'user:'].map((before) => [
			`within base64 behind "${before}"`,
			wrapped(before),
		]),
	])('is taken out %s', (_, form = '') => {
		const clean = redactKnown(`key ${form}!`, [secret]);
		expect(clean).toContain('[redacted]');
		expect(formsOf(secret).filter((one) => clean.includes(one.toString()))).toEqual([]);
	});

	test('is taken out of all texts and names of a value, and nothing else is touched', () => {
		const value = { errors: [{ [secret]: 1, detail: `no ${secret}`, at: null, ok: true }], count: 2 };
		expect(redactKnown(value, [secret])).toEqual({
			errors: [{ '[redacted]': 1, detail: 'no [redacted]', at: null, ok: true }],
			count: 2,
		});
		expect(redactKnown(value, [])).toBe(value);
	});

	test('of three letters is left, of four it goes; a word is one of eleven, not of twelve', () => {
		expect(redactKnown('abc abcd', ['abc'])).toBe('abc abcd');
		expect(redactKnown('abc abcd', ['abcd'])).toBe('abc [redacted]');
		expect(longSecrets(['a'.repeat(11), 'b'.repeat(12)])).toEqual(['b'.repeat(12)]);
	});
});
