import { RoomServiceClient } from 'livekit-server-sdk';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '#sandbox/sandbox.ts';
import {
	activity,
	button,
	lastPress,
	longMicrophone,
	pageNow,
	phrase,
	recorded,
	until,
	untilCaptions,
	untilPhase,
} from '#test/support/app-steps.ts';
import { type Launched, launch } from '#test/support/launch.ts';
import { type LivekitServer, type LivekitVersion, startLivekitServer } from '#test/support/livekit-server.ts';
import { notRun } from '#test/support/not-run.ts';

/** A client that waits for what a server of the older generation never sends loses everything after 15 s. */
const TRAP_MS = { 'v1.8.4': 20_000, 'v1.13.5': 0 } as const;

/** Length of the speech that came out of the mixer since then, ms. */
async function voiceMs(page: Page, sinceMs: number): Promise<number> {
	const spans = activity(await recorded(page, 'heard', sinceMs));
	return spans.reduce((sum, span) => sum + span.toMs - span.fromMs, 0);
}

describe.each(['v1.8.4', 'v1.13.5'] as const)('the whole app on LiveKit %s', (version: LivekitVersion) => {
	let server: LivekitServer | null = null;
	let sandbox: Sandbox | null = null;
	let app: Launched | null = null;

	beforeAll(async () => {
		const started = await startLivekitServer(version);
		if ('missing' in started) return void notRun(`a conversation on LiveKit ${version}`, started.missing);
		server = started;
		sandbox = await startSandbox({ liveKit: started });
	});
	afterEach(() => app?.kill('SIGKILL'));
	afterAll(async () => {
		await sandbox?.close();
		await server?.stop();
	});

	test('holds a conversation that lasts: captions in order, a voice, and nothing left at the end', async ({
		skip,
	}) => {
		if (!server || !sandbox) return skip(`LiveKit ${version} is not here`);
		const { webrtc } = sandbox.addresses;
		expect(webrtc).toBe(server.url);
		app = await launch({ microphone: longMicrophone(), service: sandbox });
		const { page } = app;
		await untilPhase(page, 'Ready');
		await button(page, 'Start').click();
		const started = await lastPress(page);
		await untilPhase(page, 'Live');
		const live = await pageNow(page);
		expect(sandbox.openSessions().filter((session) => session.connected)).toHaveLength(1);

		const seen = await untilCaptions(page, [
			phrase(1, 'en'),
			phrase(1, 'es'),
			phrase(2, 'en'),
			phrase(2, 'es'),
		]);
		expect(seen.indexOf(phrase(1, 'en'))).toBeLessThan(seen.indexOf(phrase(2, 'en')));
		expect(seen.indexOf(phrase(1, 'es'))).toBeLessThan(seen.indexOf(phrase(2, 'es')));
		await until('the voice is heard', async () => (await voiceMs(page, started)) > 1000, 30_000);

		const trapMs = TRAP_MS[version];
		await until('time has passed', async () => (await pageNow(page)) > live + trapMs, trapMs + 10_000);
		const late = await pageNow(page);
		await until('it still speaks', async () => (await voiceMs(page, late)) > 1000, 30_000);
		await untilPhase(page, 'Live');
		expect(app.log()).not.toMatch(/reconnecting|failed/);
		expect(sandbox.counts().created).toBe(1);

		await button(page, 'Stop').click();
		await button(page, 'Start').waitFor({ timeout: 45_000 });
		await page.close();
		expect(await app.exited).toBe(0);
		expect(sandbox.openSessions()).toEqual([]);
		const { created, deleted } = sandbox.counts();
		expect(deleted).toBe(created);
		const rooms = new RoomServiceClient(server.url.replace('ws:', 'http:'), server.key, server.secret);
		// The server deletes a room after it has answered; one merely left empty would stay for its 20 s.
		await until('the room is deleted', async () => (await rooms.listRooms()).length === 0, 10_000);
	}, 180_000);
});
