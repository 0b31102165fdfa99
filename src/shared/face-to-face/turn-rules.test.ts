import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
	cueOf,
	EXPECT_MS,
	initialTurns,
	isVoiceHeld,
	LONGEST_VOICE_WAIT_AUTOMATIC_MS,
	LONGEST_VOICE_WAIT_MS,
	openGates,
	SETTLE_MS,
	stepTurns,
	TAP_MS,
	type TurnEvent,
	type TurnRules,
	type TurnState,
	turnDueMs,
} from './turn-rules.ts';

const hold: TurnRules = { talk: 'hold', halfDuplex: true };
const automatic: TurnRules = { talk: 'automatic', halfDuplex: true };
const LIVE = { type: 'live', live: true } as const;
const down = (side: 'me' | 'partner') => ({ type: 'down', side }) as const;
const up = (side: 'me' | 'partner') => ({ type: 'up', side }) as const;
const voice = (audible: boolean, waiting = false) => ({ type: 'voice', audible, waiting }) as const;
const TICK = { type: 'tick' } as const;

/** The state after events at their times, ms. */
function stateAfter(rules: TurnRules, ...events: readonly (readonly [number, TurnEvent])[]): TurnState {
	return events.reduce(
		(state, [atMs, event]) => stepTurns(state, event, atMs),
		stepTurns(initialTurns(rules), LIVE, 0),
	);
}

const cues = (state: TurnState) => [cueOf(state, 'me'), cueOf(state, 'partner')];
const gates = (state: TurnState) => {
	const { me, partner } = openGates(state);
	return [me, partner];
};

describe('holding a button', () => {
	test('only the side that holds its button is heard; the other waits', () => {
		const held = stateAfter(hold, [0, down('me')]);
		expect([gates(held), cues(held)]).toEqual([
			[true, false],
			['speak', 'wait-other'],
		]);
		expect(gates(stateAfter(hold))).toEqual([false, false]);
	});

	test('after it is let go, a translation is awaited, but not for ever', () => {
		const said = stateAfter(hold, [0, down('me')], [2000, up('me')]);
		expect([gates(said), cues(said)]).toEqual([
			[false, false],
			['translating', 'translating'],
		]);
		expect(turnDueMs(said)).toBe(2000 + EXPECT_MS);
		expect(cues(stepTurns(said, TICK, 2000 + EXPECT_MS))).toEqual(['ready', 'ready']);
	});

	test('while the voice speaks both wait, and afterwards it is the turn of whom it spoke to', () => {
		const spoken = stateAfter(hold, [0, down('me')], [2000, up('me')], [3000, voice(true)]);
		expect([gates(spoken), cues(spoken)]).toEqual([
			[false, false],
			['wait-voice', 'wait-voice'],
		]);
		const quiet = stepTurns(spoken, voice(false), 5000);
		expect(cues(quiet)).toEqual(['wait-voice', 'wait-voice']);
		expect(cues(stepTurns(quiet, TICK, 5000 + SETTLE_MS))).toEqual(['ready', 'your-turn']);
	});

	test('a voice that comes while somebody speaks waits until they have finished', () => {
		const waiting = stateAfter(hold, [0, down('me')], [1000, voice(false, true)]);
		expect([gates(waiting), isVoiceHeld(waiting), cues(waiting)]).toEqual([
			[true, false],
			true,
			['speak', 'wait-other'],
		]);
		const released = stepTurns(waiting, up('me'), 4000);
		expect([gates(released), isVoiceHeld(released), cues(released)]).toEqual([
			[false, false],
			false,
			['wait-voice', 'wait-voice'],
		]);
	});

	test('who presses while the voice speaks is heard as soon as it has finished', () => {
		const early = stateAfter(hold, [0, voice(true)], [100, down('partner')], [2000, voice(false)]);
		expect([gates(early), cueOf(early, 'partner')]).toEqual([[false, false], 'wait-voice']);
		expect(gates(stepTurns(early, TICK, 2000 + SETTLE_MS))).toEqual([false, true]);
	});

	test('two who press at once speak one after the other', () => {
		const both = stateAfter(hold, [0, down('me')], [100, down('partner')]);
		expect(gates(both)).toEqual([true, false]);
		expect(gates(stepTurns(both, up('me'), 2000))).toEqual([false, true]);
	});

	test('a tap stays until the next one, or until the other side takes over', () => {
		const tapped = stateAfter(hold, [0, down('me')], [TAP_MS - 1, up('me')]);
		expect(gates(tapped)).toEqual([true, false]);
		const ended = stepTurns(stepTurns(tapped, down('me'), 3000), up('me'), 3100);
		expect(gates(ended)).toEqual([false, false]);
		expect(gates(stepTurns(tapped, down('partner'), 3000))).toEqual([false, true]);
	});

	test('when the window loses the focus, held buttons are released and tapped ones stay', () => {
		expect(gates(stateAfter(hold, [0, down('me')], [1000, { type: 'let-go' }]))).toEqual([false, false]);
		const tapped = stateAfter(hold, [0, down('me')], [100, up('me')], [1000, { type: 'let-go' }]);
		expect(gates(tapped)).toEqual([true, false]);
	});

	test('who holds for too long lets the voice speak in between', () => {
		const long = stateAfter(hold, [0, down('me')], [1000, voice(false, true)]);
		expect(turnDueMs(long)).toBe(LONGEST_VOICE_WAIT_MS);
		const cut = stepTurns(long, TICK, LONGEST_VOICE_WAIT_MS);
		expect([gates(cut), cueOf(cut, 'me')]).toEqual([[false, false], 'wait-voice']);
	});

	test('with headphones nobody waits for the voice', () => {
		const free = stateAfter({ talk: 'hold', halfDuplex: false }, [0, voice(true)], [100, down('partner')]);
		expect([gates(free), isVoiceHeld(free)]).toEqual([[false, true], false]);
	});

	test('a button that is pressed before the conversation is live means nothing', () => {
		const early = stepTurns(initialTurns(hold), down('me'), 0);
		expect(gates(stepTurns(early, LIVE, 1000))).toEqual([false, false]);
	});

	test('a pause lets everything go', () => {
		const paused = stateAfter(hold, [0, down('me')], [1000, { type: 'live', live: false }]);
		expect([gates(paused), isVoiceHeld(paused), cues(paused)]).toEqual([
			[false, false],
			false,
			['off', 'off'],
		]);
		expect(gates(stepTurns(paused, LIVE, 2000))).toEqual([false, false]);
	});
});

describe('automatic', () => {
	test('the microphone is open, and off while the voice speaks', () => {
		expect([gates(stateAfter(automatic)), isVoiceHeld(stateAfter(automatic))]).toEqual([[true, true], true]);
		const spoken = stateAfter(automatic, [0, voice(false, true)]);
		expect([gates(spoken), isVoiceHeld(spoken), cues(spoken)]).toEqual([
			[false, false],
			false,
			['wait-voice', 'wait-voice'],
		]);
	});

	test('the voice waits for the end of a sentence, in a noisy room only so long', () => {
		const speaking = stateAfter(
			automatic,
			[0, { type: 'speech', speaking: true }],
			[500, voice(false, true)],
		);
		expect(gates(speaking)).toEqual([true, true]);
		expect(gates(stepTurns(speaking, { type: 'speech', speaking: false }, 900))).toEqual([false, false]);
		expect(turnDueMs(speaking)).toBe(LONGEST_VOICE_WAIT_AUTOMATIC_MS);
		expect(gates(stepTurns(speaking, TICK, LONGEST_VOICE_WAIT_AUTOMATIC_MS))).toEqual([false, false]);
	});

	test('whose turn it is follows from whose words were translated', () => {
		const done = stateAfter(
			automatic,
			[0, { type: 'spoke', side: 'partner' }],
			[100, voice(true)],
			[2000, voice(false)],
			[2000 + SETTLE_MS, TICK],
		);
		expect(cues(done)).toEqual(['your-turn', 'speak']);
	});
});

const someSide = fc.constantFrom('me' as const, 'partner' as const);
const someEvent: fc.Arbitrary<TurnEvent> = fc.oneof(
	{
		weight: 8,
		arbitrary: fc.record({ type: fc.constantFrom('down' as const, 'up' as const), side: someSide }),
	},
	{
		weight: 8,
		arbitrary: fc.record({
			type: fc.constant('voice' as const),
			audible: fc.boolean(),
			waiting: fc.constantFrom(false, false, true),
		}),
	},
	{
		weight: 4,
		arbitrary: fc.record({ type: fc.constant('speech' as const), speaking: fc.boolean() }),
	},
	fc.record({ type: fc.constant('spoke' as const), side: someSide }),
	fc.record({ type: fc.constant('live' as const), live: fc.constantFrom(true, true, false) }),
	fc.constant({ type: 'let-go' } as const),
	fc.constant(TICK),
);
const someRules = fc.record({
	talk: fc.constantFrom('hold' as const, 'automatic' as const),
	halfDuplex: fc.boolean(),
});
const someMoves = fc
	.array(fc.tuple(fc.oneof(fc.nat(SETTLE_MS), fc.nat(3000)), someEvent), { minLength: 20, maxLength: 80 })
	.map((moves) => [[0, LIVE] as const, ...moves]);

/** Every state on the way, with its time. */
function walk(rules: TurnRules, moves: readonly (readonly [number, TurnEvent])[]) {
	let nowMs = 0;
	let state = initialTurns(rules);
	return moves.map(([waitMs, event]) => {
		nowMs += waitMs;
		state = stepTurns(state, event, nowMs);
		return { state, nowMs };
	});
}

test('whatever happens, with half duplex: no microphone opens while the voice is heard or was just now, and an open one holds it', () => {
	fc.assert(
		fc.property(someRules, someMoves, (rules, moves) => {
			let before = [false, false];
			let heardMs = Number.NEGATIVE_INFINITY;
			let isHeard = false;
			for (const [at, { state, nowMs }] of walk({ ...rules, halfDuplex: true }, moves).entries()) {
				const event = moves[at]?.[1];
				if (isHeard) heardMs = nowMs;
				if (event?.type === 'voice') isHeard = event.audible;
				const now = gates(state);
				if (now.some((open, side) => open && !before[side] && !before.includes(true))) {
					expect(isHeard).toBe(false);
					if (state.live && at > 0 && moves[at]?.[1].type !== 'live')
						expect(nowMs - heardMs).toBeGreaterThanOrEqual(SETTLE_MS);
				}
				if (now.includes(true)) expect(isVoiceHeld(state)).toBe(true);
				before = now;
			}
		}),
	);
});

test.each([
	['somebody spoke', [[100, { type: 'let-go' }]]],
	[
		'the line was away',
		[
			[100, { type: 'live', live: false }],
			[150, { type: 'live', live: true }],
		],
	],
] as const)('a voice that was heard while %s is waited for like any other', (_, moves) => {
	const pressed = (ms: number) =>
		stateAfter(hold, [0, down('me')], [10, voice(true)], [100, voice(false)], ...moves, [ms, down('me')]);
	const early = pressed(100 + SETTLE_MS - 1);
	expect([gates(early), turnDueMs(early)]).toEqual([[false, false], 100 + SETTLE_MS]);
	expect(gates(stepTurns(early, TICK, 100 + SETTLE_MS))).toEqual([true, false]);
	expect(gates(pressed(100 + SETTLE_MS))).toEqual([true, false]);
});

test('a change of the rules lets everything go: what was held before opens no microphone', () => {
	const changed = stateAfter(
		hold,
		[10, down('me')],
		[1000, { type: 'rules', rules: { ...hold, halfDuplex: false } }],
		[1010, TICK],
	);
	expect(gates(changed)).toEqual([false, false]);
	expect(gates(stepTurns(changed, down('me'), 1020))).toEqual([true, false]);
});

test('whatever happens: holding, at most one side is heard, and only one whose button is down', () => {
	fc.assert(
		fc.property(fc.boolean(), someMoves, (halfDuplex, moves) => {
			for (const { state } of walk({ talk: 'hold', halfDuplex }, moves)) {
				const open = (['me', 'partner'] as const).filter((side) => openGates(state)[side]);
				expect(open.length).toBeLessThanOrEqual(1);
				for (const side of open) expect(state.presses.some((press) => press.side === side)).toBe(true);
				if (!state.live) expect(open).toEqual([]);
			}
		}),
	);
});

test('whatever happens: once everybody lets go and the voice has ended, it is somebody’s turn in the end', () => {
	fc.assert(
		fc.property(someRules, someMoves, (rules, moves) => {
			const last = walk(rules, moves).at(-1);
			if (!last) return;
			let { nowMs } = last;
			let state = stepTurns(last.state, LIVE, nowMs);
			// A tap ends with another tap, a hold with its release.
			for (const { side, latched } of state.presses) {
				state = stepTurns(state, latched ? down(side) : { type: 'let-go' }, nowMs);
			}
			state = stepTurns(state, { type: 'speech', speaking: false }, nowMs);
			state = stepTurns(state, voice(false), nowMs);
			for (let dueMs = turnDueMs(state), n = 0; dueMs !== null && n < 5; dueMs = turnDueMs(state), n++) {
				nowMs = Math.max(nowMs, dueMs);
				state = stepTurns(state, TICK, nowMs);
			}
			expect(state.floor.at).toBe('free');
			expect(turnDueMs(state)).toBeNull();
		}),
	);
});

test('an event that means nothing changes nothing', () => {
	for (const state of [
		initialTurns(hold),
		stateAfter(hold),
		stateAfter(hold, [0, down('me')]),
		stateAfter(hold, [0, voice(true)]),
	])
		expect(stepTurns(state, TICK, 50_000)).toBe(state);
	const held = stateAfter(hold, [0, down('me')], [100, { type: 'spoke', side: 'partner' }]);
	expect([held.spoke, cues(held)]).toEqual(['partner', ['speak', 'wait-other']]);
});

test('it is a tap up to 350 ms, whenever it began', () => {
	const released = (ms: number) => gates(stateAfter(hold, [10_000, down('me')], [10_000 + ms, up('me')]));
	expect([released(TAP_MS - 1), released(TAP_MS)]).toEqual([
		[true, false],
		[false, false],
	]);
});

test('who ends what they tapped leaves the other side what it holds', () => {
	const both = stateAfter(hold, [0, down('partner')], [100, down('me')], [200, up('me')], [1000, down('me')]);
	expect(both.presses.map(({ side }) => side)).toEqual(['partner']);
	expect(gates(both)).toEqual([false, true]);
});

test('who waits for the other to finish is heard before a voice with headphones alone', () => {
	const finished = (halfDuplex: boolean) =>
		cues(
			stateAfter(
				{ talk: 'hold', halfDuplex },
				...([
					[0, down('me')],
					[100, down('partner')],
					[1000, voice(true)],
					[2000, up('me')],
				] as const),
			),
		);
	expect(finished(true)).toEqual(['wait-voice', 'wait-voice']);
	expect(finished(false)).toEqual(['wait-other', 'speak']);
});

test('a voice is waited for with headphones, too, where nobody speaks', () => {
	expect(cues(stateAfter({ talk: 'hold', halfDuplex: false }, [0, voice(true)]))).toEqual([
		...['wait-voice', 'wait-voice'],
	]);
	const automaticFree: TurnRules = { talk: 'automatic', halfDuplex: false };
	const spoken = stateAfter(automaticFree, [0, voice(true)], [100, { type: 'speech', speaking: true }]);
	expect(cues(spoken)).toEqual(['speak', 'speak']);
	expect(turnDueMs(spoken)).toBeNull();
});

test('a voice that ended while somebody held is in the room for 450 ms', () => {
	const released = (ms: number) =>
		cues(
			stateAfter(
				hold,
				...([
					[0, down('me')],
					[9000, voice(true)],
					[10_000, voice(false)],
					[10_000 + ms, up('me')],
				] as const),
			),
		);
	expect(released(SETTLE_MS - 1)).toEqual(['wait-voice', 'wait-voice']);
	expect(released(SETTLE_MS)).toEqual(['translating', 'translating']);
});

test('each wait ends at its limit, and not before', () => {
	const said = stateAfter(hold, [0, down('me')], [2000, up('me')]);
	expect(cues(stepTurns(said, TICK, 2000 + EXPECT_MS - 1))).toEqual(['translating', 'translating']);
	const long = stateAfter(hold, [10_000, down('me')], [11_000, voice(false, true)]);
	expect(gates(stepTurns(long, TICK, 10_000 + LONGEST_VOICE_WAIT_MS - 1))).toEqual([true, false]);
	expect(turnDueMs(stateAfter(hold, [10_000, down('me')]))).toBeNull();
	expect(turnDueMs(stateAfter(hold, [0, voice(true)]))).toBeNull();
});

test('after a voice of which nobody knows whom it spoke to it is nobody’s turn', () => {
	const spoken = stateAfter(hold, [0, voice(true)], [1000, voice(false)], [1000 + SETTLE_MS, TICK]);
	expect(cues(spoken)).toEqual(['ready', 'ready']);
});

test('automatic mode hears any side, and a press ends the wait for a translation', () => {
	const speaking = stateAfter(automatic, [0, { type: 'speech', speaking: true }]);
	expect(cues(speaking)).toEqual(['speak', 'speak']);
	const said = stepTurns(speaking, { type: 'speech', speaking: false }, 1000);
	expect(cues(said)).toEqual(['translating', 'translating']);
	expect(cues(stepTurns(said, down('me'), 1100))).toEqual(['speak', 'speak']);
});
