import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { button, captionsRegion, until, untilPhase } from '#test/support/app-steps.ts';
import { createSandboxStage, type Launched } from '#test/support/launch.ts';

const stage = createSandboxStage();
const userData = mkdtempSync(join(tmpdir(), 'dragoman-glossaries-'));
afterAll(() => rmSync(userData, { recursive: true, force: true, maxRetries: 3 }));

async function open(faults = ''): Promise<Launched> {
	const { api, key } = stage.sandbox.addresses;
	const env = { DRAGOMAN_API_URL: api, DRAGOMAN_API_KEY: `${key}${faults}` };
	const app = await stage.open({ userData, env });
	await untilPhase(app.page, 'Ready');
	return app;
}

async function toGlossaries({ page }: Launched): Promise<void> {
	await button(page, 'Settings').click();
	await button(page, 'Show glossaries').click();
	await page.getByRole('heading', { name: 'Glossaries' }).waitFor();
}

async function backToConversation({ page }: Launched): Promise<void> {
	await button(page, 'Back').click();
	await button(page, 'Back').click();
	await button(page, 'Start').waitFor();
}

test('a glossary made in the window is heard in the next conversation, and not where none is wanted', async () => {
	const app = await open();
	const { page } = app;
	await toGlossaries(app);
	await button(page, 'Make a glossary').click();
	await page.getByLabel('Name', { exact: true }).fill('Greetings');
	await page
		.getByRole('textbox', { name: /row 1$/ })
		.first()
		.fill('good morning');
	await page
		.getByRole('textbox', { name: /row 1$/ })
		.last()
		.fill('Muy buenas');
	await button(page, 'Make the glossary').click();
	await page.getByText('1 entry').waitFor();
	await backToConversation(app);
	await button(page, 'Start').click();
	await captionsRegion(page).getByText('(Muy buenas)').first().waitFor();
	await button(page, 'Stop').click();
	await button(page, 'Start').waitFor({ timeout: 45_000 });

	await toGlossaries(app);
	await page.getByRole('switch').first().click({ force: true });
	await backToConversation(app);
	await button(page, 'Start').click();
	// Once it is live, the captions of before are gone.
	await untilPhase(page, 'Live');
	await until('the first sentence is translated', async () =>
		(await captionsRegion(page).innerText()).includes('Buenos días'),
	);
	expect(await captionsRegion(page).innerText()).not.toContain('Muy buenas');
	await button(page, 'Stop').click();
});

test('a service that takes no choice of glossaries: it is said, and the conversation runs with all of them', async () => {
	const app = await open('+refuse-glossaries');
	const { page } = app;
	await button(page, 'Start').click();
	await page.getByText('This service does not let you choose glossaries: all that are on apply.').waitFor();
	await captionsRegion(page).getByText('(Muy buenas)').first().waitFor();
	await button(page, 'Stop').click();
});
