import { networkInterfaces } from 'node:os';
import type { Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { guestHosts } from '#main/guests/guests.ts';
import { phrases } from '#sandbox/canned/phrases.ts';
import { startSandbox } from '#sandbox/sandbox.ts';
import { installProbe } from '#stand-in/drive/page-probe.ts';
import {
	button,
	longMicrophone,
	loudness,
	recorded,
	until,
	untilCaptions,
	untilPhase,
} from '#test/support/app-steps.ts';
import { inviteGuests, openGuestBrowser } from '#test/support/guest-client.ts';
import { type Launched, launch } from '#test/support/launch.ts';
import { notRun } from '#test/support/not-run.ts';

// It compares two recordings: too much beside it puts holes into them.

const offline = guestHosts(networkInterfaces()).length === 0;
const sandbox = await startSandbox();
const browser = await openGuestBrowser();
let app: Launched | null = null;
afterAll(async () => {
	await app?.kill('SIGKILL');
	await browser.close();
	await sandbox.close();
	expect(browser.wrong).toEqual([]);
});

/** When the recording of this page's `heard` with this start begins, wall time, ms. */
const wallNow = (page: Page) => page.evaluate(() => performance.timeOrigin + performance.now());
const origin = (page: Page) => page.evaluate(() => performance.timeOrigin);

/** Loudness of a recording in steps of 5 ms. */
function envelope(pcm: Int16Array): Float32Array {
	return Float32Array.from({ length: Math.floor(pcm.length / 240) }, (_, step) => {
		let sum = 0;
		for (let n = step * 240; n < (step + 1) * 240; n += 1) sum += ((pcm[n] ?? 0) / 32_768) ** 2;
		return Math.sqrt(sum / 240);
	});
}

/** By how much the second lies behind the first, and how alike they are then, 0 to 1. */
function delayOf(
	first: Float32Array,
	second: Float32Array,
): { readonly ms: number; readonly likeness: number } {
	let best = { ms: 0, likeness: 0 };
	for (let lag = -100; lag <= 400; lag += 1) {
		let [both, one, other] = [0, 0, 0];
		for (let n = 100; n < first.length - 400; n += 1) {
			const [a, b] = [first[n] ?? 0, second[n + lag] ?? 0];
			both += a * b;
			one += a * a;
			other += b * b;
		}
		const likeness = one * other > 0 ? both / Math.sqrt(one * other) : 0;
		if (likeness > best.likeness) best = { ms: lag * 5, likeness };
	}
	return best;
}

test.skipIf(offline && notRun('guests who listen', 'this computer is on no network'))(
	'guests hear the voice that the window plays, at most 300 ms later, encoded once, until it is no longer shared',
	async () => {
		app = await launch({
			microphone: longMicrophone(),
			settings: { interfaceLanguage: 'en' },
			service: sandbox,
		});
		await untilPhase(app.page, 'Ready');
		await button(app.page, 'Start').click();
		await untilCaptions(app.page, [phrases[0]?.text.es ?? '']);
		/** Contexts of the window at the rate of the blocks: one for each encoder that runs. */
		const encoders = () => app?.page.evaluate<number>('window.__encoders');
		await app.page.evaluate(`{
			const Native = AudioWorkletNode;
			window.__encoders = 0;
			window.AudioWorkletNode = class extends Native {
				constructor(context, name, options) {
					super(context, name, options);
					if (name === 'guest-voice') window.__encoders += 1;
				}
			};
		}`);
		const address = await inviteGuests(app.page);
		const guest = await browser.comes('about:blank', 'es-ES');
		await guest.addInitScript(installProbe);
		await guest.goto(address);
		const listen = guest.getByRole('button', { name: 'Escuchar', exact: true });
		await listen.waitFor();
		expect((await listen.boundingBox())?.height).toBeGreaterThanOrEqual(44);
		expect(await encoders()).toBe(0);
		await listen.click();
		await guest.getByRole('button', { name: 'Dejar de escuchar' }).waitFor();
		await until('the guest hears it', async () => (await loudness(guest, 'heard', 500)) > 0.05, 20_000);

		// On the network, as a phone: there the page is no secure context.
		const shown = await app.page.getByRole('dialog', { name: 'Guests' }).locator('code').textContent();
		const phone = await browser.comes('about:blank', 'es-ES');
		await phone.addInitScript(`{
			window.__played = 0;
			const start = AudioBufferSourceNode.prototype.start;
			AudioBufferSourceNode.prototype.start = function (...at) {
				if (Math.max(...this.buffer.getChannelData(0)) > 0.05) window.__played += 1;
				return start.apply(this, at);
			};
		}`);
		await phone.goto(shown ?? '');
		expect(await phone.evaluate('isSecureContext')).toBe(false);
		await phone.getByRole('button', { name: 'Escuchar', exact: true }).click();
		await until('the phone plays it', async () => (await phone.evaluate<number>('__played')) > 10, 20_000);
		expect(await encoders()).toBe(1);

		const fromMs = await wallNow(app.page);
		await new Promise((done) => setTimeout(done, 12_000));
		const since = async (page: Page) =>
			envelope(await recorded(page, 'heard', fromMs - (await origin(page))));
		const delay = delayOf(await since(app.page), await since(guest));
		process.stdout.write(`a guest hears the voice ${delay.ms} ms after the window\n`);
		expect(delay.likeness).toBeGreaterThan(0.8);
		expect(delay.ms).toBeLessThanOrEqual(300);

		// A language that nobody speaks.
		await guest.getByRole('combobox').selectOption('en');
		await until('silence in another language', async () => (await loudness(guest, 'heard', 1000)) < 0.01);
		await guest.getByRole('combobox').selectOption('es');
		await until('the voice again', async () => (await loudness(guest, 'heard', 500)) > 0.05, 20_000);
		await app.page
			.getByRole('dialog', { name: 'Guests' })
			.getByRole('button', { name: 'Stop sharing' })
			.click();
		await guest.getByText('Los subtítulos ya no se comparten.').waitFor();
		expect(await guest.getByRole('button', { name: /scuchar/ }).count()).toBe(0);
		await until('silence', async () => (await loudness(guest, 'heard', 1000)) < 0.01);
	},
	120_000,
);
