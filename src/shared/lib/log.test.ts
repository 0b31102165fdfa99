import { expect, test } from 'vitest';
import { redact } from './log.ts';

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
