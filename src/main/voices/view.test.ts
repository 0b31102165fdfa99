import { expect, test } from 'vitest';
import { storedVoice } from '#test/support/stored-voice.ts';
import { viewOf } from './cloned-voices.ts';
import { LONG_MS } from './following.ts';
import type { StoredVoice } from './register.ts';

const NOW = 10 * LONG_MS;
const upload = { sentBytes: 1, totalBytes: 2, bytesPerS: 3, secondsLeft: 4 };
const view = (fields: Partial<StoredVoice>, isActive = false, isElsewhere = false) =>
	viewOf(storedVoice('a', fields), {
		cloning: { isActive: () => isActive, progress: () => null },
		isElsewhere: () => isElsewhere,
		now: NOW,
	});

test('an entry is shown as it is, but for whose it is and where its sample lies', () => {
	const { account, owner, passing, sentAt, ...shown } = storedVoice('a');
	const asked: string[] = [];
	const seen = viewOf(storedVoice('a'), {
		cloning: {
			isActive: (handle) => asked.push(handle) < 0,
			progress: (handle) => (handle === 'a' ? upload : null),
		},
		isElsewhere: () => false,
		now: NOW,
	});
	expect(seen).toEqual({
		...shown,
		sample: { name: 'me.wav', bytes: 100_000, durationMs: 30_000, recorded: false },
		active: false,
		upload,
		takingLong: false,
		canRetry: true,
	});
	expect(asked).toEqual(['a']);
});

test('it is active here or in another program, and cannot be tried again meanwhile', () => {
	for (const seen of [view({}, true), view({}, false, true)]) {
		expect([seen.active, seen.canRetry]).toEqual([true, false]);
	}
});

test.each<[StoredVoice['status'], number | null, boolean]>([
	['pending', NOW - LONG_MS, true],
	['pending', NOW - LONG_MS + 1, false],
	['pending', null, false],
	['unknown', NOW - LONG_MS, true],
	['ready', NOW - LONG_MS, false],
	['failed', NOW - LONG_MS, false],
])('%s, sent at %s, it takes long: %j', (status, sentAt, takingLong) => {
	expect(view({ status, sentAt }).takingLong).toBe(takingLong);
});

test.each<[StoredVoice['status'], number | null, string | null, boolean]>([
	['ready', 1, '/x', false],
	['pending', 1, null, true],
	['pending', 1, '/x', true],
	['failed', 1, null, false],
	['failed', 1, '/x', true],
	['created', null, null, false],
	['created', null, '/x', true],
])('%s, sent at %s, its sample at %s, it can be tried again: %j', (status, sentAt, path, canRetry) => {
	const { sample } = storedVoice('a');
	expect(view({ status, sentAt, sample: { ...sample, path } }).canRetry).toBe(canRetry);
});
