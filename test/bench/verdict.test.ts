import { expect, it } from 'vitest';
import { exactly, verdict } from './verdict.ts';

const OVER = 'the interval reaches over the goal; more rounds tell';
const seen = (low: number, value: number, high: number) => ({ low, value, high });

it('lets the median decide, and says where the interval reaches over the goal', () => {
	expect(verdict([{ seen: seen(1, 2, 3), most: 3 }])).toEqual({ reached: true });
	expect(verdict([{ seen: seen(1, 2, 4), most: 3 }])).toEqual({ reached: true, because: OVER });
	expect(verdict([{ seen: seen(1, 4, 5), most: 3 }])).toEqual({ reached: false, because: OVER });
	expect(verdict([{ seen: seen(4, 5, 6), most: 3 }])).toEqual({ reached: false });
	expect(verdict([{ seen: seen(98, 99.5, 99.9), least: 99 }])).toEqual({ reached: true, because: OVER });
	expect(verdict([{ seen: seen(97, 98, 98.9), least: 99 }])).toEqual({ reached: false });
});

it('names what stands in the way only where the goal is not reached', () => {
	expect(verdict([{ seen: exactly(2), most: 3 }], 'slow')).toEqual({ reached: true });
	expect(verdict([{ seen: exactly(4), most: 3 }], 'slow')).toEqual({ reached: false, because: 'slow' });
	expect(verdict([{ seen: seen(1, 4, 5), most: 3 }], 'slow').because).toBe(`slow; ${OVER}`);
});

it('does not doubt a no for an interval when another bound is missed whatever is drawn', () => {
	const wide = { seen: seen(1, 2, 4), most: 3 };
	expect(verdict([wide, { seen: exactly(1), most: 0 }])).toEqual({ reached: false });
	expect(verdict([wide, { seen: exactly(0), most: 0 }])).toEqual({ reached: true, because: OVER });
});

it('cannot tell what was not measured', () => {
	expect(verdict([{ seen: seen(Number.NaN, Number.NaN, Number.NaN), most: 3 }]).reached).toBeNull();
});
