import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FLOOR_DB } from './level.ts';
import { createPathProbe, isTooQuiet, PROBE_RATE_HZ, type ProbeHeard, probeSound } from './path-probe.ts';
import { chime } from './tones.ts';

/** The probe's own sound, so much later and louder, in a room with something else. */
function heardIn(options: {
	readonly delayMs?: number;
	readonly gain?: number;
	readonly beside?: (index: number) => number;
	readonly played?: Float32Array;
	readonly pieces?: number;
}): { heard: ProbeHeard | null; loudestDb: number } {
	const { delayMs = 0, gain = 1, beside = () => 0, pieces = 480, played = probeSound().samples } = options;
	const delay = Math.round((delayMs / 1000) * PROBE_RATE_HZ);
	const room = Float32Array.from(
		{ length: delay + played.length + PROBE_RATE_HZ / 2 },
		(_, index) => (played[index - delay] ?? 0) * gain + beside(index),
	);
	const probe = createPathProbe();
	let heard: ProbeHeard | null = null;
	for (let from = 0; from < room.length; from += pieces)
		heard = probe.push(room.subarray(from, from + pieces));
	return { heard, loudestDb: probe.loudestDb() };
}

/** Always the same noise, -1 to 1. */
function noise(loudness: number): (index: number) => number {
	let state = 12_345;
	return () => {
		state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
		return (state / 2 ** 30 - 1) * loudness;
	};
}

describe('the tone of the test', () => {
	test('is found where it begins, as loud as it came, whatever the pieces', () => {
		fc.assert(
			fc.property(
				fc.integer({ min: 0, max: 1500 }),
				fc.integer({ min: -40, max: 6 }),
				// From one Web Audio quantum up: each piece is searched as it comes.
				fc.integer({ min: 128, max: 5000 }),
				(delayMs, gainDb, pieces) => {
					const { heard } = heardIn({ delayMs, gain: 10 ** (gainDb / 20), pieces });
					expect(heard?.score).toBeGreaterThan(0.98);
					expect(heard?.gainDb).toBeCloseTo(gainDb, 0);
					expect(Math.abs((heard?.atMs ?? -1) - delayMs - probeSound().startsAtMs)).toBeLessThan(1);
				},
			),
			{ numRuns: 12 },
		);
	});

	test('lasts 0.4 s, after as much silence, for a device that was asleep, and before half as much', () => {
		const { samples, rateHz } = probeSound();
		const loud = [...samples.keys()].filter((at) => samples[at] !== 0);
		expect(
			[samples.length / rateHz, loud[0], loud.at(-1)].map((at) => Math.round((at ?? 0) * 100) / 100),
		).toEqual([1, 9601, 19_198]);
	});

	test('rises evenly from 400 to 3000 Hz, and comes and goes within 20 ms', () => {
		const part = (fromMs: number, toMs: number) =>
			probeSound().samples.subarray((400 + fromMs) * 24, (400 + toMs) * 24);
		const rises = (fromMs: number, toMs: number) =>
			part(fromMs, toMs).filter((sample, at, all) => sample >= 0 && (all[at - 1] ?? 0) < 0).length;
		// Cycles are the mean frequency times the length.
		expect(Math.abs(rises(0, 400) - 680)).toBeLessThanOrEqual(1);
		expect(Math.abs(rises(0, 100) - 72)).toBeLessThanOrEqual(1);
		expect(Math.abs(rises(300, 400) - 267)).toBeLessThanOrEqual(1);
		const peak = (fromMs: number, toMs: number) => Math.max(...part(fromMs, toMs).map(Math.abs));
		expect([peak(5, 10), peak(20, 380), peak(390, 395)].map((loud) => Math.round(loud * 10) / 10)).toEqual([
			0.2, 0.4, 0.2,
		]);
		expect(Math.max(peak(0, 2), peak(398, 400))).toBeLessThan(0.05);
	});

	test('the loudest tenth of a second is that of the tone', () => {
		expect(heardIn({}).loudestDb).toBeCloseTo(20 * Math.log10(0.4 / Math.SQRT2), 0);
		expect(heardIn({ gain: 0.1 }).loudestDb).toBeCloseTo(20 * Math.log10(0.04 / Math.SQRT2), 0);
	});

	test('is found under noise as loud as itself', () => {
		const { heard } = heardIn({ delayMs: 200, beside: noise(0.5) });
		expect(Math.abs((heard?.atMs ?? -1) - 600)).toBeLessThan(2);
		expect(heard?.gainDb).toBeCloseTo(0, 0);
	});

	test.each([
		[
			'lost',
			(sound: Float32Array, at: number, length: number) => [
				sound.subarray(0, at),
				sound.subarray(at + length),
			],
		],
		[
			'silent',
			(sound: Float32Array, at: number, length: number) => [
				sound.subarray(0, at),
				new Float32Array(length),
				sound.subarray(at),
			],
		],
	] as const)('is as loud as it came when a few ms of it are %s: a busy machine', (_name, spoil) => {
		const { samples } = probeSound();
		const at = 0.6 * PROBE_RATE_HZ;
		const parts = spoil(samples, at, 0.01 * PROBE_RATE_HZ);
		const played = Float32Array.from(parts.flatMap((part) => Array.from(part)));
		expect(heardIn({ played, gain: 0.5 }).heard?.gainDb).toBeCloseTo(-6, 0);
	});

	test('is found upside down: some cables turn the wave over', () => {
		expect(heardIn({ gain: -0.5 }).heard?.gainDb).toBeCloseTo(-6, 0);
	});

	test.each([
		['noise', { gain: 0, beside: noise(0.5) }],
		['a hum', { gain: 0, beside: (index: number) => Math.sin((2 * Math.PI * 1000 * index) / PROBE_RATE_HZ) }],
		['another sound of ours', { played: chime().samples }],
		['its own beginning alone', { played: probeSound().samples.subarray(0, 0.45 * PROBE_RATE_HZ) }],
	] as const)('is not mistaken for %s, which is told from silence', (_name, room) => {
		const { heard, loudestDb } = heardIn(room);
		expect(heard).toBeNull();
		expect(loudestDb).toBeGreaterThan(-30);
	});

	test('nothing but zeros is told from a quiet room', () => {
		expect(heardIn({ gain: 0 })).toEqual({ heard: null, loudestDb: FLOOR_DB });
		expect(heardIn({ gain: 0, beside: noise(0.001) }).loudestDb).toBeGreaterThan(-80);
	});

	test('stays found when the recording goes on', () => {
		const probe = createPathProbe();
		probe.push(probeSound().samples);
		const heard = probe.push(new Float32Array(PROBE_RATE_HZ));
		expect(heard).not.toBeNull();
		expect(probe.push(new Float32Array(100))).toBe(heard);
	});
});

test('a tone that arrives more than 20 dB quieter was turned down on the way', () => {
	const arrives = (gainDb: number) => isTooQuiet({ passed: true, delayMs: 100, gainDb });
	expect([arrives(0), arrives(-20), arrives(-20.1)]).toEqual([false, false, true]);
});
