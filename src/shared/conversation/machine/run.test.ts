import { describe, expect, it, test } from 'vitest';
import type { Problem } from '#shared/problem.ts';
import {
	aLink,
	aRun,
	closeMicrophone,
	currentTask,
	gone,
	lost,
	message,
	noMicrophone,
	other,
	plan,
	queue,
	released,
	stateOf,
	tick,
	transcript,
} from '#test/support/machine-parts.ts';
import type { Event } from './events.ts';
import {
	awaitedSession,
	beginRun,
	count,
	fail,
	isProgress,
	microphoneDueMs,
	nextOutage,
	observe,
	reopenMicrophone,
	rest,
	runOf,
	stepMicrophone,
	withPlan,
} from './run.ts';

const run = aRun();
const opening = aRun({ microphone: { is: 'opening', id: 3, sinceMs: 5000 } });
const ending = { sinceMs: 0, progressMs: 0, endOfStreamMs: null };

test('it begins with the microphone being opened and nothing else known', () => {
	const socket = { ...plan, route: 'websocket' } as const;
	expect(beginRun(socket, 3, 5000)).toEqual({
		plan: socket,
		wanted: null,
		change: 'none',
		paused: false,
		asleep: false,
		microphone: { is: 'opening', id: 3, sinceMs: 5000 },
		voiceActive: false,
		progressMs: 5000,
		liveSinceMs: null,
		interpretedMs: 0,
		countingSinceMs: null,
		takenMs: null,
		givenUp: null,
		outage: null,
		route: 'websocket',
		switched: null,
		connectingMs: null,
	});
});

test('every stage has one, but idle and failed', () => {
	expect(runOf({ name: 'idle' })).toBeNull();
	expect(runOf({ name: 'failed', problem: lost })).toBeNull();
	expect(runOf({ name: 'resting', run })).toBe(run);
	expect(runOf({ name: 'ending', run, link: aLink(), ...ending })).toBe(run);
});

test('the plan is replaced only where the service refused it', () => {
	expect(withPlan(run, {})).toBe(run);
	expect(withPlan(run, { plan: other })).toEqual({ ...run, plan: other });
});

test('interpreted time is counted from each beginning to each end', () => {
	const begun = count(run, true, 5000);
	expect(begun).toEqual({ ...run, countingSinceMs: 5000 });
	const ended = count(begun, false, 7000);
	expect(ended).toEqual({ ...run, interpretedMs: 2000 });
	expect(count(ended, false, 9000)).toEqual(ended);
	expect(count(count(ended, true, 10_000), true, 11_000)).toMatchObject({
		interpretedMs: 3000,
		countingSinceMs: 11_000,
	});
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

test('it ends with the microphone first, then the rest', () => {
	const state = stateOf({ name: 'resting', run });
	const effects = [closeMicrophone, ...released];
	expect(rest(state, ...released)).toEqual({ state: stateOf({ name: 'idle' }), effects });
	expect(fail(state, lost, ...released)).toEqual({
		state: stateOf({ name: 'failed', problem: lost }),
		effects,
	});
});

describe('the microphone', () => {
	const state = stateOf({ name: 'resting', run });
	const off = (problem: Problem) => ({ run: aRun(noMicrophone), opened: false, problem });

	it('is opened again only where it is off', () => {
		const again = { microphone: { is: 'opening', id: 8, sinceMs: 5000 } } as const;
		expect(reopenMicrophone(state, aRun(noMicrophone), 5000)).toEqual({
			state: { ...state, serial: 8 },
			run: aRun(again),
			effects: [{ do: 'open-microphone', id: 8 }],
		});
		for (const as of [run, opening])
			expect(reopenMicrophone(state, as, 5000)).toEqual({ state, run: as, effects: [] });
	});

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

	it.each<Event>([
		tick,
		{ type: 'microphone-opened', id: 3 },
		{ type: 'microphone-failed', id: 3, problem: gone },
	])('that is there is not asked for: %o', (event) => {
		expect(stepMicrophone(run, event, 99_000)).toBeNull();
	});
});

test('an outage goes on, or a new one begins', () => {
	expect(nextOutage(run, 'x', 5000)).toEqual({ sinceMs: 5000, tries: 1, cause: 'x' });
	expect(nextOutage(aRun({ outage: { sinceMs: 3000, tries: 2, cause: 'y' } }), 'x', 5000)).toEqual({
		sinceMs: 3000,
		tries: 3,
		cause: 'x',
	});
});

test('an answer is awaited while a session is asked for', () => {
	expect(awaitedSession({ at: 'session', id: 7, sinceMs: 0 })).toBe(7);
	expect(awaitedSession({ at: 'link', id: 7, handle: 'session-7', sinceMs: 0 })).toBeNull();
});
