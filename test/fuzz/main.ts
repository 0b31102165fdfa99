/**
 * `npm run fuzz [-- --minutes 5] [--seed N] [--runs 300]`: every decoder, every reader of files and both state
 * machines with random input, round after round with other seeds until the time is over. The targets are the
 * property tests beside the modules; a failure names its seed, and `--seed` starts with that seed again.
 *
 * `npm run fuzz -- --messages 10000000 [--seed N] [--workers 2]`: that many corrupted valid texts through every reader
 * of what comes from outside, without a test runner around it. Both leave their counts in `out/fuzz/`.
 *
 * `npm run fuzz -- --list`: what is covered.
 */
import { spawn } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { readArguments } from '#scripts/arguments.ts';
import type { FuzzReport } from './messages.ts';

const root = join(import.meta.dirname, '..', '..');
const OUT = join(root, 'out/fuzz');
const COUNTS = join(OUT, 'cases.txt');
const { values, whole, seedOf } = readArguments(import.meta.filename, {
	options: {
		minutes: { type: 'string', default: '5' },
		seed: { type: 'string' },
		runs: { type: 'string', default: '300' },
		messages: { type: 'string' },
		workers: { type: 'string', default: String(Math.min(4, availableParallelism())) },
		list: { type: 'boolean' },
	},
});
const firstSeed = seedOf(values.seed);
const minutes = whole('minutes', values.minutes);
const runs = whole('runs', values.runs);
const workers = whole('workers', values.workers);
const messages = values.messages === undefined ? null : whole('messages', values.messages);
const nextSeed = (seed: number) => (seed * 1_103_515_245 + 12_345) % 2 ** 31;
const properties = ['src/**/*.test.ts', 'test/{contract,soak}/**/*.test.ts']
	.flatMap((pattern) => globSync(pattern, { cwd: root }))
	.filter((file) => !file.endsWith('.browser.test.ts'))
	.filter((file) => /from 'fast-check'/.test(readFileSync(join(root, file), 'utf8')))
	.sort();

function run(args: readonly string[], env: NodeJS.ProcessEnv = process.env, seen?: (text: string) => void) {
	const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], env });
	let output = '';
	for (const stream of [child.stdout, child.stderr])
		stream.setEncoding('utf8').on('data', (text: string) => {
			output += text;
			seen?.(text);
		});
	return new Promise<{ status: number; output: string }>((done) => {
		child.on('close', (status) => done({ status: status ?? 1, output }));
	});
}

function report(name: string, content: unknown): void {
	mkdirSync(OUT, { recursive: true });
	writeFileSync(join(OUT, `${name}.json`), `${JSON.stringify(content, null, '\t')}\n`);
}

async function fuzzProperties(): Promise<number> {
	const script = join(root, 'node_modules/vitest/vitest.mjs');
	const begun = performance.now();
	const endsAt = begun + minutes * 60_000;
	mkdirSync(OUT, { recursive: true });
	rmSync(COUNTS, { force: true });
	console.log(
		`${properties.length} files with properties, ${runs} inputs a property and round unless it says more`,
	);
	let seed = firstSeed;
	for (let rounds = 1; ; rounds += 1) {
		const env = {
			DRAGOMAN_TEST_SEED: String(seed),
			DRAGOMAN_TEST_RUNS: String(runs),
			DRAGOMAN_TEST_COUNTS: COUNTS,
		};
		const args = [script, 'run', '--project', 'node*', '--reporter=dot', '--no-color', ...properties];
		const { status, output } = await run(args, { ...process.env, ...env });
		if (status !== 0) {
			process.stdout.write(output.slice(Math.max(0, output.search(/^.*Failed (Suites|Tests)/m))));
			console.log(`Round ${rounds} failed. Again: npm run fuzz -- --seed ${seed} --runs ${runs}`);
			return 1;
		}
		const cases = readFileSync(COUNTS, 'utf8')
			.trim()
			.split('\n')
			.reduce((sum, line) => sum + Number(line), 0);
		console.log(`round ${rounds}, seed ${seed}: nothing found; ${cases} cases so far`);
		report('properties', {
			firstSeed,
			rounds,
			cases,
			files: properties,
			seconds: (performance.now() - begun) / 1000,
		});
		seed = nextSeed(seed);
		if (performance.now() >= endsAt) return 0;
	}
}

async function fuzzMessages(inputs: number): Promise<number> {
	const share = Math.ceil(inputs / workers);
	const seeds = Array.from({ length: workers - 1 }).reduce<number[]>(
		(all) => [...all, nextSeed(all.at(-1) ?? 0)],
		[firstSeed],
	);
	console.log(`${inputs} inputs, seed ${firstSeed}, ${workers} at a time`);
	const begun = performance.now();
	const ended = await Promise.all(
		seeds.map((seed, at) => {
			const args = [
				'--expose-gc',
				'test/fuzz/messages.ts',
				'--inputs',
				String(share),
				'--seed',
				String(seed),
			];
			return run(
				args,
				process.env,
				at === 0 ? (text) => process.stdout.write(text.replace(/^\{.*\n/m, '')) : undefined,
			);
		}),
	);
	const broken = ended.find(({ status }) => status !== 0);
	if (broken) {
		process.stdout.write(broken.output);
		return 1;
	}
	const reports = ended.map(({ output }) => JSON.parse(output.trim().split('\n').at(-1) ?? '') as FuzzReport);
	const seconds = (performance.now() - begun) / 1000;
	const done = reports.reduce((sum, one) => sum + one.inputs, 0);
	const perTarget: Record<string, number> = {};
	for (const one of reports)
		for (const [name, count] of Object.entries(one.perTarget))
			perTarget[name] = (perTarget[name] ?? 0) + count;
	for (const [name, count] of Object.entries(perTarget))
		console.log(`${String(count).padStart(10)}  ${name}`);
	const findings = reports.flatMap((one) => one.findings);
	for (const { target, what, input } of findings)
		console.log(`FOUND in ${target}: ${what}\n  ${input.slice(0, 300)}`);
	const worstMs = Math.max(...reports.map((one) => one.worstMs));
	const grownMb = Math.max(...reports.map((one) => one.grownBytes ?? 0)) / 1e6;
	console.log(
		`${done} inputs in ${seconds.toFixed(0)} s (${Math.round(done / seconds)} a second), ${findings.length} findings; ` +
			`the dearest ${worstMs.toFixed(1)} ms of the processor; the heap grew by ${grownMb.toFixed(1)} MB`,
	);
	report('messages', { firstSeed, inputs: done, seconds, workers, perTarget, worstMs, grownMb, findings });
	return findings.length > 0 || grownMb > GROWTH_MB ? 1 : 0;
}

/** What the engine itself may take for compiled code and caches; a leak of two bytes an input is more. */
const GROWTH_MB = 8;

async function list(): Promise<number> {
	const { targets } = await import('#test/fuzz/messages.ts');
	console.log('Readers fed with spoilt messages:');
	for (const { name, reads } of targets) console.log(`  ${name}: ${reads.join(', ')}`);
	console.log('Files with properties:');
	for (const file of properties) console.log(`  ${file}`);
	return 0;
}

if (values.list) process.exitCode = await list();
else if (messages !== null) process.exitCode = await fuzzMessages(messages);
else process.exitCode = await fuzzProperties();
