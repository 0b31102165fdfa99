import { expect, test } from 'vitest';
import { sessionsNeeded } from './sessions-needed.ts';

test('a conversation in both directions has a session for each', () => {
	expect([sessionsNeeded('one-way'), sessionsNeeded('both-ways')]).toEqual([1, 2]);
});
