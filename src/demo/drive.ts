import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import type { CaptionRecord } from '#shared/captions/export-formats.ts';
import { EXIT, type ExitStatus, exitStatusOfKind } from '#shared/exit-status.ts';
import type { LaunchedApp } from '#stand-in/drive/launch-app.ts';
import type { PageProbe } from '#stand-in/drive/page-probe.ts';

/** Time to open the session, the room and the interpreter, even on a slow connection. */
const LIVE_LIMIT_MS = 45_000;
/** The translation is over when nothing was heard or written for this long. */
const QUIET_MS = 5000;
const QUIET_LIMIT_MS = 60_000;
const END_LIMIT_MS = 45_000;
/** As loud as a breath: anything quieter is not speech. */
const SILENCE = 0.01;

const NOTHING_HEARD =
	'nothing was said in the recording: the service heard no speech in it. Check that there is some, in the language of --from';

/** Pause before the first sentence: a real speaker does not begin the moment that "Live" appears. */
const BREATH_MS = 300;

/** The conversation cannot continue; the message comes from the window, the status is for scripts. */
export class DriveFailure extends Error {
	readonly status: ExitStatus;
	constructor({ words, status }: Complaint) {
		super(words);
		this.status = status;
	}
}

export interface Driven {
	/** 48 kHz mono s16; 0 = Start pressed. */
	readonly heard: Int16Array;
	readonly spoken: Int16Array;
	readonly captions: readonly CaptionRecord[];
	/** ms after Start was pressed; null = not seen. */
	readonly liveMs: number | null;
	readonly firstPacketMs: number | null;
	readonly firstCaptionMs: number | null;
	readonly speechStartMs: number;
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

interface Complaint {
	readonly words: string;
	readonly status: ExitStatus;
}

/** The problem that the window shows, in its own words; `otherwise` if it shows none. */
async function complaint(page: Page, otherwise: string): Promise<DriveFailure> {
	const alerts = await page.getByRole('alert').evaluateAll((all) =>
		all.map((alert) => {
			const { problem = '', problemStatus = '0' } =
				alert.closest<HTMLElement>('[data-problem]')?.dataset ?? {};
			return { words: (alert.textContent ?? '').trim().replaceAll('\n', ' '), problem, problemStatus };
		}),
	);
	const found = alerts.find((alert) => alert.words !== '' && alert.problem !== '') ?? alerts[0];
	if (!found) return new DriveFailure({ words: otherwise, status: EXIT.failed });
	const status = exitStatusOfKind(found.problem, Number(found.problemStatus));
	return new DriveFailure({ words: found.words || otherwise, status });
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
	throw await complaint(page, 'the conversation did not become live in time');
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

/** Saves the captions with the window's own "Save captions" button, as a person would. */
async function saveCaptions(page: Page, folder: string): Promise<readonly CaptionRecord[]> {
	const open = button(page, 'Save captions');
	// Without a caption there is no such button.
	if ((await open.count()) === 0 || (await open.isDisabled())) return [];
	await open.click();
	const dialog = page.getByRole('dialog');
	await dialog.getByRole('button', { name: /Format/ }).click();
	await page.getByRole('option', { name: 'Data (JSON)' }).click();
	const save = dialog.getByRole('button', { name: 'Save captions' });
	if (await save.isDisabled()) return [];
	await save.click();
	const said = (await dialog.getByText(/^Saved to/).textContent()) ?? '';
	// Invisible marks isolate the path from the sentence's direction.
	const path = said.replace(/^Saved to /, '').replaceAll(/[\u2066-\u2069]/g, '');
	if (!path.startsWith(folder)) throw new Error(`captions were saved elsewhere: ${path}`);
	return JSON.parse(readFileSync(path, 'utf8')) as readonly CaptionRecord[];
}

interface Speech {
	readonly rate: number;
	readonly pcm: Int16Array;
}

/** Loads the speech into the page beforehand, so that it can be spoken at once. */
function learn(page: Page, { rate, pcm }: Speech): Promise<void> {
	const base64 = Buffer.from(pcm.buffer, pcm.byteOffset, pcm.byteLength).toString('base64');
	return page.evaluate(
		(said) => (window as unknown as { __probe: PageProbe }).__probe.learn(said.base64, said.rate),
		{ base64, rate },
	);
}

/** Waits until the speech is over. Resolves with a screenshot taken when most of it had been spoken. */
async function listen(page: Page, endMs: number, pictureMs: number): Promise<Uint8Array> {
	let picture = await page.screenshot();
	for (let photographed = false; ; ) {
		const now = await probe(page, (it) => it.now());
		const phase = await page.getByTestId('phase').textContent();
		if (phase === 'Stopped by a problem') throw await complaint(page, phase);
		if (now >= endMs) return picture;
		// A picture before the end, in case the conversation is short; the last one has the most captions.
		if (!photographed && now > pictureMs) {
			picture = await page.screenshot();
			photographed = true;
		}
		await page.waitForTimeout(250);
	}
}

/** Runs one conversation as a person would. Throws `DriveFailure` with the window's words. */
export async function holdConversation(
	{ page }: LaunchedApp,
	options: { readonly speech: Speech; readonly saveFolder: string },
	tell: (text: string) => void,
): Promise<Driven> {
	const start = button(page, 'Start');
	await start.waitFor({ timeout: 20_000 }).catch(async () => {
		throw await complaint(page, 'the window offers no Start');
	});
	const ready = await page
		.waitForFunction(() => document.querySelector('[data-testid=phase]')?.textContent === 'Ready', null, {
			timeout: 20_000,
		})
		.catch(() => null);
	if (!ready) throw await complaint(page, 'Start cannot be pressed');
	await probe(page, (it) => it.begin({ speaker: true }));
	await learn(page, options.speech);
	await start.click();
	const startMs = await probe(page, (it) => it.lastPressMs());
	const firstCaption = watchFirstCaption(page);
	const liveAt = await waitForLive(page);
	tell(`live after ${((liveAt - startMs) / 1000).toFixed(1)} s`);

	await page.waitForTimeout(BREATH_MS);
	const speechAt = await probe(page, (it) => it.speak());
	const speechMs = (options.speech.pcm.length / options.speech.rate) * 1000;
	let picture = await listen(page, speechAt + speechMs, speechAt + speechMs * 0.7);
	await page.waitForTimeout(500);
	if ((await page.getByTestId('phase').textContent()) === 'Live') picture = await page.screenshot();
	tell('the recording is spoken; waiting for the rest of the translation');
	await waitForQuiet(page);
	// Check this while live: the button appears only once something was understood.
	const understood = await button(page, 'Save captions').isVisible();
	await button(page, 'Stop').click();
	await start.waitFor({ timeout: END_LIMIT_MS });
	if (!understood) throw new DriveFailure({ words: NOTHING_HEARD, status: EXIT.badInput });

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
		speechStartMs: Math.round(speechAt - startMs),
		firstPacketMs: firstPacket === null ? null : Math.round(firstPacket - startMs),
		firstCaptionMs: captionAt === null ? null : Math.round(captionAt - startMs),
	};
}

/** Sessions opened and deleted according to the app's log. */
export function sessionsOf(userData: string): { readonly created: number; readonly deleted: number } {
	let log = '';
	try {
		log = readFileSync(join(userData, 'logs', 'dragoman.log'), 'utf8');
	} catch {
		// Without a log, no session is known to have been opened.
	}
	const count = (message: string) => log.split(`"message":"${message}"`).length - 1;
	return { created: count('session opened'), deleted: count('session deleted') };
}

/** Colours and other control sequences, which a terminal would obey. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for these characters
const ESCAPES = /\u001b\[[0-9;?]*[ -/]*[@-~]|[\u0000-\u0008\u000b-\u001f\u007f]/g;
/** Error messages of the library that drives the window. */
const OF_THE_DRIVER =
	/^[a-z]\w*(\.[\w$]+)+: |Timeout \d+ ?ms exceeded|Call log:|\b(Target|page|browser|context).* closed\b|\bProtocol error\b/i;

/** The message for an unforeseen failure: one line, nothing from the driver, no stack. */
export function failureWords(failure: unknown): string {
	const message = failure instanceof Error ? failure.message : String(failure);
	if (OF_THE_DRIVER.test(message)) return 'the window did not do in time what was asked of it';
	const [line = ''] = message.replaceAll(ESCAPES, '').split('\n');
	return line.trim().replace(/:$/, '') || 'nobody knows why';
}
