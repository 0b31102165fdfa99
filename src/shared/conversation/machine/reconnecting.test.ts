import { describe, expect, it, test } from 'vitest';
import { confirmTask, verifyTask } from '#shared/conversation/readiness.ts';
import type { Problem } from '#shared/problem.ts';
import {
	aLink,
	aRun,
	closeMicrophone,
	fallingBack,
	gone,
	linkDown,
	lost,
	message,
	noMicrophone,
	onSocket,
	other,
	pauseTask,
	released,
	running,
	send,
	sessionLost,
	setTaskOf,
	stateOf,
	tick,
} from '#test/support/machine-parts.ts';
import type { Event } from './events.ts';
import { reconnectingDueMs, stepReconnecting } from './reconnecting.ts';
import type { Attempt, Reconnecting, Recovery, Run } from './state.ts';

/* What is done whichever way it recovers, while it waits, and while a new session is joined. */

const outage = { sinceMs: 5000, tries: 1, cause: 'x' };
const run = aRun();
const paused = aRun({ ...noMicrophone, paused: true });
const waiting = { by: 'waiting', untilMs: 8000 } as const;
const session = { at: 'session', id: 7, sinceMs: 5000 } as const;
const link = { at: 'link', id: 7, handle: 'session-7', sinceMs: 5000 } as const;
const task = {
	at: 'task',
	link: aLink(),
	readiness: confirmTask(5000).readiness,
	confirmed: true,
	packets: false,
} as const;
const joining = (attempt: Attempt): Recovery => ({
	by: 'joining',
	attempt,
});
const restoring: Recovery = {
	by: 'restoring',
	link: aLink(),
	sinceMs: 5000,
	received: null,
	heardMs: 5000,
	path: null,
	refusals: 0,
	quietLooks: 0,
};
const checking: Recovery = {
	by: 'checking',
	link: aLink(),
	readiness: verifyTask(5000).readiness,
	way: 'new',
};
const all: readonly [string, Recovery, readonly object[]][] = [
	['waiting', waiting, []],
	['a session', joining(session), []],
	['a room', joining(link), released],
	['a link', restoring, released],
	['a task', checking, released],
];

const stageOf = (how: Recovery, as: Run = run): Reconnecting => ({
	name: 'reconnecting',
	run: as,
	outage,
	how,
});
const step = (stage: Reconnecting, event: Event, nowMs = 6000) =>
	stepReconnecting(stateOf(stage), stage, event, { nowMs, random: 0.5 });
const still = (stage: Reconnecting, ...effects: readonly object[]) => ({ state: stateOf(stage), effects });
const idle = (...effects: readonly object[]) => ({
	state: stateOf({ name: 'idle' }),
	effects: [closeMicrophone, ...effects],
});
const asksAgain = (as: Run, id: number, sinceMs = 6000, since = outage) => ({
	...stateOf({
		name: 'reconnecting',
		run: as,
		outage: since,
		how: { by: 'joining', attempt: { at: 'session', id, sinceMs } },
	} as const),
	serial: id,
});
const feed = (audio: 'microphone' | 'silence') => ({ do: 'feed-link', id: 7, audio });

describe('stopped', () => {
	test.each(all)('at once, %s', (_at, how, held) => {
		expect(step(stageOf(how), { type: 'stop-now' })).toEqual(idle(...held));
	});

	test.each(all.filter(([, how]) => how.by !== 'checking'))('%s', (_at, how, held) => {
		expect(step(stageOf(how), { type: 'stop' })).toEqual(idle(...held));
	});

	test('with the tail, where the link is there again', () => {
		const endTask = { message_type: 'end_task', data: { eos_timeout: 4 } } as const;
		expect(step(stageOf(checking), { type: 'stop' })).toEqual({
			state: stateOf({
				name: 'ending',
				run: aRun(noMicrophone),
				sinceMs: 6000,
				progressMs: 6000,
				endOfStreamMs: null,
				link: aLink({ outbox: { ...aLink().outbox, controlMs: 6000 } }),
			}),
			effects: [closeMicrophone, feed('silence'), send(endTask)],
		});
	});
});

describe('given up', () => {
	test.each(all.filter(([, how]) => how.by !== 'waiting'))(
		'after a quarter of an hour, %s, and not a ms before',
		(_at, how, held) => {
			const stage = stageOf(how);
			const step1 = step(stage, tick, 905_000);
			const problem = { kind: 'connection-lost', reason: 'x' } as const;
			expect(step1).toEqual({
				state: stateOf({ name: 'failed', problem }),
				effects: [closeMicrophone, ...held],
			});
			expect(step({ ...stage, outage: { ...outage, sinceMs: 5001 } }, tick, 905_000)).not.toEqual(step1);
			expect(step(stage, { type: 'cannot-change' }, 905_000).state.stage.name).toBe('reconnecting');
		},
	);

	test.each<[string, Reconnecting, number]>([
		['the wait', stageOf(waiting), 8000],
		['the attempt', stageOf(joining(session)), 35_000],
		['the outage', { ...stageOf(joining(session)), outage: { ...outage, sinceMs: -890_000 } }, 10_000],
		[
			'the microphone',
			stageOf(
				{ ...waiting, untilMs: 99_000 },
				aRun({
					microphone: { is: 'opening', id: 3, sinceMs: 5000 },
				}),
			),
			65_000,
		],
		['a room that is quiet', stageOf(restoring), 15_000],
		['a room that was heard since', stageOf({ ...restoring, heardMs: 14_000 }), 24_000],
		['a room, although it is heard', stageOf({ ...restoring, heardMs: 24_000 }), 25_000],
		['a socket that is quiet', stageOf(restoring, aRun(onSocket)), 25_000],
		['the next question', stageOf(checking), 7100],
	])('in time: %s', (_what, stage, dueMs) => {
		expect(reconnectingDueMs(stage)).toBe(dueMs);
	});

	test('what waits for its turn is sent when that comes', () => {
		const later = aLink({ outbox: { ...aLink().outbox, waiting: [pauseTask], controlMs: 3000 } });
		expect(reconnectingDueMs(stageOf({ ...checking, link: later }))).toBe(6100);
	});
});

describe('the microphone', () => {
	const asked = aRun({ microphone: { is: 'opening', id: 3, sinceMs: 5000 } });
	const fed = (how: Recovery) => step(stageOf(how, asked), { type: 'microphone-opened', id: 3 });

	test.each<[string, Recovery, boolean]>([
		['waiting', waiting, false],
		['session', joining(session), false],
		['link', restoring, true],
		['task', checking, true],
	])('that comes is put on the link, if there is one: %s', (_at, how, feeds) => {
		expect(fed(how)).toEqual(still(stageOf(how), ...(feeds ? [feed('microphone')] : [])));
	});

	test('that is lost pauses, and it goes on without', () => {
		const problem: Problem = { kind: 'microphone-missing' };
		expect(step(stageOf(waiting), { type: 'microphone-lost', problem })).toEqual(
			still(
				stageOf(waiting, paused),
				{ do: 'notify', notice: { kind: 'problem', problem } },
				closeMicrophone,
			),
		);
	});
});

describe('paused', () => {
	const pause: Event = { type: 'pause' };

	test.each<[string, Recovery, boolean]>([
		['waiting', waiting, false],
		['a session', joining(session), false],
		['a room', joining(link), true],
		['a link', restoring, true],
	])('%s: it goes on with silence', (_at, how, feeds) => {
		const as = 'attempt' in how && how.attempt.at === 'link' ? { ...paused, connectingMs: 5000 } : paused;
		const effects = [closeMicrophone, ...(feeds ? [feed('silence')] : [])];
		expect(step(stageOf(how), pause)).toEqual(still(stageOf(how, as), ...effects));
	});

	test('where the link is there again, its task is paused as well', () => {
		const { state, effects } = step(stageOf(checking), pause);
		expect(state.stage).toMatchObject({ name: 'live', run: { paused: true }, work: { is: 'pausing' } });
		expect(effects).toEqual([closeMicrophone, feed('silence'), send(pauseTask)]);
	});

	test('what was typed and has not left is dropped', () => {
		const data = { text: 'Hello', language: 'en', translate_text: true };
		const said = [pauseTask, { message_type: 'tts_task', data } as const];
		const outbox = (kept: typeof said) => ({ outbox: { ...aLink().outbox, waiting: kept } });
		const before = { ...restoring, link: aLink(outbox(said)) };
		expect(step(stageOf(before), pause).state.stage).toEqual(
			stageOf({ ...restoring, link: aLink(outbox(said.slice(0, 1))) }, paused),
		);
	});

	test('by a sleep it is known as such, unless it was before', () => {
		const suspended = (as: Run) => step(stageOf(waiting, as), { type: 'suspend' }).state.stage;
		expect(suspended(run)).toEqual(stageOf(waiting, { ...paused, asleep: true }));
		expect(suspended(paused)).toEqual(stageOf(waiting, paused));
		expect(suspended({ ...paused, asleep: true })).toEqual(stageOf(waiting, { ...paused, asleep: true }));
	});

	test('and resumed the microphone is opened again, and it goes on', () => {
		const again = { ...run, microphone: { is: 'opening', id: 8, sinceMs: 6000 } } as const;
		expect(step(stageOf(waiting, { ...paused, asleep: true }), { type: 'resume' })).toEqual({
			state: { ...stateOf(stageOf(waiting, again)), serial: 8 },
			effects: [{ do: 'open-microphone', id: 8 }],
		});
	});
});

describe('woken', () => {
	const woke = (stage: Reconnecting, sleptMs: number) => step(stage, { type: 'woke', sleptMs });

	test('after ten minutes it rests, and not a ms before', () => {
		expect(woke(stageOf(restoring), 600_000)).toEqual({
			state: stateOf({ name: 'resting', run: paused }),
			effects: [
				closeMicrophone,
				...released,
				{ do: 'notify', notice: { kind: 'was-asleep', forMs: 600_000 } },
			],
		});
		expect(woke(stageOf(restoring), 599_999)).toMatchObject({ state: { stage: { name: 'reconnecting' } } });
	});

	test('it takes another session, whatever it held', () => {
		const since = { ...outage, sinceMs: 6000, cause: 'asleep' };
		expect(woke(stageOf(restoring), 1)).toEqual({
			state: asksAgain(run, 8, 6000, since),
			effects: [...released, { do: 'open-session', id: 8 }],
		});
	});

	test('the microphone is opened again where only the sleep had paused it', () => {
		const asleep = woke(stageOf(waiting, { ...paused, asleep: true }), 1);
		expect(asleep.effects).toEqual([
			{ do: 'open-microphone', id: 8 },
			{ do: 'open-session', id: 9 },
		]);
		expect(asleep.state.stage).toMatchObject({ run: { paused: false, asleep: false } });
		const byPerson = woke(stageOf(waiting, paused), 1);
		expect(byPerson.effects).toEqual([{ do: 'open-session', id: 8 }]);
		expect(byPerson.state.stage).toMatchObject({ run: paused });
	});
});

describe('waiting', () => {
	const known = aRun({ outage });

	it('asks again when the time has come, and not a ms before', () => {
		expect(step(stageOf(waiting, known), tick, 7999)).toEqual(still(stageOf(waiting, known)));
		const again = { state: asksAgain(known, 8, 8000), effects: [{ do: 'open-session', id: 8 }] };
		expect(step(stageOf(waiting, known), tick, 8000)).toEqual(again);
	});

	it('asks again when there is a network', () => {
		const again = { state: asksAgain(known, 8), effects: [{ do: 'open-session', id: 8 }] };
		expect(step(stageOf(waiting, known), { type: 'network-back' })).toEqual(again);
	});

	it.each<[string, Event]>([
		['a message', message(running)],
		['a link that is down', linkDown(7)],
		['what concerns no link', { type: 'catch-up' }],
	])('ignores %s, however late', (_what, event) => {
		expect(step(stageOf(waiting, known), event, 9000)).toEqual(still(stageOf(waiting, known)));
	});
});

describe('joining', () => {
	it('goes on, and counts from the first room', () => {
		const opened: Event = { type: 'session-opened', id: 7, handle: 'session-7' };
		const open = { do: 'open-link', id: 7, route: 'webrtc', audio: 'microphone', keepSpeech: false };
		expect(step(stageOf(joining(session)), opened)).toEqual(
			still(stageOf(joining({ ...link, sinceMs: 6000 }), aRun({ connectingMs: 6000 })), open),
		);
	});

	it('is live without a task while paused, and nothing leaves', () => {
		const { state, effects } = step(stageOf(joining(link), paused), { type: 'link-opened', id: 7 });
		expect(state.stage).toMatchObject({ name: 'live', work: { is: 'paused' } });
		expect(effects).toEqual([
			{ do: 'report-joined', handle: 'session-7' },
			{ do: 'feed-link', id: 7, audio: 'nothing' },
		]);
	});

	it('pauses a task that was sent before the pause', () => {
		const { state, effects } = step(stageOf(joining(task)), { type: 'pause' });
		expect(state.stage).toMatchObject({ name: 'live', work: { is: 'pausing' } });
		expect(effects).toEqual([closeMicrophone, feed('silence'), send(pauseTask)]);
	});

	it('recovers anew where the attempt failed', () => {
		const next = step(stageOf(joining(link)), linkDown(7, gone));
		const since = { sinceMs: 6000, tries: 1, cause: 'session-lost' };
		const as = aRun({ outage: since, takenMs: 6000, givenUp: 'session-7' });
		expect(next).toEqual({
			state: asksAgain(as, 8, 6000, since),
			effects: [...released, { do: 'open-session', id: 8 }],
		});
	});

	it('goes on by a socket where the way is to blame and there is one', () => {
		const next = step(stageOf(joining(link), aRun({ plan: fallingBack, outage })), linkDown(7));
		const open = { do: 'open-link', id: 8, route: 'websocket', audio: 'microphone', keepSpeech: false };
		expect(next.effects).toEqual([...released, open]);
		expect(next.state.stage).toMatchObject({
			name: 'reconnecting',
			outage,
			run: { ...onSocket, switched: { sinceMs: 6000, cause: lost, done: false } },
		});
	});

	it('asks for less where the service refuses a part', () => {
		const less = aRun({ plan: { ...fallingBack, without: other } });
		const refused: Event = message({ type: 'error', code: 'VALIDATION_ERROR', text: '', field: '' });
		const next = step(stageOf(joining({ ...task, confirmed: false }), less), refused);
		expect(next.state.stage).toMatchObject({ name: 'reconnecting', run: { plan: other } });
		expect(next.effects).toContainEqual(setTaskOf(other));
	});
});

test('what every stage learns is learned here, too', () => {
	expect(step(stageOf(waiting), { type: 'change', plan: other })).toEqual(
		still(stageOf(waiting, aRun({ wanted: other, change: 'waiting' }))),
	);
});

test.each([restoring, checking])('the end of its session is the end of its link: $by', (how) => {
	const since = { sinceMs: 6000, tries: 1, cause: 'session-lost' };
	expect(step(stageOf(how), sessionLost('session-7'))).toEqual({
		state: asksAgain(aRun({ outage: since, takenMs: 6000, givenUp: 'session-7' }), 8, 6000, since),
		effects: [...released, { do: 'open-session', id: 8 }],
	});
	expect(step(stageOf(how), sessionLost('session-6'))).toEqual(still(stageOf(how)));
});

test.each([
	[3000, 3000],
	[0, 500],
])(
	'asked too often, a service that wants %d ms of quiet has %d ms: its word, else our own',
	(askedMs, ms) => {
		const problem: Problem = { kind: 'rate-limited', retryAfterMs: askedMs };
		const next = step(stageOf(joining(session), aRun({ outage })), {
			type: 'session-failed',
			id: 7,
			problem,
		});
		expect(next.effects).toEqual([]);
		expect(next.state.stage).toMatchObject({ how: { by: 'waiting', untilMs: 6000 + ms } });
	},
);
