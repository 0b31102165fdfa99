import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { startSandbox } from '#sandbox/sandbox.ts';
import { longMicrophone, startLive } from '#test/support/app-steps.ts';
import { createX11Keys, startAppDisplay } from '#test/support/display.ts';
import { launch } from '#test/support/launch.ts';
import { notRun } from '#test/support/not-run.ts';

const display = await startAppDisplay();
const missing = 'missing' in display ? display.missing : null;
const CONTROL = 0xffe3;
const F8 = 0xffc5;
const ends: (() => unknown)[] = [];
afterAll(async () => {
	for (const end of ends.reverse()) await end();
	if (!('missing' in display)) await display.stop();
});

test.skipIf(missing !== null && notRun('keys held in other programs', missing))(
	'push to talk is held while the window does not have the keyboard, and ends when the key is let go of',
	async () => {
		if ('missing' in display) return;
		const sandbox = await startSandbox();
		ends.push(() => sandbox.close());
		const userData = mkdtempSync(join(tmpdir(), 'dragoman-held-'));
		ends.push(() => rmSync(userData, { recursive: true, force: true, maxRetries: 3 }));
		const shortcuts = { 'global.talk': ['Mod+F8'] };
		writeFileSync(
			join(userData, 'settings.json'),
			JSON.stringify({ talk: 'push-to-talk', globalKeys: true, shortcuts }),
		);
		const { api, key } = sandbox.addresses;
		const env = { ...display.env, DRAGOMAN_API_URL: api, DRAGOMAN_API_KEY: key };
		const app = await launch({ microphone: longMicrophone(), headless: false, userData, env });
		ends.push(() => app.kill('SIGKILL'));
		const keys = await createX11Keys(display.env);
		ends.push(() => keys.close());
		const { page } = app;
		const state = (words: string) => page.getByText(words, { exact: true }).waitFor({ timeout: 5000 });
		await startLive(page);
		await state('You are not heard');

		await keys.press(CONTROL);
		await keys.press(F8);
		await state('You are heard');
		// Losing focus ends a hold of the window's own keys; these are global ones.
		await page.evaluate(() => window.dispatchEvent(new Event('blur')));
		await page.waitForTimeout(600);
		expect(await page.getByText('You are heard', { exact: true }).isVisible()).toBe(true);
		await keys.release(F8);
		await state('You are not heard');
		await keys.release(CONTROL);
	},
	90_000,
);
