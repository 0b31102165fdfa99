import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
	AWAIT_MS,
	COMING_MS,
	noSign,
	SETTLE_MS,
	type SignEvent,
	type SignState,
	SPEECH_MS,
	signDueMs,
	stepSign,
	TURN_MS,
} from './turn-sign.ts';

const LIVE = { type: 'live', live: true } as const;
const TICK = { type: 'tick' } as const;
const voice = (active: boolean) => ({ type: 'voice', active }) as const;
const said = (open: string | null, awaited: string | null = null, translated: string | null = null) =>
	({ type: 'said', open, awaited, translated }) as const;

/** The sign after each event at its time, ms. */
function signs(...events: readonly (readonly [atMs: number, event: SignEvent])[]): readonly string[] {
	let state = stepSign(noSign, LIVE, 0);
	return events.map(([atMs, event]) => {
		state = stepSign(state, event, atMs);
		return state.sign;
	});
}

test('the voice speaks on after its speaker has stopped, then it is the turn of the others, for a while', () => {
	expect(
		signs(
			[0, said('Hel')],
			[500, said('Hello')],
			[1000, voice(true)],
			[1500, said(null)],
			[3000, voice(false)],
			[3000 + SETTLE_MS - 1, TICK],
			[3000 + SETTLE_MS, TICK],
			[3000 + SETTLE_MS + TURN_MS - 1, TICK],
			[3000 + SETTLE_MS + TURN_MS, TICK],
		),
	).toEqual(['none', 'none', 'none', 'still', 'still', 'still', 'turn', 'turn', 'none']);
});

test('who goes on speaking has not given up the turn', () => {
	expect(
		signs(
			[0, voice(true)],
			[100, said('and')],
			[200, voice(false)],
			[10_000, said('and so')],
			[10_100, said(null)],
		),
	).toEqual(['still', 'none', 'none', 'none', 'none']);
	expect(signs([0, voice(true)], [100, voice(false)], [100 + SETTLE_MS, TICK], [2000, said('No')])).toEqual([
		...['still', 'still', 'turn', 'none'],
	]);
});

test('a sentence whose end was lost is nobody speaking for ever', () => {
	expect(
		signs([0, said('Hel')], [100, voice(true)], [SPEECH_MS - 1, said('Hel')], [SPEECH_MS, TICK]),
	).toEqual(['none', 'none', 'none', 'still']);
	expect(signs([0, said('Hel')], [100, voice(true)], [3999, said('Hell')], [SPEECH_MS, TICK])).toEqual([
		...['none', 'none', 'none', 'none'],
	]);
});

test('between two sentences the turn is not over while the next is translated or made into a voice', () => {
	const begin = [
		[0, voice(true)],
		[500, said(null, 'b')],
		[1000, voice(false)],
	] as const;
	expect(signs(...begin, [500 + AWAIT_MS - 1, TICK], [500 + AWAIT_MS, TICK]).slice(-2)).toEqual([
		'still',
		'turn',
	]);
	const translated = [...begin, [4000, said(null, null, 'b')]] as const;
	expect(signs(...translated, [4000 + COMING_MS - 1, TICK], [4000 + COMING_MS, TICK]).slice(-2)).toEqual([
		'still',
		'turn',
	]);
	// The awaited sentence has been spoken.
	expect(
		signs(...translated, [4500, voice(true)], [4600, voice(false)], [4600 + SETTLE_MS, TICK]).at(-1),
	).toBe('turn');
});

test('a sentence that was translated while the one before was spoken is waited for after it, and no longer than that', () => {
	const begin = [
		[0, voice(true)],
		[500, said(null, null, 'a')],
		[9000, voice(false)],
	] as const;
	expect(signs(...begin, [9000 + COMING_MS - 1, TICK], [9000 + COMING_MS, TICK]).slice(-2)).toEqual([
		...['still', 'turn'],
	]);
	const next = [...begin, [10_000, voice(true)], [12_000, voice(false)]] as const;
	expect(signs(...next, [12_000 + SETTLE_MS - 1, TICK], [12_000 + SETTLE_MS, TICK]).slice(-2)).toEqual([
		...['still', 'turn'],
	]);
	// A sentence that did not come before the turn ended does not count for the next one.
	const never = [
		...begin.slice(0, 1),
		...['x', 'y', 'z'].map((id, at) => [at, said(null, null, id)] as const),
	];
	const after = [
		[50_000, TICK],
		[50_000, voice(true)],
		[51_000, voice(false)],
		[51_000 + SETTLE_MS, TICK],
	] as const;
	expect(signs(...never, [9000, voice(false)], ...after).at(-1)).toBe('turn');
	// Two were translated meanwhile; one is left.
	const two = [begin[0], [100, said(null, null, 'z')], ...next.slice(1)] as const;
	expect(signs(...two, [12_000 + SETTLE_MS, TICK], [12_000 + COMING_MS, TICK]).slice(-2)).toEqual([
		...['still', 'turn'],
	]);
});

test('nothing is shown while nothing can be said, and a voice that goes on meanwhile is known afterwards', () => {
	expect(
		signs(
			[0, voice(true)],
			[10, { type: 'live', live: false }],
			[20, said(null, 'a')],
			[30, LIVE],
			[40, voice(false)],
		),
	).toEqual(['still', 'none', 'none', 'still', 'still']);
	expect(signDueMs(stepSign(noSign, voice(true), 0))).toBeNull();
});

const event: fc.Arbitrary<SignEvent> = fc.oneof(
	fc.record({ type: fc.constant('live' as const), live: fc.boolean() }),
	fc.record({
		type: fc.constant('said' as const),
		open: fc.constantFrom(null, null, 'a', 'ab'),
		awaited: fc.constantFrom(null, null, 'x', 'y'),
		translated: fc.constantFrom(null, 'x', 'y'),
	}),
	fc.record({ type: fc.constant('voice' as const), active: fc.boolean() }),
	fc.constant(TICK),
);
const course = fc.array(fc.tuple(fc.integer({ min: 0, max: 3000 }), event));

/** Each state with its time, including the ticks that the timer's owner sends. */
function follow(steps: readonly (readonly [number, SignEvent])[]): { nowMs: number; state: SignState }[] {
	let state = noSign;
	let nowMs = 0;
	const seen: { nowMs: number; state: SignState }[] = [];
	const take = (one: SignEvent, atMs: number) => {
		nowMs = atMs;
		state = stepSign(state, one, nowMs);
		seen.push({ nowMs, state });
	};
	const passTo = (untilMs: number) => {
		for (let dueMs = signDueMs(state); dueMs !== null && dueMs <= untilMs; dueMs = signDueMs(state)) {
			// Otherwise it would tick for ever.
			expect(seen.length).toBeLessThan(5000);
			take(TICK, Math.max(dueMs, nowMs));
		}
	};
	for (const [afterMs, one] of steps) {
		const atMs = nowMs + afterMs;
		passTo(atMs);
		take(one, atMs);
	}
	if (!state.voice) {
		passTo(nowMs + 60_000);
		expect(state.sign).toBe('none');
	}
	return seen;
}

test('whatever happens: it says "still" exactly while a voice is heard of one who does not speak, and a turn only after it', () => {
	fc.assert(
		fc.property(course, (steps) => {
			let before: SignState = noSign;
			for (const { nowMs, state } of follow(steps)) {
				const silent = state.speechMs === null;
				if (state.sign !== 'none') expect([state.live, silent]).toEqual([true, true]);
				if (state.voice && state.live && silent) expect(state.sign).toBe('still');
				if (state.sign === 'turn' && before.sign !== 'turn') {
					expect(before.sign).toBe('still');
					expect(nowMs - state.silentMs).toBeGreaterThanOrEqual(SETTLE_MS);
				}
				before = state;
			}
		}),
	);
});

test('what is told again moves no limit, and an event that means nothing changes nothing', () => {
	const silent = [
		[0, voice(true)],
		[1000, voice(false)],
	] as const;
	const end = [1000 + SETTLE_MS, TICK] as const;
	expect(signs(...silent, [1500, voice(false)], end).at(-1)).toBe('turn');
	expect(signs(...silent, [1100, said(null)], end).at(-1)).toBe('turn');
	expect(
		signs(
			[0, voice(true)],
			[100, said(null, null, 'z')],
			[200, said(null)],
			[1000, voice(false)],
			[1500, voice(true)],
			[3000, voice(false)],
			[3000 + SETTLE_MS, TICK],
		).at(-1),
	).toBe('turn');
	const awaited = [...silent, [1100, said(null, 'b')], [3000, said(null, 'b')]] as const;
	expect(signs(...awaited, [1100 + AWAIT_MS, TICK]).at(-1)).toBe('turn');
	const twice = [
		[0, voice(true)],
		[100, said(null, null, 'z')],
		[200, said(null, null, 'z')],
		[1000, voice(false)],
		[1500, voice(true)],
		[3000, voice(false)],
	] as const;
	expect(signs(...twice, [3000 + SETTLE_MS, TICK]).at(-1)).toBe('turn');
	const quiet = stepSign(noSign, LIVE, 0);
	expect(stepSign(quiet, TICK, 50_000)).toBe(quiet);
});

test('of two sentences that were translated before the voice began, the second is still to come', () => {
	const two = [
		[100, said(null, null, 'y')],
		[200, said(null, null, 'z')],
		[300, voice(true)],
		[1000, voice(false)],
	] as const;
	expect(signs(...two, [1000 + SETTLE_MS, TICK], [1000 + COMING_MS, TICK]).slice(-2)).toEqual([
		'still',
		'turn',
	]);
});

test('who stops speaking soon after the voice has had its say leaves nobody a turn', () => {
	expect(signs([0, voice(true)], [100, said('and')], [200, voice(false)], [300, said(null)])).toEqual([
		...['still', 'none', 'none', 'none'],
	]);
});

test('time alone ends a sentence whose end was lost, and nothing where nothing is live', () => {
	const speaking = stepSign(stepSign(noSign, LIVE, 0), said('Hel'), 100);
	expect(signDueMs(speaking)).toBe(100 + SPEECH_MS);
	expect(signDueMs(stepSign(noSign, said('Hel'), 100))).toBeNull();
});
