import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { phrases, type SpokenLanguage } from '#sandbox/canned/phrases.ts';
import type { HostBridge } from '#shared/host/contract.ts';
import { wavOf } from '#shared/sound/wav.ts';
import type { PageProbe } from '#stand-in/drive/page-probe.ts';
import { activity, padded, type Span } from '#stand-in/drive/sound.ts';
import { readWav, speechWav } from './recordings.ts';

/** The user's actions and views, by their visible names. */
export const button = (page: Page, name: string): Locator => page.getByRole('button', { name, exact: true });

export const captionsRegion = (page: Page): Locator =>
	page.getByRole('region', { name: 'Captions', exact: true });

/** Waits until the state of the connection is said in these words. */
export async function untilPhase(page: Page, words: string, timeout = 40_000): Promise<void> {
	await page.getByTestId('phase').getByText(words, { exact: true }).waitFor({ timeout });
}

/** Starts a conversation and waits until it is live. */
export async function startLive(page: Page): Promise<void> {
	await untilPhase(page, 'Ready');
	await button(page, 'Start').click();
	await untilPhase(page, 'Live');
}

/** Waits until all these texts are in the captions; resolves to everything in them. */
export async function untilCaptions(page: Page, texts: readonly string[], timeout = 60_000): Promise<string> {
	for (const text of texts) await captionsRegion(page).getByText(text).first().waitFor({ timeout });
	return (await captionsRegion(page).textContent()) ?? '';
}

/** Chooses a language as a person does: types its name and takes what is found. */
export async function chooseLanguage(
	page: Page,
	label: 'I speak' | 'They hear',
	name: string,
): Promise<void> {
	const box = page.getByRole('combobox', { name: label });
	await box.click();
	await box.fill(name);
	await page.getByRole('option').filter({ hasText: name }).first().click();
}

/** The text of a phrase that is spoken, or of its translation. */
export const phrase = (number: number, code: SpokenLanguage): string => phrases[number - 1]?.text[code] ?? '';

/** Waits until a voice has been heard for that long without a pause since that moment of the page; resolves to its sound. */
export async function untilVoice(
	page: Page,
	sinceMs: number,
	leastMs = 500,
	limitMs = 30_000,
): Promise<Span> {
	let voice: Span | undefined;
	const listen = async () => {
		const spans = activity(await recorded(page, 'heard', sinceMs));
		voice = spans.find(({ fromMs, toMs }) => toMs - fromMs > leastMs);
		return voice !== undefined;
	};
	await until('a voice is heard', listen, limitMs);
	return voice ?? { fromMs: 0, toMs: 0 };
}

/** Asks main as the page can: through the window's own bridge, without its buttons. */
export function askMain(
	page: Page,
	name: string,
	input?: unknown,
): Promise<{ ok: boolean; value?: unknown }> {
	return page.evaluate(
		([called, given]) => {
			const { dragoman } = window as unknown as { dragoman: HostBridge };
			return dragoman.ask(called, given) as Promise<{ ok: boolean; value?: unknown }>;
		},
		[name, input] as const,
	);
}

/** Repeats `ask` until it is true; fails with `what` after `limitMs`. */
export async function until(
	what: string,
	ask: () => boolean | Promise<boolean>,
	limitMs = 15_000,
): Promise<void> {
	const limit = Date.now() + limitMs;
	while (!(await ask())) {
		if (Date.now() > limit) throw new Error(`not within ${limitMs} ms: ${what}`);
		await new Promise((done) => setTimeout(done, 50));
	}
}

const microphones = new Map<number, string>();

/** A microphone for long conversations: the speech recording, again and again, then silence: two minutes in all or as said. */
export function longMicrophone(seconds = 120): string {
	const made = microphones.get(seconds);
	if (made) return made;
	const sound = readWav(readFileSync(speechWav().path));
	const once = padded(sound, 1, 1);
	const all = new Int16Array(sound.rate * seconds);
	for (let at = 0; at + once.length <= all.length; at += once.length) all.set(once, at);
	const microphone = join(mkdtempSync(join(tmpdir(), 'dragoman-speech-')), 'microphone.wav');
	microphones.set(seconds, microphone);
	writeFileSync(microphone, wavOf(all, sound.rate));
	return microphone;
}

/** Opens a section of the settings by what its entry is called, in a window that is wide enough for their list. */
export async function openSettings(page: Page, section: string): Promise<void> {
	await page.getByRole('button', { name: 'Settings' }).first().click();
	await page.getByRole('navigation').getByRole('button', { name: section, exact: true }).click();
}

export { activity };

type Name = 'heard' | 'spoken';

/** The page's recording: 48 kHz mono, index 0 = the requested moment. */
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
