/**
 * `npm run mutate [-- PATH…] [--all] [--quick]`: makes small mistakes in the code, one at a time (StrykerJS), and
 * lists those that no test of plain Node detects. PATH is a folder or file of `goals` below; without PATH all of them
 * are tested, which takes hours. Unchanged code is not tested again, unless `--all` is given. `--quick` omits code that
 * runs once when a module is loaded: each such mutant needs every test, which takes most of the time.
 *
 * Writes a page for each folder to `out/mutate/` (every mutant and its result), and ends with the share of mutants
 * killed and the goal; the status is 1 if a goal is missed. A mutant without any noticeable effect gets
 * `// Stryker disable next-line NAME: why` above its line.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { readArguments } from './arguments.ts';

const OUT = 'out/mutate';
/** Path of the page, set in stryker.config.json. */
const PAGE = `${OUT}/report.html`;

/** The folders in which mutants are made, and the goals: percentage of mutants that tests must kill. */
export const goals: Readonly<Record<string, number>> = {
	'src/shared/conversation': 80,
	'src/shared/captions': 90,
	'src/shared/sound': 80,
	'src/shared/protocol': 80,
	'src/shared/typing': 80,
	'src/shared/calls': 80,
	'src/shared/facts': 80,
	'src/main/sessions': 90,
	'src/main/streaming': 80,
	'src/main/service': 80,
	'src/main/history': 80,
	'src/main/voices': 80,
	'src/main/account': 90,
};

/** Subfolders of the folders above with a goal of their own. */
export const parts: Readonly<Record<string, number>> = { 'src/shared/conversation/machine': 90 };

/** The fields of Stryker's report (mutation-testing-report-schema) that we read. */
export interface MutationReport {
	readonly files: Readonly<Record<string, { readonly mutants: readonly { readonly status: string }[] }>>;
}

export interface Score {
	readonly killed: number;
	/** Mutants that could be killed: those that compile and are not ignored with a reason. */
	readonly mutants: number;
	/** Rounded down: 89.96 % is 89.9 %. */
	readonly percent: number;
}

/** How many mutants of the files below `folder` were killed; one that timed out counts as killed. */
export function scoreOf(report: MutationReport, folder: string): Score {
	const statuses = Object.entries(report.files)
		.filter(([file]) => file.startsWith(`${folder}/`))
		.flatMap(([, { mutants }]) => mutants.map(({ status }) => status));
	const count = (...wanted: readonly string[]) => statuses.filter((status) => wanted.includes(status)).length;
	const killed = count('Killed', 'Timeout');
	const mutants = killed + count('Survived', 'NoCoverage');
	return { killed, mutants, percent: mutants === 0 ? 100 : Math.floor((1000 * killed) / mutants) / 10 };
}

/** Null if no report exists yet. */
export function readMutationReport(path: string): MutationReport | null {
	try {
		return JSON.parse(readFileSync(path, 'utf8')) as MutationReport;
	} catch {
		return null;
	}
}

async function main(): Promise<void> {
	const { values, positionals, refuse } = readArguments(import.meta.filename, {
		options: { all: { type: 'boolean' }, quick: { type: 'boolean' } },
		allowPositionals: true,
	});
	const folders = Object.keys(goals);
	const asked = positionals.map((path) => path.replace(/^\.\//, '').replace(/\/+$/, ''));
	const folderOf = (path: string) =>
		folders.find((folder) => path === folder || path.startsWith(`${folder}/`));
	for (const path of asked)
		if (folderOf(path) === undefined)
			refuse(`No mutants are made of ${path}; the folders are ${folders.join(', ')}.`);

	/** A file name for the results of a folder. */
	const nameOf = (folder: string) => folder.replace('src/', '').replaceAll('/', '-');

	function stryker(folder: string, paths: readonly string[]): Promise<number> {
		const base = `${OUT}/${nameOf(folder)}`;
		const mutate = paths.map((path) => (path.endsWith('.ts') ? path : `${path}/**/*.ts`));
		// Left behind by an interrupted run.
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
		// An earlier report says nothing about the current code.
		if (asked.length > 0 && !asked.some((path) => folderOf(path) === whole)) continue;
		const report = readMutationReport(`${OUT}/${nameOf(whole)}.json`);
		if (!report) continue;
		const { killed, mutants, percent } = scoreOf(report, folder);
		if (percent < goal) missed += 1;
		console.log(`| ${folder} | ${killed} | ${mutants} | ${percent} | ${goal} |`);
	}
	for (const folder of failed) console.log(`${folder}: Stryker did not come to its end.`);
	process.exitCode = failed.length > 0 || missed > 0 ? 1 : 0;
}

if (import.meta.main) await main();
