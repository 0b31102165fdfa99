import type { Page } from 'playwright-core';
import type { PageProbe } from '#stand-in/drive/page-probe.ts';

export { activity } from '#stand-in/drive/sound.ts';

type Name = 'heard' | 'spoken';

/** What was recorded in the page: 48 kHz mono, index 0 = the moment asked for. */
export async function recorded(page: Page, name: Name, fromMs: number): Promise<Int16Array> {
	const text = await page.evaluate(
		([which, from]) => (window as unknown as { __probe: PageProbe }).__probe.take(which, from),
		[name, fromMs] as const,
	);
	const bytes = Buffer.from(text, 'base64');
	return new Int16Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 2).slice();
}

/** Page time of the last click or key, ms. */
export function lastPress(page: Page): Promise<number> {
	return page.evaluate(() => (window as unknown as { __probe: PageProbe }).__probe.lastPressMs());
}

export function pageNow(page: Page): Promise<number> {
	return page.evaluate(() => performance.now());
}

/** Loudest sample of the last `windowMs`, 0 to 1. */
export function loudness(page: Page, name: Name, windowMs: number): Promise<number> {
	return page.evaluate(
		([which, ms]) => (window as unknown as { __probe: PageProbe }).__probe.level(which, ms),
		[name, windowMs] as const,
	);
}
