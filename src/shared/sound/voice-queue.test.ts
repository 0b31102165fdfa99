import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createPrebuffer, type VoicePiece, VoiceQueue } from './voice-queue.ts';

const RATE_HZ = 24_000;
const PER_MS = RATE_HZ / 1000;

let sequence = 0;
/** `ms` of one value, which no jump is made to. */
function piece(id: string, ms: number, more: Partial<VoicePiece> & { readonly value?: number } = {}) {
	const { value = 100, ...rest } = more;
	sequence += 1;
	return {
		transcriptionId: id,
		partId: '0',
		sequence,
		last: false,
		samples: new Int16Array(ms * PER_MS).fill(value),
		...rest,
	};
}
const whole = (id: string, ms: number, more: Parameters<typeof piece>[2] = {}) =>
	piece(id, ms, { last: true, ...more });

function queueOf(...pieces: readonly VoicePiece[]): VoiceQueue {
	const queue = new VoiceQueue(RATE_HZ);
	for (const one of pieces) queue.push(one, 0);
	return queue;
}

/** The queue of another output, which goes on from here. */
function moved(from: VoiceQueue, limitMs = 20_000, held: readonly number[] = []): VoiceQueue {
	const queue = new VoiceQueue(RATE_HZ);
	queue.setLimit(limitMs);
	queue.goOn(from.rest(held), 0);
	return queue;
}

/** Takes so many ms; the values that came, each once, and how many ms there were. */
function take(queue: VoiceQueue, ms: number) {
	const out = new Float32Array(ms * PER_MS);
	const count = queue.take(out, 0, out.length);
	return {
		values: [...new Set(out.subarray(0, count).map((sample) => Math.round(sample * 32_768)))],
		ms: count / PER_MS,
	};
}
const ids = (queue: VoiceQueue) => queue.rest([]).pieces.map(({ transcriptionId }) => transcriptionId);

describe('a sentence begins', () => {
	test('at once where it is whole, however short', () => {
		const queue = queueOf(whole('a', 1));
		expect([queue.length, queue.isPlaying, queue.isWhole]).toEqual([0, false, true]);
		expect(take(queue, 1).ms).toBe(0);
		expect(queue.ready(0)).toBe(true);
		expect([queue.length, queue.isPlaying, queue.isWhole]).toEqual([PER_MS, true, true]);
		expect(queue.ready(0)).toBe(false);
		expect(take(queue, 2).ms).toBe(1);
	});

	test('with 20 ms in hand, or 20 ms after its first sound', () => {
		expect(queueOf(piece('a', 19)).ready(19.9)).toBe(false);
		expect(queueOf(piece('a', 19)).ready(20)).toBe(true);
		expect(queueOf(piece('a', 20)).ready(0)).toBe(true);
		const inTwo = queueOf(piece('a', 10), piece('a', 10));
		expect(inTwo.ready(0)).toBe(true);
		// An empty piece is no sound.
		const later = queueOf(piece('a', 0));
		later.push(piece('a', 10), 50);
		expect([later.ready(69.9), later.ready(70)]).toEqual([false, true]);
	});

	test('never without a sound', () => {
		const queue = queueOf(piece('a', 0));
		expect([queue.ready(1000), queue.isPlaying, queue.isWhole]).toEqual([false, false, false]);
		expect(new VoiceQueue(RATE_HZ).ready(1000)).toBe(false);
		expect(new VoiceQueue(RATE_HZ).isWhole).toBe(true);
	});

	test('as the next one when the one before was played to its end, and not sooner', () => {
		const queue = queueOf(whole('a', 40, { value: 1 }), whole('b', 40, { value: 2 }));
		queue.ready(0);
		expect(take(queue, 39)).toEqual({ values: [1], ms: 39 });
		expect(queue.ready(39)).toBe(false);
		// It never gives of two sentences at once.
		expect(take(queue, 39)).toEqual({ values: [1], ms: 1 });
		expect(queue.ready(40)).toBe(true);
		expect(take(queue, 80)).toEqual({ values: [2], ms: 40 });
	});

	test('although the one before never ended: two seconds after its last piece, and not a ms sooner', () => {
		const queue = queueOf(piece('a', 40), whole('b', 40, { value: 2 }));
		queue.push(piece('a', 0), 100);
		queue.ready(0);
		take(queue, 40);
		expect([queue.ready(2099), ids(queue)]).toEqual([false, ['a', 'b']]);
		expect(queue.isWhole).toBe(false);
		expect(queue.ready(2100)).toBe(true);
		expect(take(queue, 40).values).toEqual([2]);
	});
});

describe('in the middle of a sentence', () => {
	test('what ran dry is counted once, and goes on with as much in hand as a beginning', () => {
		const queue = queueOf(piece('a', 20));
		queue.ranDry();
		expect(queue.counts.underruns).toBe(0);
		queue.ready(0);
		take(queue, 20);
		queue.ranDry();
		queue.ranDry();
		expect([queue.counts.underruns, queue.isPlaying]).toEqual([1, false]);
		queue.push(piece('a', 10), 100);
		expect([queue.ready(119), queue.isPlaying]).toEqual([false, false]);
		// It goes on: nothing begins.
		expect([queue.ready(120), queue.isPlaying]).toEqual([false, true]);
	});

	test('what was hidden is counted, and it goes on with whatever comes', () => {
		const queue = queueOf(piece('a', 20));
		queue.ready(0);
		queue.hid();
		expect([queue.counts.hidden, queue.isPlaying]).toEqual([1, true]);
	});

	test('a piece that comes late takes its place, before what is left of a later one', () => {
		const first = piece('a', 20, { value: 1 });
		const second = piece('a', 20, { value: 2 });
		const third = piece('a', 20, { value: 3 });
		const queue = queueOf(first, third);
		queue.push(second, 0);
		queue.ready(0);
		expect(take(queue, 60).values).toEqual([1, 2, 3]);

		const played = queueOf(third, first);
		expect(played.rest([]).pieces.map(({ samples }) => samples[0])).toEqual([1, 3]);
		played.ready(0);
		take(played, 25);
		played.push(second, 25);
		expect(played.rest([]).pieces.map(({ samples }) => [samples[0], samples.length / PER_MS])).toEqual([
			[2, 20],
			[3, 15],
		]);
		expect([take(played, 60), played.waitingMs]).toEqual([{ values: [2, 3], ms: 35 }, 0]);
	});

	test('the delay counts from when its sound should have been heard', () => {
		const queue = queueOf(whole('a', 100));
		expect(queue.behindMs(50)).toBe(-Infinity);
		queue.push(whole('b', 100), 30);
		queue.ready(10);
		expect(queue.behindMs(50)).toBe(50);
		take(queue, 40);
		expect(queue.behindMs(50)).toBe(10);
		take(queue, 60);
		expect(queue.behindMs(130)).toBe(30);
		queue.ready(130);
		// The second came before the first was over: it follows on it.
		expect(queue.behindMs(130)).toBe(30);
		take(queue, 100);
		queue.push(whole('c', 20), 500);
		queue.ready(510);
		// The third came after all that: from its coming on.
		expect(queue.behindMs(510)).toBe(10);
	});
});

describe('what waits', () => {
	test('can be given on: only what was not played, and where it ends', () => {
		const queue = queueOf(piece('a', 20), whole('a', 20), piece('b', 20));
		queue.ready(0);
		take(queue, 5);
		expect(
			queue
				.rest([])
				.pieces.map(({ transcriptionId, samples, last }) => [transcriptionId, samples.length / PER_MS, last]),
		).toEqual([
			['a', 15, false],
			['a', 20, true],
			['b', 20, false],
		]);
		expect(queue.waitingMs).toBe(55);
	});

	test.each([true, false])(
		'what was given but not heard goes before the rest of its sentence, else stands alone; whole: %s',
		(last) => {
			const queue = queueOf(piece('a', 20, { last, value: 1 }), whole('b', 10, { value: 2 }));
			const held = [5 / 32_768, 6 / 32_768];
			const rest = () =>
				queue
					.rest(held)
					.pieces.map((one) => [one.transcriptionId, [...one.samples.subarray(0, 3)], one.last]);
			const next = ['b', [2, 2, 2], true];
			queue.ready(0);
			take(queue, 15);
			expect(rest()).toEqual([['a', [5, 6, 1], last], next]);
			take(queue, 5);
			expect(rest()).toEqual([['a', [5, 6], last], next]);
			// After silence nothing is held any more.
			queue.parted();
			expect(rest()).toEqual([...(last ? [] : [['a', [], false]]), next]);
		},
	);

	test('keeps its turn elsewhere: what still comes of an unfinished sentence is heard before the next one', () => {
		const queue = queueOf(piece('a', 20, { value: 1 }), whole('b', 20, { value: 2 }));
		queue.ready(0);
		take(queue, 20);
		const other = moved(queue);
		expect(other.ready(100)).toBe(false);
		other.push(whole('a', 20, { value: 3 }), 100);
		const heard = [0, 1].map(() => {
			other.ready(100);
			return take(other, 20).values;
		});
		expect(heard).toEqual([[3], [2]]);
	});

	test('parts of one sentence stand by number, as long as the later one is not heard', () => {
		const part = (id: string, number: string, value: number) => whole(id, 20, { partId: number, value });
		const order = (queue: VoiceQueue) => queue.rest([]).pieces.map(({ samples }) => samples[0]);
		expect(order(queueOf(part('a', '2', 2), part('a', '10', 10), part('a', '1', 1)))).toEqual([1, 2, 10]);
		// Another sentence stays where it is.
		expect(order(queueOf(part('b', '5', 5), part('a', '2', 2), part('a', '1', 1)))).toEqual([5, 1, 2]);
		const heard = queueOf(part('a', '2', 2));
		heard.ready(0);
		heard.push(part('a', '3', 3), 0);
		heard.push(part('a', '1', 1), 0);
		expect(order(heard)).toEqual([2, 1, 3]);
	});

	test.each([
		[0, 1000],
		[5000, 5000],
		[100_000, 60_000],
	])('a limit of %i ms is one of %i: a ms more, and the oldest is skipped', (limit, most) => {
		const queue = queueOf(whole('a', 500));
		queue.setLimit(limit);
		queue.push(whole('b', most - 500), 0);
		expect([ids(queue), queue.counts.skipped]).toEqual([['a', 'b'], 0]);
		queue.push(whole('c', 1), 0);
		expect([ids(queue), queue.counts.skipped]).toEqual([['b', 'c'], 1]);
		// What still comes of it is refused.
		queue.push(whole('a', 1), 0);
		expect([ids(queue), queue.counts.refused]).toEqual([['b', 'c'], 1]);
	});

	describe('a sentence that has begun is never skipped', () => {
		const begun = (...pieces: readonly VoicePiece[]) => {
			const queue = queueOf(...pieces);
			queue.setLimit(1000);
			queue.ready(0);
			take(queue, 20);
			return queue;
		};

		test('by what comes right after a move', () => {
			const queue = moved(begun(whole('a', 1500)), 1000);
			queue.push(whole('b', 20), 0);
			expect(ids(queue)).toEqual(['a']);
		});

		test('by what was given but not heard before a move', () => {
			const queue = begun(whole('a', 520), whole('b', 500));
			expect(ids(moved(queue, 1000, Array(50 * PER_MS).fill(0)))).toEqual(['a']);
		});

		test('while it waits for more of itself', () => {
			const queue = begun(piece('a', 20), whole('b', 500));
			queue.ranDry();
			for (const id of ['c', 'd']) queue.push(whole(id, 500), 0);
			expect(ids(queue)).toEqual(['a', 'c', 'd']);
		});

		test('with a later part of it', () => {
			const queue = begun(whole('a', 520), whole('a', 500, { partId: '1' }), whole('b', 500));
			expect(ids(queue)).toEqual(['a', 'a', 'b']);
			queue.push(whole('c', 20), 0);
			expect(ids(queue)).toEqual(['a', 'a']);
		});
	});

	test('a single sentence is never skipped, however long', () => {
		const queue = queueOf(piece('a', 30_000), piece('a', 30_000));
		expect([queue.waitingMs, queue.counts.skipped]).toEqual([60_000, 0]);
	});
});

describe('what is dropped', () => {
	test('is gone with all its parts, and says whether it was heard', () => {
		const queue = queueOf(whole('a', 40), whole('b', 40), whole('a', 40, { partId: '1' }), whole('c', 40));
		expect(queue.drop('a')).toBe(false);
		expect(ids(queue)).toEqual(['b', 'c']);
		queue.ready(0);
		expect([queue.drop('c'), queue.isPlaying]).toEqual([false, true]);
		expect([queue.drop('b'), queue.isPlaying, queue.waitingMs]).toEqual([true, false, 0]);
		expect(new VoiceQueue(RATE_HZ).drop('a')).toBe(false);
	});

	test('with a flush is everything, and its delay is forgotten', () => {
		const queue = queueOf(whole('a', 40), whole('b', 40));
		queue.ready(0);
		take(queue, 20);
		queue.flush();
		expect([queue.isPlaying, queue.waitingMs, queue.length]).toEqual([false, 0, 0]);
		for (const id of ['a', 'b']) queue.push(whole(id, 20), 0);
		expect([queue.counts.refused, queue.waitingMs]).toEqual([2, 0]);
		queue.push(whole('c', 20), 5);
		queue.ready(5);
		expect(queue.behindMs(5)).toBe(0);
	});

	test('and what was skipped, is not played elsewhere either, however often the voice moves', () => {
		const queue = queueOf(piece('a', 500), piece('b', 500), whole('c', 40));
		queue.setLimit(1000);
		queue.push(whole('d', 500), 0);
		queue.drop('b');
		const other = moved(moved(queue));
		for (const id of ['a', 'b']) other.push(whole(id, 20), 0);
		expect([ids(other), other.counts.refused]).toEqual([['c', 'd'], 2]);
	});

	test('is remembered anew when it is dropped once more', () => {
		const queue = queueOf();
		for (let number = 0; number < 256; number += 1) queue.drop(`s${number}`);
		queue.drop('s0');
		queue.drop('s256');
		queue.push(whole('s0', 10), 0);
		queue.push(whole('s1', 10), 0);
		expect(ids(queue)).toEqual(['s1']);
	});

	test('is remembered: the last 256 sentences and the last 1024 pieces', () => {
		const dropped = new VoiceQueue(RATE_HZ);
		for (let number = 0; number < 256; number += 1) dropped.drop(`s${number}`);
		dropped.push(whole('s0', 1), 0);
		expect(dropped.counts.refused).toBe(1);
		dropped.drop('s256');
		dropped.push(whole('s1', 1), 0);
		dropped.push(whole('s0', 1), 0);
		expect([dropped.counts.refused, ids(dropped)]).toEqual([2, ['s0']]);

		const first = piece('a', 0);
		const pushed = queueOf(first);
		for (let number = 1; number < 1024; number += 1) pushed.push(piece('a', 0), 0);
		pushed.push(first, 0);
		expect(pushed.counts.refused).toBe(1);
		pushed.push(piece('a', 0), 0);
		pushed.push(first, 0);
		expect(pushed.counts.refused).toBe(1);
	});
});

describe('silence', () => {
	const silent = (ms: number) => piece('a', ms, { value: 0 });

	test('ahead is counted from what comes next, over pieces, to the first sound or to as much as was asked for', () => {
		const queue = queueOf(silent(30), silent(20), piece('a', 20, { value: 11 }));
		expect(queue.silenceAhead(1e6, 10)).toBe(50 * PER_MS);
		expect(queue.silenceAhead(1e6, 11)).toBe(70 * PER_MS);
		expect(queue.silenceAhead(100, 10)).toBe(100);
		queue.ready(0);
		take(queue, 10);
		expect(queue.silenceAhead(1e6, 10)).toBe(40 * PER_MS);
		expect(new VoiceQueue(RATE_HZ).silenceAhead(1e6, 10)).toBe(0);
	});

	test('that is left out counts as heard', () => {
		const queue = queueOf(silent(100), piece('a', 20, { value: 7 }));
		queue.ready(0);
		queue.trim(50 * PER_MS);
		expect([queue.counts.trimmedMs, queue.waitingMs, queue.behindMs(60)]).toEqual([50, 70, 10]);
		queue.trim(50 * PER_MS);
		expect([queue.counts.trimmedMs, take(queue, 20)]).toEqual([100, { values: [7], ms: 20 }]);
		// No more than there is.
		queue.trim(1000);
		expect(queue.counts.trimmedMs).toBe(100);
	});
});

describe('two pieces that do not belong together', () => {
	const steps = (queue: VoiceQueue) => {
		const out = new Float32Array(40 * PER_MS);
		const count = queue.take(out, 0, out.length);
		return Math.max(
			...Array.from({ length: count - 1 }, (_, at) => Math.abs((out[at + 1] ?? 0) - (out[at] ?? 0)) * 32_768),
		);
	};
	const two = () => [piece('a', 20, { value: 12_000 }), piece('a', 20, { value: -12_000 })] as const;

	test('are joined without a jump', () => {
		const queue = queueOf(...two());
		queue.ready(0);
		expect(steps(queue)).toBeLessThan(400);
	});

	test('are left as they are where there was silence between them', () => {
		const [first, second] = two();
		const queue = queueOf(first, second);
		queue.ready(0);
		take(queue, 20);
		queue.parted();
		const out = new Float32Array(1);
		queue.take(out, 0, 1);
		expect(out[0]).toBe(-12_000 / 32_768);
	});

	test('are joined wherever the first was cut', () => {
		const [first, second] = two();
		const queue = queueOf(first, second);
		queue.ready(0);
		take(queue, 5);
		take(queue, 15);
		const out = new Float32Array(2);
		queue.take(out, 0, 1);
		queue.take(out, 1, 1);
		expect([...out].every((sample) => sample > 11_000 / 32_768)).toBe(true);
	});
});

test('gives every sample once and in order, however unevenly the pieces come, some of them twice', () => {
	const piece = fc.record({
		ms: fc.integer({ min: 1, max: 120 }),
		lateMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 300 })),
		isTwice: fc.boolean(),
	});
	fc.assert(
		fc.property(
			fc.array(piece, { minLength: 1, maxLength: 12 }),
			fc.integer({ min: 20, max: 480 }),
			(list, step) => {
				const queue = new VoiceQueue(RATE_HZ);
				let total = 0;
				let dueMs = 0;
				// Each sample is its own number: a ramp has no jump that would be smoothed.
				const coming = list.map(({ ms, lateMs, isTwice }, sequence) => {
					const samples = Int16Array.from({ length: ms * PER_MS }, (_, index) => total + index);
					total += samples.length;
					dueMs = Math.max(dueMs, total / PER_MS + lateMs);
					return {
						atMs: dueMs,
						isTwice,
						piece: {
							transcriptionId: 's',
							partId: '0',
							sequence,
							last: sequence === list.length - 1,
							samples,
						},
					};
				});
				const heard: number[] = [];
				const out = new Float32Array(step);
				for (let nowMs = 0; nowMs < dueMs + 2000; nowMs += step / PER_MS) {
					while (coming[0] && coming[0].atMs <= nowMs) {
						const next = coming.shift();
						for (let times = next?.isTwice ? 2 : 1; next && times > 0; times -= 1)
							queue.push(next.piece, nowMs);
					}
					queue.ready(nowMs);
					const count = queue.take(out, 0, step);
					for (const sample of out.subarray(0, count)) heard.push(Math.round(sample * 32_768));
					if (count < step && queue.length === 0 && !queue.isWhole) queue.ranDry();
				}
				expect(heard).toEqual(Array.from({ length: total }, (_, index) => index));
			},
		),
		{ numRuns: 60 },
	);
});

test('says the same however often and whenever the voice moves', () => {
	interface Step {
		readonly does: 'push' | 'take' | 'drop' | 'flush';
		readonly id: string;
		/** Of 20 ms: with less in hand a queue would wait before it goes on. */
		readonly units: number;
		readonly last: boolean;
		readonly moves: boolean;
	}
	const step: fc.Arbitrary<Step> = fc.record({
		does: fc.constantFrom('push', 'push', 'push', 'push', 'take', 'take', 'take', 'drop', 'flush'),
		id: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
		units: fc.integer({ min: 1, max: 20 }),
		last: fc.boolean(),
		moves: fc.boolean(),
	});
	const doStep = (queue: VoiceQueue, { does, id, units, last }: Step, sequence: number) => {
		const ms = units * 20;
		if (does === 'push') queue.push(piece(id, ms, { last, sequence, value: sequence }), 0);
		if (does === 'drop') queue.drop(id);
		if (does === 'flush') queue.flush();
		queue.ready(0);
		return does === 'take' ? take(queue, ms).values : [];
	};
	fc.assert(
		fc.property(fc.array(step, { maxLength: 40 }), (list) => {
			// Nothing comes of a sentence after its last piece.
			const ends = (id: string) => list.findIndex((one) => one.does === 'push' && one.id === id && one.last);
			const steps = list.filter(({ does, id }, at) => does !== 'push' || ends(id) < 0 || at <= ends(id));
			const heard = (moves: boolean) => {
				let queue = queueOf();
				queue.setLimit(1000);
				return steps.flatMap((one, number) => {
					if (moves && one.moves) queue = moved(queue, 1000);
					return doStep(queue, one, number);
				});
			};
			expect(heard(true)).toEqual(heard(false));
		}),
		{ numRuns: 200 },
	);
});

test('waits for the worst of a jittery way, but a single stall makes it wait no longer', () => {
	const late = (pattern: (index: number) => number) => {
		const queue = new VoiceQueue(RATE_HZ);
		for (let index = 0; index < 60; index += 1) {
			const atMs = index * 40 + pattern(index);
			const samples = new Int16Array(40 * PER_MS);
			queue.push({ transcriptionId: 's', partId: '0', sequence: index, last: false, samples }, atMs);
		}
		return queue.prebufferMs;
	};
	expect(late(() => 0)).toBe(0);
	expect(late((index) => (index % 5) * 15)).toBeGreaterThanOrEqual(50);
	expect(late((index) => (index === 40 ? 500 : 0))).toBe(0);
});

test('when too much waits, what has not begun is skipped, the oldest first, and never the sentence being heard', () => {
	const queue = new VoiceQueue(RATE_HZ);
	queue.setLimit(1000);
	let sequence = 0;
	const sentence = (id: string, ms: number, value: number) =>
		queue.push(
			{
				transcriptionId: id,
				partId: '0',
				sequence: sequence++,
				last: true,
				samples: new Int16Array(ms * PER_MS).fill(value),
			},
			0,
		);
	sentence('heard', 900, 1000);
	queue.ready(0);
	const out = new Float32Array(20 * PER_MS);
	expect(queue.take(out, 0, out.length)).toBe(out.length);
	sentence('second', 100, 2000);
	expect(queue.counts.skipped).toBe(0);
	sentence('third', 100, 3000);
	expect(queue.counts.skipped).toBe(1);
	expect(queue.rest([]).pieces.map(({ transcriptionId }) => transcriptionId)).toEqual(['heard', 'third']);
	sentence('fourth', 900, 4000);
	expect(queue.rest([]).pieces.map(({ transcriptionId }) => transcriptionId)).toEqual(['heard']);
	expect(queue.waitingMs).toBe(880);
});

/** One piece each 500 ms, so much later than it should be. */
function after(...lateMs: readonly number[]) {
	const prebuffer = createPrebuffer();
	for (const [index, late] of lateMs.entries()) prebuffer.arrived(late, index * 500);
	// What comes next ends the last interval.
	prebuffer.arrived(0, lateMs.length * 500);
	return prebuffer.targetMs;
}
const times = (count: number, lateMs: number) => new Array<number>(count).fill(lateMs);

test('nothing is waited for before anything was late', () => {
	expect(createPrebuffer().targetMs).toBe(0);
	expect(after(...times(100, 0))).toBe(0);
	expect(after(...times(100, -300))).toBe(0);
});

test.each([
	[3.9, 0],
	[4, 0],
	[4.1, 2],
	[6, 2],
	[6.1, 4],
	[50, 46],
	[51, 48],
	[404, 400],
	[1000, 400],
])(
	'what is always %f ms late has %i ms in hand: in steps of 2, less a quantum, and never more than 400',
	(lateMs, targetMs) => {
		expect(after(...times(100, lateMs))).toBe(targetMs);
	},
);

test('an interval is half a second from the piece that begins it, and what it says counts from its end on', () => {
	const prebuffer = createPrebuffer();
	const targets: number[] = [];
	for (const [lateMs, nowMs] of [
		[104, 1000],
		[0, 1499.9],
		[0, 1500],
	] as const) {
		prebuffer.arrived(lateMs, nowMs);
		targets.push(prebuffer.targetMs);
	}
	expect(targets).toEqual([0, 0, 100]);
});

test('one that begins long after the last ends half a second after itself', () => {
	const prebuffer = createPrebuffer();
	prebuffer.arrived(0, 0);
	prebuffer.arrived(0, 10_000);
	prebuffer.arrived(54, 10_499);
	expect(prebuffer.targetMs).toBe(0);
	// The second interval was the first that knew of it.
	prebuffer.arrived(0, 10_500);
	expect(prebuffer.targetMs).toBe(50);
});

test('of one interval the latest piece counts, wherever it stands in it', () => {
	for (const list of [
		[104, 54, 4],
		[4, 104, 54],
		[4, 54, 104],
	]) {
		const prebuffer = createPrebuffer();
		for (const [index, lateMs] of list.entries()) prebuffer.arrived(lateMs, index * 100);
		prebuffer.arrived(0, 500);
		expect(prebuffer.targetMs).toBe(100);
	}
});

test('the lateness of one interval says nothing of the next', () => {
	const prebuffer = createPrebuffer();
	prebuffer.arrived(104, 0);
	for (let index = 1; index <= 12; index += 1) prebuffer.arrived(0, index * 500);
	expect(prebuffer.targetMs).toBe(0);
});

test('one stall counts once, however many pieces it holds up', () => {
	const prebuffer = createPrebuffer();
	for (let index = 0; index < 10; index += 1) prebuffer.arrived(0, index * 500);
	for (let index = 0; index < 100; index += 1) prebuffer.arrived(300, 5000 + index);
	prebuffer.arrived(0, 5500);
	expect(prebuffer.targetMs).toBe(0);
});

test('what is late in fewer than one of twelve intervals is not waited for, what is late in more is', () => {
	const every = (count: number) =>
		after(...Array.from({ length: 20 * count }, (_, index) => (index % count === count - 1 ? 104 : 0)));
	expect([every(8), every(16)]).toEqual([100, 0]);
});

test('of several latenesses the least is waited for with which few are later', () => {
	// Half is 24 ms late, a third 54, a sixth 104: with 50 in hand too many were still later.
	const list = Array.from({ length: 120 }, (_, index) => [24, 54, 24, 54, 24, 104][index % 6] ?? 0);
	expect(after(...list)).toBe(100);
	// One of twenty later than the others: that is few.
	expect(after(...Array.from({ length: 100 }, (_, index) => (index % 20 === 10 ? 104 : 24)))).toBe(20);
});

test('ten seconds of a bad way are waited for for another 42 s, and then forgotten', () => {
	const bad = times(20, 104);
	const longest = (quiet: number) => after(...bad, ...times(quiet, 0));
	const quiets = Array.from({ length: 200 }, (_, index) => index);
	const over = quiets.find((quiet) => longest(quiet) === 0) ?? 0;
	expect(longest(0)).toBe(100);
	expect(over / 2).toBe(42);
});
