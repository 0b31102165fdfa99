import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SmokeReport } from '#main/electron/smoke/report.ts';
import { e2eHost } from '#test/support/launch.ts';

const root = join(import.meta.dirname, '..', '..');

function smoke(...args: readonly string[]) {
	const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/smoke.ts', '--json', ...args], {
		cwd: root,
		encoding: 'utf8',
		env: { ...process.env, DRAGOMAN_SHELL: e2eHost === 'electron' ? 'electron' : 'stand-in' },
	});
	expect(stderr).toBe('');
	return { status, rows: SmokeReport.parse(JSON.parse(stdout)) };
}

test('the shell does what the app counts on, one row for each thing', () => {
	const { status, rows } = smoke();
	const wrong = rows.flatMap(({ name, state, seen }) => (state === 'no' ? [`${name}: ${seen}`] : []));
	// As text, so that a failure names the row.
	expect(wrong.join('\n')).toBe('');
	expect(status).toBe(0);
	const works = rows.filter(({ state }) => state === 'yes').map(({ name }) => name);
	expect(works).toEqual(
		expect.arrayContaining([
			...['window', 'preload in isolation', 'content policy', 'trusted types', 'permissions', 'requests'],
			...['navigation refused', 'SQLite with full text', 'ending'],
		]),
	);
	const asked = rows.map(({ name }) => name);
	expect(asked).toEqual([...new Set(asked)]);
	expect(asked).toEqual(
		expect.arrayContaining([
			...['own scheme', 'the computer’s sound', 'keychain', 'tray', 'menu', 'global key'],
			...['captions over other windows', 'power events', 'display lock', 'fuses'],
		]),
	);
	if (e2eHost === 'electron') expect(works).toEqual(expect.arrayContaining(['own scheme', 'menu']));
});

test('a program that is not the app fails, and says so', () => {
	const { status, rows } = smoke('--app', process.execPath);
	expect(status).toBe(1);
	expect(rows.map(({ name, state }) => [name, state])).toEqual([
		['report', 'no'],
		['fuses', 'no'],
		['ending', 'no'],
	]);
});
