import { describe, expect, test } from 'vitest';
import { watchCommand } from '#test/support/ending.ts';

const DEAF = 'test/support/deaf-child.ts';

describe.skipIf(process.platform !== 'linux')('a program that works for long', () => {
	test.each([
		['SIGINT', 130],
		['SIGTERM', 143],
		['SIGHUP', 129],
	] as const)(
		'ends on %s with all it started, however deaf they are',
		{ timeout: 30_000 },
		async (signal, status) => {
			const watched = watchCommand(process.execPath, ['scripts/run.mjs', DEAF]);
			await watched.runs(/sleep 3001/);
			await watched.runs(/sleep 3002/);
			watched.child.kill(signal);
			expect(await watched.gone()).toEqual([status, null]);
		},
	);

	test('passes on how it ended by itself', { timeout: 30_000 }, async () => {
		const watched = watchCommand(process.execPath, ['scripts/run.mjs', 'fuzz', '--nonsense']);
		expect(await watched.gone()).toEqual([2, null]);
	});

	test.each([
		['soak', ['conversation', '--seeds', '1000'], /^\S*node test\/soak\/main\.ts/m],
		['fuzz', ['--messages', '100000000', '--workers', '2'], /test\/fuzz\/main\.ts/],
		['crash', ['--part', 'main'], /crash-child\.js/],
		['faults', [], /vitest\.mjs run/],
		['check', [], /tsc -p/],
		['sandbox', ['--port', '0'], /^node scripts\/run\.mjs sandbox/m],
	] as const)('npm run %s ends on SIGTERM for npm alone', { timeout: 60_000 }, async (name, args, like) => {
		const watched = watchCommand('npm', ['run', name, '--', ...args]);
		await watched.runs(like);
		watched.child.kill('SIGTERM');
		await watched.gone();
	});

	test('behind npm it ends on Ctrl-C, which a terminal gives to all that run in it', {
		timeout: 60_000,
	}, async () => {
		const watched = watchCommand('npm', ['run', 'soak', '--', 'conversation', '--seeds', '1000']);
		await watched.runs(/^\S*node test\/soak\/main\.ts/m);
		process.kill(-(watched.child.pid ?? 0), 'SIGINT');
		await watched.gone();
	});
});
