import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Choices } from '#shared/conversation/choices.ts';
import type { LegName } from '#shared/leg-name.ts';
import { choices } from '#test/support/conversation-rig.ts';
import { heardText } from '#test/support/heard-text.ts';
import { allClosed, createLegsRig, meeting } from '#test/support/legs-rig.ts';
import { isRunning } from './live-changes.ts';

type Rig = ReturnType<typeof createLegsRig>;

const detecting: Choices = { ...meeting, detectTheirs: true, detectable: ['es', 'fr'] };
const legName = fc.constantFrom<LegName>('outgoing', 'incoming');
const move = fc.oneof(
	{
		weight: 4,
		arbitrary: fc.record({
			do: fc.constant('start' as const),
			of: fc.constantFrom(choices, meeting, detecting),
		}),
	},
	{
		weight: 3,
		arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 6000 }) }),
	},
	fc.record({
		do: fc.constantFrom('stop' as const, 'stopNow' as const, 'pause' as const, 'resume' as const),
	}),
	fc.record({
		do: fc.constantFrom('again' as const, 'lose' as const, 'drop' as const, 'say' as const),
		leg: legName,
	}),
	fc.record({ do: fc.constant('plan' as const), limit: fc.integer({ min: 0, max: 2 }) }),
	fc.record({ do: fc.constant('microphone' as const), leg: legName, works: fc.boolean() }),
	fc.record({ do: fc.constant('change' as const), to: fc.constantFrom('es', 'fr') }),
	fc.record({ do: fc.constant('correct' as const), to: fc.constantFrom('es', 'fr', null) }),
	fc.record({ do: fc.constant('sleep' as const) }),
);
type Move = typeof move extends fc.Arbitrary<infer One> ? One : never;

const said = (id: number) => heardText(`t${id}`, { text: `text ${id}` });

async function make(rig: Rig, one: Move, turn: number): Promise<void> {
	const { legs } = rig;
	switch (one.do) {
		case 'start':
			return legs.start(one.of);
		case 'wait':
			return rig.clock.run(one.ms);
		case 'stopNow':
			return void legs.stopNow();
		case 'stop':
		case 'pause':
		case 'resume':
			return legs[one.do]();
		case 'again':
			return legs[one.leg].again();
		case 'lose':
			return rig.links[one.leg].at(-1)?.down({ kind: 'opened-elsewhere' });
		case 'drop':
			return rig.links[one.leg].at(-1)?.down({ kind: 'connection-lost', reason: 'x' });
		case 'say':
			return rig.links[one.leg].at(-1)?.say(said(turn));
		case 'plan':
			rig.script.limit = one.limit;
			return;
		case 'microphone':
			rig.script.microphones[one.leg] = one.works ? null : { kind: 'microphone-denied' };
			return;
		case 'change':
			return legs.change({ ...meeting, hear: [one.to], voiceOf: one.to });
		case 'correct':
			return legs.theirs.correct(one.to);
		case 'sleep':
			rig.announce('power.changed', { event: 'suspend' });
			await rig.clock.run(60_000);
			rig.announce('power.changed', { event: 'resume' });
	}
}

const isOver = (rig: Rig, leg: LegName) => ['idle', 'failed'].includes(rig.leg(leg).phase);

it('whatever happens, no leg runs while there is no conversation, and Stop leaves nothing', async () => {
	await fc.assert(
		fc.asyncProperty(fc.array(move, { maxLength: 25 }), async (moves) => {
			const rig = createLegsRig();
			for (const [turn, one] of moves.entries()) {
				await make(rig, one, turn);
				const { phase } = rig.view();
				if (isRunning(phase)) {
					expect(isOver(rig, 'outgoing') && isOver(rig, 'incoming'), phase).toBe(false);
				} else if (phase === 'failed') {
					// Whatever still runs is being stopped at once, without a tail.
					expect(rig.open().microphones, 'a microphone beside a failure').toBe(0);
				} else if (phase === 'idle') {
					expect([rig.leg('outgoing').phase, rig.leg('incoming').phase]).not.toContain('live');
				}
				const { rows } = rig.legs.captions.store.getState();
				const keys = rig.legs.captions.finals().map(({ key }) => key);
				expect(new Set(keys).size).toBe(keys.length);
				expect(rig.legs.captions.row(rows)).toBe(undefined);
				if (rows > 0) expect(rig.legs.captions.row(rows - 1)).toBeDefined();
			}
			void rig.legs.stopNow();
			await rig.clock.run(10_000);
			expect(rig.open()).toEqual(allClosed);
			expect(isRunning(rig.view().phase)).toBe(false);
		}),
		{ numRuns: 150 },
	);
});

it('a start that has come to rest has every leg it should, or none', async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.integer({ min: 0, max: 2 }),
			fc.boolean(),
			fc.boolean(),
			fc.integer({ min: 1, max: 2000 }),
			async (limit, mine, theirs, sessionMs) => {
				const rig = createLegsRig({ limit, sessionMs });
				if (!mine) rig.script.microphones.outgoing = { kind: 'microphone-denied' };
				if (!theirs) rig.script.microphones.incoming = { kind: 'microphone-missing' };
				rig.legs.start(meeting);
				await rig.clock.run(120_000);
				const works = limit === 2 && mine && theirs;
				expect(rig.view().phase).toBe(works ? 'live' : 'failed');
				expect(rig.open()).toEqual(works ? { sessions: 2, rooms: 2, microphones: 2 } : allClosed);
			},
		),
		{ numRuns: 60 },
	);
});
