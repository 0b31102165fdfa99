import { expect, test } from 'vitest';
import {
	activity,
	button,
	lastPress,
	phrase,
	recorded,
	startLive,
	until,
	untilCaptions,
	untilPhase,
} from '#test/support/app-steps.ts';
import { createSandboxStage, type Launched } from '#test/support/launch.ts';

const stage = createSandboxStage();

function open(key: string, settings: Readonly<Record<string, unknown>> = {}): Promise<Launched> {
	const { api, stt } = stage.sandbox.addresses;
	return stage.open({
		settings: { interfaceLanguage: 'en', ...settings },
		env: { DRAGOMAN_API_URL: api, DRAGOMAN_API_KEY: key, DRAGOMAN_STT_URL: stt },
	});
}

test('captions only: what is said is written and translated, nothing is spoken, and no session is made', async () => {
	const { page, log, close } = await open(stage.sandbox.addresses.key);
	await untilPhase(page, 'Ready');
	const before = stage.sandbox.counts().created;
	await page.getByRole('radio', { name: 'Captions only' }).click({ force: true });
	await page.getByText('Nothing is spoken.').waitFor();
	await page.getByRole('combobox', { name: 'Translate to' }).waitFor();
	await button(page, 'Start').click();
	const started = await lastPress(page);
	await untilPhase(page, 'Live');
	expect(await page.getByRole('button', { name: 'Catch up' }).count()).toBe(0);
	await untilCaptions(page, [phrase(1, 'en'), phrase(1, 'es'), phrase(2, 'en'), phrase(2, 'es')]);

	await button(page, 'Pause').click();
	await untilPhase(page, 'Paused');
	// A pause costs nothing: the socket is closed.
	await until('no socket is open', () => stage.sandbox.openSessions().length === 0);
	// A correction applies to what was said before and to what follows.
	const [wrong = ''] = phrase(1, 'en').split(/[ ,.]/);
	await button(page, 'Correct a word').first().click();
	const dialog = page.getByRole('dialog', { name: 'Correct a word or name' });
	await dialog.getByRole('button', { name: wrong, exact: true }).click();
	await dialog.getByLabel('It should be').fill('Splendid');
	await dialog.getByRole('button', { name: 'Correct', exact: true }).click();
	await page.getByText(phrase(1, 'en').replace(wrong, 'Splendid')).first().waitFor();

	await button(page, 'Resume').click();
	await untilPhase(page, 'Live');
	const known = await page
		.getByRole('region', { name: 'Captions', exact: true })
		.getByRole('listitem')
		.count();
	await until(
		'captions go on',
		async () =>
			(await page.getByRole('region', { name: 'Captions', exact: true }).getByRole('listitem').count()) >
			known,
		40_000,
	);
	await button(page, 'Stop').click();
	await button(page, 'Start').waitFor({ timeout: 45_000 });
	const spoken = activity(await recorded(page, 'heard', started));
	expect(spoken.filter((span) => span.toMs - span.fromMs > 200)).toEqual([]);
	// A socket has a session of its own at the service: that of the start, and that of the resume.
	expect(stage.sandbox.counts().created).toBe(before + 2);
	await until('nothing is left', () => stage.sandbox.openSessions().length === 0);
	expect(await close()).toBe(143);
	expect(log()).not.toContain(stage.sandbox.addresses.key);
}, 180_000);

test('captions only in a language that the socket does not know are refused in words before anything is opened', async () => {
	const { page } = await open(stage.sandbox.addresses.key, { mode: 'captions', speak: 'uk' });
	await page.getByText(/^“Captions only” does not support .*Ukrainian/).waitFor();
	expect(await button(page, 'Start').isDisabled()).toBe(true);
}, 60_000);

test('captions only that the service ends for good say why in words, and leave nothing open', async () => {
	const { page } = await open(`${stage.sandbox.addresses.key}+close-4003`, { mode: 'captions' });
	await untilPhase(page, 'Ready');
	await button(page, 'Start').click();
	await page.getByText('The service does not accept this API key.').waitFor({ timeout: 45_000 });
	await until('nothing is left', () => stage.sandbox.openSessions().length === 0);
}, 120_000);

test('captions only: the last words come at a mute and at Stop, although silence makes nothing final', async () => {
	const faults = '+only-finalize+repeated-finals+empty-segments';
	const { page } = await open(`${stage.sandbox.addresses.key}${faults}`, { mode: 'captions', hear: ['es'] });
	await startLive(page);
	const captions = page.getByRole('region', { name: 'Captions', exact: true });
	const rows = captions.getByRole('listitem');
	const final = (number: number) => rows.nth(number).locator('[data-kind="source"][data-final="true"]');
	await rows.first().locator('[data-kind="source"]').waitFor({ timeout: 40_000 });
	await button(page, 'Mute microphone').click();
	await final(0).getByText(phrase(1, 'en')).waitFor();
	await rows.first().getByText(phrase(1, 'es')).waitFor();
	// The second text is empty when it becomes final: the words that were heard stay.
	await page.getByRole('button', { name: 'Unmute microphone' }).or(button(page, 'Mute microphone')).click();
	await rows.nth(1).locator('[data-kind="source"]').waitFor({ timeout: 40_000 });
	await button(page, 'Stop').click();
	await final(1).waitFor();
	await button(page, 'Start').waitFor({ timeout: 45_000 });
	expect(await final(1).textContent()).toMatch(/\w/);
	expect(await rows.count()).toBe(2);
	expect(await captions.textContent()).not.toContain('fin>');
	await until('nothing is left', () => stage.sandbox.openSessions().length === 0);
}, 150_000);
