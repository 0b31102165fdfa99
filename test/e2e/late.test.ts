import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { phrases } from '#sandbox/interpreter/phrases.ts';
import { startSandbox } from '#sandbox/sandbox.ts';
import { button, captionsRegion, longMicrophone, untilPhase } from '#test/support/app-steps.ts';
import { launch } from '#test/support/launch.ts';

const text = (number: number, code: 'en' | 'es') => phrases[number - 1]?.text[code] ?? '';

/** How long the interpreter is there, and how long it takes to get another one, ms. */
const [LEAVES_MS, NEXT_MS] = [7000, 3000];

/** The built app speaks all the time; its interpreter leaves, and the next one is some seconds away. */
async function withOutage(lateSpeech: boolean) {
	const sandbox = await startSandbox();
	const saved = mkdtempSync(join(tmpdir(), 'dragoman-saved-'));
	const { api, s2s, key } = sandbox.addresses;
	const app = await launch({
		microphone: longMicrophone(),
		settings: { interfaceLanguage: 'en', warmIdleS: 0, lateSpeech },
		env: {
			DRAGOMAN_API_URL: api,
			DRAGOMAN_API_KEY: key,
			DRAGOMAN_S2S_URL: s2s,
			DRAGOMAN_SAVE_FOLDER: saved,
		},
	});
	const { page } = app;
	sandbox.setFault(`agent-leaves:${LEAVES_MS}`, true);
	await untilPhase(page, 'Ready');
	await button(page, 'Start').click();
	await untilPhase(page, 'Live');
	sandbox.setFault(`slow@create:${NEXT_MS}`, true);
	await untilPhase(page, 'Reconnecting', 20_000);
	const gone = lateSpeech ? 'What is said now is kept' : 'What is said now is not translated.';
	await page.getByText(gone, { exact: false }).waitFor();
	// The next interpreter stays.
	sandbox.setFault(`agent-leaves:${LEAVES_MS}`, false);
	await untilPhase(page, 'Live', 20_000);
	return {
		page,
		saved,
		log: app.log,
		async end() {
			await app.close();
			await sandbox.close();
		},
	};
}

test('what was said while the room was away is sent when it is back, and says so in captions and files', async () => {
	const it = await withOutage(true);
	const { page } = it;
	const late = page.locator('[data-late]');
	await late.first().waitFor({ timeout: 30_000 });
	expect(await late.first().textContent()).toMatch(/^said at \d+:\d\d.*, heard late$/);
	// The sandbox begins each session with its first sentence.
	const row = captionsRegion(page).getByRole('listitem').filter({ has: late });
	await row.getByText(text(1, 'es')).waitFor({ timeout: 30_000 });

	await button(page, 'Save captions').click();
	const dialog = page.getByRole('dialog');
	await dialog.getByRole('button', { name: /Format/ }).click();
	await page.getByRole('option', { name: 'Table (CSV)' }).click();
	await dialog.getByRole('button', { name: 'Save captions' }).click();
	// While it is written it has another name.
	await dialog.getByText(/^Saved to/).waitFor();
	const file = readFileSync(join(it.saved, readdirSync(it.saved)[0] ?? ''), 'utf8');
	expect(file).toMatch(/\[said at \d+:\d\d.*, heard late\]/);
	expect(file).not.toContain('Nothing was interpreted');
	await it.end();
}, 120_000);

test('unless that was chosen it is marked as lost, and nothing is sent', async () => {
	const it = await withOutage(false);
	await it.page.locator('[data-kind=lost]').first().waitFor();
	expect(await it.page.locator('[data-late]').count()).toBe(0);
	// Longer than it takes to open one.
	await new Promise((later) => setTimeout(later, 3000));
	const since = it.log().slice(it.log().lastIndexOf('"stage":"live"'));
	expect(since).toMatch(/^"stage":"live"/);
	expect(since).not.toContain('socket open');
	await it.end();
}, 120_000);
