import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
	type DelayGauge,
	gradeOf,
	noDelay,
	otherSession,
	queued,
	recentWith,
	second,
	skipped,
	translated,
	usualDelay,
	voiceBegan,
} from './delay.ts';

const shown = (gauge: DelayGauge) => gauge.shownMs ?? Number.NaN;

/** A phrase begun at `startMs`, translated after `serviceMs`, heard after silence 900 ms later. */
function phrase(gauge: DelayGauge, startMs: number, serviceMs = 1500): DelayGauge {
	let next = second(translated(gauge, startMs, startMs + serviceMs), 60);
	// The service counts the phrase itself as queued, which says nothing about its own delay.
	next = queued(next, 2500, startMs + serviceMs + 300);
	return second(second(voiceBegan(next, startMs + serviceMs + 900), 60), 60);
}

function conversation(rounds: number, gauge = noDelay): DelayGauge {
	let next = gauge;
	for (let round = 0; round < rounds; round += 1) next = phrase(next, round * 10_000);
	return next;
}

describe('the delay gauge', () => {
	it('says nothing before the first translation', () => {
		expect(second(queued(noDelay, 4000, 0), 50).shownMs).toBe(null);
	});

	it('adds service, what is queued before the phrase, jitter buffer and output', () => {
		// Half a second of the 800 ms has been spoken since the report.
		expect(second(translated(queued(noDelay, 800, 2000), 1000, 2500), 60).shownMs).toBe(1500 + 300 + 60 + 20);
	});

	it('comes within 150 ms of what is measured, although synthesis is in no report', () => {
		expect(Math.abs(shown(conversation(8)) - 2400)).toBeLessThan(150);
	});

	it('follows a queue that grows while the voice never rests', () => {
		let gauge = conversation(8);
		for (let round = 0; round < 6; round += 1) {
			const startMs = 100_000 + round * 3000;
			gauge = translated(queued(gauge, 4000, startMs + 1500), startMs, startMs + 1500);
			for (let s = 0; s < 3; s += 1) gauge = second(gauge, 60);
		}
		expect(Math.abs(shown(gauge) - 6400)).toBeLessThan(250);
		expect(Math.abs(shown(second(skipped(gauge), 60)) - 2400)).toBeLessThan(250);
	});

	it('does not take the voice of one phrase for that of an earlier one', () => {
		let gauge = conversation(8);
		// Two phrases in one stretch of voice, then silence, then a third.
		gauge = translated(gauge, 100_000, 101_500);
		gauge = translated(gauge, 101_000, 102_500);
		gauge = phrase(voiceBegan(gauge, 102_400), 110_000);
		for (let s = 0; s < 10; s += 1) gauge = second(gauge, 60);
		expect(Math.abs(shown(gauge) - 2400)).toBeLessThan(200);
	});

	it('keeps the jitter buffer of the last voice while none is played', () => {
		const gauge = conversation(8);
		expect(Math.abs(shown(second(gauge, 0)) - shown(gauge))).toBeLessThan(30);
	});

	it('shows the old number until the new session has its own', () => {
		const before = conversation(3);
		expect(second(otherSession(before), 60).shownMs).toBe(before.shownMs);
	});

	it('remembers what is usual through another session, of so many phrases and no more', () => {
		const before = conversation(70);
		expect(before.spans).toHaveLength(61);
		expect(otherSession(before).spans).toEqual(before.spans);
		expect(Math.abs((usualDelay(before.spans) ?? 0) - 2400)).toBeLessThan(200);
	});
});

const spans = fc.array(fc.integer({ min: 0, max: 60_000 }), { maxLength: 200 });
const after = (all: readonly number[]) => all.reduce<readonly number[]>(recentWith, []);

describe('what is usual', () => {
	it('is not known of four phrases, and is of five', () => {
		expect(usualDelay([4000, 4100, 3900, 20_000])).toBe(null);
		expect(usualDelay([4000, 4100, 3900, 20_000, 4050])).toBe(4050);
		expect(usualDelay([1, 2, 3, 4, 5, 6])).toBe(3.5);
	});

	it('is the median of the last 61 phrases, whatever came before', () => {
		fc.assert(
			fc.property(spans, (all) => {
				const kept = after(all);
				expect(kept).toEqual(all.slice(-61));
				const usual = usualDelay(kept);
				expect(usual === null).toBe(all.length < 5);
				const half = usual === null ? 0 : kept.length / 2;
				expect(kept.filter((span) => span <= (usual ?? 0)).length).toBeGreaterThanOrEqual(half);
				expect(kept.filter((span) => span >= (usual ?? 0)).length).toBeGreaterThanOrEqual(half);
			}),
		);
	});
});

describe('slower than usual', () => {
	it('follows a service that is slow, and one that is quick', () => {
		expect(gradeOf(8000, 7000)).toBe('usual');
		expect(gradeOf(10_510, 7000)).toBe('slow');
		expect(gradeOf(4000, 1000)).toBe('usual');
		expect(gradeOf(4010, 1000)).toBe('slow');
		expect(gradeOf(8010, 1000)).toBe('long');
	});

	it('is never what half of the phrases take, and no lesser delay is graded worse', () => {
		const order = { usual: 0, slow: 1, long: 2 } as const;
		fc.assert(
			fc.property(spans, fc.nat(60_000), fc.nat(60_000), (all, one, other) => {
				const usual = usualDelay(after(all));
				if (usual === null) return;
				expect(gradeOf(usual, usual)).toBe('usual');
				const [less, more] = [Math.min(one, other), Math.max(one, other)];
				expect(order[gradeOf(less, usual)]).toBeLessThanOrEqual(order[gradeOf(more, usual)]);
			}),
		);
	});
});
