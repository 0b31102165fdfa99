import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { VoicePiece } from './voice-queue.ts';
import { type VoiceState, VoiceStream } from './voice-stream.ts';

const IN_HZ = 24_000;
const OUT_HZ = 48_000;
const QUANTUM = 128;
/** Interval at which the state is read, samples. */
const LOOK = QUANTUM * 4;

let sequence = 0;
function piece(id: string, samples: Int16Array, last = false, part = '0'): VoicePiece {
	sequence += 1;
	return { transcriptionId: id, partId: part, sequence, last, samples };
}

/** `ms` of a tone that continues where the previous one stopped. */
function tone(ms: number, fromMs = 0, hz = 200): Int16Array {
	const start = (fromMs * IN_HZ) / 1000;
	return Int16Array.from({ length: (ms * IN_HZ) / 1000 }, (_, index) =>
		Math.round(8000 * Math.sin((2 * Math.PI * hz * (start + index)) / IN_HZ)),
	);
}

/** A loudspeaker: plays to `toMs`, running what falls due on the way. */
function play(stream: VoiceStream, toMs: number, due: readonly { readonly atMs: number; do(): void }[] = []) {
	const heard: number[] = [];
	const states: VoiceState[] = [];
	const waiting = [...due].sort((a, b) => a.atMs - b.atMs);
	const quantum = new Float32Array(QUANTUM);
	for (let at = 0; (at / OUT_HZ) * 1000 < toMs; at += QUANTUM) {
		const nowMs = (at / OUT_HZ) * 1000;
		while (waiting[0] && waiting[0].atMs <= nowMs) waiting.shift()?.do();
		stream.read(quantum, nowMs);
		for (const sample of quantum) heard.push(sample);
		if (at % LOOK === 0) states.push(stream.state(nowMs));
	}
	return { heard, states };
}

const at = (atMs: number, run: () => void) => ({ atMs, do: run });
/** A real-time speaker: pieces of 20 ms of one sentence, except while `isAway`, then all at once. */
function speaker(stream: VoiceStream, toMs: number, isAway: (ms: number) => boolean = () => false) {
	let held: VoicePiece[] = [];
	return Array.from({ length: toMs / 20 }, (_, index) =>
		at(index * 20 + 0.1, () => {
			// A breath at the end of every second, as in speech.
			const isBreath = (index * 20) % 1000 >= 800;
			held.push(piece('s', isBreath ? new Int16Array(480) : tone(20, index * 20)));
			if (isAway(index * 20)) return;
			for (const one of held) stream.push(one, index * 20 + 0.1);
			held = [];
		}),
	);
}

/** Longest silence after the first sound, ms. */
function longestGapMs(heard: readonly number[], toMs = Infinity): number {
	const first = heard.findIndex((sample) => Math.abs(sample) > 0.01);
	let longest = 0;
	let gap = 0;
	for (const sample of heard.slice(first, (toMs * OUT_HZ) / 1000)) {
		gap = Math.abs(sample) > 0.01 ? 0 : gap + 1;
		longest = Math.max(longest, gap);
	}
	return (longest / OUT_HZ) * 1000;
}

/** Largest step from one sample to the next; a tone of 200 Hz at 0.25 steps by 0.0065. */
function largestStep(heard: readonly number[]): number {
	let largest = 0;
	for (let index = 1; index < heard.length; index += 1)
		largest = Math.max(largest, Math.abs((heard[index] ?? 0) - (heard[index - 1] ?? 0)));
	return largest;
}

/** -40 dB below full scale, on top of the tone's own step. */
const NO_CLICK = 0.0065 + 0.01;

describe('a voice', () => {
	it('plays a burst whole, from its first chunk on, without a gap or a click', () => {
		const stream = new VoiceStream(OUT_HZ);
		const bursts = Array.from({ length: 10 }, (_, index) =>
			at(100 + index * 50, () =>
				stream.push(piece('a', tone(200, index * 200), index === 9), 100 + index * 50),
			),
		);
		const { heard, states } = play(stream, 2500, bursts);
		const first = heard.findIndex((sample) => Math.abs(sample) > 0.01);
		expect((first / OUT_HZ) * 1000).toBeLessThan(125);
		expect(longestGapMs(heard, 2090)).toBeLessThan(5);
		expect(largestStep(heard)).toBeLessThan(NO_CLICK);
		expect(Math.max(...states.map(({ tempo }) => tempo))).toBe(1);
		expect(states.at(-1)).toMatchObject({ underruns: 0, waitingMs: 0, audible: false });
	});

	it('plays sentence after sentence in the order in which they began, although their pieces mingle', () => {
		const stream = new VoiceStream(OUT_HZ);
		const low = tone(200, 0, 200);
		const high = tone(200, 0, 600);
		for (const next of [piece('a', low), piece('b', high), piece('b', high, true), piece('a', low, true)])
			stream.push(next, 0);
		const { heard } = play(stream, 1000);
		const crossings = (fromMs: number) => {
			const part = heard.slice((fromMs * OUT_HZ) / 1000, ((fromMs + 100) * OUT_HZ) / 1000);
			return part.filter((sample, index) => sample >= 0 && (part[index - 1] ?? 0) < 0).length;
		};
		expect(
			[crossings(100), crossings(250), crossings(500), crossings(650)].map((n) => Math.round(n / 20)),
		).toEqual([1, 1, 3, 3]);
	});

	it('makes up for a stall of 400 ms within 5 s, never faster than 1.15, and keeps no delay', () => {
		const stream = new VoiceStream(OUT_HZ);
		const { heard, states } = play(
			stream,
			8000,
			speaker(stream, 8000, (ms) => ms >= 2000 && ms < 2400),
		);
		const behind = (ms: number) => states[Math.floor((ms * OUT_HZ) / 1000 / LOOK)]?.behindMs ?? -1;
		expect(behind(1900)).toBeLessThanOrEqual(10);
		expect(behind(2450)).toBeGreaterThan(50);
		expect(behind(7400)).toBeLessThanOrEqual(10);
		// No more is waiting than before the stall.
		const waiting = (ms: number) => states[Math.floor((ms * OUT_HZ) / 1000 / LOOK)]?.waitingMs ?? -1;
		expect(waiting(7400)).toBeLessThanOrEqual(waiting(1900) + 30);
		expect(Math.max(...states.map(({ tempo }) => tempo))).toBeLessThanOrEqual(1.15);
		expect(largestStep(heard)).toBeLessThan(NO_CLICK);
		expect(states.at(-1)?.underruns).toBe(1);
	});

	it.each([40, 100, 200, 320])(
		'keeps no delay after a stall within one unbroken sentence in pieces of %i ms',
		(length) => {
			const stream = new VoiceStream(OUT_HZ);
			const isAway = (ms: number) => ms >= 3000 && ms < 3500;
			const due = Array.from({ length: Math.floor(12_000 / length) }, (_, index) => {
				const ms = index * length;
				const arrivalMs = (isAway(ms) ? 3500 : ms) + 1;
				return at(arrivalMs, () => stream.push(piece('s', tone(length, ms)), arrivalMs));
			});
			const { states, heard } = play(stream, 11_900, due);
			// All that waits at the end of a piece, which is the lag.
			const least = (fromMs: number, toMs: number) =>
				Math.min(
					...states
						.slice((fromMs * OUT_HZ) / 1000 / LOOK, (toMs * OUT_HZ) / 1000 / LOOK)
						.map(({ waitingMs }) => waitingMs),
				);
			expect(least(9500, 11_500) - least(1000, 2800)).toBeLessThanOrEqual(10);
			expect(Math.max(...states.map(({ tempo }) => tempo))).toBeLessThanOrEqual(1.15);
			expect(largestStep(heard)).toBeLessThan(NO_CLICK);
			expect(states.at(-1)?.underruns).toBeLessThanOrEqual(3);
		},
	);

	it('fades out when it runs dry and in when it goes on, and counts it', () => {
		const stream = new VoiceStream(OUT_HZ);
		const { heard, states } = play(stream, 2000, [
			at(0, () => stream.push(piece('a', tone(303)), 0)),
			at(1000, () => stream.push(piece('a', tone(303, 111), true), 1000)),
		]);
		expect(largestStep(heard)).toBeLessThan(NO_CLICK);
		expect(states.at(-1)).toMatchObject({ underruns: 1, audible: false });
	});

	it('learns to wait a little when pieces come late, and forgets it when they do not', () => {
		const stream = new VoiceStream(OUT_HZ);
		let ms = 0;
		const jittery = Array.from({ length: 100 }, (_, index) => {
			ms = Math.max(ms, index * 20 + (index % 3) * 30);
			const arrival = ms;
			return at(arrival, () => stream.push(piece('j', tone(20, index * 20)), arrival));
		});
		const { states } = play(stream, 2000, jittery);
		expect(states.at(-1)?.prebufferMs).toBeGreaterThanOrEqual(40);
		// No underrun once it has learned.
		expect(states.at(-1)?.underruns).toBe(states[Math.floor(states.length / 2)]?.underruns);
	});

	it('speeds up while more than it can say waits, and skips whole old sentences above the limit', () => {
		const stream = new VoiceStream(OUT_HZ);
		stream.setLimit(10_000);
		for (const id of ['a', 'b', 'c', 'd', 'e']) stream.push(piece(id, tone(4000), true), 0);
		const { states, heard } = play(stream, 1000);
		expect(states[10]).toMatchObject({ skipped: 3 });
		expect(states[50]?.tempo).toBeGreaterThan(1);
		expect(largestStep(heard)).toBeLessThan(NO_CLICK);
	});

	it('goes on with the next sentence when the one being heard is dropped, and says nothing of a dropped one', () => {
		const stream = new VoiceStream(OUT_HZ);
		const { heard, states } = play(stream, 3000, [
			at(0, () => {
				stream.drop('never');
				stream.push(piece('a', tone(2000), true), 0);
				stream.push(piece('b', tone(300), true), 0);
				stream.push(piece('never', tone(2000), true), 0);
			}),
			at(500, () => stream.drop('a')),
			at(600, () => stream.push(piece('a', tone(2000), true), 600)),
		]);
		const loud = heard.filter((sample) => Math.abs(sample) > 0.01).length / (OUT_HZ / 1000);
		expect(loud).toBeGreaterThan(700);
		expect(loud).toBeLessThan(900);
		expect(states.at(-1)).toMatchObject({ waitingMs: 0, audible: false, refused: 2 });
	});

	it('is silent within 10 ms of a flush, without a click, and lets nothing of the old sentences through', () => {
		const stream = new VoiceStream(OUT_HZ);
		const { heard, states } = play(stream, 1500, [
			at(0, () => stream.push(piece('a', tone(1000)), 0)),
			at(500, () => stream.flush()),
			at(600, () => stream.push(piece('a', tone(500), true), 600)),
			at(1000, () => stream.push(piece('b', tone(200), true), 1000)),
		]);
		const loud = (fromMs: number, toMs: number) =>
			heard.slice((fromMs * OUT_HZ) / 1000, (toMs * OUT_HZ) / 1000).some((sample) => Math.abs(sample) > 0.01);
		expect([loud(400, 495), loud(520, 995), loud(1010, 1190)]).toEqual([true, false, true]);
		expect(largestStep(heard)).toBeLessThan(NO_CLICK);
		expect(states.at(-1)?.refused).toBe(1);
	});

	it('leaves out silence, and nothing else, to catch up', () => {
		const stream = new VoiceStream(OUT_HZ);
		const late = [tone(500), new Int16Array(IN_HZ * 0.8), tone(500)];
		const { states } = play(stream, 4000, [
			at(0, () => stream.push(piece('a', late[0] ?? tone(1)), 0)),
			at(900, () => {
				stream.push(piece('a', late[1] ?? tone(1)), 900);
				stream.push(piece('a', late[2] ?? tone(1), true), 900);
			}),
		]);
		expect(states.at(-1)?.trimmedMs).toBeGreaterThan(100);
	});

	it('does not click where a piece is missing in the middle of a sentence', () => {
		const stream = new VoiceStream(OUT_HZ);
		// The second fifth of a second never comes; the sound after it is a quarter of a wave off.
		stream.push(piece('a', tone(201.25)), 0);
		stream.push(piece('a', tone(200, 402.5), true), 0);
		const { heard, states } = play(stream, 1000);
		expect(largestStep(heard)).toBeLessThan(NO_CLICK);
		expect(longestGapMs(heard, 390)).toBeLessThan(5);
		expect(states.at(-1)).toMatchObject({ underruns: 0, waitingMs: 0 });
	});

	it('does not hear the same piece twice', () => {
		const stream = new VoiceStream(OUT_HZ);
		const once = piece('a', tone(200), true);
		stream.push(once, 0);
		stream.push(once, 1);
		expect(stream.state(1)).toMatchObject({ waitingMs: 200, refused: 1 });
	});

	it('gives up a sentence whose end never comes, and goes on with the next', () => {
		const stream = new VoiceStream(OUT_HZ);
		stream.push(piece('a', tone(200)), 0);
		stream.push(piece('b', tone(200), true), 100);
		const { states } = play(stream, 4000);
		expect(states.at(-1)).toMatchObject({ waitingMs: 0, audible: false });
	});

	it('never clicks and never holds more than was given, whatever comes and whenever', () => {
		const arrival = fc.record({
			afterMs: fc.integer({ min: 0, max: 400 }),
			id: fc.constantFrom('a', 'b', 'c'),
			ms: fc.integer({ min: 0, max: 300 }),
			last: fc.boolean(),
			what: fc.constantFrom('push', 'push', 'push', 'push', 'flush'),
		});
		type Arrival = typeof arrival extends fc.Arbitrary<infer One> ? One : never;
		const push = (id: 'a' | 'c', ms: number, afterMs = 0, last = false): Arrival => {
			return { afterMs, id, ms, last, what: 'push' };
		};
		// Less is left than a fade takes: in the middle of a sentence, and at its end.
		const endsBetweenBlocks = [push('a', 1), push('a', 226, 25), push('a', 237)];
		const endsWhole = [
			push('c', 152),
			push('a', 16, 6),
			push('c', 178, 248),
			push('a', 107, 0, true),
			push('c', 3, 0, true),
		];
		fc.assert(
			fc.property(fc.array(arrival, { maxLength: 12 }), (list) => {
				const stream = new VoiceStream(OUT_HZ);
				let atMs = 0;
				const due = list.map((one) => {
					atMs += one.afterMs;
					const nowMs = atMs;
					return at(nowMs, () => {
						if (one.what === 'flush') stream.flush();
						else stream.push(piece(one.id, tone(one.ms), one.last), nowMs);
					});
				});
				const { heard, states } = play(stream, atMs + 600, due);
				// Even where two pieces from different places of a tone meet.
				expect(largestStep(heard)).toBeLessThan(NO_CLICK);
				expect(heard.some((sample) => Math.abs(sample) > 0.3)).toBe(false);
				expect(Math.max(...states.map(({ tempo }) => tempo), 1)).toBeLessThanOrEqual(1.15);
			}),
			{ numRuns: 20, examples: [[endsBetweenBlocks], [endsWhole]] },
		);
	});
});

/** `ms` of one level: wherever it is cut, the cut is a step. */
const level = (ms: number, value = 8000) => new Int16Array((ms * IN_HZ) / 1000).fill(value);
/** As loud as at least half of it. */
const isLevel = (sample: number) => Math.abs(sample) > 0.122;
const msOf = (samples: readonly number[]) => (samples.length / OUT_HZ) * 1000;
/** The last moment at which anything is heard, ms. */
const endMs = (heard: readonly number[]) =>
	((heard.findLastIndex((sample) => Math.abs(sample) > 0.01) + 1) / OUT_HZ) * 1000;
/** A level that fades over 2.5 ms steps by 0.002. */
const NO_STEP = 0.008;

describe('where a voice stops', () => {
	it('a sentence of any length is heard to its end, which is faded', () => {
		fc.assert(
			fc.property(fc.integer({ min: 240, max: 6000 }), (samples) => {
				const stream = new VoiceStream(OUT_HZ);
				stream.push(piece('a', new Int16Array(samples).fill(8000), true), 0);
				const { heard, states } = play(stream, 400);
				const ms = (samples / IN_HZ) * 1000;
				expect(msOf(heard.filter(isLevel))).toBeLessThan(ms - 1.5);
				// At most what was held back for the fade is left out.
				expect(msOf(heard.filter(isLevel))).toBeGreaterThan(ms - 6);
				expect(largestStep(heard)).toBeLessThan(NO_STEP);
				expect(states.at(-1)).toMatchObject({ underruns: 0, waitingMs: 0, audible: false });
			}),
			{ numRuns: 50 },
		);
	});

	it.each([101.3, 150, 177.7])('a flush at %f ms fades within 10 ms, without a step', (flushMs) => {
		const stream = new VoiceStream(OUT_HZ);
		const { heard } = play(stream, 400, [
			at(0, () => stream.push(piece('a', level(300)), 0)),
			at(flushMs, () => stream.flush()),
		]);
		expect(endMs(heard)).toBeGreaterThan(flushMs);
		expect(endMs(heard)).toBeLessThan(flushMs + 10);
		expect(largestStep(heard)).toBeLessThan(NO_STEP);
	});

	it('one that is dropped while it is heard blends into the next, of which nothing is lost', () => {
		const stream = new VoiceStream(OUT_HZ);
		const { heard } = play(stream, 800, [
			at(0, () => {
				stream.push(piece('a', level(400), true), 0);
				stream.push(piece('b', level(300, -8000), true), 0);
			}),
			at(201, () => stream.drop('a')),
		]);
		expect(heard.findLastIndex((sample) => sample > 0.01) / 48).toBeLessThan(211);
		expect(msOf(heard.filter((sample) => sample < -0.122))).toBeGreaterThan(295);
		expect(largestStep(heard)).toBeLessThan(NO_STEP);
	});

	it('also while its voice hurries', () => {
		const stream = new VoiceStream(OUT_HZ);
		const { heard } = play(stream, 800, [
			at(0, () => {
				stream.push(piece('a', level(4000), true), 0);
				stream.push(piece('b', level(300, -8000), true), 0);
				stream.push(piece('c', level(6000, -8000), true), 0);
			}),
			at(301, () => stream.drop('a')),
		]);
		expect(heard.findLastIndex((sample) => sample > 0.01) / 48).toBeLessThan(311);
		expect(largestStep(heard)).toBeLessThan(NO_STEP);
	});

	it('one that is dropped before it is heard changes nothing of the one that is', () => {
		const heard = [true, false].map((isThere) => {
			const stream = new VoiceStream(OUT_HZ);
			return play(stream, 500, [
				at(0, () => {
					stream.push(piece('a', tone(300), true), 0);
					if (isThere) stream.push(piece('b', tone(200, 0, 333), true), 0);
				}),
				at(101, () => isThere && stream.drop('b')),
			]).heard;
		});
		expect(heard[0]).toEqual(heard[1]);
	});

	it('a late sentence that turns out to be over is not held any longer', () => {
		const stream = new VoiceStream(OUT_HZ);
		const { heard, states } = play(stream, 600, [
			at(0, () => stream.push(piece('a', level(200)), 0)),
			at(215, () => stream.push(piece('a', level(0), true), 215)),
		]);
		expect(endMs(heard)).toBeGreaterThan(205);
		expect(endMs(heard)).toBeLessThan(230);
		expect(largestStep(heard)).toBeLessThan(NO_STEP);
		expect(states.at(-1)).toMatchObject({ underruns: 0, audible: false });
	});

	it('one that never goes on is held for 110 ms, quieter and quieter, and counts as one gap', () => {
		const stream = new VoiceStream(OUT_HZ);
		const { heard, states } = play(stream, 1500, [
			at(0, () => stream.push(piece('a', level(200)), 0)),
			at(700, () => stream.push(piece('a', level(200), true), 700)),
		]);
		const first = heard.slice(0, 700 * 48);
		expect(endMs(first)).toBeGreaterThan(290);
		expect(endMs(first)).toBeLessThan(325);
		expect(largestStep(heard)).toBeLessThan(NO_STEP);
		const audible = (ms: number) => states[Math.floor((ms * 48) / LOOK)]?.audible;
		expect([audible(100), audible(400), audible(800), audible(1400)]).toEqual([true, false, true, false]);
		expect(states.at(-1)).toMatchObject({ underruns: 1, hidden: 0 });
		// The late sound is heard in full.
		expect(msOf(heard.slice(700 * 48).filter(isLevel))).toBeGreaterThan(200 / 1.15);
	});

	it('a gap of 40 ms is hidden: the sound goes on at its level, and nothing of what comes is lost', () => {
		const stream = new VoiceStream(OUT_HZ);
		const { heard, states } = play(stream, 800, [
			at(0, () => stream.push(piece('a', level(200)), 0)),
			at(240, () => stream.push(piece('a', level(200), true), 240)),
		]);
		expect(longestGapMs(heard, 420)).toBe(0);
		expect(msOf(heard.filter(isLevel))).toBeGreaterThan(430);
		expect(largestStep(heard)).toBeLessThan(NO_STEP);
		expect(states.at(-1)).toMatchObject({ underruns: 0 });
	});
});

describe('what waits', () => {
	it('is what was not yet heard', () => {
		const stream = new VoiceStream(OUT_HZ);
		stream.push(piece('a', tone(300)), 0);
		stream.push(piece('a', tone(200, 300), true), 0);
		const { states } = play(stream, 300);
		for (const [index, { waitingMs }] of states.entries())
			expect(Math.abs(waitingMs - (500 - (index * LOOK) / 48)), `${index}`).toBeLessThan(8);
	});

	it.each([150, 280, 310, 480])(
		'at any moment, as here after %i ms, another voice can go on from there',
		(ms) => {
			const one = new VoiceStream(OUT_HZ);
			one.push(piece('a', level(300)), 0);
			one.push(piece('a', level(200), true), 0);
			const before = play(one, ms).heard;
			const rest = one.rest;
			const restMs = rest.pieces.reduce((sum, { samples }) => sum + samples.length, 0) / 24;
			// The voice itself is a few ms ahead of what was read from it.
			expect(Math.abs(restMs - (500 - ms))).toBeLessThan(8);
			expect(rest.pieces.at(-1)).toMatchObject({ transcriptionId: 'a', last: true });
			const other = new VoiceStream(OUT_HZ);
			other.goOn(rest, 0);
			const { heard, states } = play(other, 600);
			expect(Math.abs(msOf(before.filter(isLevel)) + msOf(heard.filter(isLevel)) - 497)).toBeLessThan(12);
			expect(states.at(-1)).toMatchObject({ waitingMs: 0, underruns: 0, audible: false });
		},
	);

	it('however long the piece is', () => {
		const stream = new VoiceStream(OUT_HZ);
		stream.push(piece('a', level(20_000), true), 0);
		play(stream, 100);
		expect((stream.rest.pieces[0]?.samples.length ?? 0) / 24).toBeGreaterThan(19_890);
	});

	it('also between two sentences', () => {
		const stream = new VoiceStream(OUT_HZ);
		stream.push(piece('a', level(200), true), 0);
		stream.push(piece('b', level(100), true), 0);
		play(stream, 185);
		expect(stream.rest.pieces.map(({ transcriptionId, last }) => [transcriptionId, last])).toEqual([
			['a', true],
			['b', true],
		]);
	});

	it('never grows while nothing comes, and shrinks no faster than the voice speaks', () => {
		const stream = new VoiceStream(OUT_HZ);
		stream.setLimit(60_000);
		for (const id of ['a', 'b', 'c']) stream.push(piece(id, tone(3000), true), 0);
		const { states } = play(stream, 4000);
		const steps = states.slice(1).map(({ waitingMs }, index) => (states[index]?.waitingMs ?? 0) - waitingMs);
		expect(Math.min(...steps)).toBeGreaterThan(-1);
		expect(Math.max(...steps)).toBeLessThan((LOOK / 48) * 1.15 + 15);
	});

	it.each([
		[1990, 1],
		[2500, 1.0188],
		[4000, 1.075],
		[6000, 1.15],
		[9000, 1.15],
	])('behind the sentence being heard: %i ms are said %f times as fast', (ms, tempo) => {
		const stream = new VoiceStream(OUT_HZ);
		stream.setLimit(60_000);
		stream.push(piece('a', tone(500), true), 0);
		stream.push(piece('b', tone(ms), true), 0);
		expect(play(stream, 100).states[3]?.tempo).toBeCloseTo(tempo, 2);
	});

	it('late by more than 12 ms: the later the faster, until it is 5', () => {
		const stream = new VoiceStream(OUT_HZ);
		const { states } = play(
			stream,
			8000,
			speaker(stream, 8000, (ms) => ms >= 2000 && ms < 2400),
		);
		const after = states.filter((_, index) => (index * LOOK) / 48 > 2450);
		expect(after.some(({ tempo }) => tempo > 1.1)).toBe(true);
		for (const { tempo, behindMs } of after) {
			if (tempo > 1) expect(Math.abs(tempo - (1.04 + 0.11 * Math.min(1, behindMs / 120)))).toBeLessThan(0.03);
			if (behindMs > 30) expect(tempo).toBeGreaterThan(1);
		}
	});
});

describe('silence in a sentence', () => {
	/** 500 ms, a pause of 800, 500 more; the pause and what follows come `lateMs` late. */
	function paused(lateMs: number) {
		const stream = new VoiceStream(OUT_HZ);
		const heard = play(stream, 4000, [
			at(0, () => stream.push(piece('a', level(500)), 0)),
			at(490 + lateMs, () => {
				stream.push(piece('a', level(800, 0)), 490 + lateMs);
				stream.push(piece('a', level(500), true), 490 + lateMs);
			}),
		]);
		return { ...heard, trimmedMs: heard.states.at(-1)?.trimmedMs ?? -1 };
	}

	it('is heard whole when the voice is in time', () => {
		const { heard, trimmedMs } = paused(0);
		expect(trimmedMs).toBe(0);
		expect(longestGapMs(heard, 1400)).toBeGreaterThan(790);
	});

	it('is shortened by the lag and no more, to 80 ms at least, and no word is', () => {
		const { heard, trimmedMs } = paused(400);
		expect(trimmedMs).toBeGreaterThan(250);
		expect(trimmedMs).toBeLessThan(430);
		expect(msOf(heard.filter(isLevel))).toBeGreaterThan(990);
		const far = paused(1500);
		expect(far.trimmedMs).toBeGreaterThan(600);
		expect(far.trimmedMs).toBeLessThanOrEqual(720);
		expect(msOf(far.heard.filter(isLevel))).toBeGreaterThan(990);
	});
});
