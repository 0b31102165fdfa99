import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import type { CaptionRecord } from '#shared/captions/export-json.ts';
import type { LaunchedApp } from '#stand-in/drive/launch-app.ts';
import type { PageProbe } from '#stand-in/drive/page-probe.ts';

/** Session, room and interpreter together; a slow line included. */
const LIVE_LIMIT_MS = 45_000;
/** The translation is over when nothing was heard or written for this long. */
const QUIET_MS = 5000;
const QUIET_LIMIT_MS = 60_000;
const END_LIMIT_MS = 45_000;
/** As loud as breath: below it nobody speaks. */
const SILENCE = 0.01;

/** A person could not go on; `text` is what the window said. */
export class DriveFailure extends Error {}

export interface Driven {
	/** 48 kHz mono s16; 0 = Start pressed. */
	readonly heard: Int16Array;
	readonly spoken: Int16Array;
	readonly captions: readonly CaptionRecord[];
	/** ms after Start was pressed; null = not seen. */
	readonly liveMs: number | null;
	readonly firstPacketMs: number | null;
	readonly firstCaptionMs: number | null;
	readonly picture: Uint8Array;
}

function probe<Value>(page: Page, ask: (probe: PageProbe) => Value): Promise<Awaited<Value>> {
	const question = `(${ask})(window.__probe)`;
	return page.evaluate(question) as Promise<Awaited<Value>>;
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

function pcmOf(base64: string): Int16Array {
	const bytes = Buffer.from(base64, 'base64');
	return new Int16Array(Uint8Array.from(bytes).buffer);
}

/** What the window says about a problem, in its own words. */
async function complaint(page: Page): Promise<string | null> {
	const alerts = await page.getByRole('alert').allTextContents();
	return alerts.map((text) => text.trim().replaceAll('\n', ' ')).find((text) => text !== '') ?? null;
}

async function waitForLive(page: Page): Promise<number> {
	const phase = page.getByTestId('phase');
	const limit = Date.now() + LIVE_LIMIT_MS;
	while (Date.now() < limit) {
		const words = await phase.textContent();
		if (words === 'Live') return probe(page, (it) => it.now());
		if (words === 'Stopped by a problem') break;
		await page.waitForTimeout(50);
	}
	throw new DriveFailure((await complaint(page)) ?? 'the conversation did not become live in time');
}

/** Resolves with the page's time when the first caption is on screen. */
async function watchFirstCaption(page: Page): Promise<number | null> {
	try {
		await page
			.getByRole('button', { name: 'Save captions', disabled: false })
			.waitFor({ state: 'visible', timeout: LIVE_LIMIT_MS * 2 });
		return await probe(page, (it) => it.now());
	} catch {
		return null;
	}
}

async function waitForQuiet(page: Page): Promise<void> {
	const region = page.getByRole('region', { name: 'Captions', exact: true });
	const limit = Date.now() + QUIET_LIMIT_MS;
	let text = '';
	let quietSince = Date.now();
	while (Date.now() < limit && Date.now() - quietSince < QUIET_MS) {
		await page.waitForTimeout(250);
		const now = (await region.textContent()) ?? '';
		const loud = await probe(page, (it) => it.level('heard', 300));
		if (now !== text || loud > SILENCE) quietSince = Date.now();
		text = now;
	}
}

/** Through the window's own "Save captions", as a person would. */
async function saveCaptions(page: Page, folder: string): Promise<readonly CaptionRecord[]> {
	const open = button(page, 'Save captions');
	if (await open.isDisabled()) return [];
	await open.click();
	const dialog = page.getByRole('dialog');
	await dialog.getByRole('button', { name: /Format/ }).click();
	await page.getByRole('option', { name: 'Data (JSON)' }).click();
	const save = dialog.getByRole('button', { name: 'Save captions' });
	if (await save.isDisabled()) return [];
	await save.click();
	const said = (await dialog.getByText(/^Saved to/).textContent()) ?? '';
	// The path is isolated from the sentence's direction by marks that do not show.
	const path = said.replace(/^Saved to /, '').replaceAll(/[\u2066-\u2069]/g, '');
	if (!path.startsWith(folder)) throw new Error(`captions were saved elsewhere: ${path}`);
	return JSON.parse(readFileSync(path, 'utf8')) as readonly CaptionRecord[];
}

/**
 * One conversation as a person holds it: Start, speak until `speechMs` after the microphone opened,
 * let the translation finish, Stop, save the captions. Throws `DriveFailure` with the window's words.
 */
export async function holdConversation(
	{ page }: LaunchedApp,
	options: { readonly speechMs: number; readonly saveFolder: string },
	tell: (text: string) => void,
): Promise<Driven> {
	const start = button(page, 'Start');
	await start.waitFor({ timeout: 20_000 }).catch(async () => {
		throw new DriveFailure((await complaint(page)) ?? 'the window offers no Start');
	});
	const ready = await page
		.waitForFunction(() => document.querySelector('[data-testid=phase]')?.textContent === 'Ready', null, {
			timeout: 20_000,
		})
		.catch(() => null);
	if (!ready) throw new DriveFailure((await complaint(page)) ?? 'Start cannot be pressed');
	await probe(page, (it) => it.begin());
	await start.click();
	const startMs = await probe(page, (it) => it.lastPressMs());
	const firstCaption = watchFirstCaption(page);
	const liveAt = await waitForLive(page);
	tell(`live after ${((liveAt - startMs) / 1000).toFixed(1)} s`);

	let picture = await page.screenshot();
	const endOfSpeech = startMs + options.speechMs;
	for (let photographed = false; ; ) {
		const now = await probe(page, (it) => it.now());
		const problem = await page.getByTestId('phase').textContent();
		if (problem === 'Stopped by a problem') throw new DriveFailure((await complaint(page)) ?? problem);
		if (now >= endOfSpeech) break;
		// A first picture early, in case the conversation is short; the last one has the most captions.
		if (!photographed && now > startMs + options.speechMs * 0.7) {
			picture = await page.screenshot();
			photographed = true;
		}
		await page.waitForTimeout(250);
	}
	await page.waitForTimeout(500);
	if ((await page.getByTestId('phase').textContent()) === 'Live') picture = await page.screenshot();
	tell('the recording is spoken; waiting for the rest of the translation');
	await waitForQuiet(page);
	await button(page, 'Stop').click();
	await start.waitFor({ timeout: END_LIMIT_MS });

	const heard = pcmOf(
		await page.evaluate(
			(from) => (window as unknown as { __probe: PageProbe }).__probe.take('heard', from),
			startMs,
		),
	);
	const spoken = pcmOf(
		await page.evaluate(
			(from) => (window as unknown as { __probe: PageProbe }).__probe.take('spoken', from),
			startMs,
		),
	);
	const firstPacket = await probe(page, (it) => it.firstPacketMs());
	const captions = await saveCaptions(page, options.saveFolder);
	const captionAt = captions.length > 0 ? await firstCaption : null;
	return {
		heard,
		spoken,
		captions,
		picture,
		liveMs: Math.round(liveAt - startMs),
		firstPacketMs: firstPacket === null ? null : Math.round(firstPacket - startMs),
		firstCaptionMs: captionAt === null ? null : Math.round(captionAt - startMs),
	};
}

/** Sessions the app's log says were opened and deleted. */
export function sessionsOf(userData: string): { readonly created: number; readonly deleted: number } {
	let log = '';
	try {
		log = readFileSync(join(userData, 'logs', 'dragoman.log'), 'utf8');
	} catch {
		// No log: nothing was opened that we know of.
	}
	const count = (message: string) => log.split(`"message":"${message}"`).length - 1;
	return { created: count('session opened'), deleted: count('session deleted') };
}
