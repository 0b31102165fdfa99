import { describe, expect, it, test } from 'vitest';
import { confirmTask } from '#shared/conversation/readiness.ts';
import {
	aLink,
	aRun,
	currentTask,
	error,
	fallingBack,
	getTask,
	gone,
	linkDown,
	lost,
	message,
	packets,
	plan,
	released,
	running,
	send,
	sessionLost,
	setTaskOf,
	tick,
} from '#test/support/machine-parts.ts';
import { stepAttempt, taskWhenReady } from './attempt.ts';
import type { Event } from './events.ts';
import type { Attempt } from './state.ts';

/* An attempt whose task was sent at 5000. */

const { readiness } = confirmTask(5000);
const { outbox } = aLink();
const sentAt = (taskMs: number) => ({ ...outbox, taskMs });
const link = aLink({ outbox: sentAt(5000) });
const sent = { at: 'task', link, readiness, confirmed: false, packets: false } as const;
const confirmed = { ...sent, confirmed: true };
const run = aRun();

const going = (attempt: Attempt) => ({ is: 'going', attempt, effects: [] });
const whenTold = (attempt: Attempt, ...events: readonly Event[]) =>
	events.reduce<ReturnType<typeof stepAttempt>>(
		(step, event) => (step.is === 'going' ? stepAttempt(step.attempt, event, 6000, run) : step),
		{ is: 'going', attempt, effects: [] },
	);

test('this computer gets a minute to load its models, and for its first packet after that', () => {
	const hereRun = aRun({ plan: { ...plan, isHere: true }, microphone: { is: 'on' } });
	const begun = taskWhenReady(aLink(), 5000, hereRun);
	if (begun.is !== 'going') throw new Error(begun.is);
	const at = (attempt: Attempt, nowMs: number) => stepAttempt(attempt, { type: 'tick' }, nowMs, hereRun).is;
	expect([at(begun.attempt, 64_999), at(begun.attempt, 65_000)]).toEqual(['going', 'failed']);
	const ready = stepAttempt(begun.attempt, message(currentTask('running')), 40_000, hereRun);
	if (ready.is !== 'going') throw new Error(ready.is);
	expect([at(ready.attempt, 64_999), at(ready.attempt, 65_000)]).toEqual(['going', 'failed']);
});

describe('up', () => {
	test('not by packets that are counted as none, before or after one', () => {
		expect(whenTold(confirmed, packets(0))).toEqual(going(confirmed));
		expect(whenTold(sent, packets(1), packets(0))).toEqual(going({ ...sent, packets: true }));
	});
});

describe('given up', () => {
	const failing = (problem: object, renewable: boolean, byRoute: boolean) => ({
		is: 'failed',
		problem,
		renewable,
		byRoute,
		effects: released,
	});
	const noAudio = { kind: 'room-unreachable', reason: 'no audio leaves' };

	test('for another session, when its own is taken or its link ends', () => {
		expect(whenTold(sent, sessionLost('session-7'))).toEqual(failing(gone, true, false));
		expect(whenTold(sent, linkDown(7))).toEqual(failing(lost, true, true));
	});

	test('for good, when another window has it', () => {
		const problem = { kind: 'opened-elsewhere' } as const;
		expect(whenTold(sent, linkDown(7, problem))).toEqual(failing(problem, false, false));
	});

	test('for a socket, when no packet leaves for 10 s', () => {
		const waited = aRun({ plan: fallingBack, connectingMs: -3000 });
		expect(stepAttempt(sent, tick, 6999, waited)).toEqual(going(sent));
		expect(stepAttempt(sent, tick, 7000, waited)).toEqual(failing(noAudio, false, true));
		const leaving = { ...sent, packets: true };
		expect(stepAttempt(leaving, tick, 7000, waited)).toEqual(going(leaving));
		expect(stepAttempt(sent, tick, 7000, { ...waited, route: 'websocket' })).toEqual(going(sent));
	});

	test('when the task is not confirmed within 20 s, and not a ms before', () => {
		expect(stepAttempt(sent, tick, 24_999, run)).toMatchObject({ is: 'going' });
		expect(stepAttempt(sent, tick, 25_000, run)).toEqual(
			failing({ kind: 'interpreter-silent', afterMs: 20_000 }, true, true),
		);
	});

	test('when no packet left 20 s after the task, and not a ms before', () => {
		expect(stepAttempt(confirmed, tick, 24_999, run)).toEqual(going(confirmed));
		expect(stepAttempt(confirmed, tick, 25_000, run)).toEqual(failing(noAudio, true, true));
	});

	test('when the service refuses the task, and nothing less will do', () => {
		const problem = { kind: 'task-refused', field: 'a.b', detail: 'why' };
		expect(whenTold(sent, message(error('VALIDATION_ERROR')))).toEqual(failing(problem, false, false));
	});
});

describe('asked again', () => {
	test('2.1 s after it was sent, and every 2.1 s from then on', () => {
		expect(stepAttempt(sent, tick, 7099, run)).toEqual(going(sent));
		expect(stepAttempt(sent, tick, 7100, run)).toEqual({
			...going({ ...sent, link: aLink({ outbox: sentAt(7100) }), readiness: { ...readiness, pollMs: 9200 } }),
			effects: [send(getTask)],
		});
	});

	test('and after 10 s it is said what is awaited, once', () => {
		const step = stepAttempt({ ...sent, readiness: { ...readiness, pollMs: 16_000 } }, tick, 15_000, run);
		const told = { ...readiness, pollMs: 16_000, told: true };
		const problem = { kind: 'interpreter-silent', afterMs: 10_000 };
		expect(step).toEqual({
			...going({ ...sent, readiness: told }),
			effects: [{ do: 'notify', notice: { kind: 'problem', problem } }],
		});
		expect(stepAttempt({ ...sent, readiness: told }, tick, 15_001, run).effects).toEqual([]);
	});

	test('with the whole task, when the service has none', () => {
		const ready = { ...sent, link: aLink() };
		expect(stepAttempt(ready, message(currentTask('paused')), 6000, run)).toEqual({
			...going({
				...sent,
				link: aLink({ outbox: sentAt(6000) }),
				readiness: { ...readiness, sends: 2, pollMs: 8100 },
			}),
			effects: [setTaskOf(plan)],
		});
	});
});

describe('ignored', () => {
	it.each<[string, Event]>([
		['the message of another link', message(running, 6)],
		['the packets of another link', packets(50, 0, 6)],
		['the end of another link', linkDown(6)],
		['the end of another session', sessionLost('session-6')],
		['what concerns no link', { type: 'network-back' }],
		['that it is restored', { type: 'link-restoring', id: 7, cause: 'x' }],
	])('%s', (_what, event) => {
		expect(stepAttempt(sent, event, 99_000, run)).toEqual(going(sent));
		expect(stepAttempt(confirmed, event, 99_000, run)).toEqual(going(confirmed));
	});

	test('what is said of the task after it was confirmed', () => {
		for (const code of ['VALIDATION_ERROR', 'SERVICE_TIMEOUT'])
			expect(whenTold(confirmed, message(error(code)))).toEqual(going(confirmed));
		expect(whenTold({ ...confirmed, link: aLink() }, message(currentTask('paused'))).effects).toEqual([]);
	});
});
