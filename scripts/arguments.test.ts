import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { readArguments, usageOf } from './arguments.ts';

const root = join(import.meta.dirname, '..');

function run(...args: readonly string[]) {
	return new Promise<{ status: number; out: string; error: string }>((done) => {
		execFile(process.execPath, args, { cwd: root, timeout: 50_000 }, (failure, out, error) => {
			done({ status: failure === null ? 0 : Number(failure.code), out, error });
		});
	});
}

const heads: readonly (readonly [name: string, file: string])[] = [
	...['audit', 'check', 'mutate', 'pictures', 'smoke', 'test', 'types'].map(
		(name) => [name, `scripts/${name}.ts`] as const,
	),
	...['bench', 'crash', 'faults', 'fuzz', 'looks', 'soak'].map(
		(name) => [name, `test/${name}/main.ts`] as const,
	),
	['test-models', 'test/models/main.ts'],
	['package', 'packaging/main.ts'],
];

test.each(heads)('the usage of npm run %s stands at the head of its script', (name, file) => {
	expect(usageOf(join(root, file))).toMatch(new RegExp(`^\`npm run ${name}\\b`));
	expect(usageOf(join(root, file))).not.toMatch(/^ ?\*/m);
});

/** Reads these arguments as `npm run fuzz` does, and gives what it would print and its status. */
function refusalOf(...given: readonly string[]): readonly [said: string, status: number] {
	const error = vi.spyOn(console, 'error').mockImplementation(() => {});
	const exit = vi.spyOn(process, 'exit').mockImplementation((status) => {
		throw new Error(String(status));
	});
	const argv = process.argv;
	process.argv = [...argv.slice(0, 2), ...given];
	onTestFinished(() => {
		process.argv = argv;
	});
	const config = { options: { runs: { type: 'string', default: '1' }, seed: { type: 'string' } } } as const;
	expect(() => {
		const { values, whole, seedOf } = readArguments(join(root, 'test/fuzz/main.ts'), config);
		whole('runs', values.runs);
		seedOf(values.seed);
	}).toThrow();
	return [String(error.mock.calls[0]?.[0]), Number(exit.mock.calls[0]?.[0])];
}

test.each([
	['--nonsense', "Unknown option '--nonsense'."],
	['--runs=x', '--runs takes a whole number above 0.'],
	['--runs=0', '--runs takes a whole number above 0.'],
	['--runs=1.5', '--runs takes a whole number above 0.'],
	['--runs=', '--runs takes a whole number above 0.'],
	['--seed=one', '--seed takes a whole number from 0 on.'],
])('%s is refused with one sentence', (given, sentence) => {
	expect(refusalOf(given)).toEqual([`${sentence}\nTry: npm run fuzz -- --help`, 2]);
});

// Few: each loads all that its command can do.
test.each([
	['crash', 'test/crash/main.ts', '--part constructor', '--part takes main, window.'],
	['faults', 'test/faults/main.ts', '--row 999', 'There is no row 999; the last is 140.'],
])('npm run %s: %s %s is refused', { timeout: 60_000 }, async (name, file, given, sentence) => {
	expect(await run(file, ...given.split(' '))).toEqual({
		status: 2,
		out: '',
		error: `${sentence}\nTry: npm run ${name} -- --help\n`,
	});
});

test('npm run bench -- --help names every bench', { timeout: 60_000 }, async () => {
	const [help, wrong] = await Promise.all([
		run('scripts/run.mjs', 'bench', '--help'),
		run('test/bench/main.ts', 'nosuch'),
	]);
	expect(help).toMatchObject({ status: 0, error: '' });
	const names = /there are (.*)\./.exec(wrong.error)?.[1] ?? 'none';
	expect(help.out.replaceAll(/\s+/g, ' ')).toContain(`: ${names}.`);
});
