import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
	askMain,
	button,
	pageNow,
	phrase,
	startLive,
	until,
	untilCaptions,
	untilPhase,
} from '#test/support/app-steps.ts';
import { createSandboxStage, type Launched, type launch } from '#test/support/launch.ts';

/** However the app ends, its sessions end with it, and those of others do not. */
const stage = createSandboxStage();
const { open, listed } = stage;

/** The app with the sandbox as its service, key and address given from outside. */
function openWithKey(options: Parameters<typeof launch>[0] = {}): Promise<Launched> {
	return open({ ...options, service: stage.sandbox });
}

test('the sandbox of the app itself: chosen on the first page, talks, and ends with the app', async () => {
	const app = await open({ settings: { interfaceLanguage: 'en' } });
	const { page } = app;
	await button(page, 'Try the sandbox').click();
	await untilPhase(page, 'Ready');
	await page.getByText('Sandbox: nothing is really translated').waitFor();
	await button(page, 'Start').click();
	await untilCaptions(page, [phrase(1, 'en'), phrase(1, 'es')]);
	const { value } = await askMain(page, 'account.read');
	const { apiUrl: address } = value as { apiUrl: string };
	expect(await app.close()).toBe(143);
	await until('its server is gone', () =>
		fetch(address).then(
			() => false,
			() => true,
		),
	);
}, 120_000);

const moments: readonly (readonly [string, (app: Launched) => Promise<void>])[] = [
	['at the press of Start', async () => {}],
	['while connecting', async ({ page }) => page.waitForTimeout(700)],
	[
		'while paused',
		async ({ page }) => {
			await untilPhase(page, 'Live');
			await button(page, 'Pause').click();
			await untilPhase(page, 'Paused');
		},
	],
	[
		'while the last words are spoken',
		async ({ page }) => {
			await untilCaptions(page, [phrase(1, 'en')]);
			await button(page, 'Stop').click();
			await button(page, 'Stop now').waitFor();
		},
	],
];

test.each(moments)(
	'quitting %s leaves no session behind',
	async (_when, arrive) => {
		const app = await openWithKey();
		await untilPhase(app.page, 'Ready');
		await button(app.page, 'Start').click();
		await arrive(app);
		expect(await app.close()).toBe(143);
		// A create call may still be on its way through the service when we go.
		await until('no session is left', async () => (await listed()) === 0);
		const { created, deleted } = stage.sandbox.counts();
		expect(deleted).toBe(created);
	},
	120_000,
);

test('closing the window while live leaves no session and no process behind', async () => {
	const app = await openWithKey();
	await startLive(app.page);
	await app.page.close();
	expect(await app.exited).toBe(0);
	expect(await listed()).toBe(0);
}, 120_000);

test('after a crash while live the next start deletes what was left, and nothing of others', async () => {
	const userData = mkdtempSync(join(tmpdir(), 'dragoman-crash-'));
	const { api, key } = stage.sandbox.addresses;
	const foreign = await fetch(`${api}/session-storage/session`, {
		method: 'POST',
		headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
		body: JSON.stringify({ data: { subscriber_count: 0, publisher_can_subscribe: true } }),
	});
	const foreignId = ((await foreign.json()) as { data: { id: string } }).data.id;
	const app = await openWithKey({ userData });
	await startLive(app.page);
	await app.kill('SIGKILL');
	expect(await listed()).toBe(2);

	const again = await openWithKey({ userData });
	await until('the leftover is deleted', async () => (await listed()) === 1);
	expect(stage.sandbox.openSessions().map((session) => session.id)).toEqual([foreignId]);
	await again.close();
	const id = encodeURIComponent(foreignId);
	await fetch(`${api}/session-storage/sessions/${id}`, {
		method: 'DELETE',
		headers: { authorization: `Bearer ${key}` },
	});
	rmSync(userData, { recursive: true, force: true });
}, 120_000);

test('a second start on the same data shows the first and touches nothing', async () => {
	const first = await openWithKey();
	await startLive(first.page);
	await expect(openWithKey({ userData: first.userData })).rejects.toThrow('running already');
	const before = await pageNow(first.page);
	await untilPhase(first.page, 'Live');
	expect(await pageNow(first.page)).toBeGreaterThan(before);
	expect(stage.sandbox.openSessions()).toHaveLength(1);
	expect(await first.close()).toBe(143);
	expect(await listed()).toBe(0);
}, 120_000);
