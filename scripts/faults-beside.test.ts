import { describe, expect, it } from 'vitest';
import { cases } from '#test/faults/beside/cases.ts';
import { merged, pageOf, totalsOf, type Verdict } from '#test/faults/beside/verdicts.ts';

const verdict = (row: number, ours: string | null, vendor: string | null): Verdict => ({
	row,
	fault: 'it fails',
	lookedFor: 'it goes on',
	seen: { ours, vendor },
});

describe('faults beside the vendor’s SDK', () => {
	it('counts a pass only where nothing was missed', () => {
		const all = [verdict(1, null, 'a | b'), verdict(2, null, null), verdict(3, 'late', 'late')];
		expect(totalsOf(all)).toEqual({ all: 3, passed: { ours: 2, vendor: 1 }, ratio: 2 });
		const page = pageOf(all, { date: '2026-01-02', commit: 'abc' });
		expect(page).toContain('the app 2 of 3, the SDK 1 of 3');
		expect(page).toContain('| 1 | it fails | it goes on | yes | **no**: a \\| b |');
	});

	it('keeps what was not looked at again, and forgets what is no case any more', () => {
		const names = ['1 it fails', '2 it fails'];
		const before = [verdict(1, 'old', null), verdict(2, 'old', null), verdict(3, 'old', null)];
		const now = merged(before, [verdict(1, null, null)], names);
		expect(now.map(({ row, seen }) => [row, seen.ours])).toEqual([
			[1, null],
			[2, 'old'],
		]);
	});

	it('has a name of its own for each case', () => {
		const names = cases.map(({ row, fault }) => `${row} ${fault}`);
		expect(new Set(names).size).toBe(names.length);
	});
});
