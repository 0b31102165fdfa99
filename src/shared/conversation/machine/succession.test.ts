import { describe, expect, it, test } from 'vitest';
import type { Problem } from '#shared/problem.ts';
import {
	type DrivenMachine,
	drivenMachine,
	error,
	lost,
	planFor,
	released,
	type Timed,
} from '#test/support/driven-machine.ts';
import type { Effect, Plan } from './events.ts';
import { type openLink, setTask } from './link.ts';
import type { Succession } from './state.ts';
import { handleBeside, successorDueMs } from './succession.ts';

const plan = planFor('es');
const full: Problem = { kind: 'session-limit', detail: '' };
const byPerson: Problem = { kind: 'session-lost', cause: 'ended-by-user' };

const asks = (id: number): Effect => ({ do: 'open-session', id });
/** It hears nothing, and of what it says nothing is kept. */
const opens = (id: number): Effect => ({
	do: 'open-link',
	id,
	route: 'webrtc',
	audio: 'silence',
	keepSpeech: false,
});
const sets = (id: number, { task }: Plan = plan): Effect => ({ do: 'send', id, command: setTask(task) });
const watches = (on: boolean): Effect => ({ do: 'watch-pauses', on });
const dropped = (id: number): readonly Effect[] => [
	{ do: 'close-standby', id },
	{ do: 'close-session', handle: `session-${id}` },
];
const handedOver: readonly Effect[] = [
	{ do: 'feed-link', id: 2, audio: 'silence' },
	{ do: 'feed-link', id: 3, audio: 'microphone' },
	{ do: 'hand-over', from: 2, to: 3 },
	{ do: 'send', id: 2, command: { message_type: 'end_task', data: {} } },
];
const tookOver: readonly Effect[] = [
	...released(2),
	{ do: 'take-over', id: 3 },
	{ do: 'feed-link', id: 3, audio: 'microphone' },
];

const expires = (machine: DrivenMachine, leftMs = 50_000, id = 2) =>
	machine.tell({ type: 'session-expiring', handle: `session-${id}`, leftMs });
const leaves = (machine: DrivenMachine, id = 2) => machine.tell({ type: 'link-leaving', id });
const comes = (machine: DrivenMachine, id = 3) =>
	machine.tell({ type: 'session-opened', id, handle: `session-${id}` });
const quiet = (machine: DrivenMachine, ms: number) => machine.tell({ type: 'quiet', ms });
const begins = (done: readonly Timed[]) =>
	done.filter((effect) => effect.do === 'open-session').map(({ atMs }) => atMs);
const stage = ({ state }: DrivenMachine) => state.stage.name;
const successor = ({ state }: DrivenMachine) => state.successor;

function live(given: Plan = plan) {
	const machine = drivenMachine(given);
	machine.goLive();
	return machine;
}

/** Another session is asked for, number 3. */
function asked(why: Succession = 'expiring') {
	const machine = live();
	machine.flow(5000);
	expect(why === 'expiring' ? expires(machine) : leaves(machine)).toEqual([asks(3)]);
	return machine;
}

/** Joined, and its task is asked for. */
function joined(why: Succession = 'expiring') {
	const machine = asked(why);
	expect(comes(machine)).toEqual([opens(3)]);
	expect(machine.tell({ type: 'link-opened', id: 3 })).toEqual([
		{ do: 'report-joined', handle: 'session-3' },
		sets(3),
	]);
	return machine;
}

/** Its task runs since 5 s, and the microphone may go over. */
function ready(why: Succession = 'expiring') {
	const machine = joined(why);
	expect(machine.confirms(3)).toEqual([]);
	expect(machine.packets(3, 1, 0)).toEqual([watches(true)]);
	return machine;
}

function handsOver() {
	const machine = ready();
	expect(quiet(machine, 700)).toEqual([...handedOver, watches(false)]);
	return machine;
}

describe('another session is made', () => {
	test.each([
		[60_001, 5001],
		[90_000, 35_000],
	])('60 s before the end of one that cannot be kept: with %d ms left at 5 s', (leftMs, atMs) => {
		const machine = live();
		machine.flow(5000);
		expect(expires(machine, leftMs)).toEqual([]);
		expect(successorDueMs(machine.state)).toBe(atMs);
		const before = machine.flow(atMs - 5001);
		expect(begins([...before, ...machine.pass(0)])).toEqual([]);
		expect(begins(machine.pass(1))).toEqual([atMs]);
		expect(successor(machine)).toEqual({
			is: 'coming',
			why: 'expiring',
			of: 2,
			fromMs: atMs,
			tries: 0,
			attempt: { at: 'session', id: 3, sinceMs: atMs },
			asked: plan,
			plan,
			route: 'webrtc',
		});
	});

	it('at once where that is nearer, or where its server wants to be left', () => {
		expect(expires(live(), 60_000)).toEqual([asks(3)]);
		expect(expires(live(), 0)).toEqual([asks(3)]);
		expect(leaves(live())).toEqual([asks(3)]);
	});

	it('not for any other session or link, nor where nothing is live', () => {
		const machine = live();
		expect([expires(machine, 0, 1), leaves(machine, 1)]).toEqual([[], []]);
		expect(successor(machine)).toEqual({ is: 'none' });
		const idle = drivenMachine();
		expect([expires(idle, 0), leaves(idle), idle.dueMs()]).toEqual([[], [], null]);
		expect(successorDueMs({ ...machine.state, stage: { name: 'idle' } })).toBe(Infinity);
	});

	it('by a socket at once, for which no session is needed', () => {
		const machine = live(planFor('es', { route: 'websocket' }));
		expect(leaves(machine)).toEqual([
			{ do: 'open-link', id: 3, route: 'websocket', audio: 'silence', keepSpeech: false },
		]);
		expect(handleBeside(machine.state)).toBeNull();
	});

	it('not while a change is being confirmed, and then', () => {
		const machine = live();
		machine.flow(5000);
		const other = planFor('fr');
		machine.tell({ type: 'change', plan: other });
		expect(expires(machine)).toEqual([]);
		expect(successorDueMs(machine.state)).toBe(Infinity);
		expect(machine.confirms(2)).toEqual([asks(3)]);
		expect(successor(machine)).toMatchObject({ asked: other, plan: other });
	});

	it('not before a pause is confirmed, nor before the microphone is there again', () => {
		const machine = live();
		machine.flow(5000);
		machine.tell({ type: 'pause' });
		expect(expires(machine)).toEqual([]);
		machine.tell({ type: 'resume' });
		expect(machine.confirms(2)).toEqual([]);
		expect(machine.state.stage).toMatchObject({ work: { is: 'running' } });
		expect(machine.tell({ type: 'microphone-opened', id: 3 })).toEqual([
			{ do: 'feed-link', id: 2, audio: 'microphone' },
			asks(4),
		]);
	});

	it('not beside a socket that stands by', () => {
		const machine = live();
		for (const second of [1, 2]) {
			machine.flow(1000);
			machine.reports(2);
			expect(machine.now()).toBe(second * 1000);
		}
		machine.pass(2300);
		expect(machine.state.standby.is).toBe('opening');
		expect(leaves(machine)).toEqual([]);
		expect(successor(machine)).toMatchObject({ is: 'due', why: 'leaving' });
		expect(machine.reports(2)).toEqual([{ do: 'close-standby', id: 3 }, asks(4)]);
	});

	it('and no socket stands by beside it', () => {
		const machine = live();
		for (let second = 0; second < 3; second += 1) {
			machine.flow(1000);
			machine.reports(2);
		}
		expect(leaves(machine)).toEqual([asks(3)]);
		expect(machine.pass(3900).filter((effect) => effect.do === 'open-link')).toEqual([]);
	});
});

describe('what is told again', () => {
	it('changes nothing, but a server that wants to be left leaves less time', () => {
		const machine = live();
		expires(machine, 90_000);
		machine.flow(5000);
		expires(machine, 90_000);
		const due = { is: 'due', why: 'expiring', of: 2, fromMs: 30_000, tries: 0 };
		expect(successor(machine)).toEqual(due);
		// Asked for at once.
		expect(leaves(machine)).toEqual([asks(3)]);
		expect(successor(machine)).toMatchObject({ is: 'coming', why: 'leaving', fromMs: 5000 });
		expires(machine);
		expect(successor(machine)).toMatchObject({ is: 'coming', why: 'leaving', fromMs: 5000 });
	});

	it('while it comes, or is ready, shortens how long a pause is waited for', () => {
		const coming = asked();
		expect(leaves(coming)).toEqual([]);
		expect(successor(coming)).toMatchObject({ is: 'coming', why: 'leaving' });
		const machine = ready();
		expect(expires(machine)).toEqual([]);
		expect(successor(machine)).toMatchObject({ is: 'ready', why: 'expiring' });
		expect(successorDueMs(machine.state)).toBe(25_000);
		expect(leaves(machine)).toEqual([]);
		expect(successorDueMs(machine.state)).toBe(9000);
	});

	it('of one that is due is forgotten where it is another link by now', () => {
		const machine = live();
		expires(machine, 90_000);
		machine.flow(1000);
		machine.down(2);
		expect(successor(machine)).toEqual({ is: 'none' });
	});

	it('of a server that wants to be left is forgotten while its link is restored, the end of a session is not', () => {
		const machine = live();
		machine.tell({ type: 'change', plan: planFor('fr') });
		leaves(machine);
		machine.tell({ type: 'link-restoring', id: 2, cause: 'x' });
		expect(successor(machine)).toEqual({ is: 'none' });
		const expiring = live();
		expires(expiring, 90_000);
		expiring.tell({ type: 'link-restoring', id: 2, cause: 'x' });
		expect(successor(expiring)).toMatchObject({ is: 'due', why: 'expiring' });
		expect(successorDueMs(expiring.state)).toBe(Infinity);
	});

	it('of a link that is restored counts as well', () => {
		const machine = live();
		machine.tell({ type: 'link-restoring', id: 2, cause: 'x' });
		expect(expires(machine, 90_000)).toEqual([]);
		expect(successor(machine)).toMatchObject({ is: 'due', of: 2, fromMs: 30_000 });
	});
});

describe('one that comes to nothing', () => {
	const failures: readonly [
		string,
		() => DrivenMachine,
		(machine: DrivenMachine) => readonly Effect[],
		readonly Effect[],
	][] = [
		['has no session', asked, (one) => one.tell({ type: 'session-failed', id: 3, problem: lost }), []],
		[
			'is not let in',
			() => {
				const one = asked();
				comes(one);
				return one;
			},
			(one) => one.tell({ type: 'link-failed', id: 3, problem: lost }),
			dropped(3),
		],
		[
			'loses its session',
			joined,
			(one) => one.tell({ type: 'session-lost', handle: 'session-3', problem: lost }),
			dropped(3),
		],
		['goes down', joined, (one) => one.down(3), dropped(3)],
		['goes down when it is ready', ready, (one) => one.down(3), [...dropped(3), watches(false)]],
		[
			'fails when it is ready',
			ready,
			(one) => one.tell({ type: 'link-failed', id: 3, problem: lost }),
			[...dropped(3), watches(false)],
		],
		[
			'is restored when it is ready',
			ready,
			(one) => one.tell({ type: 'link-restoring', id: 3, cause: 'x' }),
			[...dropped(3), watches(false)],
		],
		[
			'loses its session when it is ready',
			ready,
			(one) => one.tell({ type: 'session-lost', handle: 'session-3', problem: lost }),
			[...dropped(3), watches(false)],
		],
	];
	test.each(failures)('because it %s is closed, and another is tried later', (_, before, fails, effects) => {
		const machine = before();
		expect(fails(machine)).toEqual(effects);
		expect(stage(machine)).toBe('live');
		expect(successor(machine)).toEqual({ is: 'due', why: 'expiring', of: 2, fromMs: 7500, tries: 1 });
	});

	it('is followed by five others, in longer steps, and then by none', () => {
		const machine = asked();
		const times: number[] = [];
		let id = 3;
		for (let tries = 0; tries < 8; tries += 1) {
			machine.tell({ type: 'session-failed', id, problem: lost });
			const done = begins(machine.flow(20_000));
			times.push(...done);
			id = machine.state.serial;
		}
		// Half of 5, 10, 20, 20 and 20 s after each.
		expect(times).toEqual([7500, 30_000, 55_000, 75_000, 95_000]);
		expect(successor(machine)).toEqual({ is: 'none' });
	});

	it('is the last where the plan has no place for two', () => {
		const machine = asked();
		expect(machine.tell({ type: 'session-failed', id: 3, problem: full })).toEqual([]);
		expect(successor(machine)).toEqual({ is: 'none' });
	});

	it('is given up when its session takes too long, 30 s', () => {
		const machine = asked();
		machine.flow(29_999);
		expect(successorDueMs(machine.state)).toBe(35_000);
		expect(successor(machine)).toMatchObject({ is: 'coming' });
		machine.flow(1);
		expect(successor(machine)).toMatchObject({ is: 'due', tries: 1 });
	});

	it('says nothing to the person, who hears the one in use', () => {
		const machine = joined();
		const done = machine.flow(19_999);
		expect(done.map((effect) => effect.do)).not.toContain('notify');
		expect(successor(machine)).toMatchObject({ is: 'coming' });
		expect(machine.pass(1)).toEqual(dropped(3).map((effect) => ({ ...effect, atMs: 25_000 })));
	});

	it('is known by its session, as soon as there is one', () => {
		expect(handleBeside(live().state)).toBeNull();
		const machine = asked();
		expect(handleBeside(machine.state)).toBeNull();
		comes(machine);
		expect(handleBeside(machine.state)).toBe('session-3');
		expect([joined(), ready()].map(({ state }) => handleBeside(state))).toEqual(['session-3', 'session-3']);
		expect(handleBeside(handsOver().state)).toBe('session-2');
	});
});

describe('one that is ready', () => {
	it('hears nothing before a pause of 0.7 s', () => {
		const machine = ready();
		expect(quiet(machine, 699)).toEqual([]);
		expect(quiet(machine, 700)).toEqual([...handedOver, watches(false)]);
		const { link } = successor(machine) as { link: ReturnType<typeof openLink> };
		expect(successor(machine)).toEqual({
			is: 'leaving',
			sinceMs: 5000,
			progressMs: 5000,
			endOfStreamMs: null,
			next: null,
			link,
		});
		expect(link).toMatchObject({ id: 2, outbox: { waiting: [], controlMs: 5000 } });
		expect(machine.state.stage).toMatchObject({
			name: 'live',
			link: { id: 3, handle: 'session-3' },
			work: { is: 'running' },
			run: { givenUp: 'session-2', plan, wanted: null, change: 'none' },
		});
	});

	it('of a server that wants to be left will do with 0.15 s at once', () => {
		const machine = ready('leaving');
		expect(quiet(machine, 149)).toEqual([]);
		expect(quiet(machine, 150)).toEqual([...handedOver, watches(false)]);
	});

	test.each([
		['expiring', 20_000],
		['leaving', 4000],
	] as const)('does not wait for a pause for ever: %s, %d ms', (why, ms) => {
		const machine = ready(why);
		expect(successorDueMs(machine.state)).toBe(5000 + ms);
		machine.flow(ms - 1);
		expect(successor(machine).is).toBe('ready');
		expect(machine.pass(1)).toEqual(
			[...handedOver, watches(false)].map((one) => ({ ...one, atMs: 5000 + ms })),
		);
	});

	it('takes over at once from who is muted', () => {
		const machine = joined();
		machine.tell({ type: 'set-muted', muted: true });
		machine.confirms(3);
		expect(machine.packets(3, 1, 0)).toEqual(handedOver);
		const later = ready();
		expect(later.tell({ type: 'set-muted', muted: true })).toEqual([
			{ do: 'mute-microphone', muted: true },
			...handedOver,
			watches(false),
		]);
	});

	it('waits while a change is being confirmed, but not for ever', () => {
		const machine = ready();
		machine.tell({ type: 'change', plan: planFor('fr') });
		expect(quiet(machine, 700)).toEqual([]);
		machine.tell({ type: 'set-muted', muted: true });
		expect(successor(machine).is).toBe('ready');
		machine.confirms(2);
		expect(successor(machine).is).toBe('leaving');
	});

	it('is asked for what is wanted by then, in place of what it was asked for', () => {
		const other = planFor('fr');
		const machine = ready();
		machine.tell({ type: 'change', plan: other });
		machine.confirms(2);
		expect(machine.state.stage).toMatchObject({ run: { plan: other, change: 'applied' } });
		machine.flow(2100);
		// Its own task was set 2.1 s ago.
		expect(quiet(machine, 700)).toEqual([...handedOver, sets(3, other), watches(false)]);
		expect(machine.state.stage).toMatchObject({
			work: { is: 'confirming', sent: other },
			run: { plan, wanted: other, change: 'waiting' },
		});
	});

	it('keeps to the limits that it tells', () => {
		const machine = ready();
		machine.flow(1000);
		expect(machine.say(3, error('RATE_LIMIT_EXCEEDED'))).toEqual([]);
		expect(successor(machine)).toMatchObject({ link: { outbox: { taskMs: 6000, controlMs: 6000 } } });
		expect(machine.say(2, error('RATE_LIMIT_EXCEEDED'))).toEqual([]);
		machine.flow(1000);
		machine.say(2, error('RATE_LIMIT_EXCEEDED'));
		expect(successor(machine)).toMatchObject({ link: { outbox: { taskMs: 6000, controlMs: 6000 } } });
	});

	it('takes over at once where the one in use is away', () => {
		const machine = ready();
		expect(machine.tell({ type: 'link-restoring', id: 2, cause: 'x' })).toEqual([
			...tookOver,
			watches(false),
		]);
		expect(successor(machine)).toEqual({ is: 'none' });
		expect(machine.state.stage).toMatchObject({ name: 'live', link: { id: 3 } });
	});

	it('is the one that goes on where the one in use is gone', () => {
		const machine = ready();
		expect(machine.down(2)).toEqual([...tookOver, watches(false)]);
		expect(successor(machine)).toEqual({ is: 'none' });
		expect(machine.state.stage).toMatchObject({
			name: 'live',
			link: { id: 3 },
			work: { is: 'running' },
			run: { outage: { tries: 1 }, givenUp: 'session-2', plan },
		});
	});

	it('is forgotten over a sleep, and before it', () => {
		const sleeping = ready();
		expect(sleeping.tell({ type: 'suspend' }).slice(0, 2)).toEqual(dropped(3));
		expect(successor(sleeping)).toEqual({ is: 'none' });
		const woken = ready();
		expect(woken.tell({ type: 'woke', sleptMs: 1000 })).toEqual([
			...dropped(3),
			{ do: 'send', id: 2, command: { message_type: 'get_task', data: {} } },
			watches(false),
		]);
	});

	it('is dropped with everything else on Stop, and waits for nothing then', () => {
		const machine = ready();
		const effects = machine.tell({ type: 'stop' });
		expect(effects).toEqual(expect.arrayContaining([...dropped(3), watches(false)]));
		expect([successor(machine), stage(machine)]).toEqual([{ is: 'none' }, 'ending']);
		const now = ready();
		expect(now.tell({ type: 'stop-now' })).toEqual(expect.arrayContaining([...dropped(3), ...released(2)]));
		expect([successor(now), stage(now)]).toEqual([{ is: 'none' }, 'idle']);
	});
});

describe('in a pause', () => {
	const paused = { type: 'current-task', status: 'paused', targets: [] } as const;

	it('it takes over as soon as it is joined, hears nothing, and is told nothing', () => {
		const machine = live();
		machine.flow(5000);
		machine.tell({ type: 'pause' });
		machine.say(2, paused);
		expect(expires(machine)).toEqual([asks(3)]);
		expect(comes(machine)).toEqual([opens(3)]);
		expect(machine.tell({ type: 'link-opened', id: 3 })).toEqual([
			{ do: 'report-joined', handle: 'session-3' },
			...released(2),
			{ do: 'take-over', id: 3 },
			{ do: 'feed-link', id: 3, audio: 'nothing' },
		]);
		expect(machine.state.stage).toMatchObject({ name: 'live', link: { id: 3 }, work: { is: 'paused' } });
		expect(successor(machine)).toEqual({ is: 'none' });
	});

	it('that awaits its answer it waits, and then pauses its own task', () => {
		const machine = ready();
		machine.flow(3100);
		// Paused, there is no pause of the speaker to wait for.
		expect(machine.tell({ type: 'pause' }).at(-1)).toEqual(watches(false));
		expect(successorDueMs(machine.state)).toBe(Infinity);
		expect(machine.say(2, paused)).toEqual([
			{ do: 'feed-link', id: 2, audio: 'nothing' },
			...released(2),
			{ do: 'take-over', id: 3 },
			{ do: 'send', id: 3, command: { message_type: 'pause_task', data: {} } },
		]);
		expect(machine.state.stage).toMatchObject({ name: 'live', link: { id: 3 }, work: { is: 'pausing' } });
	});

	it('that ends before it took over, it is given its task and fed silence until then', () => {
		const machine = asked();
		comes(machine);
		machine.tell({ type: 'pause' });
		expect(machine.tell({ type: 'link-opened', id: 3 })).toEqual([
			{ do: 'report-joined', handle: 'session-3' },
		]);
		expect(successor(machine)).toMatchObject({ is: 'ready', tasked: false });
		machine.tell({ type: 'resume' });
		expect(successor(machine)).toMatchObject({ is: 'coming', attempt: { at: 'joined' }, asked: plan, plan });
		expect(machine.tell({ type: 'microphone-opened', id: 4 })).toEqual([
			{ do: 'feed-link', id: 2, audio: 'microphone' },
			sets(3),
		]);
	});

	it('that begins while its task is being confirmed, it is ready with a task that may run', () => {
		const machine = joined();
		machine.tell({ type: 'pause' });
		expect(successor(machine)).toMatchObject({ is: 'ready', tasked: true });
	});

	it('while the one in use is restored it takes over at once', () => {
		const machine = ready();
		machine.tell({ type: 'pause' });
		expect(machine.tell({ type: 'link-restoring', id: 2, cause: 'x' })).toEqual([
			...released(2),
			{ do: 'take-over', id: 3 },
			{ do: 'send', id: 3, command: { message_type: 'pause_task', data: {} } },
		]);
	});
});

describe('the one before it', () => {
	const left = (atMs: number) =>
		[
			{ do: 'leave-link', id: 2 },
			{ do: 'close-session', handle: 'session-2' },
		].map((one) => ({ ...one, atMs }));
	const leaving = (done: readonly Timed[]) =>
		done.filter(({ do: what }) => what === 'leave-link' || what === 'close-session');

	it('is heard 6 s after its last sign, and not a moment longer', () => {
		const machine = handsOver();
		expect(successorDueMs(machine.state)).toBe(11_000);
		expect(leaving(machine.flow(5999, 3))).toEqual([]);
		expect(leaving(machine.pass(1))).toEqual(left(11_000));
		expect(successor(machine)).toEqual({ is: 'none' });
	});

	it('is heard on while it has something to say', () => {
		const machine = handsOver();
		const told = (ms: number) => {
			machine.flow(ms, 3);
			return machine;
		};
		told(1000).say(2, { type: 'queue-level', levels: new Map([['es', { currentMs: 1, maxMs: null }]]) });
		expect(successorDueMs(machine.state)).toBe(12_000);
		told(1000).say(2, { type: 'queue-level', levels: new Map([['es', { currentMs: 0, maxMs: null }]]) });
		expect(successorDueMs(machine.state)).toBe(12_000);
		// Of the other one.
		told(1000).say(3, { type: 'queue-level', levels: new Map([['es', { currentMs: 1, maxMs: null }]]) });
		machine.say(3, { type: 'end-of-stream' });
		expect(successorDueMs(machine.state)).toBe(12_000);
		told(1000).tell({ type: 'voice-active', active: true });
		expect(successorDueMs(machine.state)).toBe(35_000);
		told(1000).tell({ type: 'voice-active', active: false });
		expect(successorDueMs(machine.state)).toBe(16_000);
		told(1000).say(2, { type: 'end-of-stream' });
		expect(successorDueMs(machine.state)).toBe(11_400);
		expect(leaving(machine.passTo(11_399))).toEqual([]);
		expect(leaving(machine.passTo(11_400))).toEqual(left(11_400));
	});

	it('is told its end when the limits allow it', () => {
		const machine = ready();
		machine.tell({ type: 'pause' });
		machine.tell({ type: 'resume' });
		machine.tell({ type: 'microphone-opened', id: 4 });
		machine.flow(1000);
		machine.confirms(2);
		expect(quiet(machine, 700)).toEqual([...handedOver.slice(0, 3), watches(false)]);
		// It was paused at 5 s.
		expect(successorDueMs(machine.state)).toBe(8100);
		expect(machine.passTo(8099).filter(({ do: what }) => what === 'send')).toEqual([]);
		expect(machine.passTo(8100)).toContainEqual({ ...handedOver[3], atMs: 8100 });
		expect(machine.flow(1000, 3)).toEqual([]);
	});

	test.each([
		['goes down', (one: DrivenMachine) => one.down(2)],
		['fails', (one: DrivenMachine) => one.tell({ type: 'link-failed', id: 2, problem: lost })],
		['is restored', (one: DrivenMachine) => one.tell({ type: 'link-restoring', id: 2, cause: 'x' })],
		[
			'loses its session',
			(one: DrivenMachine) => one.tell({ type: 'session-lost', handle: 'session-2', problem: lost }),
		],
	] as const)('is left where it %s, and the other goes on', (_, happens) => {
		const machine = handsOver();
		expect(happens(machine)).toEqual([
			{ do: 'leave-link', id: 2 },
			{ do: 'close-session', handle: 'session-2' },
		]);
		expect([stage(machine), successor(machine)]).toEqual(['live', { is: 'none' }]);
	});

	it('is still heard while the other is restored, and after Stop, but not once everything rests', () => {
		const machine = handsOver();
		machine.tell({ type: 'link-restoring', id: 3, cause: 'x' });
		expect(successor(machine).is).toBe('leaving');
		const ending = handsOver();
		ending.tell({ type: 'stop' });
		expect([stage(ending), successor(ending).is]).toEqual(['ending', 'leaving']);
		expect(ending.tell({ type: 'stop-now' })).toEqual(
			expect.arrayContaining([
				{ do: 'leave-link', id: 2 },
				{ do: 'close-session', handle: 'session-2' },
			]),
		);
		expect(successor(ending)).toEqual({ is: 'none' });
	});

	it('is left before a sleep', () => {
		const machine = handsOver();
		expect(machine.tell({ type: 'suspend' }).slice(0, 2)).toEqual([
			{ do: 'leave-link', id: 2 },
			{ do: 'close-session', handle: 'session-2' },
		]);
	});

	it('is left before the other is replaced in its turn', () => {
		const machine = handsOver();
		expect(leaves(machine, 3)).toEqual([]);
		expect(successor(machine)).toMatchObject({
			next: { why: 'leaving', of: 3, fromMs: 5000, tries: 0 },
		});
		machine.flow(1000, 3);
		expect([leaves(machine, 3), expires(machine, 50_000, 3)]).toEqual([[], []]);
		expect(successor(machine)).toMatchObject({ next: { why: 'leaving', fromMs: 5000 } });
		machine.say(2, { type: 'end-of-stream' });
		expect(machine.pass(400)).toEqual([...left(6400), { ...asks(4), atMs: 6400 }]);
	});
});

describe('a person who ends one of the two in the list ends the conversation', () => {
	const ended = (machine: DrivenMachine, id: number, problem: Problem = byPerson) =>
		machine.tell({ type: 'session-lost', handle: `session-${id}`, problem });

	test.each([
		['that comes', joined, 3],
		['that is ready', ready, 3],
		['before it', handsOver, 2],
	] as const)('the one %s', (_, before, id) => {
		const machine = before();
		ended(machine, id);
		expect([stage(machine), successor(machine)]).toEqual(['idle', { is: 'none' }]);
	});

	it('and not where it ended for another reason, or is none of them', () => {
		const machine = ready();
		expect(ended(machine, 9)).toEqual([]);
		expect(successor(machine).is).toBe('ready');
		ended(machine, 3, { kind: 'session-lost', cause: 'x' });
		expect([stage(machine), successor(machine).is]).toEqual(['live', 'due']);
		const before = handsOver();
		ended(before, 2, { kind: 'opened-elsewhere' });
		expect(stage(before)).toBe('live');
	});
});

describe('the one in use is gone while the other comes', () => {
	test.each([
		['is being asked for', asked, []],
		[
			'is being joined',
			() => {
				const machine = asked();
				comes(machine);
				return machine;
			},
			[{ do: 'feed-link', id: 3, audio: 'microphone' }],
		],
		[
			'has its task set',
			joined,
			[
				{ do: 'take-over', id: 3 },
				{ do: 'feed-link', id: 3, audio: 'microphone' },
			],
		],
	] as const)('it is what goes on where it %s, and no other is asked for', (_, before, effects) => {
		const machine = before();
		expect(machine.down(2)).toEqual([...released(2), ...effects]);
		expect(successor(machine)).toEqual({ is: 'none' });
		expect(machine.state.stage).toMatchObject({ name: 'reconnecting', how: { by: 'joining' } });
	});

	it('counts the time of its room from when it was joined', () => {
		const machine = asked();
		machine.flow(1000);
		comes(machine);
		machine.flow(1000);
		machine.down(2);
		expect(machine.state.stage).toMatchObject({ run: { connectingMs: 6000 } });
	});
});

describe('the one in use is gone in a pause', () => {
	const paused = { type: 'current-task', status: 'paused', targets: [] } as const;

	it('it goes on without a task, and hears nothing', () => {
		const machine = asked();
		comes(machine);
		machine.tell({ type: 'pause' });
		machine.tell({ type: 'link-opened', id: 3 });
		expect(machine.down(2)).toEqual([
			...released(2),
			{ do: 'take-over', id: 3 },
			{ do: 'feed-link', id: 3, audio: 'nothing' },
		]);
		expect(machine.state.stage).toMatchObject({ name: 'live', link: { id: 3 }, work: { is: 'paused' } });
		expect(machine.say(3, paused)).toEqual([]);
	});

	it('one that is still being joined is fed nothing yet', () => {
		const machine = asked();
		comes(machine);
		machine.tell({ type: 'pause' });
		expect(machine.down(2)).toEqual(released(2));
		expect(machine.state.stage).toMatchObject({ how: { attempt: { at: 'link', id: 3 } } });
	});
});

describe('the one in use is gone again soon after', () => {
	/** Live on number 3 after an outage; number 5 is asked for. */
	function again() {
		const machine = ready();
		machine.down(2);
		expect(expires(machine, 50_000, 3)).toEqual([asks(5)]);
		// A second outage is waited out before another is asked for.
		expect(machine.down(3)).toEqual(released(3));
		expect(machine.state.stage).toMatchObject({ name: 'reconnecting', how: { by: 'waiting' } });
		expect(successor(machine)).toMatchObject({ is: 'coming', of: 3 });
		return machine;
	}

	it('what comes meanwhile takes over as soon as it is ready', () => {
		const machine = again();
		comes(machine, 5);
		machine.tell({ type: 'link-opened', id: 5 });
		machine.confirms(5);
		expect(machine.packets(5, 1, 0)).toEqual([
			{ do: 'take-over', id: 5 },
			{ do: 'feed-link', id: 5, audio: 'microphone' },
		]);
		expect(machine.state.stage).toMatchObject({
			name: 'live',
			link: { id: 5 },
			run: { givenUp: 'session-3' },
		});
	});

	it('it is what goes on when the wait is over, and no other is asked for', () => {
		const machine = again();
		comes(machine, 5);
		expect(machine.pass(250)).toEqual([{ do: 'feed-link', id: 5, audio: 'microphone', atMs: 5250 }]);
		expect(machine.state.stage).toMatchObject({ how: { by: 'joining', attempt: { at: 'link', id: 5 } } });
	});
});

test('what travels by another way than is wanted now is dropped', () => {
	const machine = live();
	machine.flow(10_000);
	machine.tell({ type: 'link-restoring', id: 2, cause: 'x' });
	machine.passTo(12_000);
	machine.tell({ type: 'link-opened', id: 3 });
	machine.passTo(14_000);
	machine.confirms(3);
	machine.packets(3, 1, 0);
	expect(leaves(machine, 3)).toEqual([
		{ do: 'open-link', id: 4, route: 'websocket', audio: 'silence', keepSpeech: false },
	]);
	expect(machine.tell({ type: 'go-back' })).toEqual([
		{ do: 'close-link', id: 3 },
		asks(5),
		{ do: 'close-standby', id: 4 },
	]);
	expect(successor(machine)).toEqual({ is: 'none' });
});

describe('by a socket', () => {
	const opensSocket = (id: number): Effect => ({
		do: 'open-link',
		id,
		route: 'websocket',
		audio: 'silence',
		keepSpeech: false,
	});

	it('the one that comes is what goes on where the one in use is gone, and no other is opened', () => {
		const machine = live(planFor('es', { route: 'websocket' }));
		expect(leaves(machine)).toEqual([opensSocket(3)]);
		expect(machine.down(2)).toEqual([
			{ do: 'close-link', id: 2 },
			{ do: 'feed-link', id: 3, audio: 'microphone' },
		]);
		expect(machine.state.stage).toMatchObject({ how: { by: 'joining', attempt: { at: 'link', id: 3 } } });
	});

	it('there is no session to give back, and the one given up last is still known', () => {
		const machine = live();
		machine.flow(10_000);
		machine.tell({ type: 'link-restoring', id: 2, cause: 'x' });
		machine.passTo(12_000);
		machine.tell({ type: 'link-opened', id: 3 });
		machine.passTo(14_000);
		machine.confirms(3);
		machine.packets(3, 1, 0);
		machine.flow(3000, 3);
		expect(leaves(machine, 3)).toEqual([opensSocket(4)]);
		machine.tell({ type: 'link-opened', id: 4 });
		machine.confirms(4);
		machine.packets(4, 1, 0);
		expect(quiet(machine, 150).slice(0, 3)).toEqual([
			{ do: 'feed-link', id: 3, audio: 'silence' },
			{ do: 'feed-link', id: 4, audio: 'microphone' },
			{ do: 'hand-over', from: 3, to: 4 },
		]);
		expect(machine.state.stage).toMatchObject({ link: { id: 4 }, run: { givenUp: 'session-2' } });
		expect(machine.down(3)).toEqual([{ do: 'leave-link', id: 3 }]);
	});
});

describe('while the link in use is looked at again', () => {
	function checked() {
		const machine = live();
		machine.flow(5000);
		machine.tell({ type: 'link-restoring', id: 2, cause: 'x' });
		machine.tell({ type: 'link-up', id: 2 });
		expect(machine.state.stage).toMatchObject({ how: { by: 'checking' } });
		return machine;
	}

	it('what is told of it counts, and another is made once it is live again', () => {
		const machine = checked();
		expect(expires(machine)).toEqual([]);
		expect(successor(machine)).toMatchObject({ is: 'due', of: 2, fromMs: 5000 });
		expect(machine.say(2, { type: 'current-task', status: 'running', targets: [] })).toEqual([asks(3)]);
	});
});

it('without a microphone, one that goes on is fed when that is there again', () => {
	const machine = ready();
	machine.tell({ type: 'pause' });
	machine.tell({ type: 'resume' });
	expect(successor(machine)).toMatchObject({ is: 'ready', tasked: true });
	expect(machine.down(2)).toEqual([...released(2), { do: 'take-over', id: 3 }]);
	expect(machine.tell({ type: 'microphone-opened', id: 4 })).toEqual([
		{ do: 'feed-link', id: 3, audio: 'microphone' },
	]);
});

it('with its microphone still to come, one that is ready waits for it', () => {
	const machine = ready();
	machine.tell({ type: 'pause' });
	machine.tell({ type: 'resume' });
	machine.confirms(2);
	expect(quiet(machine, 700)).toEqual([]);
	expect(successorDueMs(machine.state)).toBe(Infinity);
	expect(machine.tell({ type: 'microphone-opened', id: 4 }).at(-1)).toEqual(watches(true));
	expect(quiet(machine, 700)).toContainEqual({ do: 'hand-over', from: 2, to: 3 });
});

test('what either of the two remarks is no news', () => {
	const warning = { type: 'warning', code: 'VOICE_NOT_FOUND', text: '' } as const;
	expect([joined().say(3, warning), ready().say(3, warning), handsOver().say(2, warning)]).toEqual([
		...[[], [], []],
	]);
});

test('what the service takes of the plan is in force once it goes on with that', () => {
	const less = planFor('fr');
	const machine = live(planFor('es', { without: less }));
	machine.flow(5000);
	expires(machine);
	comes(machine);
	machine.tell({ type: 'link-opened', id: 3 });
	// Its task was set just now: the lesser one leaves when the limits allow it.
	expect(machine.say(3, error('VALIDATION_ERROR'))).toEqual([
		{ do: 'notify', notice: { kind: 'asked-without', plan: less } },
	]);
	expect(successor(machine)).toMatchObject({ is: 'coming', plan: less });
	machine.down(2);
	expect(machine.state.stage).toMatchObject({ run: { plan: less, wanted: null } });
});
