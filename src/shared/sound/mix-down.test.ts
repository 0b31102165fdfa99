import { expect, test } from 'vitest';
import { createMixDown } from './mix-down.ts';

const BLOCK = 480;
const BLOCKS = 40;
const LENGTH = BLOCK * BLOCKS;

/** A voice-like sound: two tones that swell. */
const voice = Float32Array.from({ length: LENGTH }, (_, at) => {
	const s = at / 24_000;
	return 0.3 * Math.sin(6.28 * 140 * s) * (1 + Math.sin(6.28 * 3 * s)) + 0.1 * Math.sin(6.28 * 720 * s);
});
const other = Float32Array.from({ length: LENGTH }, (_, at) => 0.3 * Math.sin((6.28 * 333 * at) / 24_000));
/** The same in each run. */
const hiss = Float32Array.from({ length: LENGTH }, (_, at) => 0.002 * Math.sin(at * at * 0.37));
const silent = new Float32Array(LENGTH);
const turned = (sound: Float32Array, by = -1) => sound.map((sample) => sample * by);
const sum = (one: Float32Array, two: Float32Array) => one.map((sample, at) => sample + (two[at] ?? 0));

function mixed(...channels: readonly Float32Array[]): Float32Array {
	const mixDown = createMixDown();
	const out = new Float32Array(LENGTH);
	for (let at = 0; at < LENGTH; at += BLOCK)
		out.set(mixDown.mix(channels.map((channel) => channel.subarray(at, at + BLOCK))), at);
	return out;
}

const rms = (sound: Float32Array) =>
	Math.sqrt(sound.reduce((total, one) => total + one * one, 0) / sound.length);

/** How much of `wanted` is in `sound`: 1 = all of it, -1 = turned round. */
function amountOf(wanted: Float32Array, sound: Float32Array): number {
	const product = wanted.reduce((total, one, at) => total + one * (sound[at] ?? 0), 0);
	return product / (rms(wanted) ** 2 * LENGTH);
}

test.each<[string, readonly Float32Array[]]>([
	['the same in both', [voice, voice]],
	['opposite phase', [voice, turned(voice)]],
	['opposite phase, one weaker', [voice, turned(voice, -0.8)]],
	['silence in the second', [voice, silent]],
	['silence in the first', [silent, voice]],
	['hiss in the second', [voice, hiss]],
	['six channels, the voice in the third', [silent, hiss, voice, silent, hiss, silent]],
	[
		'six channels, each second one opposite',
		[voice, turned(voice), voice, turned(voice), voice, turned(voice)],
	],
	['mono', [voice]],
])('keeps a voice as loud as it was: %s', (_, channels) => {
	const out = mixed(...channels);
	expect(Math.abs(amountOf(voice, out))).toBeGreaterThan(0.9);
	expect(rms(out) / rms(voice)).toBeGreaterThan(0.95);
	expect(rms(out) / rms(voice)).toBeLessThan(1.05);
});

test('keeps two voices of which each has its own channel', () => {
	const out = mixed(voice, other);
	expect(amountOf(voice, out)).toBeGreaterThan(0.6);
	expect(amountOf(other, out)).toBeGreaterThan(0.6);
	// What both channels have beside it is in phase: neither is turned round.
	const room = mixed(sum(voice, other), voice);
	expect(amountOf(voice, room)).toBeGreaterThan(0.9);
});

test('makes nothing out of silence, and of samples that are no numbers', () => {
	expect(rms(mixed(silent, silent))).toBe(0);
	const broken = Float32Array.from([Number.NaN, Number.POSITIVE_INFINITY, 1e38, -1e38, 0.5]);
	for (const channels of [[broken], [broken, broken]])
		for (const sample of createMixDown().mix(channels)) expect(Number.isFinite(sample)).toBe(true);
});

test('changes its loudness without a step', () => {
	const half = LENGTH / 2;
	const left = voice.map((sample, at) => sample * Math.max(0, Math.min(1, (half - at) / 4800)));
	const out = mixed(left, voice);
	const step = (sound: Float32Array) =>
		Math.max(...sound.subarray(1).map((sample, at) => Math.abs(sample - (sound[at] ?? 0))));
	expect(step(out)).toBeLessThan(1.5 * step(voice));
});
