import { describe, expect, it } from 'vitest';
import {
	type DelayGauge,
	noDelay,
	otherSession,
	queued,
	second,
	translated,
	voiceBegan,
	voiceEnded,
} from './delay.ts';

/** A phrase begun at `startMs`, translated after 1.5 s, heard after `trueMs`. */
function phrase(gauge: DelayGauge, startMs: number, trueMs: number): DelayGauge {
	const waiting = second(translated(gauge, startMs, startMs + 1500), 60);
	return second(voiceEnded(second(voiceBegan(waiting, startMs + trueMs), 60)), 60);
}

describe('the delay gauge', () => {
	it('says nothing before the first translation', () => {
		expect(second(queued(noDelay, 4000), 50).shownMs).toBe(null);
	});

	it('adds service, queue, jitter buffer and output before a voice was heard', () => {
		expect(second(queued(translated(noDelay, 1000, 2500), 800), 60).shownMs).toBe(1500 + 800 + 60 + 20);
	});

	it('comes within 150 ms of what is measured, whatever the parts left out', () => {
		let gauge = noDelay;
		for (let round = 0; round < 12; round += 1) gauge = phrase(gauge, round * 10_000, 2400);
		expect(Math.abs((gauge.shownMs ?? 0) - 2400)).toBeLessThan(150);
	});

	it('follows a growing queue, and a dropped one at once', () => {
		let gauge = noDelay;
		for (let round = 0; round < 12; round += 1) gauge = phrase(gauge, round * 10_000, 2000);
		for (let s = 0; s < 8; s += 1) gauge = second(queued(gauge, 6000), 60);
		expect(Math.abs((gauge.shownMs ?? 0) - 8000)).toBeLessThan(250);
		gauge = second(queued(gauge, 0), 60);
		expect(Math.abs((gauge.shownMs ?? 0) - 2000)).toBeLessThan(250);
	});

	it('is not led astray by phrases whose voice never came', () => {
		let gauge = phrase(noDelay, 0, 2000);
		gauge = voiceEnded(translated(gauge, 10_000, 11_500));
		expect(gauge.unheardMs).toEqual([]);
	});

	it('shows the old number until the new session has its own', () => {
		const before = phrase(noDelay, 0, 2000);
		expect(second(otherSession(before), 60).shownMs).toBe(before.shownMs);
	});
});
