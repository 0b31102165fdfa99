import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { phrases } from '#sandbox/canned/phrases.ts';
import type { OverlayName } from '#shared/overlay/style.ts';
import type { LaunchOptions } from '#stand-in/drive/launch-app.ts';
import { askMain, button, captionsRegion, until, untilPhase } from '#test/support/app-steps.ts';
import { startAppDisplay } from '#test/support/display.ts';
import { createSandboxStage, type Launched } from '#test/support/launch.ts';
import { notRun } from '#test/support/not-run.ts';

const display = await startAppDisplay();
const missing = 'missing' in display ? display.missing : null;
let userData: string;
afterAll(async () => {
	if (!('missing' in display)) await display.stop();
});
beforeEach(() => {
	userData = mkdtempSync(join(tmpdir(), 'dragoman-overlay-'));
});
afterEach(() => rmSync(userData, { recursive: true, force: true, maxRetries: 3 }));
// After them, so that its apps are killed before their folder is removed.
const stage = createSandboxStage();

function open(options: Partial<LaunchOptions> = {}): Promise<Launched> {
	return stage.open({ ...options, userData, service: stage.sandbox });
}

const overlays = (app: Launched, name: OverlayName = 'mine') =>
	(app.page.context().pages() ?? []).filter((page) => page.url().includes(`/overlay/index.html#${name}`));

async function untilOverlay(app: Launched, name?: OverlayName): Promise<Page> {
	await until('the captions over other windows are there', () => overlays(app, name).length === 1, 30_000);
	const [page] = overlays(app, name);
	if (!page) throw new Error('no overlay');
	return page;
}

async function windowOf(page: Page) {
	const session = await page.context().newCDPSession(page);
	const { windowId, bounds } = await session.send('Browser.getWindowForTarget');
	return { session, windowId, bounds };
}

const stored = () => JSON.parse(readFileSync(join(userData, 'settings.json'), 'utf8'));
const [first] = phrases;
const said = { en: first?.text.en ?? '', es: first?.text.es ?? '' };

test('captions stand over other windows, as text, where they were put, and nowhere else', async () => {
	const audienceOverlay = { shown: true, language: 'es', layout: 'target' };
	writeFileSync(
		join(userData, 'settings.json'),
		JSON.stringify({ overlay: { shown: true, lines: 4 }, audienceOverlay }),
	);
	const app = await open();
	const overlay = await untilOverlay(app);
	await overlay.getByText('Captions appear here.').waitFor();
	await until('it is whole on the display, whatever its size', async () => {
		const { left = 0, top = 0, width = 0, height = 0 } = (await windowOf(overlay)).bounds;
		const display = await overlay.evaluate(() => ({ width: screen.availWidth, height: screen.availHeight }));
		return left >= 0 && top >= 0 && left + width <= display.width && top + height <= display.height;
	});

	await untilPhase(app.page, 'Ready');
	await button(app.page, 'Start').click();
	for (const text of [said.en, said.es]) {
		await overlay
			.locator('[data-final="true"]')
			.filter({ hasText: text })
			.first()
			.waitFor({ timeout: 60_000 });
	}
	const audience = await untilOverlay(app, 'audience');
	await audience.locator('[data-final="true"]').filter({ hasText: said.es }).first().waitFor();
	expect(await audience.title()).toBe('Captions for the audience · Dragoman');
	expect(await audience.locator('main').textContent()).not.toContain(said.en);
	// A page that comes late, or again, shows what there is.
	await overlay.reload();
	await overlay.getByText(said.es).first().waitFor();
	await button(app.page, 'Stop').click();
	await button(app.page, 'Stop now').click();
	await captionsRegion(app.page).getByText(said.es).first().waitFor();

	const hostile = '<img src=x onerror="window.hacked=1"><b>bold</b>';
	const piece = { key: 'p', kind: 'source', language: 'en', text: hostile, steady: 3, final: true };
	await until('the text is in it', async () => {
		// Texts of the conversation's last seconds would replace it.
		await askMain(app.page, 'overlay.show', { rows: [{ key: 'r', lit: true, pieces: [piece] }] });
		return (await overlay.locator('main').textContent())?.includes(hostile) ?? false;
	});
	expect(await overlay.locator('img, b').count()).toBe(0);
	expect(await overlay.evaluate(() => 'hacked' in window)).toBe(false);
	for (const name of ['settings.read', 'account.read', 'overlay.show', 'diagnostics.report'])
		expect(await askMain(overlay, name, name === 'overlay.show' ? { rows: [] } : undefined)).toMatchObject({
			ok: false,
		});

	const { session, windowId, bounds } = await windowOf(overlay);
	const place = { left: 120, top: 90, width: bounds.width ?? 600, height: bounds.height ?? 200 };
	await session.send('Browser.setWindowBounds', { windowId, bounds: place });
	await until('its place is kept', () => stored().overlayPlaces?.[0]?.x === 120);
	expect(await app.close()).toBe(143);

	const again = await open();
	const second = await untilOverlay(again);
	await until('it is where it was put', async () => {
		const { bounds: now } = await windowOf(second);
		return now.left === 120 && now.top === 90;
	});
	await second.getByRole('button', { name: 'Close the captions' }).click();
	await until('it is gone', () => overlays(again).length === 0);
	expect(stored().overlay).toMatchObject({ shown: false, lines: 4 });
	expect(overlays(again, 'audience')).toHaveLength(1);
	await again.page.keyboard.press('a');
	await until('the other one, too', () => overlays(again, 'audience').length === 0);
	await until('it is kept', () => stored().audienceOverlay.shown === false);
	await untilPhase(again.page, 'Ready');
}, 180_000);

test.skipIf(missing !== null && notRun('windows on a display', missing))(
	'on a display they are a window of captions alone, with no address bar',
	async () => {
		if ('missing' in display) return;
		writeFileSync(join(userData, 'settings.json'), JSON.stringify({ overlay: { shown: true } }));
		const app = await open({ headless: false, env: display.env });
		const overlay = await untilOverlay(app);
		await overlay.getByText('Captions appear here.').waitFor();
		// The bars of a browser take 87 pixels; a title bar takes less than half of that.
		const bars = await overlay.evaluate(() => window.outerHeight - window.innerHeight);
		expect(bars).toBeLessThan(40);
	},
);
