import { describe, expect, it, test } from 'vitest';
import { createStore } from 'zustand/vanilla';
import type { SpokenRows } from '#renderer/captions/spoken-rows.ts';
import type { LegName } from '#shared/leg-name.ts';
import type { VoiceSlice } from '#shared/sound/voice-ring.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { createReplaying, createVoiceTimes, nothingAgain, type ReplayView } from './replay.ts';

const RATE = 1000;

interface Played {
	readonly ms: number;
	readonly speed: number;
	readonly done: () => void;
	readonly signal: AbortSignal;
}

function start({ ears = ['outgoing'], kept = true }: { ears?: readonly LegName[]; kept?: boolean } = {}) {
	const clock = createManualClock();
	const spoken: SpokenRows['store'] = createStore(() => ({ lit: [], sides: [] }) as never);
	const played: Played[] = [];
	const asked: (readonly [LegName, number, number])[] = [];
	const quiet = new Map<LegName, boolean>();
	/** When the live voice speaks, ms. */
	let speaks: readonly (readonly [number, number])[] = [];
	const store = createStore<ReplayView>()(() => nothingAgain);
	const rows = createStore<ReadonlySet<string>>()(() => new Set());
	const times = createVoiceTimes(spoken, clock, rows);
	const replaying = createReplaying({
		store,
		times,
		read: async (leg, fromMs, toMs): Promise<VoiceSlice | null> => {
			asked.push([leg, fromMs, toMs]);
			const loud = (ms: number) => speaks.some(([from, to]) => ms >= from && ms < to);
			const samples = Int16Array.from({ length: Math.max(0, toMs - fromMs) }, (_, at) =>
				loud(fromMs + at) ? 9000 : 0,
			);
			return kept ? { samples, rateHz: RATE } : null;
		},
		sound: ({ samples, rateHz }, speed, signal) =>
			new Promise<void>((done) => {
				signal.addEventListener('abort', () => done());
				played.push({ ms: (samples.length / rateHz) * 1000, speed, done, signal });
			}),
		ears: () => ears,
		mine: () => ears,
		quiet: (leg, is) => quiet.set(leg, is),
		speed: () => 0.85,
		clock,
	});

	const replay = { ...replaying, store, rows };

	function light(outgoing: string | null, incoming: string | null = null): void {
		spoken.setState({ lit: [outgoing, incoming].filter((row) => row !== null), sides: [outgoing, incoming] });
	}
	/** The voice of a row is heard for `ms`, then there is a pause. */
	function hear(row: string, ms = 2000): void {
		const from = clock.now();
		light(row);
		clock.advance(ms);
		light(null);
		speaks = [...speaks, [from, clock.now()]];
		clock.advance(1000);
	}
	const settle = async () => {
		for (let turn = 0; turn < 20; turn++) await Promise.resolve();
	};
	return {
		clock,
		replay,
		played,
		asked,
		quiet,
		light,
		hear,
		settle,
		speakAt: (from: number, to: number) => {
			speaks = [...speaks, [from, to]];
		},
	};
}

test('a row that is lit before its times begin to be kept can be replayed', () => {
	const clock = createManualClock();
	const spoken: SpokenRows['store'] = createStore(() => ({ lit: ['t0'], sides: ['t0', null] }) as never);
	const rows = createStore<ReadonlySet<string>>()(() => new Set());
	const times = createVoiceTimes(spoken, clock, rows);
	clock.advance(500);
	spoken.setState({ lit: [], sides: [null, null] });
	expect(times.now()).toMatchObject([{ row: 't0', leg: 'outgoing' }]);
	expect([...rows.getState()]).toEqual(['t0']);
});

describe('hearing it again', () => {
	it('plays the last sentence, slowly, while the live voice waits, and lets it go afterwards', async () => {
		const { replay, played, hear, settle, quiet, asked } = start();
		hear('a');
		hear('b');
		replay.last();
		await settle();
		expect(asked[0]).toEqual(['outgoing', 3000 - 350, 5000 + 350]);
		expect(replay.store.getState().row).toBe('b');
		expect(quiet.get('outgoing')).toBe(true);
		expect(played).toMatchObject([{ speed: 0.85 }]);
		expect(played[0]?.ms).toBeGreaterThanOrEqual(2000);
		played[0]?.done();
		await settle();
		expect(replay.store.getState()).toEqual({ row: null, catchingUp: false, nothing: false });
		expect(quiet.get('outgoing')).toBe(false);
		expect(played).toHaveLength(1);
	});

	it('offers a row for as long as its voice is kept, also when no other follows', () => {
		const { replay, hear, clock } = start();
		hear('a');
		clock.advance(60_000);
		hear('b');
		expect([...replay.rows.getState()]).toEqual(['a', 'b']);
		clock.advance(55_000);
		expect([...replay.rows.getState()]).toEqual(['b']);
		clock.advance(60_000);
		expect([...replay.rows.getState()]).toEqual([]);
	});

	it('makes the voice wait each time; right after one that was heard the key means the sentence before, later the last', async () => {
		const { replay, played, hear, settle, quiet, clock } = start();
		hear('a');
		hear('b');
		for (const [waitMs, row] of [
			[0, 'b'],
			[2000, 'a'],
			[60_000, 'b'],
		] as const) {
			clock.advance(waitMs);
			replay.last();
			await settle();
			expect([replay.store.getState().row, quiet.get('outgoing')]).toEqual([row, true]);
			played.at(-1)?.done();
			await settle();
			expect([replay.store.getState(), quiet.get('outgoing')]).toEqual([nothingAgain, false]);
		}
	});

	it('is what was said to me: in a meeting not my own sentence, which the call has heard', async () => {
		const { replay, light, clock, settle } = start({ ears: ['incoming'] });
		light(null, 'theirs');
		clock.advance(1000);
		light(null);
		clock.advance(500);
		light('mine');
		clock.advance(1000);
		light(null);
		replay.last();
		await settle();
		expect(replay.store.getState().row).toBe('theirs');
		replay.stop();
		replay.play('mine');
		await settle();
		expect(replay.store.getState().row).toBe('mine');
	});

	it('asked for again goes one further back each time, and stays at the oldest', async () => {
		const { replay, played, hear, settle, clock } = start();
		for (const row of ['a', 'b', 'c']) hear(row);
		const rows: (string | null)[] = [];
		for (let press = 0; press < 4; press++) {
			replay.last();
			await settle();
			rows.push(replay.store.getState().row);
		}
		expect(rows).toEqual(['c', 'b', 'a', 'a']);
		// Only the latest replay is heard.
		expect(played.map(({ signal }) => signal.aborted)).toEqual([true, true, true, false]);
		played.at(-1)?.done();
		await settle();
		clock.advance(2499);
		replay.last();
		expect(replay.store.getState().row).toBe('a');
		replay.stop();
		clock.advance(2500);
		replay.last();
		expect(replay.store.getState().row).toBe('c');
	});

	it('among the rows of one person it goes back through these alone', async () => {
		const { replay, played, hear, settle } = start();
		for (const row of ['mine 1', 'yours 1', 'mine 2', 'yours 2']) hear(row);
		const rows: (string | null)[] = [];
		for (const whose of ['mine', 'mine', 'yours', 'yours', 'mine', 'nobody']) {
			replay.last((row) => row.startsWith(whose));
			await settle();
			rows.push(replay.store.getState().row);
		}
		expect(rows).toEqual(['mine 2', 'mine 1', 'yours 2', 'yours 1', 'mine 2', 'mine 2']);
		expect(replay.store.getState().nothing).toBe(true);
		expect(played).toHaveLength(5);
	});

	it('what came meanwhile is made up for, quicker and without pauses, before the live voice goes on', async () => {
		const { replay, played, hear, settle, quiet, clock, speakAt } = start();
		hear('a');
		replay.last();
		await settle();
		const since = clock.now();
		clock.advance(5000);
		speakAt(since + 1000, since + 2000);
		speakAt(since + 4000, since + 5000);
		played[0]?.done();
		await settle();
		expect(replay.store.getState()).toMatchObject({ row: null, catchingUp: true });
		expect(played[1]).toMatchObject({ speed: 1.2 });
		expect(played[1]?.ms).toBeGreaterThanOrEqual(2000);
		expect(played[1]?.ms).toBeLessThan(3000);
		expect(quiet.get('outgoing')).toBe(true);
		clock.advance(2000);
		played[1]?.done();
		await settle();
		expect(quiet.get('outgoing')).toBe(false);
		expect(replay.store.getState().catchingUp).toBe(false);
	});

	it('what is interrupted while it is made up for is made up for afterwards, from its beginning', async () => {
		const { replay, played, asked, hear, settle, quiet, clock, speakAt } = start();
		hear('a');
		replay.last();
		await settle();
		const since = clock.now();
		speakAt(since, since + 5000);
		clock.advance(5000);
		played[0]?.done();
		await settle();
		expect(replay.store.getState().catchingUp).toBe(true);
		clock.advance(1000);
		replay.play('a');
		await settle();
		played[2]?.done();
		await settle();
		expect(asked.at(-1)).toEqual(['outgoing', since, clock.now()]);
		expect(played[3]?.ms).toBeGreaterThanOrEqual(5000);
		expect(quiet.get('outgoing')).toBe(true);
		played[3]?.done();
		await settle();
		expect(quiet.get('outgoing')).toBe(false);
	});

	it('a voice that never ends is caught up with four times, then goes on as it is', async () => {
		const { replay, played, hear, settle, quiet, clock, speakAt } = start();
		hear('a');
		speakAt(clock.now(), clock.now() + 1e6);
		replay.last();
		for (let n = 0; n < 8; n++) {
			await settle();
			clock.advance(3000);
			played.at(-1)?.done();
		}
		await settle();
		expect(played).toHaveLength(1 + 4);
		expect(quiet.get('outgoing')).toBe(false);
	});

	it('stops at once', async () => {
		const { replay, played, hear, settle, quiet } = start();
		hear('a');
		replay.play('a');
		await settle();
		replay.stop();
		expect(played[0]?.signal.aborted).toBe(true);
		expect(quiet.get('outgoing')).toBe(false);
		await settle();
		expect(played).toHaveLength(1);
		expect(replay.store.getState()).toEqual({ row: null, catchingUp: false, nothing: false });
	});

	it('stopped before it sounds is not heard', async () => {
		const { replay, played, hear, settle } = start();
		hear('a');
		replay.play('a');
		replay.stop();
		await settle();
		expect(played).toEqual([]);
	});

	it('says so where there is nothing: nobody spoke, it is too long ago, or it was not kept', async () => {
		const first = start();
		first.replay.last();
		expect(first.replay.store.getState().nothing).toBe(true);

		const late = start();
		late.hear('a');
		expect([...late.replay.rows.getState()]).toEqual(['a']);
		late.clock.advance(115_000);
		late.replay.play('a');
		expect(late.replay.store.getState().nothing).toBe(true);
		late.light('b');
		expect([...late.replay.rows.getState()]).toEqual(['b']);

		const lost = start({ kept: false });
		lost.hear('a');
		lost.replay.play('a');
		await lost.settle();
		expect(lost.replay.store.getState()).toMatchObject({ row: null, nothing: true });
		expect(lost.quiet.get('outgoing')).toBe(false);
	});

	it('a row that goes on after a pause is one, and of two directions each has its own', async () => {
		const { replay, asked, light, clock, settle, quiet } = start({ ears: ['incoming'] });
		light(null, 'x');
		clock.advance(1000);
		light(null, null);
		clock.advance(500);
		light('m', 'x');
		clock.advance(1000);
		light(null, null);
		clock.advance(1000);
		replay.play('x');
		await settle();
		expect(asked[0]).toEqual(['incoming', -350, 2500 + 350]);
		expect([...quiet]).toEqual([['incoming', true]]);
		replay.play('m');
		await settle();
		expect(asked[1]).toEqual(['outgoing', 1500 - 350, 2500 + 350]);
	});

	it('a row that was heard twice, with another between, is two: the newer is played, and goes on alone', async () => {
		const { replay, played, asked, hear, settle } = start();
		for (const row of ['a', 'b', 'a', 'a']) hear(row, 1000);
		replay.play('a');
		await settle();
		expect(asked.at(-1)).toEqual(['outgoing', 4000 - 350, 7000 + 350]);
		played.at(-1)?.done();
		await settle();
		replay.last();
		replay.last();
		await settle();
		expect(asked.at(-1)).toEqual(['outgoing', -350, 1000 + 350]);
	});

	it('the sentence that is being heard is played as far as it is', async () => {
		const { replay, asked, light, clock, settle } = start();
		light('a');
		clock.advance(1500);
		replay.last();
		await settle();
		expect(asked[0]).toEqual(['outgoing', -350, 1500 + 350]);
	});
});
