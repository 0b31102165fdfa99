import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HeldVoice } from './voice-hold-buffer.ts';

const RATE = 8000;
const BLOCK = 128;
const LOUD = 0.25;

const block = (value: number) => new Float32Array(BLOCK).fill(value);

/** The output for one input block. */
function through(voice: HeldVoice, input: Float32Array | undefined): Float32Array {
	const output = new Float32Array(BLOCK).fill(9);
	voice.process(input, output);
	return output;
}

const blocksOf = (ms: number) => Math.ceil(((ms / 1000) * RATE) / BLOCK);

test('a voice that nobody holds passes untouched', () => {
	const voice = new HeldVoice(RATE);
	for (const value of [0, LOUD, -LOUD, 0.001]) expect(through(voice, block(value))).toEqual(block(value));
	expect(voice.waiting).toBe(0);
});

test('held, nothing comes out; let go, what came meanwhile comes first and in order', () => {
	const voice = new HeldVoice(RATE);
	voice.hold(true);
	const said = [0.1, 0.2, 0.3];
	for (const value of said) expect(through(voice, block(value))).toEqual(block(0));
	expect(voice.waiting).toBe(said.length * BLOCK);
	voice.hold(false);
	// What comes now queues behind.
	expect(said.map((value) => through(voice, block(value + 0.3))[0])).toEqual(
		said.map((value) => Math.fround(value)),
	);
	expect(through(voice, undefined)[0]).toBe(Math.fround(0.4));
});

test('silence is not kept, and long pauses become short ones', () => {
	const voice = new HeldVoice(RATE);
	voice.hold(true);
	for (let n = 0; n < 100; n++) through(voice, block(0));
	expect(voice.waiting).toBe(0);
	through(voice, block(LOUD));
	const afterWord = voice.waiting;
	for (let n = 0; n < blocksOf(5000); n++) through(voice, block(0));
	through(voice, block(LOUD));
	const pauseMs = ((voice.waiting - afterWord - BLOCK) / RATE) * 1000;
	expect(pauseMs).toBeGreaterThan(250);
	expect(pauseMs).toBeLessThan(400);
});

test('the soft beginning of a word is kept: 30 ms before it is loud', () => {
	const voice = new HeldVoice(RATE);
	voice.hold(true);
	const soft = 0.001;
	for (let n = 0; n < 10; n++) through(voice, block(soft));
	expect(voice.waiting).toBe(0);
	through(voice, block(LOUD));
	expect(voice.waiting).toBe(0.03 * RATE + BLOCK);
	voice.hold(false);
	const heard = [1, 2, 3].flatMap(() => [...through(voice, undefined)]);
	expect(heard.slice(0, 240 + BLOCK)).toEqual([
		...new Array(240).fill(Math.fround(soft)),
		...new Array(BLOCK).fill(LOUD),
	]);
});

test('of a pause 300 ms are kept, and the beginning of what comes after it', () => {
	const voice = new HeldVoice(RATE);
	voice.hold(true);
	through(voice, block(LOUD));
	for (let n = 0; n < 18; n++) {
		through(voice, block(0));
		expect(voice.waiting).toBe((2 + n) * BLOCK);
	}
	// 2400 samples are 300 ms: the nineteenth block of 128 is the first behind them.
	for (let n = 0; n < 20; n++) through(voice, block(0));
	expect(voice.waiting).toBe(19 * BLOCK);
	through(voice, block(LOUD));
	expect(voice.waiting).toBe(19 * BLOCK + 240 + BLOCK);
	// Within a pause that is kept whole, nothing is kept twice.
	through(voice, block(0));
	through(voice, block(LOUD));
	expect(voice.waiting).toBe(19 * BLOCK + 240 + 3 * BLOCK);
});

test('what passed just before it is held is speech still: its pause is kept too', () => {
	const voice = new HeldVoice(RATE);
	through(voice, block(LOUD));
	voice.hold(true);
	through(voice, block(0));
	expect(voice.waiting).toBe(BLOCK);
});

test.each([
	[0.0032, BLOCK],
	[0.0031, 0],
])('what is as loud as -50 dB is speech: %f keeps %i samples', (loud, waiting) => {
	const voice = new HeldVoice(RATE);
	voice.hold(true);
	through(voice, block(-loud));
	expect(voice.waiting).toBe(waiting);
});

test('a minute is kept at most, the newest', () => {
	const voice = new HeldVoice(RATE);
	voice.hold(true);
	for (let n = 0; n < blocksOf(61_000); n++) through(voice, block(n < 10 ? 0.5 : LOUD));
	expect(voice.waiting).toBe(60 * RATE);
	voice.hold(false);
	expect(through(voice, undefined)).toEqual(block(LOUD));
});

test('once everything was heard it passes again without delay', () => {
	const voice = new HeldVoice(RATE);
	voice.hold(true);
	through(voice, block(LOUD));
	voice.hold(false);
	for (let n = 0; n < blocksOf(1000); n++) through(voice, block(0));
	expect(voice.waiting).toBe(0);
	expect(through(voice, block(LOUD))).toEqual(block(LOUD));
});

test('dropped, it waits for nothing any more', () => {
	const voice = new HeldVoice(RATE);
	voice.hold(true);
	through(voice, block(LOUD));
	voice.flush();
	voice.hold(false);
	expect([voice.waiting, through(voice, block(0))]).toEqual([0, block(0)]);
});

test('whatever is said and however it is held: every loud block comes out once, in order', () => {
	fc.assert(
		fc.property(
			fc.array(fc.record({ loud: fc.boolean(), hold: fc.boolean() }), { maxLength: 80 }),
			(moves) => {
				const voice = new HeldVoice(RATE);
				const said: number[] = [];
				const heard: number[] = [];
				const listen = (output: Float32Array) => {
					// Each loud block has its own value, so that its samples can be counted at the output.
					for (const sample of output) if (sample !== 0) heard.push(sample);
				};
				moves.forEach(({ loud, hold }, index) => {
					voice.hold(hold);
					const value = loud ? Math.fround(0.1 + index / 1000) : 0;
					if (loud) said.push(value);
					listen(through(voice, block(value)));
				});
				voice.hold(false);
				for (let n = 0; n < 2 * moves.length + 2; n++) listen(through(voice, undefined));
				expect(heard).toEqual(said.flatMap((value) => Array.from({ length: BLOCK }, () => value)));
			},
		),
	);
});
