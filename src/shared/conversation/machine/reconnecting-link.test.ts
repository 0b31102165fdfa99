import { describe, expect, it, test } from 'vitest';
import { confirmTask, verifyTask } from '#shared/conversation/readiness.ts';
import {
	aLink,
	aRun,
	closeMicrophone,
	currentTask,
	error,
	generous,
	getTask,
	linkDown,
	message,
	noMicrophone,
	onSocket,
	other,
	packets,
	pauseTask,
	plan,
	released,
	running,
	send,
	setTaskOf,
	stateOf,
	status,
	tick,
} from '#test/support/machine-parts.ts';
import type { Event } from './events.ts';
import { stepReconnecting } from './reconnecting.ts';
import type { OpenLink, Outage, Reconnecting, Recovery, Run } from './state.ts';

/* What becomes of a link that is restored since 5000, and of its task. */

const outage = { sinceMs: 5000, tries: 1, cause: 'x' };
const run = aRun({ outage });
const { outbox } = aLink();
const asked = aLink({ outbox: { ...outbox, taskMs: 6000 } });

type Restoring = Recovery & { by: 'restoring' };
type Checking = Recovery & { by: 'checking' };
const restoring: Restoring = {
	by: 'restoring',
	link: aLink(),
	sinceMs: 5000,
	received: null,
	heardMs: 5000,
	path: null,
	refusals: 0,
	quietLooks: 0,
};
/** Found cut by us: the transport knows nothing of it. */
const cut: Restoring = { ...restoring, received: 20, path: 3 };
const checking: Checking = {
	by: 'checking',
	link: aLink(),
	readiness: verifyTask(5000).readiness,
	way: 'new',
};

const stageOf = (how: Recovery, as: Run = run): Reconnecting => ({
	name: 'reconnecting',
	run: as,
	outage,
	how,
});
const step = (how: Recovery, event: Event, nowMs = 6000, as: Run = run) =>
	stepReconnecting(stateOf(stageOf(how, as)), stageOf(how, as), event, { nowMs, random: 0.5 });
const still = (how: Recovery, as: Run = run) => ({ state: stateOf(stageOf(how, as)), effects: [] });
/** A new one is waited for, with half of the back-off as its jitter. */
const lostFor = (cause: string, nowMs: number) => {
	const since: Outage = { sinceMs: 5000, tries: 2, cause };
	return {
		state: stateOf({
			name: 'reconnecting',
			run: aRun({ outage: since, givenUp: 'session-7' }),
			outage: since,
			how: { by: 'waiting', untilMs: nowMs + 250 },
		}),
		effects: released,
	};
};
const checks = (way: 'new' | 'old', link: OpenLink = asked) => ({
	...still({ by: 'checking', link, readiness: verifyTask(6000, way).readiness, way }),
	effects: [send(getTask)],
});

describe('a link that is restored', () => {
	it('is asked for its task when it is up', () => {
		expect(step(restoring, { type: 'link-up', id: 7 })).toEqual(checks('new'));
		expect(step(cut, { type: 'link-up', id: 7 })).toEqual(checks('new'));
	});

	it('is given its task at once where it is a fresh socket', () => {
		const socket = { ...restoring, link: aLink({ route: 'websocket' }) };
		const as = aRun({ ...onSocket, outage });
		const { state, effects } = step(socket, { type: 'link-up', id: 7 }, 6000, as);
		expect(effects).toEqual([send({ message_type: 'set_task', data: plan.socketTask })]);
		const { readiness } = confirmTask(6000);
		expect(state.stage).toMatchObject({ how: { by: 'checking', readiness, way: 'new' } });
	});

	it('is live at once, and its task paused, where nothing is to be interpreted', () => {
		const paused = aRun({ ...noMicrophone, outage, paused: true });
		const { state, effects } = step(restoring, { type: 'link-up', id: 7 }, 6000, paused);
		expect(state.stage).toMatchObject({ name: 'live', work: { is: 'pausing' }, run: { paused: true } });
		expect(effects).toEqual([send(pauseTask)]);
	});

	it('is given up when it is down', () => {
		expect(step(restoring, linkDown(7))).toEqual(lostFor('connection-lost', 6000));
	});

	it('is the end where another would end in the same way', () => {
		const problem = { kind: 'connection-lost', reason: 'closed 1002', final: true } as const;
		expect(step(restoring, linkDown(7, problem))).toEqual({
			state: stateOf({ name: 'failed', problem }),
			effects: [closeMicrophone, ...released],
		});
	});

	it.each([
		['a room that is quiet for 10 s', restoring, run, 15_000],
		['a room 20 s after it was lost', { ...restoring, heardMs: 24_000 }, run, 25_000],
	] as const)('is given up in time, and not a ms before: %s', (_what, how, as, dueMs) => {
		expect(step(how, tick, dueMs - 1, as)).toEqual(still(how, as));
		expect(step(how, tick, dueMs, as)).toEqual(lostFor('connection-lost', dueMs));
	});

	it('is given up for the cause of its outage', () => {
		const tired = aRun({ outage: { ...outage, sinceMs: -890_000 } });
		const { state } = step(restoring, tick, 24_000, tired);
		const problem = { kind: 'connection-lost', reason: 'x' };
		expect(state.stage).toEqual({ name: 'failed', problem });
	});

	it('is left to the transport when that knows of it', () => {
		expect(step(cut, { type: 'link-restoring', id: 7, cause: 'y' })).toEqual(still({ ...cut, path: null }));
	});

	it('is heard by any message', () => {
		const link = aLink({ acknowledges: true });
		expect(step(restoring, message(running))).toEqual(still({ ...restoring, link, heardMs: 6000 }));
	});

	it('that was only cut is asked for its task by any message', () => {
		const link = { ...asked, acknowledges: true };
		expect(step(cut, message(running))).toEqual(checks('old', link));
	});
});

describe('packets while it is restored', () => {
	const counted = (how: Restoring, received: number) => step(how, packets(0, received));
	const known = { ...restoring, received: 20, quietLooks: 2 };

	it.each<[string, Restoring, number, Partial<Restoring>]>([
		['the first are no news', { ...restoring, quietLooks: 2 }, 20, { received: 20, quietLooks: 0 }],
		['more are a sign of life', known, 21, { received: 21, heardMs: 6000, quietLooks: 0 }],
		['as many are a look more without one', known, 20, { quietLooks: 3 }],
		['a reading that failed is one, too', known, 0, { quietLooks: 3 }],
	])('%s', (_what, how, received, over) => {
		expect(counted(how, received)).toEqual(still({ ...how, ...over }));
	});

	it('of a line that was cut ask for the task when there are more', () => {
		expect(counted(cut, 21)).toEqual(checks('old'));
		expect(counted(cut, 20)).toEqual(still({ ...cut, quietLooks: 1 }));
	});

	it.each([
		['one more is a way back', 4, checks('old')],
		['as many are not', 3, still({ ...cut, quietLooks: 1 })],
		['fewer are those of another way', 1, still({ ...cut, path: 1, quietLooks: 1 })],
	])('of answers of the path, %s', (_what, answers, next) => {
		const event: Event = { type: 'packets', id: 7, sent: 0, received: 20, answers };
		expect(step(cut, event)).toEqual(next);
	});
});

describe('a task that is asked for', () => {
	it('is set again where it is gone or paused', () => {
		const next = step(checking, message(currentTask('paused')));
		const readiness = { ...checking.readiness, giveUpMs: 20_000, sends: 1, pollMs: 8100 };
		expect(next).toEqual({
			...still({ ...checking, link: asked, readiness }),
			effects: [setTaskOf(plan)],
		});
	});

	it('is asked for again every 2.1 s', () => {
		expect(step(checking, tick, 7099)).toEqual(still(checking));
		expect(step(checking, tick, 7100)).toEqual({
			...still({
				...checking,
				link: aLink({ outbox: { ...outbox, taskMs: 7100 } }),
				readiness: { ...checking.readiness, pollMs: 9200 },
			}),
			effects: [send(getTask)],
		});
	});

	it('that the limits held back is due from when it leaves', () => {
		const task = { message_type: 'set_task', data: plan.task } as const;
		const waiting = { ...checking, link: aLink({ outbox: { ...outbox, waiting: [task], taskMs: 4000 } }) };
		const left = aLink({ outbox: { ...outbox, taskMs: 6100 } });
		expect(step(waiting, tick, 6099)).toEqual(still(waiting));
		expect(step(waiting, tick, 6100)).toEqual({
			...still({ ...checking, link: left, readiness: { ...checking.readiness, pollMs: 8200 } }),
			effects: [setTaskOf(plan)],
		});
		const question = {
			...checking,
			link: aLink({ outbox: { ...outbox, waiting: [getTask], taskMs: 4000 } }),
		};
		expect(step(question, tick, 6100)).toEqual({
			...still({ ...checking, link: left }),
			effects: [send(getTask)],
		});
	});

	it.each([
		['6.3 s', 'new', 6300, 'interpreter-silent'],
		['10.5 s, where the line was cut', 'old', 10_500, 'connection-lost'],
	] as const)('is given up after %s, and not a ms before', (_limit, way, limitMs, cause) => {
		const how = { ...checking, readiness: verifyTask(5000, way).readiness, way };
		expect(step(how, tick, 4999 + limitMs).state.stage).toMatchObject({ how: { by: 'checking' } });
		expect(step(how, tick, 5000 + limitMs)).toEqual(lostFor(cause, 5000 + limitMs));
	});

	it('that the service ended is given up, and its silence said', () => {
		const tired = aRun({ outage: { ...outage, tries: 2 } });
		const { state, effects } = step(checking, message(error('SERVICE_TIMEOUT')), 6000, tired);
		const problem = { kind: 'interpreter-silent', afterMs: 1000 };
		expect(state.stage).toEqual({ name: 'failed', problem });
		expect(effects).toEqual([closeMicrophone, ...released]);
	});

	it('that is refused is the end', () => {
		const problem = { kind: 'task-refused', field: 'a.b', detail: 'why' } as const;
		expect(step(checking, message(error('VALIDATION_ERROR')))).toEqual({
			state: stateOf({ name: 'failed', problem }),
			effects: [closeMicrophone, ...released],
		});
	});

	it('that is refused in part is asked for without that', () => {
		const next = step(checking, message(error('VALIDATION_ERROR')), 6000, aRun({ outage, plan: generous }));
		const how = { ...checking, link: asked, readiness: confirmTask(6000).readiness };
		expect(next).toEqual({
			...still(how, aRun({ outage, plan: other })),
			effects: [setTaskOf(other), { do: 'notify', notice: { kind: 'asked-without', plan: other } }],
		});
	});

	it('is given up with its link, or waits for it again', () => {
		expect(step(checking, linkDown(7))).toEqual(lostFor('connection-lost', 6000));
		expect(step(checking, { type: 'link-restoring', id: 7, cause: 'y' })).toEqual(
			still({ ...restoring, sinceMs: 6000, heardMs: 6000 }),
		);
	});

	it('learns what its link can do', () => {
		const readiness = { ...checking.readiness, giveUpMs: 20_000 };
		expect(step(checking, message(status('pause_task', 'paused')))).toEqual(
			still({ ...checking, link: aLink({ acknowledges: true }), readiness }),
		);
	});
});

test.each<[string, Event]>([
	['the message of another link', message(running, 6)],
	['the end of another link', linkDown(6)],
	['another link that is up', { type: 'link-up', id: 6 }],
	['what was skipped', { type: 'catch-up' }],
	['that it wants to be left', { type: 'link-leaving', id: 7 }],
	['that its session ends soon', { type: 'session-expiring', handle: 'session-7', leftMs: 1 }],
])('%s changes nothing, however late', (_what, event) => {
	for (const how of [restoring, cut, checking]) expect(step(how, event, 99_000)).toEqual(still(how));
});
