import { expect, test } from 'vitest';
import { isOwnDevice } from './own-device.ts';

test('both halves of every virtual microphone of ours are known by their names, and nothing else is', () => {
	const labels = [
		'Dragoman voice',
		'Dragoman microphone',
		'Dragoman microphone 12',
		'Monitor of Dragoman voice',
		'Dragoman voice recorder',
		'Dragoman microphone 2b',
		'Dragoman microphone x',
		'Dragoman',
		'Laptop',
		'',
	];
	expect(labels.map((label) => isOwnDevice({ label }))).toEqual([
		true,
		true,
		true,
		false,
		false,
		false,
		false,
		false,
		false,
		false,
	]);
});
