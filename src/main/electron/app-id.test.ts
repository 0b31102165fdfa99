import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { builderConfig } from '#packaging/config.ts';
import { recordedElectron as electron, startRecorded } from '#test/support/recorded-electron.ts';

vi.mock('electron', async () => (await import('#test/support/recorded-electron.ts')).recordedElectron.module);
const { startShell } = await import('./shell.ts');

const { appId } = builderConfig({ root: '/x', output: '/y', electronVersion: '1.2.3' });
const { platform } = process;
const on = (value: string) => void Object.defineProperty(process, 'platform', { value });
beforeEach(() => {
	electron.calls.length = 0;
	electron.windows.length = 0;
});
afterEach(() => on(platform));

test('sets the package’s app id on Windows before the first window', async () => {
	on('win32');
	(await startRecorded(startShell)).end();
	expect(electron.called('app.setAppUserModelId').map(({ args }) => args)).toEqual([[appId]]);
	const names = electron.calls.map(({ name }) => name);
	expect(names.indexOf('app.setAppUserModelId')).toBeLessThan(names.indexOf('BrowserWindow.loadURL'));
});

test('other systems have no such id to set', async () => {
	on('linux');
	(await startRecorded(startShell)).end();
	expect(electron.called('app.setAppUserModelId')).toEqual([]);
});
