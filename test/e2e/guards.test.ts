import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { askMain, button, loudness, startLive, until, untilPhase } from '#test/support/app-steps.ts';
import { createSandboxStage, e2eHost } from '#test/support/launch.ts';
import { notRun } from '#test/support/not-run.ts';

const stage = createSandboxStage();
const { open, listed } = stage;
let stranger: Server;
const heardByStranger: string[] = [];

beforeAll(async () => {
	stranger = createServer((request, response) => {
		heardByStranger.push(request.url ?? '');
		response.writeHead(200, { 'access-control-allow-origin': '*' }).end();
	});
	await new Promise<void>((done) => stranger.listen(0, '127.0.0.1', done));
});
afterAll(() => {
	stranger.close();
});

test('the microphone never moves to another service: the conversation ends before the account changes', async () => {
	const app = await open({
		// Names another service's hosts, and so says nothing about the sandbox on this computer.
		env: { DRAGOMAN_ALLOWED_HOSTS: 'media.example' },
		settings: { apiUrl: stage.sandbox.addresses.api, interfaceLanguage: 'en', warmIdleS: 0 },
	});
	const { page } = app;
	await button(page, 'Try the sandbox').click();
	await startLive(page);

	// The page reaches nothing but the room's host, although the policy would allow more.
	const { port } = stranger.address() as AddressInfo;
	const reached = await page.evaluate(
		(address) =>
			fetch(address, { mode: 'no-cors' }).then(
				() => 'reached',
				() => 'refused',
			),
		`http://127.0.0.1:${port}/?said=everything`,
	);
	expect([reached, heardByStranger]).toEqual(['refused', []]);
	expect(app.log()).toContain('request refused');
	expect(app.log()).not.toContain('said=everything');
	const violated = await page.evaluate(async () => {
		const told = new Promise<string>((done) =>
			document.addEventListener('securitypolicyviolation', (event) => done(event.effectiveDirective)),
		);
		await fetch('http://unencrypted.example/').catch(() => {});
		return told;
	});
	expect(violated).toBe('connect-src');

	const made = await page.evaluate(() => {
		type Factory = { createPolicy(name: string, rules: object): unknown };
		const { trustedTypes } = window as unknown as { trustedTypes: Factory };
		return ['stand-in', 'ours', 'default'].filter((name) => {
			try {
				return trustedTypes.createPolicy(name, {});
			} catch {
				return false;
			}
		});
	});
	expect(made).toEqual([]);

	const changed = await askMain(page, 'account.set-key', {
		key: stage.sandbox.addresses.key,
		keep: 'session',
	});
	expect(changed.ok).toBe(true);
	await untilPhase(page, 'Ready');
	await until('the microphone is closed', async () => (await loudness(page, 'spoken', 300)) < 0.001, 3000);
	await page.waitForTimeout(4000);
	await untilPhase(page, 'Ready', 1000);
	expect([stage.sandbox.counts().created, stage.sandbox.openSessions()]).toEqual([0, []]);

	expect(await app.close()).toBe(143);
}, 120_000);

test('a page loaded again while live leaves no session; a lost terminal leaves none either', async () => {
	const app = await open({
		service: stage.sandbox,
		settings: { interfaceLanguage: 'en', warmIdleS: 0 },
	});
	const { page } = app;
	await startLive(page);
	expect(await listed()).toBe(1);
	await page.reload();
	await until('no session is left', async () => (await listed()) === 0);

	await startLive(page);
	expect(await listed()).toBe(1);
	expect(await app.kill('SIGHUP')).toBe(1);
	expect(await listed()).toBe(0);
	const { created, deleted } = stage.sandbox.counts();
	expect(deleted).toBe(created);
}, 120_000);

const unanswerable =
	e2eHost === 'electron' &&
	notRun('the question before a page is opened', 'a native dialog has no hand here');

test.skipIf(unanswerable).each([
	['Open', true],
	['Cancel', false],
])(
	'a page is opened in the browser after the person was asked, and never instead of the window: %s',
	async (answer, opens) => {
		const app = await open({ env: { DRAGOMAN_ANSWER: answer }, settings: { interfaceLanguage: 'en' } });
		const { page } = app;
		await button(page, 'Try the sandbox').waitFor();
		const { port } = stranger.address() as AddressInfo;
		const foreign = `http://127.0.0.1:${port}`;
		await page.evaluate((address) => {
			const refresh = document.createElement('meta');
			refresh.httpEquiv = 'refresh';
			refresh.content = `0; url=${address}/instead-of-the-window`;
			document.head.append(refresh);
			const link = document.createElement('a');
			Object.assign(link, { href: `${address}/beside-it`, target: '_blank' });
			link.click();
			window.open(`${address}/beside-it`);
		}, foreign);
		await page.evaluate(() => window.open('https://docs.palabra.ai/keys'));
		await until('the person is asked', () => app.output().includes(`Answered: ${answer}`));
		await askMain(page, 'routing.open-guide', { guide: 'blackhole' });
		await until('and asked again', () => app.output().split(`Answered: ${answer}`).length === 3);
		const opened = [...app.output().matchAll(/would open (\S+)/g)].map(([, address]) => address);
		const asked = ['https://docs.palabra.ai/keys', 'https://existential.audio/blackhole/'];
		expect(opened).toEqual(opens ? asked : []);
		expect(heardByStranger).not.toContain('/instead-of-the-window');
		await until('no other window is left', () => page.context().pages().length === 1);
		expect(await button(page, 'Try the sandbox').isVisible()).toBe(true);
	},
);

test('a number changed by the arrow keys again and again is read out each time, within what the page may do', async () => {
	const { page } = await open({ settings: { interfaceLanguage: 'en', warmIdleS: 0 } });
	await button(page, 'Try the sandbox').click();
	await untilPhase(page, 'Ready');
	await button(page, 'Settings').click();
	await page.getByRole('navigation').getByRole('button', { name: 'Advanced', exact: true }).click();
	const field = page.getByRole('textbox', { name: 'Longest speech queue' });
	await field.fill('7.5');
	for (const shown of ['8', '8.5', '9']) {
		await field.press('ArrowUp');
		await until('it is changed', async () => (await field.inputValue()) === `${shown} sec`);
		await page.getByRole('log').getByText(`${shown} sec`, { exact: true }).waitFor({ state: 'attached' });
	}
}, 60_000);
