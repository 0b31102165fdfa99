/**
 * `npm run fuzz [-- --minutes 5] [--seed N] [--runs 300]`: every decoder, every reader of files and both state
 * machines against random input, round after round with other seeds until the time is over. The targets are the
 * property tests beside the modules; a failure names its seed, and `--seed` begins with that one again.
 */
import { spawn } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const root = join(import.meta.dirname, '..');
const { values } = parseArgs({
	options: {
		minutes: { type: 'string', default: '5' },
		seed: { type: 'string' },
		runs: { type: 'string', default: '300' },
	},
});
const targets = globSync('src/**/*.test.ts', { cwd: root })
	.filter((file) => !file.endsWith('.browser.test.ts'))
	.filter((file) => /from 'fast-check'/.test(readFileSync(join(root, file), 'utf8')));

function round(seed: number): Promise<number> {
	const script = join(root, 'node_modules/vitest/vitest.mjs');
	const child = spawn(process.execPath, [script, 'run', '--project', 'node', '--reporter=dot', ...targets], {
		cwd: root,
		stdio: ['ignore', 'pipe', 'pipe'],
		env: { ...process.env, DRAGOMAN_TEST_SEED: String(seed), DRAGOMAN_TEST_RUNS: values.runs },
	});
	let output = '';
	for (const stream of [child.stdout, child.stderr])
		stream.on('data', (chunk: Buffer) => {
			output += chunk.toString('utf8');
		});
	return new Promise((done) => {
		child.on('close', (status) => {
			if (status !== 0) process.stdout.write(output);
			done(status ?? 1);
		});
	});
}

const endsAt = performance.now() + Number(values.minutes) * 60_000;
let seed = values.seed ? Number(values.seed) : Date.now() % 2 ** 31;
let rounds = 0;
console.log(`${targets.length} files with properties, ${values.runs} inputs a property and round`);
do {
	rounds += 1;
	if ((await round(seed)) !== 0) {
		console.log(`Round ${rounds} failed. Again: npm run fuzz -- --seed ${seed}`);
		process.exit(1);
	}
	console.log(`round ${rounds}, seed ${seed}: nothing found`);
	seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
} while (performance.now() < endsAt);
