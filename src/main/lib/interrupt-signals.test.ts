import { expect, test } from 'vitest';
import { createPresses } from './interrupt-signals.ts';

test('signals within half a second are one press; the next one is another', () => {
	const did: string[] = [];
	let nowMs = 1000;
	const signal = createPresses({
		now: () => nowMs,
		first: () => void did.push('first'),
		again: () => void did.push('again'),
	});
	for (nowMs of [1000, 1001, 1499]) signal();
	expect(did).toEqual(['first']);
	nowMs = 1500;
	signal();
	expect(did).toEqual(['first', 'again']);
});
