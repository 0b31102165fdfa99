import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { patternOf } from '#scripts/report.ts';
import { type FaultRow, judge, readCatalogue, seenIn, tableOf, WHOLE } from './rows.ts';

const root = join(import.meta.dirname, '..', '..');
const catalogue = readCatalogue(root);

describe('the catalogue of faults', () => {
	test('has every row once, in order, each with its proof or what is open', () => {
		expect(catalogue.map(({ row }) => row)).toEqual(Array.from({ length: 140 }, (_, at) => at + 1));
		for (const row of catalogue) expect(row.proofs.length > 0 || row.open, `row ${row.row}`).toBeTruthy();
	});

	test('names tests that are there', () => {
		const texts = new Map<string, string>();
		for (const { row, proofs } of catalogue) {
			for (const { file, test: name } of proofs) {
				if (!texts.has(file)) {
					expect(existsSync(join(root, file)), file).toBe(true);
					texts.set(file, readFileSync(join(root, file), 'utf8').replaceAll("\\'", "'"));
				}
				expect(texts.get(file)?.includes(name), `row ${row}: ${file}: ${name}`).toBe(true);
			}
		}
	});
});

const row: FaultRow = {
	row: 7,
	about: 'REST',
	fault: 'refused',
	expected: 'said',
	proofs: [{ file: 'src/a.test.ts', test: 'is %s after %i tries (all)' }],
};
const seen = {
	file: 'src/a.test.ts',
	name: 'a call is refused after 4 tries (all)',
	passed: true,
	skipped: false,
};

describe('a row', () => {
	test('passes when its tests ran and passed', () => {
		expect(new RegExp(patternOf(row.proofs[0]?.test ?? '')).test(seen.name)).toBe(true);
		expect(judge(row, [seen], ['node'])).toMatchObject({ verdict: 'passed', passed: 1, ran: 1 });
	});
	test('fails when one of them failed, or did not run although it could', () => {
		expect(judge(row, [{ ...seen, passed: false }], ['node']).verdict).toBe('failed');
		expect(judge(row, [], ['node']).verdict).toBe('failed');
		expect(judge(row, [{ ...seen, file: 'src/b.test.ts' }], ['node']).verdict).toBe('failed');
	});
	test('has not failed where its tests left themselves out for a part that is missing', () => {
		const skipped = { ...seen, passed: false, skipped: true };
		const alone = judge(row, [skipped], ['node']);
		expect(alone).toMatchObject({ verdict: 'not run', ran: 0, missing: 1, failures: [] });
		expect(tableOf([alone])).toContain('| not run: 1 proof not run here, for a part that is missing |');
		const whole = { ...skipped, name: '' };
		expect(judge(row, [whole], ['node'])).toMatchObject({ verdict: 'not run', missing: 1, failures: [] });
		expect(judge(row, [{ ...seen, name: 'another group' }], ['node']).verdict).toBe('not run');
		const other = { file: 'src/b.test.ts', test: 'is said' };
		const both = { ...row, proofs: [...row.proofs, other] };
		const said = { ...seen, file: 'src/b.test.ts', name: 'is said' };
		expect(judge(both, [skipped, said], ['node']).verdict).toBe('partly');
		expect(judge(both, [skipped, { ...said, passed: false }], ['node']).verdict).toBe('failed');
		expect(judge(row, [skipped, seen], ['node']).verdict).toBe('passed');
	});
	test('is no pass while something of it is open, or was left out', () => {
		const browser = { file: 'src/renderer/b.browser.test.ts', test: 'heard' };
		expect(judge({ ...row, open: 'on a real line' }, [seen], ['node']).verdict).toBe('partly');
		expect(judge({ ...row, proofs: [...row.proofs, browser] }, [seen], ['node']).verdict).toBe('partly');
		expect(judge({ ...row, proofs: [browser] }, [seen], ['node']).verdict).toBe('not run');
		const whole = { ...row, proofs: [...row.proofs, { ...browser, whole: true as const }] };
		expect(judge(whole, [seen], ['node', 'browser']).verdict).toBe('partly');
		expect(judge(whole, [seen], ['node', 'browser', WHOLE]).verdict).toBe('failed');
		expect(judge({ ...row, proofs: [], open: 'all' }, [seen], ['node']).verdict).toBe('not yet');
	});
	test('that failed is named below the table', () => {
		const table = tableOf([judge(row, [{ ...seen, passed: false }], ['node'])]);
		expect(table).toContain('0 passed, 0 partly, 1 failed');
		expect(table).toContain('| failed: 0 of 1 test |');
		expect(table).toContain('- row 7: src/a.test.ts: a call is refused after 4 tries (all)');
	});
});

test('a row of which something was left out says how to see it', () => {
	const browser = { file: 'src/renderer/b.browser.test.ts', test: 'heard' };
	const rowsOf = (proofs: FaultRow['proofs']) => tableOf([judge({ ...row, proofs }, [seen], ['node'])]);
	expect(rowsOf([...row.proofs, browser])).toContain('| partly: 1 test; 1 more proof with `--all` |');
	expect(rowsOf([browser, browser])).toContain('| not run: 2 more proofs with `--all` |');
});

describe('what a run saw', () => {
	test('is read from the report of its tests; a run that wrote none saw nothing', () => {
		const folder = mkdtempSync(join(tmpdir(), 'dragoman-report-'));
		onTestFinished(() => rmSync(folder, { recursive: true }));
		const report = join(folder, 'node.json');
		expect(seenIn(report, '/app')).toEqual([]);
		const assertionResults = ['passed', 'failed', 'pending'].map((status) => ({
			fullName: `is ${status}`,
			status,
			failureMessages: [],
		}));
		writeFileSync(
			report,
			JSON.stringify({
				testResults: [
					{ name: '/app/src/a.test.ts', status: 'failed', assertionResults },
					{ name: '/app/src/out.test.ts', status: 'passed', assertionResults: [] },
					{ name: '/app/src/broken.test.ts', status: 'failed', assertionResults: [] },
				],
			}),
		);
		expect(seenIn(report, '/app')).toEqual([
			{ file: 'src/a.test.ts', name: 'is passed', passed: true, skipped: false },
			{ file: 'src/a.test.ts', name: 'is failed', passed: false, skipped: false },
			{ file: 'src/a.test.ts', name: 'is pending', passed: false, skipped: true },
			{ file: 'src/out.test.ts', name: '', passed: false, skipped: true },
		]);
	});
});
