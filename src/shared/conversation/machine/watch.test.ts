import { describe, expect, it, test } from 'vitest';
import { currentTask } from '#test/support/machine-parts.ts';
import {
	askedMs,
	beginWatch,
	countedPackets,
	heardMessage,
	lookAfter,
	probeNow,
	type Watch,
	watchDueMs,
} from './watch.ts';

/** Begun at 10 000. */
const fresh = beginWatch(10_000);
const watch = (over: Partial<Watch> = {}): Watch => ({ ...fresh, ...over });
const look = (at: Watch, nowMs: number, sending = true, delayMs = 0) =>
	lookAfter(at, { nowMs, sending, delayMs });
const fine = (at: Watch) => ({ watch: at, finding: 'fine' });
const server = { dueMs: 15_000, about: 'server' } as const;
const leaving = { dueMs: 15_000, about: 'packets' } as const;

test('it begins as if everything had just been heard', () => {
	expect(beginWatch(10_000)).toEqual({
		heardMs: 10_000,
		queueLevels: 0,
		sent: 0,
		received: 0,
		answers: null,
		answeredMs: 10_000,
		sentMs: 10_000,
		probe: null,
	});
});

describe('a message', () => {
	it('is a sign of the server, and answers a question about it', () => {
		expect(heardMessage(watch({ probe: server }), currentTask('running'), 11_000)).toEqual(
			watch({ heardMs: 11_000 }),
		);
	});

	it('says nothing of our packets', () => {
		expect(heardMessage(watch({ probe: leaving }), currentTask('running'), 11_000).probe).toEqual(leaving);
	});
});

describe('packets', () => {
	const before = watch({ sent: 50, received: 20, answers: 3 });

	it.each([
		['nothing new', { sent: 50, received: 20, answers: 3 }, {}],
		['a reading that failed', { sent: 0, received: 0 }, {}],
		['ours that left', { sent: 51, received: 20 }, { sent: 51, sentMs: 11_000 }],
		['theirs that came', { sent: 50, received: 21 }, { received: 21, heardMs: 11_000 }],
		['an answer of the path', { sent: 50, received: 20, answers: 4 }, { answers: 4, answeredMs: 11_000 }],
		[
			'another path, that counts anew',
			{ sent: 50, received: 20, answers: 1 },
			{ answers: 1, answeredMs: 11_000 },
		],
	])('tell of %s', (_what, counted, over) => {
		expect(countedPackets(before, counted, 11_000)).toEqual({ ...before, ...over });
	});

	it('answer the question about them, each its own', () => {
		const probeAfter = (probe: Watch['probe'], sent: number, received: number) =>
			countedPackets({ ...before, probe }, { sent, received }, 11_000).probe;
		expect(probeAfter(leaving, 51, 20)).toBeNull();
		expect(probeAfter(leaving, 50, 21)).toEqual(leaving);
		expect(probeAfter(server, 50, 21)).toBeNull();
		expect(probeAfter(server, 51, 20)).toEqual(server);
	});
});

describe('a question is asked', () => {
	const asked = (at: Watch, about: 'server' | 'packets', dueMs: number) => ({
		watch: { ...at, probe: { dueMs, about } },
		finding: 'probe',
	});

	test('of a server that is quiet for 10 s, and of one that reports every second after 2 s', () => {
		const sent = watch({ sentMs: 99_000 });
		expect(look(sent, 19_999)).toEqual(fine(sent));
		expect(look(sent, 20_000)).toEqual(asked(sent, 'server', 22_000));
		const seldom = { ...sent, queueLevels: 1 };
		expect(look(seldom, 19_999)).toEqual(fine(seldom));
		const often = { ...sent, queueLevels: 2 };
		expect(look(often, 11_999)).toEqual(fine(often));
		expect(look(often, 12_000)).toEqual(asked(often, 'server', 14_000));
	});

	test('of one that has not reported twice yet, as soon as the path answers its own checks no more', () => {
		const mute = watch({ sentMs: 99_000, answers: 3, answeredMs: 10_000 });
		expect(look(mute, 14_599)).toEqual(fine(mute));
		expect(look(mute, 14_600)).toEqual(asked(mute, 'server', 16_600));
		const justHeard = { ...mute, heardMs: 13_000 };
		expect(look(justHeard, 14_999)).toEqual(fine(justHeard));
		expect(look(justHeard, 15_000)).toEqual(asked(justHeard, 'server', 17_000));
		// While it does, the server has nothing to say.
		const quiet = { ...mute, answeredMs: 19_000 };
		expect(look(quiet, 19_999)).toEqual(fine(quiet));
		expect(look(quiet, 20_000)).toEqual(asked(quiet, 'server', 22_000));
	});

	test('of our packets when none leaves for 3 s, though it should', () => {
		expect(look(fresh, 12_999)).toEqual(fine(fresh));
		expect(look(fresh, 13_000)).toEqual(asked(fresh, 'packets', 15_000));
		expect(look(fresh, 13_000, false)).toEqual(fine(fresh));
	});

	test('and its answer is awaited from when it may leave', () => {
		expect(look(fresh, 13_000, true, 500)).toEqual(asked(fresh, 'packets', 15_500));
		const at = { ...fresh, probe: { dueMs: 15_500, about: 'server' as const } };
		expect(probeNow(fresh, 13_000, 500)).toEqual(at);
		expect(askedMs(at.probe)).toBe(13_500);
	});

	test('when it falls due', () => {
		expect(watchDueMs(fresh, true)).toBe(13_000);
		expect(watchDueMs(watch({ sentMs: 99_000 }), true)).toBe(20_000);
		expect(watchDueMs(fresh, false)).toBe(20_000);
		expect(watchDueMs(watch({ queueLevels: 2 }), false)).toBe(12_000);
		expect(watchDueMs(watch({ answers: 3 }), false)).toBe(14_600);
	});
});

/** Asked at 13 000, due at 15 000. */
describe('a question without an answer', () => {
	test.each<[string, Watch, number, 'dead' | 'cut']>([
		['a path without checks is dead in time', watch({ probe: server, answeredMs: 13_000 }), 15_000, 'dead'],
		['however long it has been silent', watch({ probe: server }), 15_000, 'dead'],
		[
			'so is one that answered since',
			watch({ probe: server, answers: 3, answeredMs: 13_001 }),
			15_000,
			'dead',
		],
		// Not since it was asked, so that it may yet answer for itself.
		[
			'one that answered before is cut, seen that it answers no more',
			watch({ probe: server, answers: 3, answeredMs: 13_000 }),
			16_600,
			'cut',
		],
		[
			'and so is one that answered long ago',
			watch({ probe: server, answers: 3, answeredMs: 9000 }),
			15_000,
			'cut',
		],
		[
			'our packets are dead in time',
			watch({ probe: leaving, answers: 3, answeredMs: 13_000 }),
			15_000,
			'dead',
		],
		[
			'and say nothing of a path that answered long ago',
			watch({ probe: leaving, answers: 3, answeredMs: 1 }),
			15_000,
			'dead',
		],
	])('%s', (_what, at, dueMs, finding) => {
		expect(watchDueMs(at, true)).toBe(dueMs);
		expect(look(at, dueMs - 1)).toEqual(fine(at));
		expect(look(at, dueMs)).toEqual({ watch: at, finding });
	});
});
