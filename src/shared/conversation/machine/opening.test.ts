import { describe, expect, it, test } from 'vitest';
import { beginOpening, openingDueMs, stepOpening } from '#shared/conversation/machine.ts';
import { confirmTask } from '#shared/conversation/readiness.ts';
import type { Problem } from '#shared/problem.ts';
import {
	aLink,
	aRun,
	closeMicrophone,
	fallingBack,
	gone,
	linkDown,
	lost,
	onSocket,
	other,
	plan,
	released,
	setTaskOf,
	stateOf,
	tick,
} from '#test/support/machine-parts.ts';
import type { Event, Plan } from './events.ts';
import type { Attempt, Opening, Run } from './state.ts';

const asking = { is: 'opening', id: 6, sinceMs: 5000 } as const;
const session = { at: 'session', id: 7, sinceMs: 5000 } as const;
const link = { at: 'link', id: 7, handle: 'session-7', sinceMs: 5000 } as const;
const task = {
	at: 'task',
	link: aLink(),
	readiness: confirmTask(5000).readiness,
	confirmed: false,
	packets: false,
} as const;
const opening = (attempt: Attempt, run: Run = aRun(), renewals = 0): Opening => ({
	name: 'opening',
	run,
	attempt,
	renewals,
});
const step = (stage: Opening, event: Event, nowMs = 6000) =>
	stepOpening(stateOf(stage), stage, event, { nowMs, random: 0.5 });
const still = (stage: Opening) => ({ state: stateOf(stage), effects: [] });
const failed = (problem: Problem, ...effects: readonly object[]) => ({
	state: stateOf({ name: 'failed', problem }),
	effects: [closeMicrophone, ...effects],
});

describe('it begins', () => {
	const before = { ...stateOf({ name: 'idle' }), serial: 5 };
	const run = (begun: Plan) =>
		aRun({ plan: begun, route: begun.route, microphone: asking, progressMs: 5000 });

	it('with the microphone and a session, neither of which waits for the other', () => {
		expect(beginOpening(before, plan, 5000)).toEqual({
			state: stateOf(opening(session, run(plan))),
			effects: [
				{ do: 'open-microphone', id: 6 },
				{ do: 'open-session', id: 7 },
			],
		});
	});

	it('with the microphone alone where it goes by a socket', () => {
		const socket: Plan = { ...plan, route: 'websocket' };
		expect(beginOpening(before, socket, 5000)).toEqual({
			state: stateOf(opening({ at: 'held', id: 7, handle: null }, run(socket))),
			effects: [{ do: 'open-microphone', id: 6 }],
		});
	});
});

test.each<Event>([{ type: 'stop' }, { type: 'stop-now' }, { type: 'suspend' }, { type: 'woke', sleptMs: 1 }])(
	'$type closes everything',
	(event) => {
		const effects = [closeMicrophone, ...released];
		expect(step(opening(link), event)).toEqual({ state: stateOf({ name: 'idle' }), effects });
	},
);

describe('a change', () => {
	const change: Event = { type: 'change', plan: other };

	it('replaces the plan until the task is sent', () => {
		expect(step(opening(session), change)).toEqual(still(opening(session, aRun({ plan: other }))));
		expect(step(opening(link), change)).toEqual(still(opening(link, aRun({ plan: other }))));
	});

	it('waits for live when the task was sent', () => {
		const wanting = aRun({ wanted: other, change: 'waiting' });
		expect(step(opening(task), change)).toEqual(still(opening(task, wanting)));
	});
});

describe('the microphone', () => {
	const waiting = aRun({ microphone: asking });

	it('is put on the link when it comes', () => {
		const on = step(opening(link, waiting), { type: 'microphone-opened', id: 6 });
		expect(on).toEqual({
			state: stateOf(opening(link, aRun({ connectingMs: 5000 }))),
			effects: [{ do: 'feed-link', id: 7, audio: 'microphone' }],
		});
		const joined = { at: 'joined', link: aLink() } as const;
		const started = step(opening(joined, waiting), { type: 'microphone-opened', id: 6 });
		expect(started.effects).toEqual([{ do: 'feed-link', id: 7, audio: 'microphone' }, setTaskOf(plan)]);
	});

	it('that is not to be had ends all', () => {
		const problem: Problem = { kind: 'microphone-missing' };
		const event: Event = { type: 'microphone-failed', id: 6, problem };
		expect(step(opening(link, waiting), event)).toEqual(failed(problem, ...released));
	});

	it('has its own limit beside that of the attempt', () => {
		expect(openingDueMs(opening(session, waiting))).toBe(35_000);
		expect(openingDueMs(opening({ at: 'joined', link: aLink() }, waiting))).toBe(65_000);
	});
});

test('what every stage learns is learned here, too', () => {
	expect(step(opening(session), { type: 'voice-active', active: true })).toEqual(
		still(opening(session, aRun({ voiceActive: true, progressMs: 6000 }))),
	);
});

describe('an attempt that fails', () => {
	const mayFallBack = aRun({ plan: fallingBack, connectingMs: 5000 });
	const renewed = (attempt: Attempt, run: Run, renewals: number, ...effects: readonly object[]) => ({
		state: { ...stateOf(opening(attempt, run, renewals)), serial: 8 },
		effects: [...released, ...effects],
	});
	const another = { at: 'session', id: 8, sinceMs: 6000 } as const;
	const socket = { do: 'open-link', id: 8, route: 'websocket', audio: 'microphone', keepSpeech: false };

	it('has one more session, where another may do better, and no third one', () => {
		expect(step(opening(link), linkDown(7, gone))).toEqual(
			renewed(another, aRun(), 1, { do: 'open-session', id: 8 }),
		);
		expect(step(opening(link, aRun(), 1), linkDown(7, gone))).toEqual(failed(gone, ...released));
	});

	it('has no more where another session does no better', () => {
		expect(step(opening(link), linkDown(7))).toEqual(failed(lost, ...released));
	});

	it('goes on by a socket after the second session as well', () => {
		const refused: Problem = { kind: 'room-refused', reason: 'x' };
		const first = step(opening(link, mayFallBack), linkDown(7, refused));
		expect(first).toEqual(renewed(another, mayFallBack, 1, { do: 'open-session', id: 8 }));
		const second = step(opening(link, mayFallBack, 1), linkDown(7, refused));
		expect(second.state.stage).toMatchObject({ run: onSocket, renewals: 2 });
		expect(second.effects).toEqual([...released, socket]);
	});

	it('by neither way says what was wrong first', () => {
		const run = aRun({ ...onSocket, switched: { sinceMs: 0, cause: gone, done: false } });
		const closed = { do: 'close-link', id: 7 };
		expect(step(opening({ ...link, handle: null }, run), tick, 21_000)).toEqual(failed(gone, closed));
		expect(step(opening({ ...link, handle: null }, run), linkDown(7))).toEqual(failed(lost, closed));
	});
});
