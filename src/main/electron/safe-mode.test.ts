import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openStartRecord } from '#main/app/safe-mode.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { recordedElectron as electron } from '#test/support/recorded-electron.ts';

vi.mock('electron', async () => (await import('#test/support/recorded-electron.ts')).recordedElectron.module);
vi.mock('./dialogs.ts', () => ({ askForSafeMode: async () => true }));
const { chooseStart } = await import('./safe-mode.ts');

let userData = '';
beforeEach(() => {
	userData = mkdtempSync(join(tmpdir(), 'dragoman-safe-'));
	electron.calls.length = 0;
});
afterEach(() => rmSync(userData, { recursive: true, force: true }));

test('started again by the person while it leaves for safe mode, it starts in safe mode', async () => {
	const starts = openStartRecord(userData, () => 0);
	const start = await chooseStart({
		options: {},
		env: {},
		folders: { userData },
		clock: createManualClock(),
		starts,
		safeAsked: false,
	});
	starts.begin();
	starts.troubled();
	starts.begin();
	const quit = { begin: async () => {}, begun: false };
	expect(await start.page(quit).leaves()).toBe(true);
	start.restart(quit);
	start.exit(0);
	expect(electron.called('app.relaunch')).toMatchObject([
		{ args: [{ args: [...process.argv.slice(1), '--safe-mode'] }] },
	]);
	expect(electron.called('app.exit')).toHaveLength(1);
});

test('the program that follows is given the variables that this one was given', async () => {
	vi.stubEnv('DRAGOMAN_API_KEY', undefined);
	const start = await chooseStart({
		options: {},
		env: { DRAGOMAN_API_KEY: 'a-key' },
		folders: { userData },
		clock: createManualClock(),
		starts: openStartRecord(userData, () => 0),
		safeAsked: true,
	});
	start.restart({ begin: async () => {}, begun: false });
	start.exit(0);
	expect(process.env['DRAGOMAN_API_KEY']).toBe('a-key');
	vi.unstubAllEnvs();
});
