import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { biteTableOf, judgeBite } from './bites.ts';
import type { FaultRow } from './fault-rows.ts';
import { type Mistake, misfit, type Outcome, outcomeOf, tryOut } from './mistakes.ts';

const root = join(import.meta.dirname, '..');
const catalogue = JSON.parse(
	readFileSync(join(root, 'test/faults/catalogue.json'), 'utf8'),
) as readonly FaultRow[];
const patches = catalogue.flatMap((row) => (row.bites ?? []).map((bite) => ({ ...bite, row })));

describe('the patches of the catalogue', () => {
	test.each(patches)('$row.row: what switches it off is in $file, once', (patch) => {
		expect(misfit(patch), patch.from).toBe(null);
	});

	test.each(patches)(
		'$row.row: the test that must fail, $name, is a proof of the row',
		({ row, ...bite }) => {
			expect(row.proofs.map(({ file, test: name }) => [file, name])).toContainEqual([bite.test, bite.name]);
		},
	);
});

const bite: Mistake = { file: 'src/a.ts', from: 'a | b', to: '', test: 'src/a.test.ts', name: 'is said' };
const row: FaultRow = {
	row: 7,
	about: 'REST',
	fault: 'refused',
	expected: 'said',
	proofs: [{ file: bite.test, test: bite.name }],
	bites: [bite],
};
const seen: Outcome = { outcome: 'seen' };
const unseen: Outcome = { outcome: 'unseen', why: 'its text is not there any more' };
const leftOut: Outcome = { outcome: 'left out' };

describe('a row whose handling is switched off', () => {
	test('bit when its test failed with each of its patches', () => {
		expect(judgeBite(row, [seen]).verdict).toBe('bit');
		expect(judgeBite({ ...row, bites: [bite, bite] }, [seen, seen]).verdict).toBe('bit');
		expect(judgeBite({ ...row, bites: [bite, bite] }, [seen, unseen]).verdict).toBe('did not bite');
	});
	test('did not bite when its test did not fail, was not tried, or its text was not found', () => {
		expect(judgeBite(row, [unseen]).verdict).toBe('did not bite');
		expect(judgeBite(row, []).verdict).toBe('did not bite');
		expect(judgeBite({ ...row, unbitten: 'on a real line' }, [unseen]).verdict).toBe('did not bite');
	});
	test('bit partly where some of it cannot be switched off here, or its test left itself out', () => {
		const unbitten = { ...row, unbitten: 'on a real line' };
		expect(judgeBite(unbitten, [seen]).verdict).toBe('partly');
		expect(judgeBite({ ...unbitten, bites: [] }, []).verdict).toBe('partly');
		expect(judgeBite(row, [leftOut]).verdict).toBe('partly');
	});
	test('was not tried without a patch, and does not count as bitten', () => {
		const { bites: _, ...bare } = row;
		const untried = judgeBite(bare, []);
		expect(untried.verdict).toBe('not yet tried');
		expect(biteTableOf([untried])).toContain('0 bit, 0 partly, 0 did not bite, 1 not yet tried. 0 of 1');
	});
	test('is told with its patches, the tests that failed, and how many of its proofs those are', () => {
		const other = { file: 'src/b.test.ts', test: 'is heard' };
		const whole = biteTableOf([
			judgeBite({ ...row, proofs: [...row.proofs, other] }, [seen]),
			judgeBite({ ...row, row: 8 }, [unseen]),
			judgeBite({ ...row, row: 9, unbitten: 'on a real line' }, [seen]),
		]);
		expect(whole).toContain('1 bit, 1 partly, 1 did not bite, 0 not yet tried. 2 of 4 tests');
		expect(whole).toContain('| 7 | src/a.ts: `` a \\| b `` → `` nothing `` | is said | 1 of 2 | bit |');
		expect(whole).toContain('| is said (its text is not there any more) | 0 of 1 | did not bite |');
		expect(whole).toContain('| 1 of 1 | partly: on a real line |');
	});
});

describe('a mistake', () => {
	const ran = (...states: string[]) => ({ states: new Set(states), isLoaded: true, hasEnded: true });
	test.each([
		['was seen when its test fails with it', ran('passed'), ran('failed'), 'seen'],
		['was seen when one of several tests fails', ran('passed'), ran('passed', 'failed'), 'seen'],
		['survived when its test passes', ran('passed'), ran('passed'), 'does not see it'],
		['proves nothing when its test fails anyway', ran('failed'), ran('failed'), 'without it, too'],
		['proves nothing without a test of that name', ran(), ran('failed'), 'has no test "is said"'],
		['is left out with its test', ran('skipped'), ran('skipped'), 'left out'],
		[
			'proves nothing when the test cannot be loaded',
			ran('passed'),
			{ ...ran('failed'), isLoaded: false },
			'no test has seen it',
		],
		[
			'proves nothing when its test never ends',
			ran('passed'),
			{ ...ran(), isLoaded: false, hasEnded: false },
			'never ends with it',
		],
	])('%s', (_, plain, mistaken, expected) => {
		const outcome = outcomeOf(bite, { plain, mistaken });
		expect(outcome.outcome === 'unseen' ? outcome.why : outcome.outcome).toContain(expected);
	});

	test('is put in while a test runs and nowhere else; one that is unseen or whose text is gone is told', () => {
		mkdirSync(join(root, 'out'), { recursive: true });
		const folder = mkdtempSync(join(root, 'out/mistakes-'));
		onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
		const path = (name: string) => relative(root, join(folder, name));
		const text = 'export const limit = (n: number) => n <= 3;\nexport const said = 1;\n';
		writeFileSync(join(folder, 'limit.ts'), text);
		writeFileSync(
			join(folder, 'limit.test.ts'),
			`import { expect, test } from 'vitest';
			import { limit } from './limit.ts';
			test('takes three', () => expect(limit(3)).toBe(true));
			test('takes no four', () => expect(limit(4)).toBe(false));`,
		);
		const one = { file: path('limit.ts'), test: path('limit.test.ts') };
		const mistakes = [
			{ ...one, from: 'n <= 3', to: 'n < 3', name: 'takes three' },
			{ ...one, from: 'n <= 3', to: 'n < 3', name: 'takes no four' },
			{ ...one, from: 'said = 1', to: 'said = 2', name: 'takes three' },
			{ ...one, from: 'n <= 4', to: 'n < 4', name: 'takes three' },
			{ ...one, from: 'n <= 3', to: 'n < (', name: 'takes three' },
		];
		const program = `const { tryOut } = await import('./scripts/mistakes.ts');
			console.log('RESULT' + JSON.stringify(await tryOut(${JSON.stringify(mistakes)})));`;
		// In a process of its own, so that this Vitest does not count the test that must fail.
		const said = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
			cwd: root,
			encoding: 'utf8',
			stdio: ['ignore', 'pipe', 'ignore'],
		});
		const outcomes = JSON.parse(said.split('RESULT')[1] ?? '') as readonly Outcome[];
		expect(outcomes.map((its) => (its.outcome === 'unseen' ? its.why : its.outcome))).toEqual([
			'seen',
			`${one.test} does not see it`,
			`${one.test} does not see it`,
			'its text is not there any more',
			`${one.test} cannot be loaded with it: no test has seen it`,
		]);
		expect(readFileSync(join(folder, 'limit.ts'), 'utf8')).toBe(text);
	}, 60_000);

	test('against the built app is refused: it would not get there', async () => {
		await expect(tryOut([{ ...bite, test: 'test/e2e/key.test.ts' }])).rejects.toThrow('built app');
	});
});
