/**
 * `npm run test [-- STEP…]`, or `npm test`: everything, in the order in which a mistake is cheapest to find. Ends with every test that failed,
 * what could not run here and why, which tests passed only at a second try, and one line of totals.
 * `npm test -- node e2e` runs only those steps. Steps called `bare-…` see the machine as one with Node and npm alone.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { takeEnvironment } from '#shared/lib/environment.ts';
import { readArguments } from './arguments.ts';
import { bareEnvironment, bareFiles, isBare } from './bare.ts';
import { type FaultRow, judge, seenIn, tableOf } from './fault-rows.ts';
import { readReport } from './report.ts';
import { SECOND_TRIES_FILE } from './second-tries.ts';

interface Step {
	readonly name: string;
	readonly command: readonly [string, ...string[]];
	/** A vitest step: its counts come from this report. */
	readonly report?: string;
	/** It mostly waits: run beside those that reckon, its output kept until its turn to be read. */
	readonly beside?: true;
	/** The environment it runs in, made when its turn comes; default ours. */
	readonly env?: () => NodeJS.ProcessEnv;
}

const NOT_RUN_FILE = 'out/test/not-run.txt';

function vitest(project: string, name = project, files: readonly string[] = []): Step {
	const report = `out/test/${name}.json`;
	return {
		name,
		command: [
			'node',
			'node_modules/vitest/vitest.mjs',
			'run',
			...files,
			'--project',
			project,
			'--reporter=default',
			'--reporter=json',
			'--reporter=./scripts/second-tries.ts',
			'--retry=1',
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
		...vitest(project, `bare-${project}`, files),
		env: () => bareEnvironment(`out/test/bare-${project}`),
		// They mostly wait, and measure nothing.
		...(project === 'integration' || project === 'node' ? { beside: true as const } : {}),
	}));
}

const steps: readonly Step[] = [
	{ name: 'check', command: ['node', 'scripts/check.ts'] },
	vitest('node'),
	{ name: 'promises', command: ['node', 'scripts/promises.ts'] },
	vitest('integration'),
	{ name: 'build', command: ['node', 'scripts/build.ts'] },
	// Begun with the first; what follows measures sound and must not share the machine with it.
	{ ...vitest('browser'), beside: true },
	...(await bareSteps()),
	vitest('integration-alone'),
	vitest('e2e'),
	vitest('e2e-alone'),
	vitest('e2e-lines'),
];

/** The exit status; `log` takes the output, which else goes to the terminal. */
function run({ command: [program, ...args], env }: Step, log?: string): Promise<number> {
	const output = log === undefined ? 'inherit' : openSync(log, 'w');
	return new Promise((done) => {
		const child = spawn(program, args, {
			stdio: ['ignore', output, output],
			env: env?.() ?? process.env,
			shell: process.platform === 'win32',
		});
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
const logOf = (step: Step) => `out/test/${step.name}.log`;
const begun = new Map(wanted.filter(({ beside }) => beside).map((step) => [step, run(step, logOf(step))]));
for (const step of wanted) {
	console.log(`\n── ${step.name} ──`);
	const status = await (begun.get(step) ?? run(step));
	if (step.beside) process.stdout.write(readFileSync(logOf(step)));
	if (step.report === undefined) {
		total[status === 0 ? 'passed' : 'failed'] += 1;
		continue;
	}
	const counts = countsOf(step.report);
	total.passed += counts.passed;
	total.failed += counts.failed === 0 && status !== 0 ? 1 : counts.failed;
	total.skipped += counts.skipped;
}

/** What this run saw of the faults, so that they need no run of their own. */
function faultTotals(): string {
	const rows = JSON.parse(readFileSync('test/faults/catalogue.json', 'utf8')) as readonly FaultRow[];
	const ran = steps.filter((step) => step.report && existsSync(step.report));
	const seen = ran.flatMap((step) => seenIn(step.report ?? '', process.cwd()));
	const names = ran.map(({ name }) => name);
	const table = tableOf(rows.map((row) => judge(row, seen, names)));
	writeFileSync('out/test/faults.md', `${table}\n`);
	return table.split('\n')[0] ?? '';
}

/** Once more at the end, where a reader looks first: the output is long. */
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

const linesOf = (file: string): string[] =>
	existsSync(file) ? [...new Set(readFileSync(file, 'utf8').trim().split('\n'))] : [];
const failures = steps.flatMap(({ report }) => (report ? failuresOf(report) : []));
if (failures.length > 0) console.log('\nFailed:');
for (const line of failures) console.log(`  - ${line}`);
const again = linesOf(SECOND_TRIES_FILE);
if (again.length > 0) console.log('\nPassed only at a second try, so something is wrong there:');
for (const line of again) console.log(`  - ${line}`);
const left = linesOf(NOT_RUN_FILE);
console.log(left.length > 0 ? '\nNot run here:' : '\nNothing was left out here.');
for (const line of left) console.log(`  - ${line}`);
console.log(`\nFaults (out/test/faults.md): ${faultTotals()}`);
console.log(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exitCode = total.failed > 0 ? 1 : 0;
