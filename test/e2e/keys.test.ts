import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openSettings } from '#test/support/app-steps.ts';
import { launch } from '#test/support/launch.ts';

test('a key that was recorded works after the next start, and the one it took the place of does not', async () => {
	const userData = mkdtempSync(join(tmpdir(), 'dragoman-keys-'));
	onTestFinished(() => rmSync(userData, { recursive: true, force: true }));
	const first = await launch({ userData, settings: { service: 'sandbox', interfaceLanguage: 'en' } });
	const { page } = first;
	await openSettings(page, 'Shortcuts');
	await page.getByRole('button', { name: /Remove \W*M\W* from/ }).click();
	await page.getByRole('button', { name: 'Add keys for Mute or unmute' }).first().click();
	await page.keyboard.press('Control+Shift+X');
	await page.getByRole('button', { name: /Remove .*X.* from Mute or unmute/ }).waitFor();
	await first.close();

	const second = await launch({ userData });
	const mute = second.page.getByRole('button', { name: /mute/i }).first();
	await mute.waitFor();
	await second.page.keyboard.press('m');
	expect(await mute.getAttribute('aria-pressed')).toBe('false');
	await second.page.keyboard.press('Control+Shift+X');
	await expect.poll(() => mute.getAttribute('aria-pressed')).toBe('true');
	await second.close();
});
