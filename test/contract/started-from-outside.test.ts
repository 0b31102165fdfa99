import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { builderConfig } from '#packaging/config.ts';
import { ASK } from '#shared/host/names.ts';
import { recordedElectron as electron } from '#test/support/recorded-electron.ts';

/*
 * What others can start the app with: links, files, switches, a second instance. It takes no links at all, and the packaged
 * program gives nobody a way into its window.
 */

vi.mock('electron', async () => (await import('#test/support/recorded-electron.ts')).recordedElectron.module);

const EVIL = 'https://evil.example';
/** As a link, a page or a file would give it; a person who opens one did not mean to choose a service. */
const links = [
	...[
		`dragoman://connect?base_url=${EVIL}&key=stolen`,
		`app://dragoman/?apiUrl=${EVIL}`,
		`${EVIL}/?key=stolen`,
	],
	...[`--base_url=${EVIL}`, `--apiUrl=${EVIL}`, `--base-url=${EVIL}`, '--key=stolen', '--api-key=stolen'],
	...[
		`file:///tmp/x.html?api-url=${EVIL}`,
		'--voice-token=stolen',
		'javascript:alert(1)',
		'/tmp/evil.dragoman',
	],
];
const switches = [
	...['remote-debugging-port', 'remote-debugging-pipe', 'disable-web-security', 'ignore-certificate-errors'],
	...['remote-debugging-address', 'host-resolver-rules', 'host-rules', 'proxy-server', 'proxy-pac-url'],
	...['proxy-bypass-list', 'disable-features', 'enable-features', 'load-extension', 'user-data-dir'],
	...['allow-running-insecure-content', 'log-net-log', 'a-switch-of-next-year'],
];

// A busy machine takes its time.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let folder = '';
const argv = [...process.argv];
const before = new Map(process.eventNames().map((name) => [name, process.listeners(name as 'exit')]));

beforeAll(async () => {
	folder = mkdtempSync(join(tmpdir(), 'dragoman-outside-'));
	vi.stubEnv('DRAGOMAN_USER_DATA', folder);
	for (const name of ['DRAGOMAN_API_URL', 'DRAGOMAN_API_KEY', 'DRAGOMAN_SERVICE']) vi.stubEnv(name, '');
	process.argv.splice(
		0,
		argv.length,
		'dragoman',
		'app',
		...links,
		...switches.filter((it) => it !== 'user-data-dir').map((it) => `--${it}=1`),
	);
	Object.assign(electron.app, { isPackaged: true });
	await import('#main/electron/index.ts');
	await vi.waitFor(() => expect(electron.windows[0]?.loaded).toHaveLength(1), 20_000);
});
afterAll(() => {
	process.argv.splice(0, process.argv.length, ...argv);
	for (const name of process.eventNames())
		for (const listener of process.listeners(name as 'exit'))
			if (!before.get(name)?.includes(listener)) process.removeListener(name, listener);
	vi.unstubAllEnvs();
	rmSync(folder, { recursive: true, force: true });
});

/** Everything the window knows of service, key and settings. */
async function inForce(): Promise<string> {
	const contents = electron.windows[0]?.webContents;
	const ask = electron.ipc.get(ASK) as (...args: unknown[]) => Promise<unknown>;
	const event = { sender: contents, senderFrame: { url: contents?.getURL(), parent: null } };
	return JSON.stringify([await ask(event, 'settings.read'), await ask(event, 'account.read')]);
}

test('links and options that look like some choose neither a service nor a key', async () => {
	const known = await inForce();
	expect(known).toContain('"service":"unset"');
	expect(known).toContain('"present":false');
	expect(known).not.toMatch(/evil|stolen/);
	expect(electron.windows[0]?.loaded).toEqual(['app://dragoman/index.html']);
});

test('the app is nobody’s handler of links or files', () => {
	for (const event of ['open-url', 'open-file', 'continue-activity', 'will-continue-activity'])
		expect([event, electron.app.listenerCount(event)]).toEqual([event, 0]);
	expect(electron.called('app.setAsDefaultProtocolClient')).toEqual([]);
	const config = builderConfig({ root: '/x', output: '/y', electronVersion: '1.2.3' });
	expect(JSON.stringify(config)).not.toMatch(/"(protocols|fileAssociations|mimeTypes|CFBundleURLTypes)"/);
});

test('a second start brings the window to the front and changes nothing, whatever it was started with', async () => {
	const known = await inForce();
	const hostile = [...links, `--api-url=${EVIL}`, '--service=service', `--user-data-dir=${folder}/x`];
	electron.app.emit('second-instance', {}, ['dragoman', ...hostile], folder, { apiUrl: EVIL });
	expect(electron.called('BrowserWindow.focus')).toHaveLength(1);
	expect(await inForce()).toBe(known);
	expect(electron.windows).toHaveLength(1);
	expect(electron.windows[0]?.loaded).toHaveLength(1);
});

test('the packaged program takes no switch that opens its window or takes down its walls', () => {
	const removed = electron.called('app.commandLine.removeSwitch').map(({ args }) => args[0]);
	expect(removed).toEqual(expect.arrayContaining(switches));
	// It must be done before the browser is up.
	const names = electron.calls.map(({ name }) => name);
	expect(names.lastIndexOf('app.commandLine.removeSwitch')).toBeLessThan(names.indexOf('app.whenReady'));

	// What it sets itself: no timer of a call slows down in the background, and none of it lets a page do more.
	expect(electron.called('app.commandLine.appendSwitch').map(({ args }) => args)).toEqual([
		['disable-renderer-backgrounding'],
		['disable-background-timer-throttling'],
		['disable-backgrounding-occluded-windows'],
	]);
});
