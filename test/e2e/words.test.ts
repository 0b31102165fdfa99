import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { button, captionsRegion, openSettings, until, untilPhase } from '#test/support/app-steps.ts';
import { createSandboxStage } from '#test/support/launch.ts';

/* Corrections in the built app: bad tables, and every place where corrected words are read. */

// If the credit were told, it would be asked for again 5 s after Stop, amid the requests that are counted here.
const stage = createSandboxStage({ faults: ['no-balance'] });
const folder = mkdtempSync(join(tmpdir(), 'dragoman-words-'));
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));

function file(name: string, text: string): string {
	const path = join(folder, name);
	writeFileSync(path, text);
	return path;
}

test('tables that cannot be used are refused in words and lose nothing; what is right in one is right in captions, files and the history', async () => {
	const { sandbox } = stage;
	const saved = mkdtempSync(join(folder, 'saved-'));
	const app = await stage.open({
		settings: {
			version: 1,
			interfaceLanguage: 'en',
			history: 'keep',
			warmIdleS: 0,
			corrections: [{ language: 'en', wrong: 'Anna', right: 'Ana' }],
		},
		service: sandbox,
		env: { DRAGOMAN_SAVE_FOLDER: saved },
	});
	const { page } = app;
	const choose = (path: string) => page.locator('input[type=file]').setInputFiles(path);
	const rows = page.getByRole('list', { name: 'Corrections' }).getByRole('listitem');
	await untilPhase(page, 'Ready');

	await openSettings(page, 'Captions');
	const asked = sandbox.counts().requests;
	const many = Array.from({ length: 100_000 }, (_, at) => `en,word${at},Word ${at}\n`).join('');
	await choose(file('many.csv', many));
	await page.getByText('There would be more than 5,000 corrections.').waitFor();
	await choose(file('open.csv', `en,Bob,Rob\nen,"Carl,Karl\n${'en,x,y\n'.repeat(290_000)}`));
	await page.getByText(/^Line 2: A quotation mark is not closed/).waitFor();
	expect(await rows.allTextContents()).toEqual([expect.stringContaining('Anna Ana')]);
	await choose(file('right.csv', 'en,Good morning,a.b*(c\nes,Buenos días,(Muy+ $& buenas\n'));
	await until('the table is in the list', async () => (await rows.count()) === 3);
	// All of it was done on this computer.
	expect(sandbox.counts().requests).toBe(asked);

	await button(page, 'Back').click();
	await button(page, 'Start').click();
	const captions = captionsRegion(page);
	for (const text of ["a.b*(c, it's nice to meet you.", '(Muy+ $& buenas, mucho gusto en conocerle.'])
		await captions
			.locator('[data-final="true"]')
			.filter({ hasText: text })
			.first()
			.waitFor({ timeout: 60_000 });
	await button(page, 'Stop').click();
	await button(page, 'Start').waitFor({ timeout: 45_000 });

	await button(page, 'Save captions').click();
	const dialog = page.getByRole('dialog', { name: 'Save captions' });
	await dialog.getByRole('button', { name: 'Save captions' }).click();
	// While it is written it has another name.
	await dialog.getByText(/^Saved to/).waitFor();
	const [name = ''] = readdirSync(saved);
	expect(readFileSync(join(saved, name), 'utf8')).toContain('(Muy+ $& buenas, mucho gusto');
	await page.keyboard.press('Escape');

	await button(page, 'History').click();
	await page.getByText('a.b*(c', { exact: false }).first().waitFor();
	await button(page, 'Back').click();

	// Without the correction the word is as the service wrote it, in earlier captions as well.
	await openSettings(page, 'Captions');
	await page.getByRole('button', { name: /^Remove: .*Good morning/ }).click();
	await button(page, 'Back').click();
	await captions.getByText("Good morning, it's nice to meet you.").first().waitFor();
	expect(await captions.innerText()).not.toContain('a.b*(c');

	await openSettings(page, 'General');
	await button(page, 'Show glossaries').click();
	await button(page, 'Make a glossary').click();
	await page.getByLabel('Name', { exact: true }).fill('Odd words');
	await button(page, 'Edit as text').click();
	const table = page.getByLabel('Table', { exact: true });
	await table.fill('a.b*(c,x');
	await choose(file('large.csv', 'train,tren\n'.repeat(182_000)));
	await page.getByText(/^This file is larger than 1 MB/).waitFor();
	expect(await table.inputValue()).toBe('a.b*(c,x');
	await table.fill('a.b*(c,x\n"never,closed');
	const before = sandbox.counts().requests;
	await button(page, 'Make the glossary').click();
	await page.getByText(/^Line 2: A quotation mark is not closed/).waitFor();
	expect(sandbox.counts().requests).toBe(before);
	await table.fill('a.b*(c,x');
	await button(page, 'Make the glossary').click();
	await page.getByText('1 entry').waitFor();
}, 120_000);
