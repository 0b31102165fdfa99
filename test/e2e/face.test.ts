import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { phrases } from '#sandbox/canned/phrases.ts';
import { type Sandbox, startSandbox } from '#sandbox/sandbox.ts';
import { wavOf } from '#shared/sound/wav.ts';
import type { PageProbe } from '#stand-in/drive/page-probe.ts';
import {
	activity,
	button,
	captionsRegion,
	lastPress,
	pageNow,
	recorded,
	until,
	untilPhase,
} from '#test/support/app-steps.ts';
import { type Launched, launch } from '#test/support/launch.ts';
import { channels, loud, recordingIn } from '#test/support/recordings.ts';

let sandbox: Sandbox;
let app: Launched | null = null;

/** A silent recording for the fake device, whose own beep would pass for speech. */
let silence = '';
let folder = '';

beforeAll(async () => {
	folder = mkdtempSync(join(tmpdir(), 'dragoman-face-'));
	silence = join(folder, 'silence.wav');
	writeFileSync(silence, wavOf(new Int16Array(48_000 * 60), 48_000));
	sandbox = await startSandbox();
});
afterAll(async () => {
	await sandbox.close();
	rmSync(folder, { recursive: true });
});
// Closed, not killed: otherwise a session made ahead would be left and fill a plan of one.
afterEach(async () => {
	await app?.close();
	app = null;
});

const text = (number: number, code: 'en' | 'es') => phrases[number - 1]?.text[code] ?? '';
const half = (page: Page, side: 'me' | 'partner') => page.locator(`section[data-side="${side}"]`);
const cue = (page: Page, side: 'me' | 'partner') => half(page, side).getAttribute('data-cue');
const newest = (page: Page, side: 'me' | 'partner') =>
	half(page, side).locator('[data-newest="true"]').textContent();

/** Somebody at the table says this clip, into the microphone that both share. Resolves when it has been said. */
async function say(page: Page, clip: string): Promise<void> {
	const file = readFileSync(clip).toString('base64');
	await page.evaluate(async (base64) => {
		const { __probe: probe } = window as unknown as { __probe: PageProbe };
		const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
		const sound = await new OfflineAudioContext(1, 1, 48_000).decodeAudioData(bytes.buffer);
		const samples = Int16Array.from(sound.getChannelData(0), (value) => value * 32_767);
		const raw = new Uint8Array(samples.buffer);
		let letters = '';
		for (let at = 0; at < raw.length; at += 8192)
			letters += String.fromCharCode(...raw.subarray(at, at + 8192));
		probe.learn(btoa(letters), 48_000);
		probe.speak();
		await new Promise((done) => setTimeout(done, sound.duration * 1000));
	}, file);
}

/** `recordIn`: the conversation is recorded there. */
async function open(settings: Record<string, unknown>, recordIn?: string): Promise<Launched> {
	const { api, key } = sandbox.addresses;
	app = await launch({
		microphone: silence,
		env: {
			DRAGOMAN_API_URL: api,
			DRAGOMAN_API_KEY: key,
			...(recordIn !== undefined && { DRAGOMAN_SAVE_FOLDER: recordIn }),
		},
		settings: { version: 1, interfaceLanguage: 'en', speak: 'en', hear: ['es'], mode: 'face', ...settings },
	});
	await app.page.evaluate(() =>
		(window as unknown as { __probe: PageProbe }).__probe.begin({ speaker: true }),
	);
	await untilPhase(app.page, 'Ready');
	if (recordIn !== undefined) {
		await button(app.page, 'Sound and pace').click();
		await button(app.page, 'Record').click();
		await button(app.page, 'Everybody agrees: choose a file').click();
		await app.page.getByText('Recording begins with the conversation.').waitFor();
	}
	await button(app.page, 'Start').click();
	return app;
}

test('two people take turns at one machine: each holds a key or a button, and hears and reads the other’s language', async () => {
	const { page } = await open({}, folder);
	const started = await lastPress(page);
	await until('both may speak', async () => (await cue(page, 'me')) === 'ready', 30_000);
	expect(sandbox.openSessions().filter(({ connected }) => connected)).toHaveLength(2);
	await half(page, 'partner').getByText('Dragoman está traduciendo esta conversación.').waitFor();

	// Without a button nobody is heard.
	await say(page, 'resources/speech/en/2.ogg');
	const beganMs = await pageNow(page);
	await page.keyboard.down('f');
	await until('the other waits', async () => (await cue(page, 'partner')) === 'wait-other');
	expect(await cue(page, 'me')).toBe('speak');
	await say(page, 'resources/speech/en/1.ogg');
	await page.keyboard.up('f');
	const saidMs = await pageNow(page);
	await until('the partner reads it', async () => (await newest(page, 'partner')) === text(1, 'es'), 20_000);
	await half(page, 'me').getByText(text(1, 'en')).first().waitFor();
	await until('the voice speaks', async () => (await cue(page, 'me')) === 'wait-voice', 20_000);
	await until('it is the partner’s turn', async () => (await cue(page, 'partner')) === 'your-turn', 20_000);
	const heard = activity(await recorded(page, 'heard', started)).filter(
		({ toMs, fromMs }) => toMs - fromMs > 300,
	);
	expect(heard.length).toBeGreaterThan(0);
	// The voice waited for the end of what was said.
	expect((heard[0]?.fromMs ?? 0) + started).toBeGreaterThan(saidMs - 300);

	const talk = half(page, 'partner').getByRole('button', { name: 'Mantén o toca para hablar' });
	await talk.hover();
	await page.mouse.down();
	await say(page, 'resources/speech/es/1.ogg');
	await page.mouse.up();
	await until('I read it', async () => (await newest(page, 'me')) === text(1, 'en'), 20_000);
	await until('it is my turn', async () => (await cue(page, 'me')) === 'your-turn', 20_000);

	// In their words, in their language; people wait for it as for the voice.
	const pressedMs = await pageNow(page);
	await half(page, 'partner').getByRole('button', { name: 'Otra vez' }).click();
	await until('people wait for it', async () => (await cue(page, 'me')) === 'wait-voice');
	await until('it has been heard', async () => (await cue(page, 'me')) === 'your-turn', 20_000);
	expect((await pageNow(page)) - pressedMs).toBeGreaterThan(1000);
	expect(await page.getByText(/^There is nothing to replay/).count()).toBe(0);

	await button(page, 'Stop').click();
	await button(page, 'Start').waitFor({ timeout: 30_000 });
	const all = (await captionsRegion(page).textContent()) ?? '';
	expect(all.split(text(1, 'es'))).toHaveLength(3);
	await until('no session is left', () => sandbox.openSessions().length === 0);
	// Nor is what was said without a button recorded.
	await page.getByText(/Saved to .*Conversation \d{4}-\d\d-\d\d \d\d\.\d\d\.wav/).waitFor();
	const { rate, said } = channels(recordingIn(folder));
	const firstS = said.findIndex((one) => Math.abs(one) > 0.02) / rate;
	expect(firstS).toBeGreaterThan((beganMs - started) / 1000 - 0.3);
	expect(loud(said, rate)).toBeGreaterThan(1);
}, 120_000);

test('automatic: whoever speaks is heard, one session tells the languages apart, and both voices are heard', async () => {
	const { page } = await open({ faceTalk: 'automatic' });
	const started = await lastPress(page);
	await until('it listens', async () => (await cue(page, 'partner')) === 'speak', 30_000);
	expect(sandbox.openSessions().filter(({ connected }) => connected)).toHaveLength(1);

	await say(page, 'resources/speech/en/1.ogg');
	await until('the partner reads it', async () => (await newest(page, 'partner')) === text(1, 'es'), 20_000);
	await until('the voice speaks', async () => (await cue(page, 'me')) === 'wait-voice', 20_000);
	await until('it is the partner’s turn', async () => (await cue(page, 'partner')) === 'your-turn', 20_000);
	await say(page, 'resources/speech/es/2.ogg');
	await until('I read it', async () => (await newest(page, 'me')) === text(2, 'en'), 20_000);
	await until('it is my turn', async () => (await cue(page, 'me')) === 'your-turn', 20_000);
	const heard = activity(await recorded(page, 'heard', started)).filter(
		({ toMs, fromMs }) => toMs - fromMs > 500,
	);
	expect(heard.length).toBeGreaterThanOrEqual(2);
	await button(page, 'Stop').click();
	await until('no session is left', () => sandbox.openSessions().length === 0, 30_000);
}, 120_000);

test('where the plan allows one session, both share it', async () => {
	sandbox.setFault('limit-1', true);
	try {
		const { page } = await open({});
		await until('both may speak', async () => (await cue(page, 'me')) === 'ready', 40_000);
		await page.getByText('Both directions share one session.').waitFor();
		expect(sandbox.openSessions().filter(({ connected }) => connected)).toHaveLength(1);
	} finally {
		sandbox.setFault('limit-1', false);
	}
}, 120_000);
