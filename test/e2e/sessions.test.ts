import { afterEach, beforeEach, expect, test } from 'vitest';
import { phrases } from '#sandbox/canned/phrases.ts';
import { type Sandbox, startSandbox } from '#sandbox/sandbox.ts';
import {
	button,
	captionsRegion,
	longMicrophone,
	openSettings,
	until,
	untilCaptions,
	untilPhase,
} from '#test/support/app-steps.ts';
import { type Launched, launch } from '#test/support/launch.ts';

let sandbox: Sandbox;
let app: Launched | null = null;
beforeEach(async () => {
	sandbox = await startSandbox();
});
afterEach(async () => {
	await app?.kill('SIGKILL');
	app = null;
	await sandbox.close();
});

async function open(): Promise<Launched> {
	app = await launch({
		microphone: longMicrophone(),
		probe: false,
		service: sandbox,
		settings: { speak: 'en', hear: ['es'], voiceOf: 'es' },
	});
	await untilPhase(app.page, 'Ready');
	return app;
}

function rest(method: string, path: string): Promise<Response> {
	const { api, key } = sandbox.addresses;
	const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
	const body = method === 'POST' ? { body: '{"data":{}}' } : {};
	return fetch(`${api}/session-storage/${path}`, { method, headers, ...body });
}

test('a full plan is shown with its sessions; one is ended, and the next try works', async () => {
	sandbox.setFault('limit-1', true);
	expect((await rest('POST', 'session')).ok).toBe(true);
	const { page } = await open();
	await button(page, 'Start').click();
	await page.getByRole('button', { name: 'Show open sessions' }).click();
	await page.getByText('Open now: 1. From this computer: 0.').waitFor();
	await page.getByText('Another program or computer', { exact: true }).waitFor();
	await page.getByRole('button', { name: /^End session/ }).click();
	await page.getByRole('alertdialog').getByText('This cannot be undone.').waitFor();
	await page.getByRole('alertdialog').getByRole('button', { name: 'End', exact: true }).click();
	await page.getByText('Open now: 0. From this computer: 0.').waitFor();
	await page.getByRole('button', { name: 'Try again' }).click();
	await untilPhase(page, 'Live');
	expect(sandbox.openSessions()).toHaveLength(1);
});

test('a conversation whose session is ended in the list stops and takes no other', async () => {
	const { page } = await open();
	await button(page, 'Start').click();
	await untilPhase(page, 'Live');
	const created = sandbox.counts().created;
	await openSettings(page, 'Account');
	await page.getByText(/1,000.* \(about .*\$10\.00/).waitFor();
	await page.getByRole('button', { name: 'Show open sessions' }).click();
	await page.getByText('This conversation', { exact: true }).waitFor();

	await page.getByRole('button', { name: /^Extend session/ }).click();
	await page.getByText('60 min', { exact: true }).click();
	await page.getByRole('dialog').getByRole('button', { name: 'Extend', exact: true }).click();
	await page.getByText(/now expires in .1:\d\d:\d\d/).waitFor();

	await page.getByRole('button', { name: /^End session/ }).click();
	await page.getByRole('alertdialog').getByRole('button', { name: 'End', exact: true }).click();
	await page.getByText('No session is open').waitFor();
	// To the settings, where it was opened, and on to the conversation.
	for (const _ of ['settings', 'conversation']) await page.getByRole('button', { name: 'Back' }).click();
	await untilPhase(page, 'Ready');
	await until('nothing is open', () => sandbox.openSessions().length === 0);
	expect(sandbox.counts().created).toBe(created);
});

test('a conversation that another program ends twice stops, and continues with its captions when tried again', async () => {
	const { page } = await open();
	await button(page, 'Start').click();
	const first = phrases[0]?.text.es ?? '';
	await untilCaptions(page, [first]);
	const taken: string[] = [];
	for (const _ of ['first', 'second']) {
		await until('another session is used', () =>
			sandbox.openSessions().some(({ id, connected }) => connected && !taken.includes(id)),
		);
		await untilPhase(page, 'Live');
		for (const { id } of sandbox.openSessions()) {
			taken.push(id);
			expect((await rest('DELETE', `sessions/${id}`)).ok).toBe(true);
		}
	}
	await untilPhase(page, 'Stopped by a problem');
	expect(await captionsRegion(page).getByText(first).count()).toBeGreaterThan(0);
	// Longer than any mark of the outages before it.
	await new Promise((later) => setTimeout(later, 5000));
	await page.getByRole('button', { name: 'Try again' }).click();
	await untilPhase(page, 'Live');
	const lasted = async () =>
		(await captionsRegion(page).locator('[data-kind=lost]').allTextContents()).map((text) =>
			Number(/Nothing was interpreted for \D*([\d.]+)/.exec(text)?.[1]),
		);
	await until('the gap is marked', async () => (await lasted()).some((seconds) => seconds >= 5));
	expect(await captionsRegion(page).getByText(first).count()).toBeGreaterThan(0);
}, 120_000);
