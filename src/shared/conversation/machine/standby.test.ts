import { describe, expect, it, test } from 'vitest';
import { drivenMachine, error, lost, planFor, released, type Timed } from '#test/support/driven-machine.ts';
import type { Effect, Plan } from './events.ts';
import { openLink, setTask } from './link.ts';
import type { Run } from './state.ts';

const full = { kind: 'session-limit', detail: '' } as const;
const plan = planFor('es');
const opensSocket = (id: number): Effect => ({
	do: 'open-link',
	id,
	route: 'websocket',
	audio: 'microphone',
	keepSpeech: true,
});
const sends = (id: number, { socketTask }: Plan = plan): Effect => ({
	do: 'send',
	id,
	command: setTask(socketTask),
});
const at = (atMs: number, ...effects: readonly Effect[]) => effects.map((effect) => ({ ...effect, atMs }));
const opened = (done: readonly Timed[]) =>
	done.filter((effect) => effect.do === 'open-link').map(({ atMs }) => atMs);

function live(given: Plan = plan, generation: 'current' | 'older' = 'current') {
	const machine = drivenMachine(given);
	machine.goLive(generation);
	return machine;
}

/** Live, and its transport restores its link since 10 s. */
function restoring(given: Plan = plan, generation: 'current' | 'older' = 'current') {
	const machine = live(given, generation);
	machine.flow(10_000);
	machine.tell({ type: 'link-restoring', id: 2, cause: 'x' });
	return machine;
}

const refuse = (machine: ReturnType<typeof restoring>) => machine.tell({ type: 'link-refused', id: 2 });
const runNow = ({ state }: ReturnType<typeof restoring>): Run | null =>
	'run' in state.stage ? state.stage.run : null;

/** Since 12 s a socket beside it is being opened, as number 3. */
function doubted(given: Plan = plan) {
	const machine = restoring(given);
	expect(opened(machine.passTo(12_000))).toEqual([12_000]);
	return machine;
}

describe('a live room', () => {
	/** Two reports, the last one at 2 s: one a second is expected from now on. */
	function reporting(given: Plan = plan) {
		const machine = live(given);
		machine.passTo(1000);
		machine.reports(2);
		machine.passTo(2000);
		machine.reports(2);
		machine.packets(2, 50, 0);
		return machine;
	}

	it('that reports every second is doubted 2.3 s after its last word: it was asked after two', () => {
		const machine = reporting();
		expect(machine.passTo(4299).map(({ do: what, atMs }) => [what, atMs])).toEqual([['send', 4000]]);
		expect(machine.dueMs()).toBe(4300);
		expect(machine.passTo(4300)).toEqual(at(4300, opensSocket(3)));
		expect(machine.state.standby).toEqual({ is: 'opening', id: 3 });
		expect(machine.state.serial).toBe(3);
	});

	it('is doubted later where it was asked later, for a command that left shortly before', () => {
		const machine = reporting();
		// Its task leaves at 3 s, and the question 2.1 s after it.
		machine.passTo(3000);
		machine.tell({ type: 'change', plan: planFor('fr') });
		expect(opened(machine.passTo(6000))).toEqual([5400]);
	});

	it('is not doubted any more once it is heard, and then not for ten seconds', () => {
		const machine = reporting();
		machine.passTo(4300);
		machine.tell({ type: 'link-opened', id: 3 });
		machine.passTo(4500);
		machine.packets(2, 60, 0);
		expect(machine.reports(2)).toEqual([{ do: 'close-standby', id: 3 }]);
		expect(machine.state.standby).toEqual({ is: 'none', notBeforeMs: 14_500 });
		for (let second = 5; second <= 12; second += 1) {
			expect(machine.passTo(second * 1000)).toEqual([]);
			machine.reports(2);
			machine.packets(2, second * 20, 0);
		}
		// Doubted since 14.3 s.
		expect(opened(machine.passTo(14_499))).toEqual([]);
		expect(machine.dueMs()).toBe(14_500);
		expect(opened(machine.passTo(14_500))).toEqual([14_500]);
	});

	it('that has reported once only is not remarkable when it is quiet', () => {
		const machine = live();
		machine.passTo(1000);
		machine.reports(2);
		expect(opened(machine.passTo(14_000))).toEqual([]);
	});

	test.each([
		['may not go by a socket', planFor('es', { mayFallBack: false })],
		['is a socket', planFor('es', { route: 'websocket' })],
	])('nor where it %s', (_, given) => {
		const machine = reporting(given);
		expect(opened(machine.passTo(5900))).toEqual([]);
	});

	it('nor while the microphone is still to come, which has to be heard in it', () => {
		const machine = live();
		machine.tell({ type: 'pause' });
		machine.say(2, { type: 'current-task', status: 'paused', targets: [] });
		machine.tell({ type: 'resume' });
		machine.passTo(4000);
		machine.reports(2);
		machine.reports(2);
		expect(opened(machine.passTo(7900))).toEqual([]);
	});
});

describe('a room that is restored', () => {
	it('counts from its last packet', () => {
		const machine = restoring();
		machine.packets(2, 0, 100);
		machine.passTo(11_500);
		machine.packets(2, 0, 101);
		expect(machine.dueMs()).toBe(13_500);
		expect(opened(machine.passTo(13_500))).toEqual([13_500]);
	});

	it('is doubted at once by a refusal, unless it was heard since it is restored', () => {
		expect(refuse(restoring())).toEqual([opensSocket(3)]);
		for (const [heardMs, effects] of [
			[11_200, [opensSocket(3)]],
			[11_201, []],
		] as const) {
			const machine = restoring();
			machine.packets(2, 0, 100);
			machine.passTo(heardMs);
			machine.packets(2, 0, 101);
			expect(refuse(machine)).toEqual(effects);
		}
	});

	it('in a pause has none: without sound it would be closed again', () => {
		const machine = doubted();
		machine.tell({ type: 'link-opened', id: 3 });
		expect(machine.tell({ type: 'pause' })).toEqual([
			{ do: 'close-microphone' },
			{ do: 'feed-link', id: 2, audio: 'silence' },
			{ do: 'close-standby', id: 3 },
		]);
		expect(opened(machine.passTo(18_000))).toEqual([]);
	});

	it('keeps it although the network is back, where its path was found to be cut', () => {
		const machine = live();
		machine.packets(2, 2, 1, 1);
		for (const second of [1, 2, 3, 4]) {
			machine.passTo(second * 1000);
			machine.reports(2);
			machine.packets(2, 10 * second, 1, 1);
		}
		// Quiet at 6 s, doubted at 6.3 s, found cut at 8 s.
		expect(opened(machine.passTo(8000))).toEqual([6300]);
		expect(machine.state.stage).toMatchObject({ name: 'reconnecting', how: { by: 'restoring', path: 1 } });
		expect(machine.tell({ type: 'network-back' })).toEqual([]);
		expect(machine.state.standby).toEqual({ is: 'opening', id: 3 });
	});

	it('is doubted anew by the network that is back, which takes its time', () => {
		const machine = doubted();
		expect(machine.tell({ type: 'network-back' })).toEqual([{ do: 'close-standby', id: 3 }]);
	});
});

describe('the socket beside a room', () => {
	it('is known when it is open, and stays as it is whatever else comes of it', () => {
		const machine = doubted();
		machine.passTo(12_300);
		expect(machine.tell({ type: 'link-opened', id: 3 })).toEqual([]);
		const open = { is: 'open', link: openLink(3, null, 'websocket'), sinceMs: 12_300 };
		expect(machine.state.standby).toEqual(open);
		machine.passTo(12_500);
		expect(machine.tell({ type: 'link-opened', id: 3 })).toEqual([]);
		expect(machine.tell({ type: 'link-up', id: 3 })).toEqual([]);
		expect(machine.tell({ type: 'link-leaving', id: 3 })).toEqual([]);
		expect(machine.packets(3, 1, 1)).toEqual([]);
		const warning = { type: 'warning', code: 'VOICE_NOT_FOUND', text: '' } as const;
		expect(machine.say(3, warning)).toEqual([]);
		expect(machine.state.standby).toEqual(open);
	});

	it('is held back by the limits that it tells, when it is open', () => {
		const machine = doubted();
		expect(machine.say(3, error('RATE_LIMIT_EXCEEDED'))).toEqual([]);
		expect(machine.state.standby).toEqual({ is: 'opening', id: 3 });
		machine.tell({ type: 'link-opened', id: 3 });
		machine.passTo(12_400);
		machine.say(3, error('RATE_LIMIT_EXCEEDED'));
		const { outbox } = openLink(3, null, 'websocket');
		expect(machine.state.standby).toMatchObject({
			link: { outbox: { ...outbox, taskMs: 12_400, controlMs: 12_400 } },
		});
		expect(machine.passTo(14_499).map((effect) => effect.do)).toEqual([
			'close-link',
			'close-session',
			'take-over',
		]);
		expect(machine.passTo(14_500)).toEqual(at(14_500, sends(3)));
	});

	test.each(['link-failed', 'link-down'] as const)('that is not to be had is not asked again: %s', (type) => {
		const machine = doubted();
		expect(machine.tell({ type, id: 3, problem: lost })).toEqual([{ do: 'close-standby', id: 3 }]);
		expect(machine.state.standby).toEqual({ is: 'failed' });
		expect(machine.passTo(19_999)).toEqual([]);
		// The room is given up as if nobody had asked.
		expect(machine.passTo(20_000)).toEqual(at(20_000, ...released(2), { do: 'open-session', id: 4 }));
		expect(machine.state.standby).toEqual({ is: 'none', notBeforeMs: 30_000 });
	});
});

describe('the room is given up', () => {
	const taken = [...released(2), { do: 'take-over', id: 3 } as const, sends(3)];

	test.each([
		[12_000, 14_000],
		[12_300, 14_000],
		[12_301, 14_001],
		[13_000, 14_700],
	])(
		'4 s after it was heard, and 1.7 s after the socket was open: open at %d, given up at %d',
		(openMs, goneMs) => {
			const machine = doubted();
			machine.passTo(openMs);
			machine.tell({ type: 'link-opened', id: 3 });
			expect(machine.dueMs()).toBe(goneMs);
			expect(machine.passTo(goneMs - 1)).toEqual([]);
			expect(machine.passTo(goneMs)).toEqual(at(goneMs, ...taken));
			expect(machine.state.standby).toEqual({ is: 'none', notBeforeMs: Number.NEGATIVE_INFINITY });
			expect(machine.state.stage).toMatchObject({
				name: 'reconnecting',
				how: { by: 'joining', attempt: { at: 'task', link: { id: 3, route: 'websocket' } } },
			});
			expect(runNow(machine)).toMatchObject({
				route: 'websocket',
				givenUp: 'session-2',
				outage: { sinceMs: 10_000, tries: 1, cause: 'x' },
				switched: { sinceMs: goneMs, cause: { kind: 'connection-lost', reason: 'no answer' }, done: false },
			});
			machine.confirms(3);
			expect(machine.packets(3, 1, 0)).toEqual([]);
			expect(machine.state.stage.name).toBe('live');
		},
	);

	it('not for a socket that is not open yet', () => {
		expect(doubted().passTo(19_999)).toEqual([]);
	});

	test.each([
		['current', 4],
		['older', 3],
	] as const)(
		'when it refused at once that often and is quiet, of the %s generation: %d',
		(generation, tries) => {
			const machine = restoring(plan, generation);
			refuse(machine);
			machine.tell({ type: 'link-opened', id: 3 });
			machine.packets(2, 0, 100);
			machine.packets(2, 0, 100);
			for (let times = 2; times < tries; times += 1) expect(refuse(machine)).toEqual([]);
			expect(refuse(machine)).toEqual(taken);
			expect(runNow(machine)?.switched).toEqual({
				sinceMs: 10_000,
				cause: { kind: 'room-unreachable', reason: 'refused' },
				done: false,
			});
		},
	);

	it('by refusals alone not before a look at its packets has found none', () => {
		const machine = restoring();
		refuse(machine);
		machine.tell({ type: 'link-opened', id: 3 });
		for (const _ of [2, 3, 4]) expect(refuse(machine)).toEqual([]);
		expect(machine.packets(2, 0, 100)).toEqual([]);
		expect(machine.packets(2, 0, 101)).toEqual([]);
		expect(machine.packets(2, 0, 101)).toEqual(taken);
	});

	it('for a socket that has to wait for its place: it is opened when the session is given back', () => {
		const machine = doubted();
		machine.passTo(12_100);
		expect(machine.tell({ type: 'link-failed', id: 3, problem: full })).toEqual([
			{ do: 'close-standby', id: 3 },
		]);
		expect(machine.state.standby).toEqual({ is: 'refused', sinceMs: 12_100 });
		expect(machine.passTo(13_999)).toEqual([]);
		expect(machine.passTo(14_000)).toEqual(at(14_000, ...released(2), opensSocket(4)));
		expect(machine.state.standby).toEqual({ is: 'none', notBeforeMs: Number.NEGATIVE_INFINITY });
		expect(runNow(machine)).toMatchObject({ route: 'websocket', givenUp: 'session-2' });
	});
});
