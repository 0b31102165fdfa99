import { describe, expect, it } from 'vitest';
import type { HeardSlot } from './bad-line-calls.ts';
import { againstBare, ratioOf, reportLine, slicesOf, sumOf } from './bad-line-voice.ts';

const slot = (atMs: number, rest: Partial<HeardSlot> = {}): HeardSlot => ({
	atMs,
	lengthMs: 250,
	samples: 12_000,
	concealed: 0,
	silent: 0,
	events: 0,
	...rest,
});
const stretch = (seconds: number, concealed: number) =>
	Array.from({ length: 4 * seconds }, (_, index) =>
		slot(1000 + 250 * (index + 1), { concealed, events: concealed > 0 ? 1 : 0 }),
	);

describe('what was heard on a bad line', () => {
	it('leaves silence that was made up out of both sums, and counts time without any voice', () => {
		const sum = sumOf([slot(0, { concealed: 3000, silent: 2000 }), slot(250, { samples: 6000 })]);
		expect(ratioOf(sum)).toBeCloseTo(1000 / 16_000);
		expect(sum.absentMs).toBeCloseTo(125);
		expect(ratioOf(sumOf([]))).toBe(0);
	});

	it('is cut at the same times for both, each slot once', () => {
		const slices = slicesOf({ profile: 'bad Wi-Fi', ours: stretch(20, 120), bare: stretch(17, 60) });
		expect(slices).toHaveLength(4);
		expect(slices.reduce((sum, [ours]) => sum + ours.samples, 0)).toBe(80 * 12_000);
		expect(slices.reduce((sum, [, bare]) => sum + bare.samples, 0)).toBe(68 * 12_000);
	});

	it('is compared slice by slice: what both lost together does not blur the ratio', () => {
		const pairs = [0, 100, 900, 40].flatMap((concealed) =>
			slicesOf({ profile: 'bad Wi-Fi', ours: stretch(5, 2 * concealed), bare: stretch(5, concealed) }),
		);
		const { value, low, high } = againstBare(pairs);
		expect([value, low, high].map((each) => Number(each.toFixed(6)))).toEqual([2, 2, 2]);
	});

	it('is judged by the middle, and says where the interval reaches over the goal', () => {
		const goalOf = (...slices: readonly (readonly [number, number])[]) => {
			const windows = slices.map(([ours, bare]) => ({
				profile: 'bad Wi-Fi' as const,
				ours: stretch(5, ours),
				bare: stretch(5, bare),
			}));
			return reportLine(windows).goals[0];
		};
		const over = 'wide';
		expect(goalOf([50, 100], [150, 100], [100, 100])).toMatchObject({ reached: true, because: over });
		expect(goalOf([50, 100], [250, 100], [100, 100])).toMatchObject({ reached: false, because: over });
		expect(goalOf([100, 100], [100, 100])?.because).toBeUndefined();
	});

	it('says nothing where too little was lost, and blames the machine only for what befell both', () => {
		const goalsOf = (profile: 'clean' | 'bad Wi-Fi', ours: number, bare: number) =>
			reportLine([{ profile, ours: stretch(30, ours), bare: stretch(30, bare) }]).goals.map(
				({ reached }) => reached,
			);
		expect(goalsOf('bad Wi-Fi', 100, 0)).toEqual([null]);
		expect(goalsOf('bad Wi-Fi', 100, 100)).toEqual([true]);
		expect(goalsOf('bad Wi-Fi', 106, 100)).toEqual([false]);
		expect(goalsOf('clean', 0, 5)).toEqual([true]);
		expect(goalsOf('clean', 5, 0)).toEqual([false]);
		expect(goalsOf('clean', 5, 5)).toEqual([null]);
	});
});
