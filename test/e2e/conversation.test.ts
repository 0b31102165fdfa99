import { expect, test } from 'vitest';
import { phrases } from '#sandbox/canned/phrases.ts';
import { startSandbox } from '#sandbox/sandbox.ts';
import {
	activity,
	button,
	captionsRegion,
	chooseLanguage,
	lastPress,
	loudness,
	phrase,
	recorded,
	startLive,
	until,
	untilCaptions,
	untilPhase,
	untilVoice,
} from '#test/support/app-steps.ts';
import { createSandboxStage } from '#test/support/launch.ts';

const stage = createSandboxStage();
const { open, listed } = stage;

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

	const seen = await untilCaptions(page, [
		phrase(1, 'en'),
		phrase(1, 'es'),
		phrase(2, 'en'),
		phrase(2, 'es'),
	]);
	expect(seen.indexOf(phrase(1, 'en'))).toBeLessThan(seen.indexOf(phrase(2, 'en')));
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
	stage.sandbox.setFault('credit-falls', true);
	try {
		const app = await open({ service: stage.sandbox });
		await startLive(app.page);
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
		const app = await open({ service: older });
		await untilPhase(app.page, 'Ready');
		await button(app.page, 'Start').click();
		const started = await lastPress(app.page);
		await untilPhase(app.page, 'Live');
		await untilCaptions(app.page, [phrase(1, 'en'), phrase(1, 'es')]);
		await untilVoice(app.page, started);
		expect(await app.close()).toBe(143);
		expect(older.openSessions()).toEqual([]);
	} finally {
		await older.close();
	}
}, 120_000);
