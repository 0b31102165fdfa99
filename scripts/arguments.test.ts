import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');

function run(file: string, argument: string) {
	return new Promise<{ status: number; out: string; error: string }>((done) => {
		execFile(process.execPath, [file, argument], { cwd: root, timeout: 50_000 }, (failure, out, error) => {
			done({ status: failure === null ? 0 : Number(failure.code), out, error });
		});
	});
}

test.each([
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
