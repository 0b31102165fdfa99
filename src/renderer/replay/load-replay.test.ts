import { expect, test } from 'vitest';
import { legNames } from '#shared/leg-name.ts';
import { earsOf } from './load-replay.ts';

const none = () => false;

test('the voices that wait are those that are for my ear: in a meeting mine goes into the call and goes on', () => {
	expect(earsOf(['outgoing'], 'solo', none)).toEqual(['outgoing']);
	expect(earsOf(['incoming'], 'listen', none)).toEqual(['incoming']);
	expect(earsOf(legNames, 'face', none)).toEqual(legNames);
	expect(earsOf(legNames, 'meeting', none)).toEqual(['incoming']);
});

test('a voice that is muted is not made up for', () => {
	expect(earsOf(legNames, 'meeting', (leg) => leg === 'incoming')).toEqual([]);
});
