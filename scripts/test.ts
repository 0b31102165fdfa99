/**
 * `npm run test [-- STEP…]`, or `npm test`: runs every test once. First all steps run as on a machine with only Node
 * and npm (bare.ts); then the tests that skipped themselves run with everything that is installed, as steps called
 * `…-tools`. Within each pass the cheapest steps come first. `npm test -- node e2e` runs only those steps, in both
 * passes.
 *
 * Ends with every test that failed, the tests that could not run here and why, the tests that passed only at a second
 * attempt, and one line of totals. The status is 1 if a test failed; if one that needed a second attempt fails again in
 * two more runs of its own; if a row of the faults failed; or if a test still skipped itself although its requirement
 * is named in DRAGOMAN_TEST_INSTALLED (`.ci/run`).
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
import { judge, readCatalogue, type Seen, seenIn, tableOf } from '#test/faults/rows.ts';
import { readArguments } from './arguments.ts';
import { bareEnvironment } from './bare.ts';
import { neverRun, readLeftOut, wronglyLeft } from './left-out.ts';
import { patternOf, projectsOf, readReport } from './report.ts';
import { failedAgain, readOutside, readSecondTries, type SecondTry } from './second-tries.ts';

interface Step {
	readonly name: string;
	readonly command: readonly [string, ...string[]];
	/** Report of a vitest step, from which its tests are counted. */
	readonly report?: string;
	/** The tests that skipped themselves in the first pass; this step runs them again. */
	readonly left?: readonly Seen[];
}

/**
 * A step that mostly waits: started with the first step of its pass; its output is printed when its turn comes.
 */
const BESIDE = 'browser';
/** Characters shown of the reason for a second attempt; `out/test/second-tries.txt` has the whole reason. */
const SHOWN = 300;
/** Number of last output lines repeated for a step without tests. */
const SAID_LINES = 20;

function vitest(name: string, files: readonly string[] = [], title = '', retry = 1): Step {
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
			...(retry > 0 ? ['--reporter=./scripts/second-tries.ts', `--retry=${retry}`] : []),
			...(title === '' ? [] : ['-t', title]),
			`--outputFile.json=${report}`,
		],
		report,
	};
}

const steps: readonly Step[] = [
	{ name: 'check', command: ['node', 'scripts/check.ts'] },
	vitest('node'),
	{ name: 'build', command: ['node', 'scripts/build.ts'] },
	vitest('integration'),
	vitest('e2e'),
	// The following steps measure sound, or set time limits for real servers, and must not share the machine
	// with this one.
	vitest(BESIDE),
	vitest('integration-sound'),
	vitest('integration-alone'),
	vitest('e2e-sound'),
	vitest('e2e-lines'),
	vitest('e2e-alone'),
];

const { positionals: asked, refuse } = readArguments(import.meta.filename, {
	options: {},
	allowPositionals: true,
});
for (const name of asked) {
	if (steps.some((step) => step.name === name)) continue;
	refuse(`There is no step ${name}; there are ${steps.map((step) => step.name).join(', ')}.`);
}

// Tests create their own keys.
takeEnvironment(process.env, (said) => process.stderr.write(said));
rmSync('out/test', { recursive: true, force: true });
mkdirSync('out/test', { recursive: true });
const bare = await bareEnvironment('out/test/bare');
if (!bare) console.log('npm has no browser for this machine: all tests run with what is installed.');

const total = { passed: 0, failed: 0, skipped: 0 };
/** Steps that failed although no test did, with the reason. */
const otherwise: string[] = [];
const first = steps.filter(({ name }) => asked.length === 0 || asked.includes(name));
await runAll(first, bare ?? process.env);
const second = bare ? first.flatMap(toolsStep) : [];
await runAll(second, process.env);
const ran = [...first, ...second].filter((step) => step.report);

/** Runs the tests that skipped themselves again, with everything that is installed. */
function toolsStep({ name, report }: Step): readonly Step[] {
	const seen = seenOf(report);
	const skipped = seen.filter((one) => one.skipped);
	// A file that failed before it named a test is run as a whole; so are all if nothing of them ran, beside each other.
	const hasUnnamed = skipped.some((one) => one.name === '');
	const ranIn = new Set(seen.filter((one) => !one.skipped).map(({ file }) => file));
	const areUntouched = hasUnnamed && !skipped.some(({ file }) => ranIn.has(file));
	const whole = skipped.filter((one) => areUntouched || one.name === '');
	const left = skipped.filter((one) => !whole.includes(one));
	const filesOf = (some: readonly Seen[]) => [...new Set(some.map(({ file }) => file))];
	const wholeSteps =
		whole.length > 0 ? [{ ...vitest(`${name}-tools-files`, filesOf(whole)), left: whole }] : [];
	if (left.length === 0) return wholeSteps;
	const names = (readReport(report ?? '')?.testResults ?? []).flatMap((file) =>
		file.assertionResults
			.filter(({ fullName }) => left.some(({ name: title }) => title === fullName))
			.map(({ ancestorTitles, title }) => patternOf([...ancestorTitles, title].join(' > '))),
	);
	const title = `^(${[...new Set(names)].join('|')})$`;
	return [{ ...vitest(`${name}-tools`, filesOf(left), title), left }, ...wholeSteps];
}

function seenOf(report = ''): readonly Seen[] {
	return seenIn(report, process.cwd());
}

async function runAll(pass: readonly Step[], env: NodeJS.ProcessEnv): Promise<void> {
	const beside = pass.slice(1).find(({ name }) => name.startsWith(BESIDE));
	const begun = beside && run(beside, env, logOf(beside));
	for (const step of pass) {
		console.log(`\n── ${step.name} ──`);
		const status = await (step === beside ? begun : run(step, env));
		if (step === beside) process.stdout.write(readFileSync(logOf(step)));
		count(step, status ?? 1);
	}
}

function logOf({ name }: Step): string {
	return `out/test/${name}.log`;
}

/**
 * Resolves to the exit status. The output goes to `log`, or without one to the terminal; the output of a step
 * without a report goes to both.
 */
function run(step: Step, env: NodeJS.ProcessEnv, log?: string): Promise<number> {
	const [program, ...args] = step.command;
	const isBoth = log === undefined && step.report === undefined;
	const output = isBoth ? 'pipe' : log === undefined ? 'inherit' : openSync(log, 'w');
	return new Promise((done) => {
		const child = spawn(program, args, {
			stdio: ['ignore', output, output],
			env: { ...env, DRAGOMAN_TEST_STEP: step.name },
			shell: process.platform === 'win32',
		});
		for (const stream of [child.stdout, child.stderr]) {
			stream?.on('data', (said: Buffer) => {
				process.stdout.write(said);
				appendFileSync(logOf(step), said);
			});
		}
		child.on('error', () => done(127));
		child.on('close', (code) => done(code ?? 1));
	});
}

/** Adds the results of a step to the totals. */
function count(step: Step, status: number): void {
	const { name, report, left } = step;
	if (report === undefined) {
		total[status === 0 ? 'passed' : 'failed'] += 1;
		if (status !== 0)
			otherwise.push(`${name}: ended with ${status}, having said last\n${endOf(logOf(step))}`);
		return;
	}
	const result = readReport(report);
	total.passed += result?.numPassedTests ?? 0;
	total.failed += result?.numFailedTests ?? 0;
	if (!result?.numFailedTests && status !== 0) {
		total.failed += 1;
		otherwise.push(`${name}: ended with ${status}, though none of its tests failed`);
	}
	// Tests skipped in the first pass have another chance in the second.
	if (!bare) total.skipped += seenOf(report).filter(({ skipped }) => skipped).length;
	const seen = seenOf(report);
	for (const { file, name: title } of left ?? []) {
		const found = seen.find((one) => one.file === file && (title === '' || one.name === title));
		if (found?.skipped) total.skipped += 1;
		if (found || !result) continue;
		total.failed += 1;
		otherwise.push(`${file}: ${title}: skipped itself without tools, and is not there with them`);
	}
}

/** The last lines of this file, indented. */
function endOf(file: string): string {
	const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
	return lines
		.slice(-SAID_LINES)
		.map((line) => `      ${line}`)
		.join('\n');
}

/**
 * Runs the tests that needed a second attempt twice more, with one attempt each; returns those that fail again.
 */
async function needItAgain(tries: readonly SecondTry[]): Promise<readonly SecondTry[]> {
	const found: SecondTry[] = [];
	for (const step of ran) {
		let rest = tries.filter((one) => one.step === step.name);
		for (let more = 1; more <= 2 && rest.length > 0; more += 1) {
			const files = [...new Set(rest.map(({ file }) => file))];
			const title = [...new Set(rest.map((one) => patternOf(one.title)))].join('|');
			const once = vitest(`${step.name}-again-${more}`, files, title, 0);
			console.log(`\n── ${once.name} ──`);
			await run(once, step.left ? process.env : (bare ?? process.env));
			const failed = failedAgain(rest, readReport(once.report ?? ''));
			found.push(...failed);
			rest = rest.filter((one) => !failed.includes(one));
		}
	}
	return found;
}

/** The results of the faults in this run, so that they need no run of their own. */
function faults() {
	const rows = readCatalogue(process.cwd());
	const seen = ran.flatMap(({ report }) => seenOf(report));
	const names = ran.map(({ name }) => name);
	const judged = rows.map((row) => judge(row, seen, names));
	const table = tableOf(judged);
	writeFileSync('out/test/faults.md', `${table}\n`);
	return {
		totals: table.split('\n')[0] ?? '',
		// If only some steps run, not all tests of a row have run.
		failed: asked.length > 0 ? [] : judged.filter(({ verdict }) => verdict === 'failed'),
	};
}

/** The failures, repeated at the end of the long output, where a reader looks first. */
function failuresOf({ report = '' }: Step): string[] {
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

function list(head: string, lines: readonly string[]): void {
	if (lines.length === 0) return;
	console.log(`\n${head}`);
	for (const line of new Set(lines)) console.log(`  - ${line}`);
}

const again = readSecondTries();
const stubborn = await needItAgain(again);
list('Failed:', [...ran.flatMap(failuresOf), ...otherwise]);
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
const left = readLeftOut();
const silent = bare
	? neverRun(
			left,
			second.flatMap(({ report }) => seenOf(report)),
		)
	: [];
list(
	'Left out in the first pass and not found in the second, which is a failure:',
	silent.map(({ what, file }) => `${file}: ${what}`),
);
const atLast = left.filter((one) => !one.bare);
if (atLast.length === 0) console.log('\nNothing was left out here.');
list(
	'Not run here:',
	atLast.map(({ what, reason }) => `${what}: ${reason}`),
);
const installed = (process.env.DRAGOMAN_TEST_INSTALLED ?? '').split(/\s+/);
const wrongly = wronglyLeft(atLast, installed);
list(
	'Not run although what it needs was installed, which is a failure:',
	wrongly.map(({ what, reason }) => `${what}: ${reason}`),
);
const { totals, failed: broken } = faults();
console.log(`\nFaults (out/test/faults.md): ${totals}`);
list(
	'Rows of the faults that failed, which is a failure:',
	broken.map(({ row, failures }) => `row ${row.row}, ${row.fault}: ${failures.join('; ')}`),
);
console.log(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
const isWrong = total.failed + stubborn.length + silent.length + wrongly.length + broken.length > 0;
process.exitCode = isWrong ? 1 : 0;
