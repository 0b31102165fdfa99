import { expect, test } from 'vitest';
import { otherMicrophone } from './other-microphone.ts';

const devices = (...labels: readonly string[]) => labels.map((label) => ({ id: label, label }));

test.each([
	['one near a mouth', ['HD Webcam', 'USB microphone', 'Jabra Evolve2 65'], 'Jabra Evolve2 65'],
	['one that stands before one of a room', ['HD Webcam', 'USB microphone'], 'USB microphone'],
	['one of a room where there is no other', ['HD Webcam'], 'HD Webcam'],
	[
		'none of ours, none without a name, not the same again',
		['Dragoman microphone', '', 'Built-in'],
		undefined,
	],
])('where the microphone hears the loudspeakers, another is proposed: %s', (_, labels, wanted) => {
	expect(otherMicrophone({ label: 'Built-in' }, devices(...labels))?.label).toBe(wanted);
});
