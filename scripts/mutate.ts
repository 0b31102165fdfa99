/**
 * `npm run mutate [-- PATH…] [--all] [--quick]`: puts small mistakes into the code, one at a time (StrykerJS), and says which of
 * them no test of plain Node sees. PATH is a folder or file of those in `scripts/mutation-score.ts`; without one it takes
 * them all, which takes hours. What has not changed since is not tried again, unless `--all` is given. `--quick` leaves out what
 * is computed once when a module is loaded: each such mutant needs every test, which takes most of the time.
 *
 * Leaves a page for each folder in `out/mutate/` (every mutant, and what became of it), and ends with the share that was killed
 * beside the goal; the status is 1 where a goal is missed. A mutant that changes nothing anybody can notice gets
 * `// Stryker disable next-line NAME: why` above its line.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { readArguments } from './arguments.ts';
import { goals, parts, readMutationReport, scoreOf } from './mutation-score.ts';

const OUT = 'out/mutate';
/** Where stryker.config.json has the page written. */
const PAGE = `${OUT}/report.html`;

const { values, positionals, refuse } = readArguments(import.meta.filename, {
	options: { all: { type: 'boolean' }, quick: { type: 'boolean' } },
	allowPositionals: true,
});
const folders = Object.keys(goals);
const asked = positionals.map((path) => path.replace(/^\.\//, '').replace(/\/+$/, ''));
const folderOf = (path: string) => folders.find((folder) => path === folder || path.startsWith(`${folder}/`));
for (const path of asked)
	if (folderOf(path) === undefined)
		refuse(`No mutants are made of ${path}; the folders are ${folders.join(', ')}.`);

/** A name for the files of a folder. */
const nameOf = (folder: string) => folder.replace('src/', '').replaceAll('/', '-');

function stryker(folder: string, paths: readonly string[]): Promise<number> {
	const base = `${OUT}/${nameOf(folder)}`;
	const mutate = paths.map((path) => (path.endsWith('.ts') ? path : `${path}/**/*.ts`));
	// Left behind by a run that was cut off.
	const work = `${base}.work`;
	rmSync(work, { recursive: true, force: true });
	const options = [
		['--mutate', [...mutate, '!**/*.test.ts'].join(',')],
		['--incrementalFile', `${base}.json`],
		['--tempDirName', work],
		['--concurrency', String(availableParallelism())],
	].flat();
	const program = 'node_modules/@stryker-mutator/core/bin/stryker.js';
	const args = [
		program,
		'run',
		'stryker.config.json',
		'--incremental',
		...(values.all ? ['--force'] : []),
		...(values.quick ? ['--ignoreStatic'] : []),
		...options,
	];
	return new Promise((done) => {
		const child = spawn(process.execPath, args, { stdio: 'inherit' });
		child.on('close', (status) => {
			if (existsSync(PAGE)) renameSync(PAGE, `${base}.html`);
			done(status ?? 1);
		});
	});
}

mkdirSync(OUT, { recursive: true });
const failed: string[] = [];
for (const folder of folders) {
	const paths = asked.length === 0 ? [folder] : asked.filter((path) => folderOf(path) === folder);
	if (paths.length > 0 && (await stryker(folder, paths)) !== 0) failed.push(folder);
}

let missed = 0;
console.log('\n| folder | killed | of | % | goal |\n|---|---|---|---|---|');
for (const [folder, goal] of [...Object.entries(goals), ...Object.entries(parts)].sort()) {
	const whole = folderOf(folder) ?? folder;
	// An earlier report says nothing about the present code.
	if (asked.length > 0 && !asked.some((path) => folderOf(path) === whole)) continue;
	const report = readMutationReport(`${OUT}/${nameOf(whole)}.json`);
	if (!report) continue;
	const { killed, mutants, percent } = scoreOf(report, folder);
	if (percent < goal) missed += 1;
	console.log(`| ${folder} | ${killed} | ${mutants} | ${percent} | ${goal} |`);
}
for (const folder of failed) console.log(`${folder}: Stryker did not come to its end.`);
process.exitCode = failed.length > 0 || missed > 0 ? 1 : 0;
