import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { pageOf, type Written } from './bench.ts';

const bench = (title: string) => ({ title, about: `How ${title} is measured.` });

function written(measured: string, goals: Written['goals'] = []): Written {
	return { at: 'T', commit: 'c', machine: 'm', load: [1, 2], markdown: measured, data: null, goals };
}

const quick = { id: 'P2', goal: 'quick', measured: '3 ms', reached: true };
const small = { id: 'P1', goal: 'small', measured: '9 kB', reached: false, because: 'much of it' };

test('a page of all measurements has their goals in order and says how each was measured', () => {
	const page = pageOf(
		[
			{ bench: bench('Speed'), written: written('fast', [quick]) },
			{ bench: bench('Size'), written: written('big', [small]) },
		],
		'# Benchmarks\n\n## Goals\n\n| P7 | gone | 1 | yes |\n\n## Gone\n\nold\n',
	);
	expect(page).toContain('| P1 | small | 9 kB | **no**: much of it |\n| P2 | quick | 3 ms | yes |\n');
	expect(page).toMatch(
		/## Speed\n\nHow Speed is measured\.\n\nMeasured T UTC.*\n\nfast\n\n## Size\n\n.*\n\nMeasured T UTC.*\n\nbig\n$/,
	);
	expect(page).not.toMatch(/gone/i);
});

test('what was not measured here stays as it was, with its goals', () => {
	const both = [
		{ bench: bench('Speed'), written: written('fast', [quick]) },
		{ bench: bench('Size'), written: written('big', [small]) },
	];
	const before = pageOf(both, '');
	const nothing = both.map(({ bench }) => ({ bench, written: null }));
	expect(pageOf(nothing, before)).toBe(before);
	const again = [
		{
			bench: bench('Speed'),
			written: { ...written('faster', [{ ...quick, measured: '2 ms' }]), at: 'U' },
		},
	];
	expect(pageOf([...again, ...nothing.slice(1)], before)).toBe(
		before.replace('Measured T', 'Measured U').replace('3 ms', '2 ms').replace('fast', 'faster'),
	);
});

test('the page that is there is one that can be written anew', async () => {
	const before = readFileSync(join(import.meta.dirname, 'README.md'), 'utf8');
	const titles = [...before.matchAll(/^## (.*)$/gm)].flatMap(([, title = '']) =>
		title === 'Goals' ? [] : [title],
	);
	expect(titles.length).toBeGreaterThan(5);
	expect(
		pageOf(
			titles.map((title) => ({ bench: bench(title), written: null })),
			before,
		),
	).toBe(before);
});
