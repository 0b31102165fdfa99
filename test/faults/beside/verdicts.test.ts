import { describe, expect, it } from 'vitest';
import { cases } from './cases.ts';
import { merged, sectionIn, sectionOf, totalsOf, type Verdict, withSection } from './verdicts.ts';

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
		const section = sectionOf(all, { date: '2026-01-02', commit: 'abc' });
		expect(section.replaceAll('\n', ' ')).toContain('the app passed 2 of 3, the SDK 1**');
		expect(section).toContain(
			'itself:\n\n| # | fault |\n| --- | --- |\n| 1 | it fails |\n| 3 | it fails |\n',
		);
		expect(section).toContain('The app failed:\n\n| # | fault |\n| --- | --- |\n| 3 | it fails |\n');
	});

	it('replaces its section of the page, and leaves the rest', () => {
		const made = { date: '2026-01-02', commit: 'abc' };
		const section = sectionOf([verdict(1, null, null)], made);
		const page = withSection('# Faults\n\n| 1 |\n', section);
		expect(page).toBe(`# Faults\n\n| 1 |\n\n${section}`);
		expect(sectionIn(page)).toBe(section);
		const newer = sectionOf([verdict(1, null, 'late')], made);
		expect(withSection(page, newer)).toBe(`# Faults\n\n| 1 |\n\n${newer}`);
		expect(sectionIn('# Faults\n')).toBeNull();
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
