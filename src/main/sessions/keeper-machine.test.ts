import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
	EXTENSION_S,
	type KeeperEffect,
	type KeeperEvent,
	type KeeperState,
	step,
	type Use,
} from './keeper-machine.ts';

const NOW = 1_800_000_000_000;

/** A service that holds at most this one session, and a runner that performs effects when the test says. */
function startModel(use: Use) {
	let state: KeeperState = { phase: 'opening', use };
	let isOpen = false;
	let isCreating = true;
	let inLedger = true;
	let call: KeeperEffect | null = null;
	let isWaiting = false;
	let announced = 0;
	const performed: KeeperEffect['do'][] = [];

	function send(event: KeeperEvent): void {
		const next = step(state, event);
		state = next.state;
		for (const effect of next.effects) {
			performed.push(effect.do);
			if (effect.do === 'wait') isWaiting = true;
			else if (effect.do === 'forget') inLedger = false;
			else if (effect.do === 'announce') announced++;
			else if (effect.do === 'announce-end') expect(state).toMatchObject({ phase: 'held', use: 'joined' });
			// One call at a time, as in the runner.
			else call ??= effect;
		}
	}

	function answerCreate(worked: boolean): void {
		if (!isCreating) return;
		isCreating = false;
		isOpen = worked;
		if (!worked) inLedger = false;
		send({ type: worked ? 'opened' : 'open-failed' });
	}

	function answerCall(outcome: 'works' | 'fails', leftMs: number): void {
		if (!call) return;
		const effect = call;
		call = null;
		if (effect.do === 'remove' && outcome === 'works') isOpen = false;
		send(eventAfter(effect, outcome, leftMs));
	}

	function eventAfter(effect: KeeperEffect, outcome: 'works' | 'fails', leftMs: number): KeeperEvent {
		if (effect.do === 'remove') return { type: outcome === 'works' ? 'removed' : 'remove-failed' };
		// As in the runner: released meanwhile.
		if (state.phase === 'closing') return { type: 'due' };
		if (outcome === 'fails') return { type: effect.do === 'extend' ? 'unextended' : 'missed', at: NOW };
		if (!isOpen) return { type: 'absent' };
		if (effect.do === 'look') return { type: 'seen', at: NOW, expiresAt: NOW + leftMs };
		return { type: 'extended', at: NOW };
	}

	return {
		send,
		answerCreate,
		answerCall,
		due() {
			if (!isWaiting) return;
			isWaiting = false;
			send({ type: 'due' });
		},
		lose() {
			isOpen = false;
		},
		/** Everything is answered well from here on. */
		settle() {
			answerCreate(true);
			for (let turn = 0; turn < 10; turn++) {
				answerCall('works', 3_600_000);
				if (!call && state.phase === 'closing') send({ type: 'due' });
			}
		},
		see: () => ({ state, isOpen, inLedger, announced, call, isWaiting, performed }),
	};
}

type Move = (model: ReturnType<typeof startModel>) => void;
const moves = fc.array(
	fc.oneof(
		fc.constantFrom<KeeperEvent['type']>('taken', 'joined', 'release', 'woke').map(
			(type): Move =>
				(model) =>
					model.send({ type } as KeeperEvent),
		),
		fc.boolean().map(
			(worked): Move =>
				(model) =>
					model.answerCreate(worked),
		),
		fc
			.record({
				outcome: fc.constantFrom('works' as const, 'fails' as const),
				leftMs: fc.integer({ min: -10_000, max: 3_600_000 }),
			})
			.map(
				({ outcome, leftMs }): Move =>
					(model) =>
						model.answerCall(outcome, leftMs),
			),
		fc.constant<Move>((model) => model.due()),
		fc.constant<Move>((model) => model.lose()),
	),
	{ maxLength: 40 },
);

describe('the life of a held session', () => {
	test('ends with nothing open and nothing in the ledger, whatever happened before it was released', () => {
		fc.assert(
			fc.property(fc.constantFrom<Use>('prepared', 'granted'), moves, (use, all) => {
				const model = startModel(use);
				for (const move of all) move(model);
				model.send({ type: 'release' });
				model.settle();
				expect(model.see()).toMatchObject({
					state: { phase: 'gone' },
					isOpen: false,
					inLedger: false,
					call: null,
				});
			}),
			{ numRuns: 3000 },
		);
	});

	test('always has a call under way or a time set while it is held', () => {
		fc.assert(
			fc.property(moves, (all) => {
				const model = startModel('granted');
				model.answerCreate(true);
				for (const move of all) {
					move(model);
					const { state, call, isWaiting } = model.see();
					if (state.phase === 'held') expect(call !== null || isWaiting).toBe(true);
				}
			}),
		);
	});

	test('deletes nothing that its user has not let go of, unless it has expired', () => {
		fc.assert(
			fc.property(moves, (all) => {
				const model = startModel('granted');
				let isReleased = false;
				for (const move of all) {
					move(model);
					isReleased ||= model.see().state.phase === 'abandoning';
					const { performed, announced, state } = model.see();
					if (state.phase === 'closing' || state.phase === 'abandoning') isReleased = true;
					if (performed.includes('remove')) expect(isReleased || announced > 0).toBe(true);
				}
			}),
		);
	});
});

describe('an unjoined session', () => {
	const held = (use: Use, fields: Partial<Extract<KeeperState, { phase: 'held' }>> = {}): KeeperState => ({
		phase: 'held',
		use,
		expiresAt: null,
		failures: 0,
		extendedAt: null,
		...fields,
	});
	const seen = (leftMs: number | null): KeeperEvent => ({
		type: 'seen',
		at: NOW,
		expiresAt: leftMs === null ? null : NOW + leftMs,
	});

	test('is extended when less than half is left, or when nobody can tell', () => {
		const extend = [{ do: 'extend', ttlS: EXTENSION_S }];
		expect(step(held('prepared'), seen(299_000)).effects).toEqual(extend);
		expect(step(held('granted'), seen(null)).effects).toEqual(extend);
		expect(step(held('prepared'), seen(301_000)).effects).toEqual([
			{ do: 'wait', delayMs: 15_000, jitter: false },
		]);
		expect(step(held('prepared'), seen(500_000)).effects).toEqual([
			{ do: 'wait', delayMs: 200_000, jitter: false },
		]);
	});

	test('is not extended again and again by a service that grants less', () => {
		const after = step(held('prepared', { extendedAt: NOW - 1000 }), seen(120_000));
		expect(after.effects).toEqual([{ do: 'wait', delayMs: 60_000, jitter: false }]);
	});

	test('is left to the service once joined, unless the service seems to have stopped', () => {
		expect(step(held('joined'), seen(299_000)).effects).toEqual([
			{ do: 'wait', delayMs: 60_000, jitter: false },
		]);
		expect(step(held('joined'), seen(80_000)).effects).toEqual([{ do: 'extend', ttlS: EXTENSION_S }]);
	});

	test('that nobody needs yet is dropped in silence when it is lost; one in use is announced', () => {
		const known = { expiresAt: NOW + 300_000 };
		expect(step(held('prepared', known), { type: 'absent' }).effects).toEqual([{ do: 'remove' }]);
		expect(step(held('joined', known), { type: 'absent' }).effects).toEqual([
			{ do: 'announce', problem: { kind: 'session-lost', cause: 'deleted' } },
			{ do: 'remove' },
		]);
	});

	test('that the first look does not find is looked for once more: whoever answers may lag behind', () => {
		const first = step(held('granted', { expiresAt: null }), { type: 'absent' });
		expect(first.effects).toEqual([{ do: 'wait', delayMs: 15_000, jitter: false }]);
		expect(step(first.state, { type: 'absent' }).state.phase).toBe('closing');
	});

	test('that is joined costs at most a request a minute when the key has been revoked', () => {
		const [effect] = step(held('joined'), { type: 'missed', at: NOW }).effects;
		// The runner spreads a retry from half to one and a half.
		expect(effect).toEqual({ do: 'wait', delayMs: 120_000, jitter: true });
	});

	test('is given up when it cannot be kept alive: made ahead in time, granted at its expiry, joined never', () => {
		const missed: KeeperEvent = { type: 'missed', at: NOW };
		expect(step(held('prepared', { expiresAt: NOW + 30_000 }), missed).state.phase).toBe('closing');
		expect(step(held('granted', { expiresAt: NOW + 30_000 }), missed).state.phase).toBe('held');
		expect(step(held('granted', { expiresAt: NOW - 1 }), missed).state.phase).toBe('closing');
		expect(step(held('joined', { expiresAt: NOW - 60_000 }), missed).state.phase).toBe('held');
	});
});

describe('step by step', () => {
	const held = (use: Use, fields: Partial<Extract<KeeperState, { phase: 'held' }>> = {}) =>
		({ phase: 'held', use, expiresAt: NOW + 400_000, failures: 0, extendedAt: null, ...fields }) as const;
	const closing = { phase: 'closing', failures: 0 } as const;
	const gone = { phase: 'gone' } as const;
	const wait = (delayMs: number, jitter = false) => ({ do: 'wait', delayMs, jitter }) as const;
	const missed: KeeperEvent = { type: 'missed', at: NOW };

	test.each<[string, KeeperState, KeeperEvent, KeeperState, readonly KeeperEffect[]]>([
		[
			'taken while it is opened, it is for who took it',
			{ phase: 'opening', use: 'prepared' },
			{ type: 'taken' },
			{ phase: 'opening', use: 'granted' },
			[],
		],
		[
			'what means nothing while it is opened',
			{ phase: 'opening', use: 'prepared' },
			{ type: 'due' },
			{ phase: 'opening', use: 'prepared' },
			[],
		],
		['one made ahead is taken', held('prepared'), { type: 'taken' }, held('granted'), []],
		['one that is joined stays so when it is taken', held('joined'), { type: 'taken' }, held('joined'), []],
		[
			'it is looked at when the machine wakes',
			held('prepared'),
			{ type: 'woke' },
			held('prepared'),
			[{ do: 'look' }],
		],
		['and when it is due', held('prepared'), { type: 'due' }, held('prepared'), [{ do: 'look' }]],
		[
			'an extension is seen to have worked',
			held('prepared', { failures: 3 }),
			{ type: 'extended', at: NOW },
			held('prepared', { extendedAt: NOW }),
			[{ do: 'look' }],
		],
		[
			'nobody has joined what was granted',
			held('granted'),
			{ type: 'unjoined' },
			closing,
			[{ do: 'announce', problem: { kind: 'session-lost', cause: 'never-joined' } }, { do: 'remove' }],
		],
		['nobody had to join what was made ahead', held('prepared'), { type: 'unjoined' }, held('prepared'), []],
		['who joined in time has', held('joined'), { type: 'unjoined' }, held('joined'), []],
		[
			'one made ahead is dropped by a deletion when it cannot be kept',
			held('prepared', { expiresAt: NOW + 59_999 }),
			missed,
			closing,
			[{ do: 'remove' }],
		],
		[
			'not while a minute is left',
			held('prepared', { expiresAt: NOW + 60_000 }),
			missed,
			held('prepared', { expiresAt: NOW + 60_000, failures: 1 }),
			[wait(15_000, true)],
		],
		[
			'nor while nobody knows',
			held('prepared', { expiresAt: null }),
			missed,
			held('prepared', { expiresAt: null, failures: 1 }),
			[wait(15_000, true)],
		],
		[
			'what was granted expires',
			held('granted', { expiresAt: NOW - 1 }),
			missed,
			closing,
			[{ do: 'announce', problem: { kind: 'session-lost', cause: 'expired' } }, { do: 'remove' }],
		],
		[
			'and not a moment earlier',
			held('granted', { expiresAt: NOW }),
			missed,
			held('granted', { expiresAt: NOW, failures: 1 }),
			[wait(15_000, true)],
		],
		[
			'the second try waits twice as long',
			held('prepared', { failures: 1 }),
			missed,
			held('prepared', { failures: 2 }),
			[wait(30_000, true)],
		],
		[
			'and none more than a minute',
			held('prepared', { failures: 5 }),
			missed,
			held('prepared', { failures: 6 }),
			[wait(60_000, true)],
		],
		[
			'joined it may wait longer',
			held('joined', { failures: 1 }),
			missed,
			held('joined', { failures: 2 }),
			[wait(240_000, true)],
		],
		[
			'up to five minutes',
			held('joined', { failures: 2 }),
			missed,
			held('joined', { failures: 3 }),
			[wait(300_000, true)],
		],
		[
			'one that was extended before is known: gone is gone',
			held('prepared', { expiresAt: null, extendedAt: NOW }),
			{ type: 'absent' },
			closing,
			[{ do: 'remove' }],
		],
		[
			'an abandoned one that was never made is gone',
			{ phase: 'abandoning' },
			{ type: 'open-failed' },
			gone,
			[],
		],
		[
			'one that was made is deleted',
			{ phase: 'abandoning' },
			{ type: 'opened' },
			closing,
			[{ do: 'remove' }],
		],
		['what means nothing to it', { phase: 'abandoning' }, { type: 'due' }, { phase: 'abandoning' }, []],
		[
			'a deletion that fails is tried again',
			closing,
			{ type: 'remove-failed' },
			{ phase: 'closing', failures: 1 },
			[wait(15_000, true)],
		],
		[
			'less and less often',
			{ phase: 'closing', failures: 1 },
			{ type: 'remove-failed' },
			{ phase: 'closing', failures: 2 },
			[wait(30_000, true)],
		],
		[
			'as often as 299 times',
			{ phase: 'closing', failures: 298 },
			{ type: 'remove-failed' },
			{ phase: 'closing', failures: 299 },
			[wait(300_000, true)],
		],
		[
			'and then left to the next start',
			{ phase: 'closing', failures: 299 },
			{ type: 'remove-failed' },
			gone,
			[],
		],
		[
			'a deletion is tried at once when the machine wakes',
			closing,
			{ type: 'woke' },
			closing,
			[{ do: 'remove' }],
		],
		['a deletion is confirmed', closing, { type: 'removed' }, gone, [{ do: 'forget' }]],
		['what is gone stays gone', gone, { type: 'opened' }, gone, []],
	])('%s', (_name, state, event, next, effects) => {
		expect(step(state, event)).toEqual({ state: next, effects });
	});

	const seen = (leftMs: number): KeeperEvent => ({ type: 'seen', at: NOW, expiresAt: NOW + leftMs });
	const extend = { do: 'extend', ttlS: EXTENSION_S };

	test('exactly half is enough, and exactly a minute and a half of a joined one', () => {
		expect(step(held('prepared'), seen(300_000)).effects).toEqual([wait(15_000)]);
		expect(step(held('prepared'), seen(299_999)).effects).toEqual([extend]);
		expect(step(held('joined'), seen(90_000)).effects).toEqual([wait(60_000)]);
		expect(step(held('joined'), seen(89_999)).effects).toEqual([extend]);
	});

	test('a joined one that cannot be kept is told, with a minute and a half left and not with more', () => {
		const unextended: KeeperEvent = { type: 'unextended', at: NOW };
		const told = (leftMs: number) => [{ do: 'announce-end', leftMs }, wait(15_000)];
		expect(step(held('joined', { expiresAt: NOW + 89_999 }), unextended).effects).toEqual(told(89_999));
		expect(step(held('joined', { expiresAt: NOW + 90_000 }), unextended).effects).toEqual([
			wait(120_000, true),
		]);
		expect(step(held('joined', { expiresAt: NOW - 1 }), unextended).effects).toEqual(told(0));
		expect(step(held('granted', { expiresAt: NOW + 89_999 }), unextended).effects).toEqual([
			wait(15_000, true),
		]);
		// Unknown, as long as nobody can look.
		expect(step(held('joined', { expiresAt: NOW + 1 }), missed).effects).toEqual([wait(120_000, true)]);
	});

	test('an extension is seen to have no effect after five seconds', () => {
		expect(step(held('joined', { extendedAt: NOW - 4999 }), seen(60_000)).effects).toEqual([wait(5000)]);
		expect(step(held('joined', { extendedAt: NOW - 5000 }), seen(60_000)).effects).toEqual([
			{ do: 'announce-end', leftMs: 60_000 },
			wait(15_000),
		]);
		expect(step(held('joined', { extendedAt: NOW - 60_000 }), seen(60_000)).effects).toEqual([extend]);
	});
});
