import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { phrases } from '#sandbox/canned/phrases.ts';
import { startSandbox } from '#sandbox/sandbox.ts';
import type { Span } from '#stand-in/drive/sound.ts';
import {
	activity,
	button,
	captionsRegion,
	chooseLanguage,
	lastPress,
	loudness,
	recorded,
	until,
	untilCaptions,
	untilPhase,
} from '#test/support/app-steps.ts';
import { createSandboxStage } from '#test/support/launch.ts';

const stage = createSandboxStage();
const { open, listed } = stage;

const text = (number: number, code: 'en' | 'es' | 'fr') => phrases[number - 1]?.text[code] ?? '';

/** Waits until at least half a second of speech came out of the mixer; resolves to where it began. */
async function untilVoice(page: Page, startedMs: number): Promise<Span> {
	let first: Span | undefined;
	await until(
		'a voice is heard',
		async () => {
			first = activity(await recorded(page, 'heard', startedMs)).find(
				(span) => span.toMs - span.fromMs > 500,
			);
			return first !== undefined;
		},
		30_000,
	);
	return first ?? { fromMs: 0, toMs: 0 };
}

test('a first conversation: a wrong key, the right key, speech, captions, a voice, pause, another language, mute, stop', async () => {
	const app = await open({ settings: { apiUrl: stage.sandbox.addresses.api, interfaceLanguage: 'en' } });
	const { page } = app;

	await page.getByLabel('API key', { exact: true }).fill('not-the-key');
	await button(page, 'Check and continue').click();
	await page.getByText('The service does not accept this API key').waitFor();
	expect(stage.sandbox.counts().created).toBe(0);

	await page.getByLabel('API key', { exact: true }).fill(stage.sandbox.addresses.key);
	await button(page, 'Check and continue').click();
	await untilPhase(page, 'Ready');
	await button(page, 'Start').click();
	const started = await lastPress(page);
	await untilPhase(page, 'Live');
	expect(stage.sandbox.openSessions().filter((session) => session.connected)).toHaveLength(1);

	const seen = await untilCaptions(page, [text(1, 'en'), text(1, 'es'), text(2, 'en'), text(2, 'es')]);
	expect(seen.indexOf(text(1, 'en'))).toBeLessThan(seen.indexOf(text(2, 'en')));
	const [firstWord] = activity(await recorded(page, 'spoken', started));
	const firstVoice = await untilVoice(page, started);
	expect(firstVoice.fromMs).toBeGreaterThan(firstWord?.fromMs ?? Number.POSITIVE_INFINITY);

	await button(page, 'Pause').click();
	await untilPhase(page, 'Paused');
	await until('silence while paused', async () => (await loudness(page, 'heard', 1000)) < 0.01, 20_000);
	await button(page, 'Resume').click();
	await untilPhase(page, 'Live');

	await chooseLanguage(page, 'They hear', 'French');
	await page.getByText('Applied', { exact: true }).waitFor({ timeout: 20_000 });
	const french = phrases.map((phrase) => phrase.text.fr);
	await until(
		'a caption in French',
		async () => {
			const now = (await captionsRegion(page).textContent()) ?? '';
			return french.some((one) => now.includes(one));
		},
		40_000,
	);

	await page.getByRole('button', { name: 'Mute microphone' }).click();
	await untilPhase(page, 'Live, microphone muted');
	await until('nothing leaves while muted', async () => (await loudness(page, 'spoken', 500)) < 0.001);

	await button(page, 'Stop').click();
	await until('the microphone is closed', async () => (await loudness(page, 'spoken', 300)) < 0.001);
	await button(page, 'Start').waitFor({ timeout: 45_000 });
	await until('no session is left', async () => (await listed()) === 0);
	const { created, deleted } = stage.sandbox.counts();
	expect(deleted).toBe(created);

	await page.close();
	expect(await app.exited).toBe(0);
	expect(app.log()).not.toContain(stage.sandbox.addresses.key);
	expect(app.output()).not.toContain(stage.sandbox.addresses.key);
}, 240_000);

test('what a conversation used of the credit is said once it is over', async () => {
	const { api, key } = stage.sandbox.addresses;
	stage.sandbox.setFault('credit-falls', true);
	try {
		const app = await open({ env: { DRAGOMAN_API_URL: api, DRAGOMAN_API_KEY: key } });
		await untilPhase(app.page, 'Ready');
		await button(app.page, 'Start').click();
		await untilPhase(app.page, 'Live');
		await button(app.page, 'Stop').click();
		await app.page.getByText(/^Credit used: .?1.5.? \(about .?\$0\.0[12].?\)/).waitFor({ timeout: 45_000 });
		expect(await app.close()).toBe(143);
	} finally {
		stage.sandbox.setFault('credit-falls', false);
	}
}, 90_000);

test('with the older service and the older room a conversation is held just the same', async () => {
	const older = await startSandbox({ generation: 'older', livekit: 'older' });
	try {
		const { api, key } = older.addresses;
		const app = await open({ env: { DRAGOMAN_API_URL: api, DRAGOMAN_API_KEY: key } });
		await untilPhase(app.page, 'Ready');
		await button(app.page, 'Start').click();
		const started = await lastPress(app.page);
		await untilPhase(app.page, 'Live');
		await untilCaptions(app.page, [text(1, 'en'), text(1, 'es')]);
		await untilVoice(app.page, started);
		expect(await app.close()).toBe(143);
		expect(older.openSessions()).toEqual([]);
	} finally {
		await older.close();
	}
}, 120_000);
