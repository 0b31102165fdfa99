import { expect, test } from 'vitest';
import { plotDots } from './tables-and-plots.ts';

const calls = {
	title: 'Mouth to ear, <each> call',
	description: 'Calls of two clients.',
	unit: 'ms',
	rows: [
		{ name: 'ours', values: [44, 46, 45] },
		{ name: 'theirs & others', values: [73, 75, 71, 74] },
	],
};

test('each value is a dot, further right the larger it is', () => {
	const at = [...plotDots(calls).matchAll(/<circle[^>]* cx="([\d.]+)"/g)].map(([, x]) => Number(x));
	expect(at).toHaveLength(7);
	expect(Math.min(...at.slice(3))).toBeGreaterThan(Math.max(...at.slice(0, 3)));
});

test('what there is to see is said in words too, and words cannot break out of the picture', () => {
	const svg = plotDots(calls);
	expect(svg).toContain('<title id="title">Mouth to ear, &lt;each&gt; call</title>');
	expect(svg).toMatch(
		/<desc id="description">Calls of two clients\. .*ours: 45 \(44–46\) ms; theirs &amp; others: 74/,
	);
	expect(svg).toContain('prefers-color-scheme: dark');
});

test('a row without values says so and moves no axis; groups have their names', () => {
	const rows = [
		{ name: 'ours', group: 'no delay', values: [Number.NaN] },
		{ name: 'ours', group: '150 ms', values: [] },
	];
	const svg = plotDots({ ...calls, rows, mark: { value: 50, name: 'goal' } });
	expect(svg.match(/>none</g)).toHaveLength(2);
	expect(svg).not.toContain('NaN');
	for (const words of ['no delay', '150 ms', 'goal']) expect(svg).toContain(`>${words}<`);
});
