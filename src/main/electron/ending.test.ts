import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { wordsFor } from '#main/app/words.ts';
import {
	recordedElectron as electron,
	type StartedShell,
	startRecorded,
} from '#test/support/recorded-electron.ts';

vi.mock('electron', async () => (await import('#test/support/recorded-electron.ts')).recordedElectron.module);
const { askToClose } = await import('./dialogs.ts');
const { startShell } = await import('./shell.ts');

// A busy machine takes its time.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let shell: StartedShell;
beforeEach(async () => {
	electron.calls.length = 0;
	electron.windows.length = 0;
	electron.app.removeAllListeners();
	electron.power.removeAllListeners();
	electron.pressed = 0;
	electron.ticked = false;
	shell = await startRecorded(startShell);
});
afterEach(() => shell.end());

const shown = () => electron.called('BrowserWindow.show').length;

/** The window has said farewell; resolves when the program has ended. */
async function ended(): Promise<void> {
	await shell.ask('app.close-ready');
	await expect.poll(() => electron.called('app.exit'), { timeout: 20_000 }).toHaveLength(1);
}

test('started again while it runs, it comes to the front; while it ends, it stays away and is started anew', async () => {
	electron.app.emit('second-instance');
	electron.app.emit('activate');
	expect(shown()).toBe(2);
	electron.app.emit('before-quit', { preventDefault() {} });
	electron.app.emit('activate');
	electron.app.emit('second-instance');
	await ended();
	expect(shown()).toBe(2);
	expect(electron.called('app.relaunch')).toMatchObject([{ args: [{ args: process.argv.slice(1) }] }]);
});

test('quitting over a live conversation is asked about first, and called off when the person wishes', async () => {
	await shell.ask('conversation.phase', { phase: 'live', muted: false });
	// Cancel.
	electron.pressed = 1;
	electron.app.emit('before-quit', { preventDefault() {} });
	expect(electron.called('dialog.showMessageBox')).toHaveLength(1);
	await new Promise((done) => setImmediate(done));
	for (const name of ['BrowserWindow.hide', 'app.exit'])
		expect([name, electron.called(name)]).toEqual([name, []]);
});

test('Linux and macOS shut down: they wait, and the program ends at once, unasked', async () => {
	await shell.ask('conversation.phase', { phase: 'live', muted: false });
	let waits = 0;
	electron.power.emit('shutdown', {
		preventDefault() {
			waits += 1;
		},
	});
	await ended();
	expect([waits, electron.called('dialog.showMessageBox')]).toEqual([1, []]);
});

test('a page that does not answer is asked about in its window, or macOS would stop all of main', async () => {
	const [window] = shell.windows;
	Object.assign(window, { isVisible: () => true });
	window.emit('unresponsive');
	await expect.poll(() => electron.called('dialog.showMessageBox').length).toBe(1);
	expect(electron.called('dialog.showMessageBox')[0]?.args[0]).toBe(window);
});

test('Windows shuts down: the program ends by itself, unasked, its window in sight until then', async () => {
	expect(await shell.ask('conversation.phase', { phase: 'live', muted: false })).toMatchObject({ ok: true });
	shell.windows[0].emit('query-session-end', { preventDefault() {} });
	await ended();
	for (const name of ['dialog.showMessageBox', 'BrowserWindow.hide', 'app.relaunch'])
		expect([name, electron.called(name)]).toEqual([name, []]);
});

test('Esc and Enter leave a live conversation running', async () => {
	await shell.ask('conversation.phase', { phase: 'live', muted: false });
	electron.pressed = 1;
	electron.app.emit('before-quit', { preventDefault() {} });
	const asked = electron.called('dialog.showMessageBox')[0]?.args.at(-1);
	const { buttons, cancelId, defaultId, detail } = asked as {
		readonly detail: string;
		readonly buttons: readonly string[];
		readonly cancelId: number;
		readonly defaultId: number;
	};
	const { cancel, text, keepText } = wordsFor('en', []).close;
	expect([buttons[cancelId], buttons[defaultId]]).toEqual([cancel, cancel]);
	// To go on without a window is no answer to quitting; it is one to closing the window.
	expect(detail).toBe(text);
	await askToClose(null, { what: 'window', canKeep: true }, wordsFor('en', []).close);
	expect(electron.called('dialog.showMessageBox').at(-1)?.args.at(-1)).toMatchObject({
		detail: `${text} ${keepText}`,
	});
});

test('what is always to be done with a live conversation is remembered', async () => {
	electron.ticked = true;
	await shell.ask('conversation.phase', { phase: 'live', muted: false });
	electron.app.emit('before-quit', { preventDefault() {} });
	await ended();
	const kept = JSON.parse(readFileSync(join(shell.userData, 'settings.json'), 'utf8'));
	expect(kept).toMatchObject({ closeLive: 'stop' });
});

test('a conversation whose page is gone is not asked about', async () => {
	await shell.ask('conversation.phase', { phase: 'live', muted: false });
	shell.windows[0].webContents.emit('did-navigate');
	electron.app.emit('before-quit', { preventDefault() {} });
	await ended();
	expect(electron.called('dialog.showMessageBox')).toEqual([]);
});
