import type { Page } from 'playwright-core';
import type { PageProbe } from '#stand-in/drive/page-probe.ts';

type Name = 'heard' | 'spoken';
const RATE = 48_000;

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

/** Stretches above `floor` (0 to 1, RMS of 20 ms), joined over gaps up to `gapMs`; times in ms. */
export function activity(
	pcm: Int16Array,
	{ floor = 0.01, gapMs = 400 } = {},
): { readonly fromMs: number; readonly toMs: number }[] {
	const block = RATE / 50;
	const spans: { fromMs: number; toMs: number }[] = [];
	for (let at = 0; at + block <= pcm.length; at += block) {
		let sum = 0;
		for (let index = at; index < at + block; index++) sum += ((pcm[index] ?? 0) / 32_768) ** 2;
		if (Math.sqrt(sum / block) < floor) continue;
		const fromMs = (at / RATE) * 1000;
		const last = spans.at(-1);
		if (last && fromMs - last.toMs <= gapMs) last.toMs = fromMs + 20;
		else spans.push({ fromMs, toMs: fromMs + 20 });
	}
	return spans;
}
