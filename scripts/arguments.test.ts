import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');

function run(file: string, ...given: readonly string[]) {
	return new Promise<{ status: number; out: string; error: string }>((done) => {
		execFile(process.execPath, [file, ...given], { cwd: root, timeout: 50_000 }, (failure, out, error) => {
			done({ status: failure === null ? 0 : Number(failure.code), out, error });
		});
	});
}

test.each([
	['audit', 'scripts/audit.ts'],
	['check', 'scripts/check.ts'],
	['test', 'scripts/test.ts'],
	['types', 'scripts/types.ts'],
	['bench', 'test/bench/main.ts'],
	['crash', 'scripts/crash.ts'],
	['faults', 'scripts/faults.ts'],
	['fuzz', 'scripts/fuzz.ts'],
	['package', 'scripts/package/main.ts'],
	['soak', 'scripts/soak.ts'],
])(
	'npm run %s: --help is its usage, an unknown option one sentence',
	{ timeout: 60_000 },
	async (name, file) => {
		const [help, wrong] = await Promise.all([run(file, '--help'), run(file, '--nonsense')]);
		expect(help).toMatchObject({ status: 0, error: '' });
		expect(help.out).toMatch(new RegExp(`^\`npm run ${name}\\b`));
		expect(help.out).not.toMatch(/^ ?\*/m);
		expect(wrong).toEqual({
			status: 2,
			out: '',
			error: `Unknown option '--nonsense'.\nTry: npm run ${name} -- --help\n`,
		});
	},
);

test.each([
	['crash', 'scripts/crash.ts', '--times x', '--times takes a whole number above 0.'],
	['crash', 'scripts/crash.ts', '--part nosuch', '--part takes main, history, window.'],
	['crash', 'scripts/crash.ts', '--part constructor', '--part takes main, history, window.'],
	['crash', 'scripts/crash.ts', '--at zzz', '--at takes step:N, moment:N and time:MS, with commas.'],
	['faults', 'scripts/faults.ts', '--row 999', 'There is no row 999; the last is 131.'],
	['faults', 'scripts/faults.ts', '--row abc', '--row takes a whole number above 0.'],
	['fuzz', 'scripts/fuzz.ts', '--minutes x', '--minutes takes a whole number above 0.'],
	['fuzz', 'scripts/fuzz.ts', '--seed one', '--seed takes a whole number from 0 on.'],
	['soak', 'scripts/soak.ts', '--seeds 0', '--seeds takes a whole number above 0.'],
	['soak', 'scripts/soak.ts', 'nosuch', 'No part is called nosuch; there are conversation, app, cycles.'],
	['bench', 'test/bench/main.ts', '--rounds 1.5', '--rounds takes a whole number above 0.'],
])('npm run %s: %s %s is refused', { timeout: 60_000 }, async (name, file, given, sentence) => {
	expect(await run(file, ...given.split(' '))).toEqual({
		status: 2,
		out: '',
		error: `${sentence}\nTry: npm run ${name} -- --help\n`,
	});
});

test('npm run bench -- --help names every bench', { timeout: 60_000 }, async () => {
	const [help, wrong] = await Promise.all([
		run('test/bench/main.ts', '--help'),
		run('test/bench/main.ts', 'nosuch'),
	]);
	const names = /there are (.*)\./.exec(wrong.error)?.[1] ?? 'none';
	expect(help.out.replaceAll(/\s+/g, ' ')).toContain(`: ${names}.`);
});
