import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { VoicePiece } from './voice-piece.ts';
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
