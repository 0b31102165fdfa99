import { describe, expect, it, test } from 'vitest';
import { confirmTask } from '#shared/conversation/readiness.ts';
import type { Problem } from '#shared/problem.ts';
import {
	aLink,
	aRun,
	closeLink,
	error,
	fallingBack,
	gone,
	linkDown,
	lost,
	message,
	noMicrophone,
	onSocket,
	packets,
	plan,
	released,
	running,
	send,
	sessionLost,
	setTaskOf,
	tick,
} from '#test/support/machine-parts.ts';
import { attemptDueMs, beginAttempt, dropAttempt, feedAttempt, stepAttempt } from './attempt.ts';
import type { Event } from './events.ts';
import type { Attempt, Run } from './state.ts';

const session = { at: 'session', id: 7, sinceMs: 5000 } as const;
const held = { at: 'held', id: 7, handle: null } as const;
const link = { at: 'link', id: 7, handle: 'session-7', sinceMs: 5000 } as const;
const joined = { at: 'joined', link: aLink() } as const;
const task: Attempt = {
	at: 'task',
	link: aLink(),
	readiness: confirmTask(5000).readiness,
	confirmed: false,
	packets: false,
};

/** Goes on as it was. */
const going = (attempt: Attempt) => ({ is: 'going', attempt, effects: [] });
const openLink = { do: 'open-link', id: 7, route: 'webrtc', audio: 'microphone', keepSpeech: false };
const taskSent = {
	is: 'going',
	attempt: {
		at: 'task',
		link: aLink({ outbox: { ...aLink().outbox, taskMs: 6000 } }),
		readiness: confirmTask(6000).readiness,
		confirmed: false,
		packets: false,
	},
	effects: [setTaskOf(plan)],
};

describe('where it begins', () => {
	test('a socket is opened when the microphone is there, and not before', () => {
		expect(beginAttempt(7, 5000, aRun({ ...onSocket, ...noMicrophone }))).toEqual(going(held));
		const opened = {
			is: 'going',
			attempt: { ...link, handle: null },
			effects: [{ ...openLink, route: 'websocket' }],
		};
		expect(beginAttempt(7, 5000, aRun(onSocket))).toEqual(opened);
		expect(stepAttempt(held, tick, 5000, aRun(noMicrophone))).toEqual(going(held));
		expect(stepAttempt(held, tick, 5000, aRun(onSocket))).toEqual(opened);
	});
});

describe('what it holds', () => {
	test.each([
		['session', session, []],
		['held', held, []],
		['link', link, released],
		['joined', joined, released],
		['task', task, released],
		['a socket', { ...link, handle: null }, [closeLink]],
	] as const)('at %s is closed', (_at, attempt, effects) => {
		expect(dropAttempt(attempt)).toEqual(effects);
	});

	test.each([
		['session', session, false],
		['held', held, false],
		['link', link, true],
		['joined', joined, true],
		['task', task, true],
	] as const)('at %s is fed if there is a link', (_at, attempt, feeds) => {
		for (const audio of ['microphone', 'silence'] as const)
			expect(feedAttempt(attempt, audio)).toEqual(feeds ? [{ do: 'feed-link', id: 7, audio }] : []);
	});
});

describe('when time is up', () => {
	const waited: Run = aRun({ plan: fallingBack, connectingMs: 3000 });

	test('what waits for the microphone has no limit of its own', () => {
		expect([attemptDueMs(held, aRun()), attemptDueMs(joined, waited)]).toEqual([Infinity, Infinity]);
	});

	test('a task is asked for first, then its own limits count', () => {
		expect(attemptDueMs(task, aRun())).toBe(7100);
		expect(attemptDueMs({ ...task, packets: true }, { ...waited, connectingMs: -4000 })).toBe(7100);
		expect(attemptDueMs(task, { ...waited, connectingMs: -4000 })).toBe(6000);
		expect(attemptDueMs({ ...task, confirmed: true }, aRun())).toBe(25_000);
		expect(attemptDueMs({ ...task, confirmed: true }, waited)).toBe(13_000);
	});
});

describe('while the session is opened', () => {
	const run = aRun();
	const opened = (id: number): Event => ({ type: 'session-opened', id, handle: 'session-7' });

	it('joins its room at once, with the microphone if that is there', () => {
		expect(stepAttempt(session, opened(7), 6000, run)).toEqual({
			is: 'going',
			attempt: { ...link, sinceMs: 6000 },
			effects: [openLink],
		});
		expect(stepAttempt(session, opened(7), 6000, aRun(noMicrophone)).effects).toEqual([
			{ ...openLink, audio: 'nothing' },
		]);
	});

	it('fails as the session did, and no other is asked for', () => {
		const problem: Problem = { kind: 'unexpected-answer', what: 'x' };
		expect(stepAttempt(session, { type: 'session-failed', id: 7, problem }, 6000, run)).toEqual({
			is: 'failed',
			problem,
			renewable: false,
			byRoute: false,
			effects: [],
		});
	});

	it('is given up after 30 s, and not a ms before', () => {
		expect(stepAttempt(session, tick, 34_999, run)).toEqual(going(session));
		expect(stepAttempt(session, tick, 35_000, run)).toEqual({
			is: 'failed',
			problem: { kind: 'timed-out', what: 'session', afterMs: 30_000 },
			renewable: false,
			byRoute: false,
			effects: [],
		});
	});

	it.each<[string, Event]>([
		['another session', opened(6)],
		['another failure', { type: 'session-failed', id: 6, problem: gone }],
		['a link of the same number', { type: 'link-opened', id: 7 }],
		['what is no tick, however late', { type: 'link-failed', id: 7, problem: gone }],
	])('ignores %s', (_what, event) => {
		expect(stepAttempt(session, event, 99_000, run)).toEqual(going(session));
	});
});

describe('while the room is joined', () => {
	const run = aRun();
	const failing = (problem: Problem, renewable: boolean, byRoute: boolean) => ({
		is: 'failed',
		problem,
		renewable,
		byRoute,
		effects: released,
	});

	it('sends the task when it is in, and says that it is', () => {
		const reported = { do: 'report-joined', handle: 'session-7' };
		expect(stepAttempt(link, { type: 'link-opened', id: 7 }, 6000, run)).toEqual({
			...taskSent,
			effects: [reported, ...taskSent.effects],
		});
		expect(stepAttempt(link, { type: 'link-opened', id: 7 }, 6000, aRun(noMicrophone))).toEqual({
			...going(joined),
			effects: [reported],
		});
	});

	it('reports no session of a socket, whose task is its own', () => {
		const step = stepAttempt({ ...link, handle: null }, { type: 'link-opened', id: 7 }, 6000, aRun(onSocket));
		expect(step.effects).toEqual([send({ message_type: 'set_task', data: plan.socketTask })]);
		expect(step).toMatchObject({ attempt: { link: { route: 'websocket', handle: null } } });
	});

	it('asks for another session when this one is taken', () => {
		expect(stepAttempt(link, sessionLost('session-7'), 6000, run)).toEqual(failing(gone, true, false));
	});

	it('is given up after 16 s, and not a ms before', () => {
		expect(stepAttempt(link, tick, 20_999, run)).toEqual(going(link));
		expect(stepAttempt(link, tick, 21_000, run)).toEqual(
			failing({ kind: 'timed-out', what: 'room', afterMs: 16_000 }, false, true),
		);
		const waited = aRun({ plan: fallingBack, connectingMs: 3000 });
		expect(stepAttempt(link, tick, 12_999, waited)).toEqual(going(link));
		expect(stepAttempt(link, tick, 13_000, waited)).toMatchObject({
			problem: { kind: 'timed-out', afterMs: 8000 },
		});
	});

	it.each<[string, Event]>([
		['another link', { type: 'link-opened', id: 6 }],
		['the failure of another link', { type: 'link-failed', id: 6, problem: lost }],
		['the end of another link', linkDown(6)],
		['the end of another session', sessionLost('session-6')],
		['what concerns no link', { type: 'network-back' }],
		['a message', message(running)],
		['that its session ends soon', { type: 'session-expiring', handle: 'session-7', leftMs: 1 }],
	])('ignores %s', (_what, event) => {
		expect(stepAttempt(link, event, 99_000, run)).toEqual(going(link));
	});
});

describe('in the room without the microphone', () => {
	const run = aRun(noMicrophone);

	it('asks for another session when its own is taken or its link ends, unless another window has it', () => {
		const ended = { is: 'failed', renewable: true, effects: released };
		expect(stepAttempt(joined, sessionLost('session-7'), 6000, run)).toEqual({
			...ended,
			problem: gone,
			byRoute: false,
		});
		expect(stepAttempt(joined, linkDown(7), 6000, run)).toEqual({ ...ended, problem: lost, byRoute: true });
		expect(stepAttempt(joined, linkDown(7, { kind: 'opened-elsewhere' }), 6000, run)).toMatchObject({
			is: 'failed',
			renewable: false,
			byRoute: false,
		});
	});

	it('learns from messages what its link can do', () => {
		expect(stepAttempt(joined, message(running), 6000, run)).toEqual(
			going({ ...joined, link: aLink({ acknowledges: true }) }),
		);
		const { outbox } = aLink();
		expect(stepAttempt(joined, message(error('RATE_LIMIT_EXCEEDED')), 6000, run)).toEqual(
			going({ ...joined, link: aLink({ outbox: { ...outbox, taskMs: 6000, controlMs: 6000 } }) }),
		);
	});

	it.each<[string, Event]>([
		['the message of another link', message(running, 6)],
		['the end of another link', linkDown(6)],
		['the end of another session', sessionLost('session-6')],
		['what is counted', packets(50)],
	])('ignores %s', (_what, event) => {
		expect(stepAttempt(joined, event, 6000, run)).toEqual(going(joined));
	});
});
