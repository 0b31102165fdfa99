import { describe, expect, it, test } from 'vitest';
import type { Problem } from '#shared/problem.ts';
import {
	aLink,
	aRun,
	currentTask,
	gone,
	lost,
	message,
	noMicrophone,
	other,
	queue,
	tick,
	transcript,
} from '#test/support/machine-parts.ts';
import type { Event } from './events.ts';
import { awaitedSession, isProgress, microphoneDueMs, observe, runOf, stepMicrophone } from './run.ts';

const run = aRun();
const opening = aRun({ microphone: { is: 'opening', id: 3, sinceMs: 5000 } });
const ending = { sinceMs: 0, progressMs: 0, endOfStreamMs: null };

test('every stage has one, but idle and failed', () => {
	expect(runOf({ name: 'idle' })).toBeNull();
	expect(runOf({ name: 'failed', problem: lost })).toBeNull();
	expect(runOf({ name: 'resting', run })).toBe(run);
	expect(runOf({ name: 'ending', run, link: aLink(), ...ending })).toBe(run);
});

test.each([
	['a text', transcript, true],
	['queued speech in any language', queue(1), true],
	['an empty queue', queue(0), false],
	['an answer', currentTask('running'), false],
	['the end of the stream', { type: 'end-of-stream' }, false],
] as const)('%s is work for the listener: %#', (_what, said, works) => {
	expect(isProgress(said)).toBe(works);
	expect(observe(run, message(said), 5000)).toEqual(works ? { ...run, progressMs: 5000 } : run);
});

test.each<[string, Event, object]>([
	['a voice that begins', { type: 'voice-active', active: true }, { voiceActive: true, progressMs: 5000 }],
	['a voice that ceases', { type: 'voice-active', active: false }, { progressMs: 5000 }],
	['a change', { type: 'change', plan: other }, { wanted: other, change: 'waiting' }],
	['a change that cannot be', { type: 'cannot-change' }, { change: 'refused' }],
	['nothing of others', { type: 'pause' }, {}],
])('it learns %s', (_what, event, over) => {
	expect(observe(run, event, 5000)).toEqual({ ...run, ...over });
});

describe('the microphone', () => {
	const off = (problem: Problem) => ({ run: aRun(noMicrophone), opened: false, problem });

	it('comes, or is not to be had', () => {
		expect(stepMicrophone(opening, { type: 'microphone-opened', id: 3 }, 6000)).toEqual({
			run,
			opened: true,
			problem: null,
		});
		const failed = (id: number): Event => ({ type: 'microphone-failed', id, problem: gone });
		expect(stepMicrophone(opening, failed(3), 6000)).toEqual(off(gone));
		expect(stepMicrophone(opening, failed(2), 6000)).toBeNull();
	});

	it('is lost only where it was on', () => {
		const event: Event = { type: 'microphone-lost', problem: gone };
		expect(stepMicrophone(run, event, 6000)).toEqual(off(gone));
		expect(stepMicrophone(opening, event, 6000)).toBeNull();
	});

	it('has a minute, and not a ms less', () => {
		expect(stepMicrophone(opening, tick, 64_999)).toBeNull();
		expect(stepMicrophone(opening, tick, 65_000)).toEqual(
			off({ kind: 'timed-out', what: 'microphone', afterMs: 60_000 }),
		);
		expect([microphoneDueMs(opening), microphoneDueMs(run)]).toEqual([65_000, Infinity]);
	});

	it.each<[string, Event]>([
		['an answer to an earlier request', { type: 'microphone-opened', id: 2 }],
		['what is no tick, however late', { type: 'pause' }],
	])('ignores %s', (_what, event) => {
		expect(stepMicrophone(opening, event, 99_000)).toBeNull();
	});
});

test('an answer is awaited while a session is asked for', () => {
	expect(awaitedSession({ at: 'session', id: 7, sinceMs: 0 })).toBe(7);
	expect(awaitedSession({ at: 'link', id: 7, handle: 'session-7', sinceMs: 0 })).toBeNull();
});
