import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { phrases } from '#sandbox/canned/phrases.ts';
import { button, captionsRegion, until, untilPhase } from '#test/support/app-steps.ts';
import { createSandboxStage, e2eHost, type Launched } from '#test/support/launch.ts';

const stage = createSandboxStage();
let userData: string;
let saved: string;
const folder = mkdtempSync(join(tmpdir(), 'dragoman-history-'));
beforeEach(() => {
	userData = mkdtempSync(join(folder, 'data-'));
	saved = mkdtempSync(join(folder, 'saved-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));

function open(options: Parameters<typeof stage.open>[0] = {}): Promise<Launched> {
	const env = { DRAGOMAN_SAVE_FOLDER: saved };
	return stage.open({ userData, service: stage.sandbox, env, ...options });
}

const [first] = phrases;
const said = { en: first?.text.en ?? '', es: first?.text.es ?? '' };

/** Speaks until the first sentence and its translation are final. */
async function speak({ page }: Launched): Promise<void> {
	await untilPhase(page, 'Ready');
	await button(page, 'Start').click();
	for (const text of [said.en, said.es])
		await captionsRegion(page)
			.locator('[data-final="true"]')
			.filter({ hasText: text })
			.first()
			.waitFor({ timeout: 60_000 });
}

/** Bytes of the history and the log beside it. */
function kept(): Buffer {
	const names = readdirSync(userData).filter((name) => name.startsWith('history.sqlite'));
	return Buffer.concat(names.map((name) => readFileSync(join(userData, name))));
}

async function recover(page: Page): Promise<void> {
	await page.getByText('Your last conversation was cut off.').waitFor();
	await button(page, 'Recover').click();
	await page
		.getByRole('region', { name: /^Transcript of/ })
		.getByText(said.es)
		.first()
		.waitFor();
}

test('killed while live: the next start offers what was said, to recover, search and export', async () => {
	const app = await open();
	await speak(app);
	// A final caption is on the screen first, and a moment later in the file.
	await until('the sentence is kept', () => kept().includes(said.es));
	await app.kill('SIGKILL');

	const again = await open();
	const { page } = again;
	await recover(page);
	const [word = ''] = said.es.split(/[^\p{L}]/u).filter((part) => part.length > 4);
	await page.getByLabel('Search in this conversation').fill(word.toUpperCase());
	await page.getByText(/^[1-9]\d* match/).waitFor();
	expect((await page.locator('mark').first().textContent())?.toLowerCase()).toBe(word.toLowerCase());

	await button(page, 'Export').click();
	const dialog = page.getByRole('dialog');
	await dialog.getByRole('button', { name: /Format/ }).click();
	await page.getByRole('option', { name: 'Table (CSV)' }).click();
	await dialog.getByText('With the original').click();
	await dialog.getByRole('button', { name: 'Save captions' }).click();
	await dialog.getByText(/^Saved to/).waitFor();
	const [name = ''] = readdirSync(saved);
	const csv = readFileSync(join(saved, name), 'utf8');
	expect(name).toMatch(/\.csv$/);
	expect(csv).toContain('start,end,Original,Español · Spanish\r\n');
	expect(csv).toContain(said.es);
	await dialog.getByRole('button', { name: 'Close' }).first().click();

	await button(page, 'All conversations').click();
	await page.getByLabel('Search all conversations').fill(word);
	await page.getByText('1 conversation found').waitFor();
	expect(await again.close()).toBe(143);
	// Recovered: it is there to stay, although nothing was chosen.
	expect(kept().includes(said.es)).toBe(true);
	expect(statSync(join(userData, 'history.sqlite')).mode & 0o077).toBe(0);
	expect(again.log()).not.toContain(word);
}, 240_000);

test('by default what was said is erased: asked at the end, in nobody’s way, and gone with the program', async () => {
	const app = await open();
	const { page } = app;
	await speak(app);
	await button(page, 'Stop').click();
	await button(page, 'Stop now').click();
	await page.getByText('Keep your conversations?').waitFor({ timeout: 45_000 });
	await button(page, 'Start').waitFor();
	// A fresh page forgets nothing, and what was said comes back to it.
	await button(page, 'New conversation').click();
	await captionsRegion(page).getByText('Your words will appear here').waitFor();
	expect(kept().includes(said.es)).toBe(true);
	await button(page, 'Show the last conversation').click();
	await captionsRegion(page).getByText(said.es).first().waitFor();
	await button(page, 'History').click();
	await page.getByText('Not decided: deleted when Dragoman closes').waitFor();
	expect(kept().includes(said.es)).toBe(true);
	expect(await app.close()).toBe(143);
	expect(kept().includes(said.es)).toBe(false);
	expect(kept().length).toBeGreaterThan(0);
}, 240_000);

/** A program whose clock is 40 days ahead. */
const clockAhead = [
	'env',
	`NODE_OPTIONS=--import=data:text/javascript,${encodeURIComponent(`
		const Real = Date;
		const ahead = () => Real.now() + 40 * 86_400_000;
		globalThis.Date = class extends Real {
			constructor(...given) {
				super(...(given.length > 0 ? given : [ahead()]));
			}
			static now = ahead;
		};`)}`,
];

test('with Keep chosen at the end, the conversation is in the history of the next start, and of one after a wrong clock', async () => {
	const app = await open();
	await speak(app);
	await button(app.page, 'Stop').click();
	await button(app.page, 'Stop now').click();
	await button(app.page, 'Keep').click({ timeout: 45_000 });
	await app.page.getByText('The conversation has ended.').waitFor({ state: 'detached' });
	expect(await app.close()).toBe(143);

	const days = { settings: { history: 'days', historyDays: 30 } };
	// Electron takes no options for Node, and the rule is the same there.
	if (e2eHost === 'chromium') {
		const wrong = await open({ ...days, wrap: clockAhead });
		await untilPhase(wrong.page, 'Ready');
		await button(wrong.page, 'History').click();
		await wrong.page
			.getByRole('button', { name: /^Delete/ })
			.first()
			.waitFor({ state: 'detached' });
		expect(await wrong.close()).toBe(143);
	}
	const { page } = await open(days);
	await button(page, 'History').click();
	await page.getByRole('button', { name: /^Open / }).click();
	await page
		.getByRole('region', { name: /^Transcript of/ })
		.getByText(said.en)
		.first()
		.waitFor();
}, 240_000);

test('a kept conversation is continued: what is said later is appended to it', async () => {
	const app = await open({ settings: { interfaceLanguage: 'en', history: 'keep' } });
	const { page } = app;
	const stop = async () => {
		await button(page, 'Stop').click();
		await button(page, 'Stop now').click();
	};
	const openOne = async () => {
		await button(page, 'History').click();
		await page.getByRole('button', { name: /^Open / }).click();
	};
	const notice = page.getByText(/^Your next conversation is added to/);
	await speak(app);
	await stop();
	await openOne();
	await button(page, 'Continue').click({ timeout: 45_000 });
	await notice.waitFor();
	await button(page, 'Start').click();
	await notice.waitFor({ state: 'detached', timeout: 60_000 });
	await captionsRegion(page).getByText(said.es).first().waitFor({ timeout: 60_000 });
	await stop();
	await openOne();
	const transcript = page.getByRole('region', { name: /^Transcript of/ });
	await transcript.getByText(/^Continued /).waitFor({ timeout: 45_000 });
	expect(await transcript.getByText(said.es).count()).toBeGreaterThanOrEqual(2);
}, 180_000);

test('a page that dies while the program lives gives its captions back', async () => {
	const app = await open();
	await speak(app);
	await until('the sentence is kept', () => kept().includes(said.es));
	const cdp = await app.page.context().newCDPSession(app.page);
	cdp.send('Page.crash').catch(() => {});
	await until('the death is in the log', () => app.log().includes('window died'));
	// A Playwright connection that saw a page crash cannot drive its successor; a new connection can.
	const [, address = ''] = /DevTools listening on (ws:\S+)/.exec(app.output()) ?? [];
	let visitor: Browser | null = null;
	let back: Page | undefined;
	try {
		await until(
			'the page is there again',
			async () => {
				await visitor?.close();
				visitor = await chromium.connectOverCDP(address);
				back = visitor.contexts().flatMap((context) => context.pages())[0];
				return back !== undefined;
			},
			40_000,
		);
		if (back) await recover(back);
		expect(app.main.exitCode).toBeNull();
	} finally {
		await (visitor as Browser | null)?.close();
	}
}, 240_000);
