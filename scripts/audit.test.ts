import { expect, test } from 'vitest';
import { auditOf, sumOf } from './audit.ts';

const report = (high: number, critical: number) =>
	JSON.stringify({
		metadata: {
			vulnerabilities: { info: 0, low: 1, moderate: 2, high, critical, total: 3 + high + critical },
		},
		vulnerabilities: { bad: { severity: 'high' }, dull: { severity: 'low' } },
	});

test('high and critical holes count, others are told', () => {
	expect(auditOf(report(0, 0)).bad).toBe(0);
	expect(auditOf(report(1, 2))).toEqual({
		said: '6 known holes, 3 of them high or critical: bad',
		bad: 3,
		asked: true,
	});
});

test('a registry that offers no audit is said, without its address, and nobody takes it for a clean bill', () => {
	const refused = JSON.stringify({
		message: '405 Method Not Allowed - POST https://registry.example/-/npm/v1/security/advisories/bulk',
	});
	expect(auditOf(refused)).toEqual({
		said: 'not asked: the registry offers no audit (405 Method Not Allowed)',
		bad: 0,
		asked: false,
	});
	for (const text of ['', 'null', '{}', '<html>']) expect(auditOf(text).said).toMatch(/^not asked/);
});

test('the last line says when nothing, or not all, was checked', () => {
	const [clean, holes, silent] = [auditOf(report(0, 0)), auditOf(report(1, 2)), auditOf('')];
	expect(sumOf([silent, silent])).toMatch(/^Nothing was checked: /);
	expect(sumOf([clean, silent])).toBe('No high or critical holes in what was checked; not checked: 1 of 2.');
	expect(sumOf([clean, holes])).toBe('High or critical holes: 3.');
	expect(sumOf([clean, clean])).toBe('No high or critical holes.');
});
