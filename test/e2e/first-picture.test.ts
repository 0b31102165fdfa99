import type { CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '#sandbox/sandbox.ts';
import { button, until, untilPhase } from '#test/support/app-steps.ts';
import { type Launched, launch } from '#test/support/launch.ts';

let sandbox: Sandbox;
let app: Launched;
let session: CDPSession;

beforeAll(async () => {
	sandbox = await startSandbox();
	app = await launch({
		probe: false,
		service: sandbox,
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
	const [bar, dock, start] = await placesOf(page, '.first-bar', '.first-dock', '.first-dock button');
	expect(await button(page, 'ابدأ').isEnabled()).toBe(true);
	const pair = await page.locator('.first-pair > i').allTextContents();
	const boxes = await placesOf(page, '.first-pair > :first-child', '.first-pair > :last-child');

	await reload(page, true);
	await page.locator('.first-picture').waitFor({ state: 'detached' });
	expect(await look()).toEqual(before);
	await page.getByRole('combobox').first().waitFor();
	const combos = await page.getByRole('combobox').all();
	expect(await Promise.all(combos.map((combo) => combo.inputValue()))).toEqual(pair);
	for (const [at, combo] of combos.entries()) {
		const [first, later] = [boxes[at], await combo.boundingBox()];
		expect(
			Math.abs((first?.y ?? 0) + (first?.height ?? 0) - ((later?.y ?? 99) + (later?.height ?? 0))),
		).toBeLessThan(12);
		expect(
			Math.abs((first?.x ?? 0) + (first?.width ?? 0) - ((later?.x ?? 99) + (later?.width ?? 0))),
		).toBeLessThan(12);
	}
	const [barAfter, dockAfter] = await placesOf(page, 'header', 'main > :last-child');
	const startAfter = await button(page, 'ابدأ').boundingBox();
	expect(Math.abs((start?.x ?? 0) - (startAfter?.x ?? 99))).toBeLessThan(2);
	for (const [first, later] of [
		[bar, barAfter],
		[dock, dockAfter],
		[start, startAfter],
	]) {
		expect(Math.abs((first?.y ?? 0) - (later?.y ?? 99))).toBeLessThan(12);
		expect(Math.abs((first?.height ?? 0) - (later?.height ?? 99))).toBeLessThan(12);
		expect(first?.width).toBe(later?.width);
	}
});

test('Start pressed before any script starts one conversation as soon as the window is there', async () => {
	const { page } = app;
	const { promise: held, resolve: release } = Promise.withResolvers<void>();
	await page.route(/\.js$/, async (route) => {
		await held;
		await route.continue();
	});
	const { created } = sandbox.counts();
	await page.reload({ waitUntil: 'commit' });
	await button(page, 'ابدأ').click();
	await page.getByText('جارٍ العمل…').waitFor();
	expect(await page.locator('#root').innerHTML()).toBe('');
	expect(sandbox.counts().created).toBe(created);

	release();
	await untilPhase(page, 'مباشر');
	expect(await page.locator('.first-picture').count()).toBe(0);
	expect(sandbox.counts().created).toBe(created + 1);
	await page.unroute(/\.js$/);
	await button(page, 'أوقف').click();
	await until('no session left', () => sandbox.openSessions().length === 0, 30_000);
});
