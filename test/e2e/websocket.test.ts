import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import {
	button,
	captionsRegion,
	lastPress,
	loudness,
	phrase,
	until,
	untilCaptions,
	untilPhase,
	untilVoice,
} from '#test/support/app-steps.ts';
import { createSandboxStage, type Launched } from '#test/support/launch.ts';

const stage = createSandboxStage();

/** The app with the sandbox as its service, sockets and all. */
function open(key: string, settings: Readonly<Record<string, unknown>> = {}): Promise<Launched> {
	const { api, s2s } = stage.sandbox.addresses;
	return stage.open({
		settings: { interfaceLanguage: 'en', ...settings },
		env: { DRAGOMAN_API_URL: api, DRAGOMAN_API_KEY: key, DRAGOMAN_S2S_URL: s2s },
	});
}

/** Rows of the transcript. */
const finals = (page: Page): Promise<number> => captionsRegion(page).getByRole('listitem').count();

test('pinned to WebSocket a conversation is held without any session: captions, a voice, pause, mute, stop', async () => {
	const app = await open(stage.sandbox.addresses.key, { transport: 'websocket', warmIdleS: 0 });
	const { page } = app;
	await untilPhase(page, 'Ready');
	await button(page, 'Start').click();
	const started = await lastPress(page);
	await untilPhase(page, 'Live');
	await page.getByText('Over WebSocket', { exact: true }).waitFor();
	await untilCaptions(page, [phrase(1, 'en'), phrase(1, 'es'), phrase(2, 'en'), phrase(2, 'es')]);
	await untilVoice(page, started);

	await button(page, 'Pause').click();
	await untilPhase(page, 'Paused');
	await until('silence while paused', async () => (await loudness(page, 'heard', 1000)) < 0.01, 20_000);
	await button(page, 'Resume').click();
	await untilPhase(page, 'Live');
	const known = await finals(page);
	await until('captions go on', async () => (await finals(page)) > known, 40_000);

	await page.getByRole('button', { name: 'Mute microphone' }).click();
	await untilPhase(page, 'Live, microphone muted');
	await button(page, 'Stop').click();
	await button(page, 'Start').waitFor({ timeout: 45_000 });
	expect(await app.close()).toBe(143);
	expect(app.log()).not.toContain(stage.sandbox.addresses.key);
	expect(app.output()).not.toContain(stage.sandbox.addresses.key);
}, 180_000);

/** Sessions of rooms, which count against the plan. */
const inRooms = () => stage.sandbox.openSessions().filter((session) => session.connected).length;

test('when the room refuses everybody the conversation goes on over WebSocket by itself, and back when asked', async () => {
	stage.sandbox.setFault('room-refuse', true);
	const app = await open(stage.sandbox.addresses.key, { warmIdleS: 0 });
	const { page } = app;
	try {
		await untilPhase(page, 'Ready');
		await button(page, 'Start').click();
		const started = await lastPress(page);
		await untilPhase(page, 'Switching to WebSocket', 30_000);
		await page.getByText('WebRTC did not work here', { exact: false }).waitFor();
		await untilPhase(page, 'Live', 10_000);
		await untilCaptions(page, [phrase(1, 'es')]);
		await untilVoice(page, started);
		expect(stage.sandbox.openSessions()).toHaveLength(1);
	} finally {
		stage.sandbox.setFault('room-refuse', false);
	}
	await button(page, 'Back to WebRTC').click();
	await until('the room is joined', () => inRooms() === 1, 20_000);
	await untilPhase(page, 'Live');
	await page.getByTestId('travel').waitFor({ state: 'detached' });
	expect(await app.close()).toBe(143);
	await until('no session is left', () => stage.sandbox.openSessions().length === 0);
}, 180_000);
