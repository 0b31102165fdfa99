import { describe, expect, it, test } from 'vitest';
import { confirmTask } from '#shared/conversation/readiness.ts';
import type { Problem } from '#shared/problem.ts';
import {
	aLink,
	aRun,
	aSocket,
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
import {
	attemptDueMs,
	BY_ROUTE,
	beginAttempt,
	dropAttempt,
	feedAttempt,
	stepAttempt,
	taskWhenReady,
} from './attempt.ts';
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
	test('a room needs a session', () => {
		expect(beginAttempt(7, 5000, aRun())).toEqual({
			attempt: session,
			effects: [{ do: 'open-session', id: 7 }],
		});
	});

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

	test('what is said is kept for a conversation that was live before', () => {
		expect(beginAttempt(7, 5000, aRun({ ...onSocket, liveSinceMs: 1 })).effects).toEqual([
			{ ...openLink, route: 'websocket', keepSpeech: true },
		]);
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

	test('a session has half a minute', () => {
		expect(attemptDueMs(session, aRun())).toBe(35_000);
	});

	test('what waits for the microphone has no limit of its own', () => {
		expect([attemptDueMs(held, aRun()), attemptDueMs(joined, waited)]).toEqual([Infinity, Infinity]);
	});

	test.each([
		['16 s', aRun(), 21_000],
		['10 s of all sessions, where there is a socket to go to', waited, 13_000],
		['16 s, where nothing was waited for yet', { ...waited, connectingMs: null }, 21_000],
		['16 s, where there is no socket', { ...waited, plan }, 21_000],
		['16 s, where it is the socket', { ...waited, ...onSocket }, 21_000],
		['16 s, where the session was opened early', { ...waited, connectingMs: 12_000 }, 21_000],
	] as const)('a room is to be joined within %s', (_limit, run, dueMs) => {
		expect(attemptDueMs(link, run)).toBe(dueMs);
	});

	test('a task is asked for first, then its own limits count', () => {
		expect(attemptDueMs(task, aRun())).toBe(7100);
		expect(attemptDueMs({ ...task, packets: true }, { ...waited, connectingMs: -4000 })).toBe(7100);
		expect(attemptDueMs(task, { ...waited, connectingMs: -4000 })).toBe(6000);
		expect(attemptDueMs({ ...task, confirmed: true }, aRun())).toBe(25_000);
		expect(attemptDueMs({ ...task, confirmed: true }, waited)).toBe(13_000);
	});

	test('a command that waits for its turn is sent when that comes', () => {
		const waiting = [{ message_type: 'get_task', data: {} }] as const;
		const outbox = { ...aLink().outbox, waiting, taskMs: 4500 };
		expect(attemptDueMs({ ...task, link: aLink({ outbox }) }, aRun())).toBe(6600);
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

	it.each<[Problem, boolean]>([
		[{ kind: 'room-refused', reason: 'x' }, true],
		[gone, true],
		[{ kind: 'room-unreachable', reason: 'x' }, false],
		[lost, false],
		[{ kind: 'opened-elsewhere' }, false],
	])('that fails with %o asks for another session: %s', (problem, renewable) => {
		const step = failing(problem, renewable, BY_ROUTE.has(problem.kind));
		expect(stepAttempt(link, { type: 'link-failed', id: 7, problem }, 6000, run)).toEqual(step);
		expect(stepAttempt(link, linkDown(7, problem), 6000, run)).toEqual(step);
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

test.each<[Problem['kind'], boolean]>([
	['room-refused', true],
	['room-unreachable', true],
	['connection-lost', true],
	['interpreter-silent', true],
	['address-refused', true],
	['port-refused', true],
	['timed-out', true],
	['unexpected-answer', true],
	['session-lost', false],
	['opened-elsewhere', false],
	['task-refused', false],
	['session-limit', false],
])('another way may mend %s: %s', (kind, mends) => {
	const event: Event = { type: 'link-failed', id: 7, problem: { kind } as Problem };
	expect(stepAttempt(link, event, 6000, aRun())).toMatchObject({ is: 'failed', byRoute: mends });
});

describe('in the room without the microphone', () => {
	const run = aRun(noMicrophone);

	it('sends the task when the microphone is there', () => {
		expect(stepAttempt(joined, tick, 6000, run)).toEqual(going(joined));
		expect(stepAttempt(joined, tick, 6000, aRun())).toEqual(taskSent);
	});

	it('is up without a task when nothing is to be interpreted', () => {
		const paused = aRun({ ...noMicrophone, paused: true });
		const up = { is: 'up', link: aLink(), tasked: false, effects: [] };
		expect(stepAttempt(joined, tick, 6000, paused)).toEqual(up);
		expect(taskWhenReady(aSocket, 6000, { ...paused, microphone: { is: 'on' } })).toEqual({
			...up,
			link: aSocket,
		});
	});

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
