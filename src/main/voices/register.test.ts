import { expect, test } from 'vitest';
import { storedVoice } from '#test/support/stored-voice.ts';
import { amendedVoice, withoutVoice, withVoice } from './register.ts';

test('of a voice there is one entry: the new one takes the place of the old, at the end', () => {
	const [a, b] = [storedVoice('a'), storedVoice('b')];
	const newer = storedVoice('a', { name: 'New' });
	expect(withVoice([a, b], newer)).toEqual([b, newer]);
	expect(withVoice([], a)).toEqual([a]);
	expect(withoutVoice([a, b], 'a')).toEqual([b]);
	expect(amendedVoice([a, b], 'a', { name: 'New' })).toEqual([newer, b]);
});
