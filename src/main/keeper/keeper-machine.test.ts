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
			// One call at a time, as the runner has it.
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
		// As the runner has it: released meanwhile.
		if (state.phase === 'closing') return { type: 'due' };
		if (outcome === 'fails') return { type: 'missed', at: NOW };
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
			fc.property(fc.constantFrom<Use>('warm', 'granted'), moves, (use, all) => {
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
		expect(step(held('warm'), seen(299_000)).effects).toEqual(extend);
		expect(step(held('granted'), seen(null)).effects).toEqual(extend);
		expect(step(held('warm'), seen(301_000)).effects).toEqual([
			{ do: 'wait', delayMs: 15_000, jitter: false },
		]);
		expect(step(held('warm'), seen(500_000)).effects).toEqual([
			{ do: 'wait', delayMs: 200_000, jitter: false },
		]);
	});

	test('is not extended again and again by a service that grants less', () => {
		const after = step(held('warm', { extendedAt: NOW - 1000 }), seen(120_000));
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
		expect(step(held('warm', known), { type: 'absent' }).effects).toEqual([{ do: 'remove' }]);
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
		expect(step(held('warm', { expiresAt: NOW + 30_000 }), missed).state.phase).toBe('closing');
		expect(step(held('granted', { expiresAt: NOW + 30_000 }), missed).state.phase).toBe('held');
		expect(step(held('granted', { expiresAt: NOW - 1 }), missed).state.phase).toBe('closing');
		expect(step(held('joined', { expiresAt: NOW - 60_000 }), missed).state.phase).toBe('held');
	});
});
