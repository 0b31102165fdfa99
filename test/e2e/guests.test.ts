import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { guestHosts } from '#main/guests/addresses.ts';
import type { GuestFrame } from '#main/guests/guest-frame.ts';
import { guestPage } from '#main/guests/guest-page.ts';
import { type GuestServer, openGuestServer } from '#main/guests/guest-server.ts';
import { createSystemClock } from '#main/system-clock.ts';
import { phrases } from '#sandbox/interpreter/phrases.ts';
import { type Sandbox, startSandbox } from '#sandbox/sandbox.ts';
import { chromiumFlags, findChromium } from '#stand-in/chromium.ts';
import { button, longMicrophone, until, untilCaptions, untilPhase } from '#test/support/app-steps.ts';
import { type Launched, launch } from '#test/support/launch.ts';
import { notRun } from '#test/support/not-run.ts';

const offline = guestHosts(networkInterfaces()).length === 0;
let sandbox: Sandbox;
let browser: Browser;
let app: Launched | null = null;
let server: GuestServer | null = null;
/** What the guests' pages threw, and what their policy refused them. */
let wrong: string[] = [];

beforeAll(async () => {
	sandbox = await startSandbox();
	const { executablePath, env } = await findChromium();
	browser = await chromium.launch({
		executablePath,
		args: [...chromiumFlags],
		env: { ...process.env, ...env } as Record<string, string>,
	});
}, 60_000);
afterAll(async () => {
	await browser?.close();
	await sandbox.close();
});
afterEach(async () => {
	await app?.kill('SIGKILL');
	app = null;
	await server?.close();
	server = null;
	const seen = wrong;
	wrong = [];
	expect(seen).toEqual([]);
});

/** A guest's browser, in this language. */
async function comes(address: string, locale: string, ownTime = false): Promise<Page> {
	const page = await browser.newPage({ locale, viewport: { width: 390, height: 700 } });
	if (ownTime) await page.clock.install();
	page.on('pageerror', (failure) => wrong.push(failure.message));
	page.on('console', (line) => {
		if (/Content Security Policy/.test(line.text()) && !/favicon/.test(line.text())) wrong.push(line.text());
	});
	await page.goto(address);
	return page;
}

/** Opens the dialog; the address in it, as it is on this computer. */
async function invite(page: Page): Promise<string> {
	await button(page, 'More').click();
	await page.getByRole('menuitem', { name: 'Guests…' }).click();
	const shown = await page.getByRole('dialog', { name: 'Guests' }).locator('code').textContent();
	return (shown ?? '').replace(/\/\/[\d.]+:/, '//127.0.0.1:');
}

const piece = (kind: 'source' | 'translation' | 'lost', language: string, text: string, final = true) => ({
	...{ kind, language, text, final },
});

test.skipIf(offline && notRun('guests by QR code', 'this computer is on no network'))(
	'a guest reads the captions of the conversation until it is no longer shared',
	async () => {
		const { api, key } = sandbox.addresses;
		app = await launch({
			microphone: longMicrophone(),
			settings: { interfaceLanguage: 'en' },
			env: { DRAGOMAN_API_URL: api, DRAGOMAN_API_KEY: key },
		});
		await untilPhase(app.page, 'Ready');
		await button(app.page, 'Start').click();
		await untilCaptions(app.page, [phrases[0]?.text.es ?? '']);
		const address = await invite(app.page);
		const dialog = app.page.getByRole('dialog', { name: 'Guests' });
		const guest = await comes(address, 'en-GB');
		await dialog.getByText('Reading along: 1').waitFor();
		const line = guest.locator('main p[lang="es"]:not(.open)').first();
		await line.waitFor();
		const read = (await line.textContent()) ?? '';
		expect(phrases.some(({ text }) => read.includes(text.es))).toBe(true);
		await guest.getByLabel('Language').selectOption('en');
		await guest.locator('main p[lang="en"]').first().waitFor();
		expect(await guest.locator('main p[lang="es"]').count()).toBe(0);

		await dialog.getByRole('button', { name: 'Stop sharing' }).click();
		await guest.getByText('Captions are no longer shared.').waitFor();
		await dialog.waitFor({ state: 'detached' });
		await expect(fetch(address)).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });

		// Shared again: another address. The program is gone without a word.
		const next = await invite(app.page);
		expect(new URL(next).pathname).not.toBe(new URL(address).pathname);
		const other = await comes(next, 'de-DE');
		await other.locator('main p').first().waitFor();
		const log = app.log();
		for (const one of [address, next]) expect(log).not.toContain(new URL(one).pathname.slice(1, -1));
		await app.kill('SIGKILL');
		await other.getByText('Die Verbindung ist weg, neuer Versuch läuft…').waitFor();
	},
	120_000,
);

test('on the page text is only text, the newest line stays in view, and what is read aloud is finished', async () => {
	server = await openGuestServer({ clock: createSystemClock(), changed() {} });
	const shared = server;
	const hostile = '<img src=x onerror="window.hacked=1"></p>';
	const guest = await comes(shared.address('127.0.0.1'), 'ar-EG');
	await guest.getByText('تظهر التسميات التوضيحية هنا.').waitFor();
	expect(await guest.evaluate(() => [document.dir, document.documentElement.lang])).toEqual(['rtl', 'ar']);
	const rows = Array.from({ length: 8 }, (_, at) => ({
		key: at,
		side: 'mine' as const,
		pieces: [piece('source', 'en', `said ${at} ${hostile}`), piece('translation', 'es', `dicho ${at}`)],
	}));
	const list = guest.locator('main');
	for (let from = 0; from < 80; from += 8) {
		shared.show({ rows: rows.map((row) => ({ ...row, key: from + row.key })) });
		await until('these lines are there', async () => (await list.locator('div').count()) === from + 8);
	}
	const below = () => list.evaluate((one) => Math.round(one.scrollHeight - one.scrollTop - one.clientHeight));
	await until('the newest is in view', async () => (await below()) < 2);
	await guest.getByRole('combobox').selectOption('en');
	await until('it still is', async () => (await below()) < 2);
	expect(await list.locator('p').last().textContent()).toBe(`said 7 ${hostile}`);
	expect(await guest.locator('img').count()).toBe(0);
	expect(await guest.evaluate(() => 'hacked' in window)).toBe(false);

	await list.evaluate((one) => {
		one.scrollTop = 0;
	});
	// As when the program shows a scroll: its event comes a frame later.
	await guest.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
	shared.show({ rows: [{ key: 80, pieces: [piece('source', 'en', 'not yet', false)] }] });
	await guest.getByText('not yet').first().waitFor({ state: 'attached' });
	expect(await list.evaluate((one) => one.scrollTop)).toBe(0);
	const aloud = guest.locator('[aria-live="polite"]');
	expect(await aloud.textContent()).not.toContain('not yet');
	shared.show({ rows: [{ key: 80, pieces: [piece('source', 'en', 'not yet, now')] }] });
	await aloud.getByText('not yet, now').waitFor({ state: 'attached' });
	const newest = guest.getByRole('button', { name: 'الأحدث' });
	await newest.click();
	await until('the newest is in view again', async () => (await below()) < 2);
	await newest.waitFor({ state: 'hidden' });

	await guest.getByRole('button', { name: 'نص أكبر' }).click();
	expect(await guest.evaluate(() => document.documentElement.style.fontSize)).toBe('24px');
	shared.show({ rows: [] });
	await until('what was cleared is gone', async () => (await list.locator('div').count()) === 0);
	await shared.close();
	await guest.getByText('لم تعد التسميات التوضيحية مشتركة.').waitFor();
}, 60_000);

test('the page notices a line that is dead, comes back, says what it missed, and gives up at last', async () => {
	const lines: ServerResponse[] = [];
	let isBusy = false;
	// A server that falls silent, as one that is out of reach.
	const silent = createServer(({ url }, response) => {
		if (!url?.endsWith('captions')) {
			response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(guestPage);
			return;
		}
		lines.push(response);
		response.writeHead(isBusy ? 503 : 200, { 'Content-Type': 'text/event-stream' });
		const pieces = [piece('source', 'en', `line ${lines.length}`)];
		// The second and the third are the same caption.
		const frame: GuestFrame = { rows: [{ key: Math.min(2, lines.length), pieces }] };
		if (isBusy) response.end();
		else response.write(`data: ${JSON.stringify(frame)}\n\n`);
	});
	await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done));
	const { port } = silent.address() as AddressInfo;
	const guest = await comes(`http://127.0.0.1:${port}/x/`, 'en-GB', true);
	const shown = () => guest.locator('main p').allTextContents();
	const shows = (...texts: string[]) =>
		until(`there is ${texts.join()}`, async () => (await shown()).join() === texts.join());
	const looks = () => guest.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
	const heardAt = () => guest.evaluate<number>('heardAt');
	try {
		await shows('line 1');
		// A word in time keeps the line.
		await guest.clock.fastForward(30_000);
		const before = await heardAt();
		lines[0]?.write('event: here\ndata:\n\n');
		await until('it was heard', async () => (await heardAt()) > before);
		await guest.clock.fastForward(30_000);
		expect(lines).toHaveLength(1);
		// None does not.
		await guest.clock.fastForward(11_000);
		await guest.getByText('The line is gone, trying again…').waitFor();
		await guest.clock.fastForward(3000);
		await shows('line 1', '[…]', 'line 2');
		expect(await guest.locator('#state').textContent()).toBe('');
		// Somebody looks at the page again.
		await guest.clock.fastForward(10_000);
		await looks();
		await guest.clock.fastForward(11_000);
		expect(lines).toHaveLength(2);
		await looks();
		await shows('line 1', '[…]', 'line 3');
		expect(lines).toHaveLength(3);
		// Nobody answers any more.
		isBusy = true;
		lines[2]?.end();
		await guest.getByText('The line is gone, trying again…').waitFor();
		let passedMs = 0;
		await until('it gives up', async () => {
			await guest.clock.fastForward(30_000);
			passedMs += 30_000;
			return guest.getByText('Captions are no longer shared.').isVisible();
		});
		expect(passedMs).toBeGreaterThan(9 * 60_000);
		const asked = lines.length;
		expect(asked).toBeGreaterThan(3);
		await guest.clock.fastForward(120_000);
		// Time for a question to come.
		await new Promise((done) => setTimeout(done, 300));
		expect(lines).toHaveLength(asked);
		isBusy = false;
		await looks();
		await shows('line 1', '[…]', `line ${asked + 1}`);
	} finally {
		silent.close();
		silent.closeAllConnections();
	}
}, 60_000);
