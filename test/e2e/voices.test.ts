import { rmSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { SPEAKERS_VOICE } from '#shared/conversation/choices.ts';
import { button, lastPress, until, untilPhase, untilVoice } from '#test/support/app-steps.ts';
import { createSandboxStage, type Launched } from '#test/support/launch.ts';
import { newFolder, writeSample } from '#test/support/voices.ts';

const stage = createSandboxStage();
const folder = newFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The app with the sandbox as its service, and somebody who reads aloud. */
function open(
	faults = '',
	settings: Readonly<Record<string, unknown>> = {},
	env: Readonly<Record<string, string>> = {},
): Promise<Launched> {
	const { api, key, s2s, tts } = stage.sandbox.addresses;
	return stage.open({
		settings: { interfaceLanguage: 'en', warmIdleS: 0, ...settings },
		env: {
			DRAGOMAN_API_URL: api,
			DRAGOMAN_API_KEY: `${key}${faults}`,
			DRAGOMAN_S2S_URL: s2s,
			DRAGOMAN_TTS_URL: tts,
			...env,
		},
	});
}

/** Records some seconds, and has a voice made of them. */
async function makeVoice(page: Page, name: string): Promise<void> {
	await button(page, 'Voices').click();
	await button(page, 'Make a voice').click();
	await page.getByLabel('Name', { exact: true }).fill(name);
	await button(page, 'Record').click();
	const counter = page.getByRole('timer');
	await until(
		'seven seconds are recorded',
		async () => Number.parseFloat((await counter.textContent()) ?? '') >= 7,
		40_000,
	);
	await button(page, 'Stop recording').click();
	await button(page, 'Use this recording').click();
	await page.getByText('Recording.wav').waitFor();
	await page.getByText('The voice in this sample is mine').click();
	await button(page, 'Make the voice').click();
}

const card = (page: Page, name: string) => page.getByRole('listitem').filter({ hasText: name });

test('a voice is recorded, made, tried, and speaks in a conversation', async () => {
	const { page } = await open();
	await untilPhase(page, 'Ready');
	await makeVoice(page, 'Ana (home)');
	const made = card(page, 'Ana (home)');
	await made.getByText('Ready', { exact: true }).waitFor({ timeout: 40_000 });

	await made.getByRole('button', { name: 'Say it' }).click();
	await untilVoice(page, await lastPress(page), 300, 40_000);
	await made.getByRole('button', { name: /^Use .*Spanish/ }).press('Enter');
	await made.getByText(/^Used for .*Spanish/).waitFor();

	await button(page, 'Back').click();
	await button(page, 'Start').click();
	const started = await lastPress(page);
	await untilPhase(page, 'Live');
	await untilVoice(page, started, 300, 40_000);
	// The sandbox knows only its own voices and refuses any other.
	expect(await page.getByText('does not have the voice').count()).toBe(0);
}, 180_000);

test('a voice that the service does not have is said to be missing, with the way to another', async () => {
	const { page } = await open('', { voices: { es: '0a6b3c1e-0000-4000-8000-000000000000' } });
	await untilPhase(page, 'Ready');
	await button(page, 'Start').click();
	await page.getByText('The service does not have the voice that was chosen').waitFor({ timeout: 40_000 });
	await button(page, 'Choose a voice').click();
	await page.getByText('Which voice speaks').waitFor();
}, 120_000);

test.each([
	[SPEAKERS_VOICE.like, ''],
	[SPEAKERS_VOICE.byPitch, '+refuse-speakers-voice'],
])(
	'a voice that follows the speaker is heard, %s%s',
	async (voice, fault) => {
		const { page } = await open(fault, { voices: { es: voice } });
		await untilPhase(page, 'Ready');
		await button(page, 'Start').click();
		const started = await lastPress(page);
		await untilVoice(page, started, 300, 40_000);
		// If the service refuses it, a fixed voice is used, and the window says so.
		const said = page.getByText('The service cannot match the speaker’s voice here');
		expect(await said.count()).toBe(fault === '' ? 0 : 1);
		await untilPhase(page, 'Live');
	},
	120_000,
);

test('a voice made of a file that fails says why', async () => {
	const { page } = await open('+voice-fails', {}, { DRAGOMAN_OPEN_FILE: writeSample(folder) });
	await untilPhase(page, 'Ready');
	await button(page, 'Voices').click();
	await button(page, 'Make a voice').click();
	await page.getByLabel('Name', { exact: true }).fill('Street');
	await page.getByText('Choose a file', { exact: true }).click();
	await button(page, 'Choose an audio or video file…').click();
	await page.getByText('me.wav').waitFor();
	await page.getByText('The voice in this sample is mine').click();
	await button(page, 'Make the voice').click();
	const failed = card(page, 'Street');
	await failed.getByText('Failed', { exact: true }).waitFor({ timeout: 40_000 });
	await failed.getByText('Errors the service reports:').waitFor();
	expect(await failed.getByRole('button', { name: /^Use / }).count()).toBe(0);
}, 120_000);
