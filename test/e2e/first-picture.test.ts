import type { CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '#sandbox/sandbox.ts';
import { button } from '#test/support/app-steps.ts';
import { type Launched, launch } from '#test/support/launch.ts';

let sandbox: Sandbox;
let app: Launched;
let session: CDPSession;

beforeAll(async () => {
	sandbox = await startSandbox();
	const { api, key } = sandbox.addresses;
	app = await launch({
		probe: false,
		env: { DRAGOMAN_API_URL: api, DRAGOMAN_API_KEY: key },
		settings: { interfaceLanguage: 'ar', theme: 'dark', motion: 'reduced' },
	});
	session = await app.page.context().newCDPSession(app.page);
});
afterAll(async () => {
	await app?.close();
	await sandbox?.close();
});

/** Loads the page anew, with its scripts or without. */
async function reload(page: Page, scripts: boolean): Promise<void> {
	await session.send('Emulation.setScriptExecutionDisabled', { value: !scripts });
	await page.reload();
}

/** Visibility and position of the elements, as of the bar and the dock. */
const placesOf = (page: Page, ...selectors: readonly string[]) =>
	Promise.all(selectors.map((selector) => page.locator(selector).first().boundingBox()));

test('before any script the window has its bar, its stage and its dock, in the language, direction and theme it will keep', async () => {
	const { page } = app;
	await reload(page, false);
	const root = page.locator('html');
	const look = async () => ({
		lang: await root.getAttribute('lang'),
		dir: await root.getAttribute('dir'),
		theme: await root.getAttribute('data-theme'),
		motion: await root.getAttribute('data-motion'),
	});
	const before = await look();
	expect(before).toEqual({ lang: 'ar', dir: 'rtl', theme: 'dark', motion: 'reduced' });
	const [bar, dock] = await placesOf(page, '.first-bar', '.first-dock');
	expect(await page.locator('.first-picture').getAttribute('aria-hidden')).toBe('true');

	await reload(page, true);
	await button(page, 'ابدأ').waitFor();
	expect(await look()).toEqual(before);
	expect(await page.locator('.first-picture').count()).toBe(0);
	const [barAfter, dockAfter] = await placesOf(page, 'header', 'main > :last-child');
	for (const [first, later] of [
		[bar, barAfter],
		[dock, dockAfter],
	]) {
		expect(Math.abs((first?.y ?? 0) - (later?.y ?? 99))).toBeLessThan(12);
		expect(Math.abs((first?.height ?? 0) - (later?.height ?? 99))).toBeLessThan(12);
		expect(first?.width).toBe(later?.width);
	}
});
