import { type IncomingHttpHeaders, type RequestOptions, request } from 'node:http';
import type { Page } from 'playwright-core';
import { button } from './app-steps.ts';
import { openBrowser } from './open-browser.ts';

export interface GuestAnswer {
	readonly status: number;
	readonly headers: IncomingHttpHeaders;
	/** The text received so far. */
	text(): string;
	/** What has come so far of a voice. */
	sound(): Buffer;
	/** The captions that have come so far. */
	frames(): readonly unknown[];
	/** The connection is gone. */
	readonly gone: Promise<void>;
	leave(): void;
}

/** Asks the guests' server as a browser does; resolves with the first byte of the answer. Rejects where nothing answers. */
export function askAsGuest(address: string, options: RequestOptions = {}): Promise<GuestAnswer> {
	return new Promise((done, fail) => {
		const asked = request(address, { agent: false, ...options }, (response) => {
			let text = '';
			const isSound = response.headers['content-type'] === 'application/octet-stream';
			response.setEncoding(isSound ? 'latin1' : 'utf8');
			response.on('data', (more: string) => {
				text += more;
			});
			response.on('error', () => {});
			done({
				status: response.statusCode ?? 0,
				headers: response.headers,
				text: () => text,
				sound: () => Buffer.from(text, 'latin1'),
				frames: () =>
					[...text.matchAll(/^data: (\{.*)\n/gm)].map(([, json = '']): unknown => JSON.parse(json)),
				gone: new Promise((end) => response.once('close', () => end())),
				leave: () => asked.destroy(),
			});
		});
		asked.on('error', fail);
		asked.end();
	});
}

/** A browser for guests' pages. The caller closes it. */
export interface GuestBrowser {
	/** What the pages threw, and what their policy refused them. */
	readonly wrong: string[];
	/** A guest with a phone in this language; with `ownTime` its clock is the test's. */
	comes(address: string, locale: string, ownTime?: boolean): Promise<Page>;
	close(): Promise<void>;
}

export async function openGuestBrowser(): Promise<GuestBrowser> {
	const browser = await openBrowser();
	const wrong: string[] = [];
	return {
		wrong,
		async comes(address, locale, ownTime = false) {
			const page = await browser.newPage({ locale, viewport: { width: 390, height: 700 } });
			if (ownTime) await page.clock.install();
			page.on('pageerror', (failure) => wrong.push(failure.message));
			page.on('console', (line) => {
				if (/Content Security Policy/.test(line.text()) && !/favicon/.test(line.text()))
					wrong.push(line.text());
			});
			await page.goto(address);
			return page;
		},
		close: () => browser.close(),
	};
}

/** Opens the app's dialog; the address in it, as it is on this computer. */
export async function inviteGuests(page: Page): Promise<string> {
	await button(page, 'More').click();
	await page.getByRole('menuitem', { name: 'Guests…' }).click();
	await button(page, 'Start sharing').click();
	const shown = await page.getByRole('dialog', { name: 'Guests' }).locator('code').textContent();
	return (shown ?? '').replace(/\/\/[\d.]+:/, '//127.0.0.1:');
}
