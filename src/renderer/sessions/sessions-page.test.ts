import { expect, test } from 'vitest';
import { timeToLiveS } from './sessions-page.tsx';

test('a session that has an hour left is given ten minutes more, not ten minutes in all', () => {
	expect(timeToLiveS(3_600_000, 600)).toBe(4200);
	expect(timeToLiveS(1, 600)).toBe(601);
});

test('what has expired or is not known counts from now, and nothing goes beyond a month', () => {
	expect(timeToLiveS(-5000, 600)).toBe(600);
	expect(timeToLiveS(null, 600)).toBe(600);
	expect(timeToLiveS(40 * 86_400_000, 600)).toBe(31 * 86_400);
});
