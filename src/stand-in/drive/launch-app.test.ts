import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { launchApp } from './launch-app.ts';

let folder = '';
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), 'launch-test-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/**
 * Plays the app: announces an address for driving its window, at which nothing answers, and takes a while to end. A
 * second SIGTERM cuts that short, as a SIGKILL does.
 */
const APP = `
	const fs = require('node:fs');
	const say = () => process.stderr.write('DevTools listening on ' + process.env.ADDRESS + '\\n');
	process.on('SIGTERM', () => {
		if (fs.existsSync('asked')) process.exit(1);
		fs.writeFileSync('asked', '');
		if (process.env.SAY_AT === 'end') say();
		setTimeout(() => { fs.writeFileSync('ended', ''); process.exit(0); }, 300);
	});
	fs.writeFileSync('started', '');
	if (process.env.SAY_AT === 'start') say();
	setInterval(() => {}, 1000);
`;

const NOBODY = 'ws://127.0.0.1:1/none';

function launch(sayAt: 'start' | 'end', signal?: AbortSignal, address = NOBODY) {
	const app = join(folder, 'app.cjs');
	writeFileSync(app, `process.chdir(${JSON.stringify(folder)});${APP}`);
	return launchApp({
		host: 'chromium',
		headless: true,
		userData: folder,
		wrap: [process.execPath, app],
		env: { SAY_AT: sayAt, ADDRESS: address },
		...(signal && { signal }),
	});
}

test('an app whose window cannot be reached ends by itself, with its browser', async () => {
	await expect(launch('start')).rejects.toThrow('ECONNREFUSED');
	expect(existsSync(join(folder, 'ended'))).toBe(true);
});

test('a launch given up while the window opens waits until the app has ended by itself', async () => {
	const giveUp = new AbortController();
	const launched = launch('end', giveUp.signal);
	const rejected = expect(launched).rejects.toThrow('ECONNREFUSED');
	await expect.poll(() => existsSync(join(folder, 'started')), { timeout: 10_000 }).toBe(true);
	giveUp.abort();
	await rejected;
	expect(existsSync(join(folder, 'ended'))).toBe(true);
});

test('a launch given up while a browser does not answer any more does not wait for it', async () => {
	const giveUp = new AbortController();
	// Takes the connection, has the app ended, and never answers.
	const browser = createServer(() => giveUp.abort());
	await new Promise<void>((done) => browser.listen(0, '127.0.0.1', done));
	const { port } = browser.address() as AddressInfo;
	try {
		await expect(launch('start', giveUp.signal, `ws://127.0.0.1:${port}/none`)).rejects.toThrow(
			/the app ended with status 0/,
		);
	} finally {
		browser.close();
	}
});
