import { expect, test } from 'vitest';
import { withoutSecrets } from './without-secrets.ts';

const SECRET = 'quite-a-secret';

test('a secret is gone from JSON however its letters are written, and from other text', () => {
	const escaped = [...SECRET].map((letter) => `\\u00${letter.charCodeAt(0).toString(16)}`).join('');
	const body = `{"said":["${escaped}"],"n":1}`;
	const clean = withoutSecrets(body, [SECRET]);
	expect(clean).not.toContain(SECRET);
	expect(JSON.parse(clean)).toEqual({ said: [expect.not.stringContaining(SECRET)], n: 1 });
	const text = withoutSecrets(`no JSON: ${SECRET}!`, [SECRET]);
	expect(text).not.toContain(SECRET);
	expect(text).toMatch(/^no JSON: .+!$/);
});

test('what has no secret in it is left as it is', () => {
	expect(withoutSecrets('{"a":[1,"two",null]}', [SECRET])).toBe('{"a":[1,"two",null]}');
	expect(withoutSecrets('plain words', [SECRET])).toBe('plain words');
	expect(withoutSecrets('', [])).toBe('');
});
