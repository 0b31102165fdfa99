import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type GuestServer, guestPage, openGuestServer } from '#main/guests/guest-server.ts';
import { type GuestFrame, guestHosts } from '#main/guests/guests.ts';
import { createSystemClock } from '#main/system-clock.ts';
import { phrases } from '#sandbox/canned/phrases.ts';
import { type Sandbox, startSandbox } from '#sandbox/sandbox.ts';
import { VOICE_BLOCK, VoiceBlocks } from '#shared/sound/voice-block.ts';
import { button, longMicrophone, until, untilCaptions, untilPhase } from '#test/support/app-steps.ts';
import { type GuestBrowser, inviteGuests, openGuestBrowser } from '#test/support/guest-client.ts';
import { type Launched, launch } from '#test/support/launch.ts';
import { notRun } from '#test/support/not-run.ts';

const offline = guestHosts(networkInterfaces()).length === 0;
let sandbox: Sandbox;
let browser: GuestBrowser;
let app: Launched | null = null;
let server: GuestServer | null = null;

beforeAll(async () => {
	sandbox = await startSandbox();
	browser = await openGuestBrowser();
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
	expect(browser.wrong.splice(0)).toEqual([]);
});

const piece = (kind: 'source' | 'translation' | 'lost', language: string, text: string, final = true) => ({
	kind,
	language,
	text,
	final,
});

test.skipIf(offline && notRun('guests by QR code', 'this computer is on no network'))(
	'a guest reads the captions of the conversation until it is no longer shared',
	async () => {
		app = await launch({
			microphone: longMicrophone(),
			settings: { interfaceLanguage: 'en' },
			service: sandbox,
		});
		await untilPhase(app.page, 'Ready');
		await button(app.page, 'Start').click();
		await untilCaptions(app.page, [phrases[0]?.text.es ?? '']);
		const address = await inviteGuests(app.page);
		const dialog = app.page.getByRole('dialog', { name: 'Guests' });
		const guest = await browser.comes(address, 'en-GB');
		await dialog.getByText('Reading now: 1').waitFor();
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
		const next = await inviteGuests(app.page);
		expect(new URL(next).pathname).not.toBe(new URL(address).pathname);
		const other = await browser.comes(next, 'de-DE');
		await other.locator('main p').first().waitFor();
		const log = app.log();
		for (const one of [address, next]) expect(log).not.toContain(new URL(one).pathname.slice(1, -1));
		await app.kill('SIGKILL');
		await other.getByText('Verbindung unterbrochen, neuer Versuch läuft …').waitFor();
	},
	120_000,
);

/** Shares captions that no conversation makes. */
async function share(): Promise<GuestServer> {
	server = await openGuestServer({ clock: createSystemClock(), changed() {} });
	return server;
}

/** Writes down for how long each block that the page plays waits, s. */
const watchBlocks = `{
	window.waits = [];
	const start = AudioBufferSourceNode.prototype.start;
	AudioBufferSourceNode.prototype.start = function (at) {
		window.waits.push(at - this.context.currentTime);
		return start.call(this, at);
	};
}`;

/** The next block of a voice. */
function createTalker() {
	const blocks = new VoiceBlocks();
	const sound = Float32Array.from({ length: VOICE_BLOCK.samples }, (_, n) => Math.sin(n / 10) / 2);
	// A copy: the next block takes its place.
	return () => blocks.push(sound, sound.length)?.slice() ?? new Uint8Array(0);
}

test('the voice is that of the chosen language, else of the phone; it stops and comes back with the line', async () => {
	const shared = await share();
	const guest = await browser.comes(shared.address('127.0.0.1'), 'de-DE');
	const listen = guest.getByRole('button', { name: 'Anhören', exact: true });
	await until('the guest reads', () => shared.count() === 1);
	expect(await listen.isVisible()).toBe(false);
	shared.voices(['fr', 'de', 'zh-Hans']);
	await listen.click();
	const hears = (...languages: string[]) =>
		until(`it is ${languages.join()}`, () => shared.listening().join() === languages.join());
	await hears('de');
	// Spoken, so that it can be chosen.
	const choose = (language: string) => guest.getByLabel('Sprache').selectOption(language);
	await choose('fr');
	await hears('fr');
	shared.voices(['de', 'zh-Hans']);
	await hears();
	await choose('');
	await hears('de');
	await guest.evaluate('dead()');
	await hears();
	await hears('de');
	await guest.getByRole('button', { name: 'Anhören beenden' }).click();
	await hears();
	await listen.waitFor();
	shared.voices([]);
	await listen.waitFor({ state: 'hidden' });
}, 60_000);

test('what is heard never falls behind, and a line that is too slow is named until it is not', async () => {
	const shared = await share();
	shared.voices(['de']);
	const guest = await browser.comes('about:blank', 'en-GB', true);
	await guest.addInitScript(watchBlocks);
	await guest.goto(shared.address('127.0.0.1'));
	await guest.getByRole('button', { name: 'Listen', exact: true }).click();
	await until('the guest listens', () => shared.listening().length === 1);
	await until('its sound runs', () => guest.evaluate<boolean>("sound.state === 'running'"));
	const waits = () => guest.evaluate<number[]>('waits');
	const block = createTalker();
	// Half a second at once, as after a stall: what is too old is left out.
	for (let n = 0; n < 12; n += 1) shared.speak('de', block());
	await until('some of it is played', async () => (await waits()).length > 1);
	await new Promise((done) => setTimeout(done, 300));
	expect((await waits()).length).toBeLessThan(6);
	const slow = guest.getByText('The connection is too slow for sound.');
	for (let n = 0; n < 5; n += 1) {
		expect(await slow.count()).toBe(n < 4 ? 0 : 1);
		await new Promise((done) => setTimeout(done, 400));
		const before = (await waits()).length;
		shared.speak('de', block());
		await until('it is played', async () => (await waits()).length > before);
	}
	await slow.waitFor();
	expect(Math.max(...(await waits()))).toBeLessThanOrEqual(0.19);
	await guest.clock.fastForward(11_000);
	await slow.waitFor({ state: 'detached' });
}, 60_000);

const linesOf = (guest: Page) => guest.locator('main p').allTextContents();
const shows = (guest: Page, ...texts: string[]) =>
	until(`there is ${texts.join()}`, async () => (await linesOf(guest)).join() === texts.join());
const offered = (guest: Page) =>
	guest.locator('option').evaluateAll((all) => all.map((one) => (one as HTMLOptionElement).value));

test('on the page text is only text, the newest line stays in view, and what is read aloud is finished', async () => {
	const shared = await share();
	const hostile = '<img src=x onerror="window.hacked=1"></p>';
	const guest = await browser.comes(shared.address('127.0.0.1'), 'ar-EG');
	await guest.getByText('تظهر التسميات التوضيحية هنا.').waitFor();
	expect(await guest.evaluate(() => [document.dir, document.documentElement.lang])).toEqual(['rtl', 'ar']);
	const rows = Array.from({ length: 8 }, (_, at) => ({
		key: at,
		side: 'mine' as const,
		pieces: [piece('source', 'en', `said ${at} ${hostile}`), piece('translation', 'es', `dicho ${at}`)],
	}));
	const list = guest.locator('main');
	for (let from = 0; from < 80; from += 8) {
		shared.show({ part: 0, rows: rows.map((row) => ({ ...row, key: from + row.key })) });
		await until('these lines are there', async () => (await list.locator('div').count()) === from + 8);
	}
	const below = () => list.evaluate((one) => Math.round(one.scrollHeight - one.scrollTop - one.clientHeight));
	await until('the newest is in view', async () => (await below()) < 2);
	await guest.getByRole('combobox').selectOption('en');
	await until('it still is', async () => (await below()) < 2);
	// A word below the list leaves less room for it.
	await guest.evaluate('say(words.gone)');
	expect(await below()).toBeLessThan(2);
	await guest.evaluate("say('')");
	expect(await list.locator('p').last().textContent()).toBe(`said 7 ${hostile}`);
	expect(await guest.locator('img').count()).toBe(0);
	expect(await guest.evaluate(() => 'hacked' in window)).toBe(false);

	await list.evaluate((one) => {
		one.scrollTop = 0;
	});
	// As when the program shows a scroll: its event comes a frame later.
	await guest.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
	shared.show({ part: 0, rows: [{ key: 80, pieces: [piece('source', 'en', 'not yet', false)] }] });
	await guest.getByText('not yet').first().waitFor({ state: 'attached' });
	expect(await list.evaluate((one) => one.scrollTop)).toBe(0);
	const aloud = guest.locator('[aria-live="polite"]');
	expect(await aloud.textContent()).not.toContain('not yet');
	shared.show({ part: 0, rows: [{ key: 80, pieces: [piece('source', 'en', 'not yet, now')] }] });
	await aloud.getByText('not yet, now').waitFor({ state: 'attached' });
	const newest = guest.getByRole('button', { name: 'الأحدث' });
	await newest.click();
	await until('the newest is in view again', async () => (await below()) < 2);
	await newest.waitFor({ state: 'hidden' });

	await guest.getByRole('button', { name: 'نص أكبر' }).click();
	expect(await guest.evaluate(() => document.documentElement.style.fontSize)).toBe('24px');
	shared.show({ part: 1, rows: [] });
	await until('what was cleared is gone', async () => (await list.locator('div').count()) === 0);
	await shared.close();
	await guest.getByText('لم تعد التسميات التوضيحية مشتركة.').waitFor();
}, 60_000);

test('whose words they are is at the edge of each line, and is read out', async () => {
	const shared = await share();
	const said = (text: string) => [piece('source', 'en', text)];
	shared.show({
		part: 0,
		rows: [
			{ key: 1, side: 'mine', pieces: said('one') },
			{ key: 2, side: 'theirs', pieces: said('two') },
			{ key: 3, pieces: said('three') },
		],
	});
	const guest = await browser.comes(shared.address('127.0.0.1'), 'en-GB');
	await shows(guest, 'one', 'two', 'three');
	const marks = await guest
		.locator('main > div')
		.evaluateAll((all) => all.map((one) => [one.className, one.textContent]));
	expect(marks).toEqual([
		['mine', '1: one'],
		['theirs', '2: two'],
		['', 'three'],
	]);
}, 60_000);

test('the line is in the language that was chosen, or stands in for it, and lies as its language does', async () => {
	const shared = await share();
	const rows: GuestFrame['rows'] = [
		{ key: 1, pieces: [{ ...piece('source', 'ar', 'Dragoman مرحبا'), dir: 'rtl' }] },
		{ key: 2, pieces: [piece('translation', 'fr', 'deux')] },
		{ key: 3, pieces: [piece('source', 'en', 'three'), piece('translation', 'zh-Hans', '三')] },
		{ key: 4, pieces: [piece('source', 'zh', '四'), piece('translation', 'zh-Hant', '肆')] },
		{ key: 5, pieces: [piece('source', 'de', 'und so', false)] },
	];
	shared.show({ part: 0, rows });
	const guest = await browser.comes(shared.address('127.0.0.1'), 'en-GB');
	await shows(guest, 'Dragoman مرحبا', 'deux', '三', '肆', 'und so');
	const dirs = await guest.locator('main p').evaluateAll((all) => all.map((one) => (one as HTMLElement).dir));
	expect(dirs).toEqual(['rtl', 'auto', 'auto', 'auto', 'auto']);
	// While it is being said, another language may be found in it.
	expect(await offered(guest)).toEqual(['', 'ar', 'fr', 'en', 'zh-Hans', 'zh', 'zh-Hant']);
	const choose = (language: string) => guest.getByLabel('Language').selectOption(language);
	await choose('zh');
	await shows(guest, 'Dragoman مرحبا', 'deux', '三', '四', 'und so');
	await choose('zh-Hant');
	await shows(guest, 'Dragoman مرحبا', 'deux', '三', '肆', 'und so');

	// What comes late comes where it belongs.
	const late = { key: 6, pieces: [piece('source', 'en', 'late')] };
	shared.show({ part: 0, rows: [...rows.slice(0, 2), late, ...rows.slice(2, 4)] });
	await shows(guest, 'Dragoman مرحبا', 'deux', 'late', '三', '肆', 'und so');
}, 60_000);

test('each text is read aloud once, when it is finished and translated or nothing more of it comes; none on joining', async () => {
	const shared = await share();
	const show = (...rows: GuestFrame['rows'][number]['pieces'][]) =>
		shared.show({ part: 0, rows: rows.map((pieces, at) => ({ key: at + 1, pieces })) });
	const old = [piece('source', 'en', 'old'), piece('translation', 'es', 'viejo')];
	show(old);
	const guest = await browser.comes(shared.address('127.0.0.1'), 'en-GB');
	await shows(guest, 'viejo');
	const aloud = guest.locator('[aria-live="polite"] > div');
	const reads = (...texts: string[]) =>
		until(`read is ${texts.join()}`, async () => (await aloud.allTextContents()).join() === texts.join());
	const two = [piece('source', 'en', 'two'), piece('translation', 'es', 'dos')];
	show(old, [...two, piece('translation', 'fr', 'de', false)]);
	await reads('dos');
	const whole = [...two, piece('translation', 'fr', 'deux')];
	show(old, whole);
	await reads('dos', 'deux');
	show(old, whole, [piece('source', 'en', 'never translated')], [piece('source', 'en', 'cut o', false)]);
	await shows(guest, 'viejo', 'dos', 'deux', 'never translated', 'cut o');
	await reads('dos', 'deux');
	// They are among the newest no more.
	shared.show({ part: 0, rows: [{ key: 9, pieces: [piece('translation', 'es', 'nueve')] }] });
	await reads('dos', 'deux', 'never translated', 'cut o', 'nueve');
}, 60_000);

test('size and language outlive a reload, the size has limits, and the newest 500 lines stay', async () => {
	const shared = await share();
	const said = [piece('source', 'en', 'said'), piece('translation', 'es', 'dicho')];
	shared.show({ part: 0, rows: [{ key: 1, pieces: said }] });
	const guest = await browser.comes(shared.address('127.0.0.1'), 'en-GB');
	await shows(guest, 'dicho');
	const size = () => guest.evaluate(() => document.documentElement.style.fontSize);
	async function press(name: string, times: number): Promise<void> {
		for (let n = 0; n < times; n += 1) await guest.getByRole('button', { name }).click();
	}
	await press('Smaller text', 5);
	expect(await size()).toBe('14px');
	await press('Larger text', 24);
	expect(await size()).toBe('60px');
	await press('Smaller text', 20);
	await guest.getByLabel('Language').selectOption('en');
	await guest.reload();
	await shows(guest, 'said');
	expect([await size(), await guest.getByLabel('Language').inputValue()]).toEqual(['20px', 'en']);
	expect(await guest.locator('[aria-live="polite"]').textContent()).toBe('');

	// As if they had come one after the other.
	await guest.evaluate(`for (let key = 2; key <= 501; key += 1) {
		const row = { key, pieces: [{ kind: 'source', language: 'en', text: 'line ' + key, final: true }] };
		receive({ part: 0, rows: [row] }, false);
	}`);
	const lines = await linesOf(guest);
	expect([lines.length, lines[0], lines.at(-1)]).toEqual([500, 'line 2', 'line 501']);
}, 60_000);

test('what was cleared or replaced is gone from a page that has missed it, without a mark', async () => {
	const shared = await share();
	const show = (part: number, key: number, text: string) =>
		shared.show({ part, rows: [{ key, pieces: [piece('source', 'en', text)] }] });
	show(0, 1, 'one');
	const guest = await browser.comes(shared.address('127.0.0.1'), 'en-GB');
	await shows(guest, 'one');
	await guest.evaluate('line.close()');
	await until('the line is gone', () => shared.count() === 0);
	show(1, 2, 'two');
	await guest.evaluate('again()');
	await shows(guest, 'two');
	show(2, 3, 'three');
	await shows(guest, 'three');
}, 60_000);

test('the page speaks the first of the languages of its browser that it knows', async () => {
	const shared = await share();
	const guest = await browser.comes('about:blank', 'nl-NL');
	await guest.addInitScript(() =>
		Object.defineProperty(navigator, 'languages', { get: () => ['nl-NL', 'de-AT', 'en'] }),
	);
	await guest.goto(shared.address('127.0.0.1'));
	await guest.getByText('Hier erscheinen die Untertitel.').waitFor();
}, 60_000);

test('the page notices a line that is dead, comes back and says what it missed; only out of sight it gives up', async () => {
	const lines: ServerResponse[] = [];
	const paths = new Set<string>();
	let does: 'reads' | 'is full' | 'refuses' = 'reads';
	// A server that falls silent, as one that is out of reach.
	const silent = createServer(({ url = '' }, response) => {
		if (!url.includes('captions')) {
			response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(guestPage);
			return;
		}
		lines.push(response);
		paths.add(url);
		response.writeHead(does === 'refuses' ? 503 : 200, { 'Content-Type': 'text/event-stream' });
		const pieces = [piece('source', 'en', `line ${lines.length}`)];
		// The second and all that follow are the same caption.
		const frame: GuestFrame = { part: 0, rows: [{ key: Math.min(2, lines.length), pieces }] };
		if (does === 'refuses') response.end();
		else if (does === 'is full') response.end('event: full\ndata: full\n\n');
		else response.write(`data: ${JSON.stringify(frame)}\n\n`);
	});
	await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done));
	const { port } = silent.address() as AddressInfo;
	const guest = await browser.comes(`http://127.0.0.1:${port}/x/`, 'en-GB', true);
	const gone = guest.getByText('Connection lost, trying again…');
	const heardAt = () => guest.evaluate<number>('heardAt');
	const looks = (isAway = false) =>
		guest.evaluate((hidden) => {
			Object.defineProperty(document, 'hidden', { configurable: true, value: hidden });
			document.dispatchEvent(new Event('visibilitychange'));
		}, isAway);
	/** Half a minute passes, and what is asked meanwhile comes to nothing; whether anything was asked. */
	async function asksAgain(): Promise<boolean> {
		const before = lines.length;
		await guest.clock.fastForward(30_000);
		await until('it has its answer', () => guest.evaluate<boolean>('line.readyState === 2'));
		return lines.length > before;
	}
	try {
		await shows(guest, 'line 1');
		// A word in time keeps the line.
		await guest.clock.fastForward(30_000);
		const before = await heardAt();
		lines[0]?.write('event: here\ndata:\n\n');
		await until('it was heard', async () => (await heardAt()) > before);
		await guest.clock.fastForward(30_000);
		expect(lines).toHaveLength(1);
		// None does not.
		await guest.clock.fastForward(11_000);
		await gone.waitFor();
		await guest.clock.fastForward(3000);
		await shows(guest, 'line 1', '[… missed]', 'line 2');
		expect(await guest.locator('#state').textContent()).toBe('');
		// Somebody looks at the page again.
		await guest.clock.fastForward(10_000);
		await looks();
		await guest.clock.fastForward(11_000);
		expect(lines).toHaveLength(2);
		await looks();
		await shows(guest, 'line 1', '[… missed]', 'line 3');
		expect(lines).toHaveLength(3);
		// There are too many guests, and then one less.
		does = 'is full';
		lines.at(-1)?.end();
		await gone.waitFor();
		expect(await asksAgain()).toBe(true);
		await guest.getByText('Too many are reading along. Trying again…').waitFor();
		does = 'reads';
		await guest.clock.fastForward(30_000);
		await shows(guest, 'line 1', '[… missed]', 'line 5');
		// It asks as soon as the first time when the line is lost once more.
		lines.at(-1)?.end();
		await gone.waitFor();
		await guest.clock.fastForward(3000);
		await shows(guest, 'line 1', '[… missed]', 'line 6');
		// Nobody answers any more, and nobody looks.
		does = 'refuses';
		await looks(true);
		lines.at(-1)?.end();
		await gone.waitFor();
		let passedMs = 0;
		for (; passedMs < 20 * 60_000 && (await asksAgain()); passedMs += 30_000);
		expect(passedMs).toBeGreaterThan(9 * 60_000);
		expect(passedMs).toBeLessThan(12 * 60_000);
		does = 'reads';
		let asked = lines.length;
		await looks();
		await shows(guest, 'line 1', '[… missed]', `line ${asked + 1}`);
		// In sight it goes on asking.
		does = 'refuses';
		lines.at(-1)?.end();
		await gone.waitFor();
		for (passedMs = 0; passedMs < 12 * 60_000; passedMs += 30_000) expect(await asksAgain()).toBe(true);
		expect(await gone.isVisible()).toBe(true);
		// The phone is in a network again; the first answers fail, and it does not wait long for the next.
		asked = lines.length;
		await guest.evaluate(() => window.dispatchEvent(new Event('online')));
		await until('it has asked', () => lines.length === asked + 1);
		await until('it has its answer', () => guest.evaluate<boolean>('line.readyState === 2'));
		does = 'reads';
		asked = lines.length;
		await guest.clock.fastForward(3000);
		await shows(guest, 'line 1', '[… missed]', `line ${asked + 1}`);
		// All the time it was one and the same guest.
		expect([...paths]).toEqual([expect.stringMatching(/^\/x\/captions\/[0-9a-z]{1,24}$/)]);
	} finally {
		silent.close();
		silent.closeAllConnections();
	}
}, 90_000);

test('a page whose captions are no longer shared goes on saying so, and asks for nothing more', async () => {
	const shared = await share();
	const guest = await browser.comes(shared.address('127.0.0.1'), 'en-GB', true);
	await guest.getByText('Captions appear here.').waitFor();
	await shared.close();
	const over = 'Captions are no longer shared.';
	await guest.getByText(over).waitFor();
	await guest.clock.fastForward(60_000);
	expect(await guest.locator('#state').textContent()).toBe(over);
	await guest.evaluate(() => {
		window.dispatchEvent(new Event('online'));
		document.dispatchEvent(new Event('visibilitychange'));
	});
	await until('no line is being made', () => guest.evaluate<boolean>('line.readyState === 2'));
	await guest.clock.fastForward(60_000);
	expect(await guest.locator('#state').textContent()).toBe(over);
}, 60_000);
