/**
 * `npm run faults [-- --all] [--row N]… [--seed N]`: injects the rows of the fault catalogue and prints what was seen.
 * Each row is proven by tests that inject it where it matters: in the layer, over real sockets and rooms, or in
 * the built app. Without options a minute: what needs neither a browser nor real sound. `--row` (again for each):
 * all tests of these rows but those that take minutes. `--all`: those too, 40 minutes in all; without `--row` it
 * writes `test/faults/README.md`. `--seed` repeats what was random.
 *
 * `npm run faults -- --vendor [--row N]…`: the rows that any client meets, put to the app and to the vendor's SDK
 * side by side; the last section of `test/faults/README.md` is written once each of them has been seen.
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readArguments } from '#scripts/arguments.ts';
import { buildWhenNeeded } from '#scripts/build.ts';
import { patternOf, projectOf } from '#scripts/report.ts';
import { sectionIn, withSection } from './beside/verdicts.ts';
import { type FaultRow, judge, readCatalogue, type Seen, seenIn, tableOf, WHOLE } from './rows.ts';

const root = join(import.meta.dirname, '..', '..');
const REPORTS = join(root, 'out/faults');
/** Quick ones first. */
const PROJECTS = ['node', 'integration', 'browser', 'e2e'] as const;

function run(project: string, rows: readonly FaultRow[], seed: number): Promise<readonly Seen[]> {
	const proofs = rows
		.flatMap((row) => row.proofs)
		.filter(({ file, whole }) => projectOf(file) === project && (all || !whole));
	if (proofs.length === 0) return Promise.resolve([]);
	const files = [...new Set(proofs.map(({ file }) => file))];
	const names = [...new Set(proofs.map(({ test }) => patternOf(test)))].join('|');
	const report = join(REPORTS, `${project}.json`);
	const args = [
		'run',
		'--project',
		// The project whose tests run side by side, and the one whose tests must not.
		`${project}*`,
		...files,
		'-t',
		names,
		'--reporter=json',
		`--outputFile.json=${report}`,
	];
	return new Promise((done) => {
		const child = spawn(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), ...args], {
			cwd: root,
			env: {
				...process.env,
				DRAGOMAN_TEST_SEED: String(seed),
				// Lines of every kind, and outages at full length (test/e2e/lines*.test.ts).
				...(all ? { DRAGOMAN_WHOLE_LINES: '1' } : {}),
			},
			stdio: ['ignore', 'ignore', 'inherit'],
		});
		child.on('close', () => done(seenIn(report, root)));
	});
}

const { values, refuse, whole, seedOf } = readArguments(import.meta.filename, {
	options: {
		all: { type: 'boolean' },
		row: { type: 'string', multiple: true },
		seed: { type: 'string' },
		vendor: { type: 'boolean' },
	},
});
const catalogue = readCatalogue(root);
const wanted = values.row?.map((text) => whole('row', text));
for (const row of wanted ?? [])
	if (!catalogue.some((one) => one.row === row))
		refuse(`There is no row ${row}; the last is ${catalogue.length}.`);
const seed = seedOf(values.seed);
if (values.vendor) {
	if (!(await buildWhenNeeded())) process.exit(1);
	const words = wanted?.flatMap((row) => ['--row', String(row)]) ?? [];
	const beside = join(root, 'test/faults/beside/main.ts');
	const child = spawn(process.execPath, [beside, ...words], { cwd: root, stdio: 'inherit' });
	process.exit(await new Promise<number>((done) => child.on('close', (status) => done(status ?? 1))));
}
const commit = () =>
	execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim();
const today = () => new Date().toISOString().slice(0, 10);
const all = values.all === true;
const rows = wanted ? catalogue.filter(({ row }) => wanted.includes(row)) : catalogue;
const projects = all || wanted ? PROJECTS : (['node'] as const);

rmSync(REPORTS, { recursive: true, force: true });
mkdirSync(REPORTS, { recursive: true });
console.log(`seed ${seed}`);
const seen: Seen[] = [];
for (const project of projects) {
	if (project === 'e2e' && !(await buildWhenNeeded())) process.exit(1);
	seen.push(...(await run(project, rows, seed)));
}
const verdicts = rows.map((row) => judge(row, seen, all ? [...projects, WHOLE] : projects));
console.log(tableOf(verdicts));
if (all && !wanted) {
	const head = `# Faults\n\n\`npm run faults\` injects the faults that the app must survive: lost connections, refusals, crashes, full disks, wrong clocks. The tests of\neach row are in \`catalogue.json\`. A row is *partly* proven if no test shows the part named as *open*.\n\nEvery row of the catalogue, injected by \`npm run faults -- --all\` on ${today()}, commit ${commit()}, seed ${seed}. For the protocol sections cited, see [protocol.md](../../docs/protocol.md).\n\n`;
	const page = join(root, 'test/faults/README.md');
	const vendors = sectionIn(readFileSync(page, 'utf8'));
	const rowsOnly = `${head}${tableOf(verdicts)}\n`;
	writeFileSync(page, vendors === null ? rowsOnly : withSection(rowsOnly, vendors));
}
process.exitCode = verdicts.some(({ verdict }) => verdict === 'failed') ? 1 : 0;
