/**
 * `npm run test [-- STEP…]`, or `npm test`: everything, in the order in which a mistake is cheapest to find. Ends with every test that failed,
 * what could not run here and why, which tests passed only at a second try, and one line of totals. The status is 1 when
 * a test failed; when one that needed a second try fails again in two more runs of it alone; when a row of the faults
 * failed; and when a test skipped itself for lack of something that DRAGOMAN_TEST_INSTALLED names (`.ci/run`).
 * `npm test -- node e2e` runs only those steps. Steps called `bare-…` see the machine as one with Node and npm alone.
 */
import { spawn } from 'node:child_process';
import {
	appendFileSync,
	existsSync,
	mkdirSync,
	openSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from 'node:fs';
import { relative } from 'node:path';
import { takeEnvironment } from '#shared/lib/environment.ts';
import { NOT_RUN_FILE } from '#test/support/not-run.ts';
import { readArguments } from './arguments.ts';
import { bareEnvironment, bareFiles, isBare } from './bare.ts';
import { type FaultRow, judge, seenIn, tableOf } from './fault-rows.ts';
import { type LeftOut, wronglyLeft } from './left-out.ts';
import { readReport } from './report.ts';
import { failedAgain, readOutside, readSecondTries, type SecondTry } from './second-tries.ts';
import { patternOf, projectsOf } from './test-name.ts';

interface Step {
	readonly name: string;
	readonly command: readonly [string, ...string[]];
	/** A vitest step: its counts come from this report. */
	readonly report?: string;
	/** It mostly waits: begun with the step of this name, beside it and those that follow; its output is shown when its turn comes. */
	readonly beside?: string;
	/** Its environment, made when its turn comes; default ours. */
	readonly env?: () => NodeJS.ProcessEnv;
}

const FIRST = 'check';
/** Characters of a second try's reason that are shown; all of it is in `out/test/second-tries.txt`. */
const SHOWN = 300;
/** Lines repeated of what a step without tests said last. */
const SAID_LINES = 20;

function vitest(name: string, files: readonly string[] = [], title = ''): Step {
	const report = `out/test/${name}.json`;
	return {
		name,
		command: [
			'node',
			'node_modules/vitest/vitest.mjs',
			'run',
			...files,
			'--project',
			projectsOf(name),
			'--reporter=default',
			'--reporter=json',
			...(title === '' ? ['--reporter=./scripts/second-tries.ts', '--retry=1'] : ['-t', title]),
			`--outputFile.json=${report}`,
		],
		report,
	};
}

// Each test makes keys of its own.
takeEnvironment(process.env, (said) => process.stderr.write(said));

/** What a machine without all that is installed here would see. */
async function bareSteps(): Promise<readonly Step[]> {
	if (await isBare()) return [];
	return Object.entries(bareFiles).map(([project, files]) => ({
		...vitest(`bare-${project}`, files),
		env: () => bareEnvironment(`out/test/bare-${project}`),
		// They measure no time.
		...(project === 'node' ? { beside: FIRST } : {}),
	}));
}

const steps: readonly Step[] = [
	{ name: FIRST, command: ['node', 'scripts/check.ts'] },
	vitest('node'),
	// What follows measures sound, or sets real servers limits of time, and must not share the machine with it.
	{ ...vitest('browser'), beside: FIRST },
	vitest('integration'),
	{ name: 'build', command: ['node', 'scripts/build.ts'] },
	...(await bareSteps()),
	vitest('integration-sound'),
	vitest('integration-alone'),
	vitest('e2e'),
	vitest('e2e-sound'),
	vitest('e2e-lines'),
	vitest('e2e-alone'),
];

/** Resolves to the exit status. The output goes to `log`, or without one to the terminal; that of a step without a report to both. */
function run({ name, command: [program, ...args], env, report }: Step, log?: string): Promise<number> {
	const isBoth = log === undefined && report === undefined;
	const output = isBoth ? 'pipe' : log === undefined ? 'inherit' : openSync(log, 'w');
	return new Promise((done) => {
		const child = spawn(program, args, {
			stdio: ['ignore', output, output],
			env: { ...(env?.() ?? process.env), DRAGOMAN_TEST_STEP: name },
			shell: process.platform === 'win32',
		});
		for (const stream of [child.stdout, child.stderr]) {
			stream?.on('data', (said: Buffer) => {
				process.stdout.write(said);
				appendFileSync(`out/test/${name}.log`, said);
			});
		}
		child.on('error', () => done(127));
		child.on('close', (code) => done(code ?? 1));
	});
}

function countsOf(report: string): { passed: number; failed: number; skipped: number } {
	const result = readReport(report);
	if (!result) return { passed: 0, failed: 1, skipped: 0 };
	return {
		passed: result.numPassedTests,
		failed: result.numFailedTests + (result.success || result.numFailedTests > 0 ? 0 : 1),
		skipped: result.numPendingTests + result.numTodoTests,
	};
}

const { positionals: asked, refuse } = readArguments(import.meta.filename, {
	options: {},
	allowPositionals: true,
});
for (const name of asked) {
	if (steps.some((step) => step.name === name)) continue;
	refuse(`There is no step ${name}; there are ${steps.map((step) => step.name).join(', ')}.`);
}

rmSync('out/test', { recursive: true, force: true });
mkdirSync('out/test', { recursive: true });
const total = { passed: 0, failed: 0, skipped: 0 };
const wanted = steps.filter(({ name }) => asked.length === 0 || asked.includes(name));
/** Steps that failed though no test did, and why. */
const otherwise: string[] = [];
const logOf = (step: Step) => `out/test/${step.name}.log`;
/** Those that run beside others, by name, from when they were begun. */
const begun = new Map<string, Promise<number>>();
for (const step of wanted) {
	for (const other of wanted) if (other.beside === step.name) begun.set(other.name, run(other, logOf(other)));
	console.log(`\n── ${step.name} ──`);
	const status = await (begun.get(step.name) ?? run(step));
	if (begun.has(step.name)) process.stdout.write(readFileSync(logOf(step)));
	if (step.report === undefined) {
		total[status === 0 ? 'passed' : 'failed'] += 1;
		if (status !== 0)
			otherwise.push(`${step.name}: ended with ${status}, having said last\n${endOf(logOf(step))}`);
		continue;
	}
	const counts = countsOf(step.report);
	const isOdd = counts.failed === 0 && status !== 0;
	total.passed += counts.passed;
	total.failed += isOdd ? 1 : counts.failed;
	total.skipped += counts.skipped;
	if (isOdd) otherwise.push(`${step.name}: ended with ${status}, though none of its tests failed`);
}

/** The last of what was written to this file, indented. */
function endOf(file: string): string {
	const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
	return lines
		.slice(-SAID_LINES)
		.map((line) => `      ${line}`)
		.join('\n');
}

/** Runs those that needed a second try twice more, with one try each; returns the tests that fail again. */
async function needItAgain(tries: readonly SecondTry[]): Promise<readonly SecondTry[]> {
	const found: SecondTry[] = [];
	for (const step of steps) {
		let rest = tries.filter((one) => one.step === step.name);
		for (let more = 1; more <= 2 && rest.length > 0; more += 1) {
			const files = [...new Set(rest.map(({ file }) => file))];
			const title = [...new Set(rest.map((one) => patternOf(one.title)))].join('|');
			const once = vitest(`${step.name}-again-${more}`, files, title);
			console.log(`\n── ${once.name} ──`);
			await run({ ...once, ...(step.env && { env: step.env }) });
			const failed = failedAgain(rest, readReport(once.report ?? ''));
			found.push(...failed);
			rest = rest.filter((one) => !failed.includes(one));
		}
	}
	return found;
}

/** What this run saw of the faults, so that they need no run of their own. */
function faults() {
	const rows = JSON.parse(readFileSync('test/faults/catalogue.json', 'utf8')) as readonly FaultRow[];
	const ran = steps.filter((step) => step.report && existsSync(step.report));
	const seen = ran.flatMap((step) => seenIn(step.report ?? '', process.cwd()));
	const names = ran.map(({ name }) => name);
	const judged = rows.map((row) => judge(row, seen, names));
	const table = tableOf(judged);
	writeFileSync('out/test/faults.md', `${table}\n`);
	return {
		totals: table.split('\n')[0] ?? '',
		// Some of the steps alone do not run all the proofs of a row.
		failed: asked.length > 0 ? [] : judged.filter(({ verdict }) => verdict === 'failed'),
	};
}

/** The failures, repeated at the end of the long output, where a reader looks first. */
function failuresOf(report: string): string[] {
	const files = readReport(report)?.testResults ?? [];
	return files.flatMap((file) => {
		const where = relative(process.cwd(), file.name);
		const failed = file.assertionResults.filter(({ status }) => status === 'failed');
		const lines = failed.map(
			({ fullName, failureMessages }) => `${where}: ${fullName}\n      ${failureMessages[0]?.split('\n')[0]}`,
		);
		return lines.length === 0 && file.message ? [`${where}: ${file.message.split('\n')[0]}`] : lines;
	});
}

function leftOut(): readonly LeftOut[] {
	if (!existsSync(NOT_RUN_FILE)) return [];
	const lines = new Set(readFileSync(NOT_RUN_FILE, 'utf8').trim().split('\n'));
	return [...lines].map((line) => JSON.parse(line) as LeftOut);
}

function list(head: string, lines: readonly string[]): void {
	if (lines.length === 0) return;
	console.log(`\n${head}`);
	for (const line of lines) console.log(`  - ${line}`);
}

const wordsOf = ({ what, reason }: LeftOut) => `${what}: ${reason}`;
const again = readSecondTries();
const stubborn = await needItAgain(again);
list('Failed:', [...steps.flatMap(({ report }) => (report ? failuresOf(report) : [])), ...otherwise]);
list(
	'Errors that belong to no test:',
	readOutside().map(
		({ step, message, stack }) => `${step}: ${message.slice(0, SHOWN)}\n${stack.slice(0, 1000)}`,
	),
);
list(
	'Passed only at a second try, so something is wrong there:',
	again.map(({ file, name, why }) => `${file}: ${name} (${why.slice(0, SHOWN)})`),
);
list(
	'Failed again when run alone, which is a failure:',
	stubborn.map(({ file, name }) => `${file}: ${name}`),
);
const left = leftOut();
if (left.length === 0) console.log('\nNothing was left out here.');
list('Not run here:', left.map(wordsOf));
const installed = (process.env.DRAGOMAN_TEST_INSTALLED ?? '').split(/\s+/);
const wrongly = wronglyLeft(left, installed);
list('Not run although what it needs was installed, which is a failure:', wrongly.map(wordsOf));
const { totals, failed: broken } = faults();
console.log(`\nFaults (out/test/faults.md): ${totals}`);
list(
	'Rows of the faults that failed, which is a failure:',
	broken.map(({ row, failures }) => `row ${row.row}, ${row.fault}: ${failures.join('; ')}`),
);
console.log(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
const isWrong = total.failed + stubborn.length + wrongly.length + broken.length > 0;
process.exitCode = isWrong ? 1 : 0;
