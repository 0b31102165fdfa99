import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chromium, type Page } from 'playwright-core';
import { chromiumFlags, findChromium } from '#stand-in/chromium.ts';
import { VENDOR_LIBRARY } from './start-vendor.ts';

export type BenchPage = Page;

/** A Chromium of our own with pages of our own, for what the app is measured against. */
export interface BenchBrowser {
	/** A fresh page, once its script has set `window.ready`. */
	open(name: string, before?: () => void): Promise<BenchPage>;
	close(): Promise<void>;
}

const FILES: Readonly<Record<string, string>> = {
	'/livekit.mjs': 'node_modules/livekit-client/dist/livekit-client.esm.mjs',
	'/lib.js': VENDOR_LIBRARY,
};

/** `microphone`: a WAV that is played once from each opening; null = the browser's own beep. */
export async function openBenchBrowser(parts: {
	readonly microphone: string | null;
	/** Bodies by name. They may import `/livekit.mjs` (the version the app uses) and `/lib.js` (the vendor's SDK). */
	readonly pages: Readonly<Record<string, string>>;
}): Promise<BenchBrowser> {
	const server = createServer((request, response) => {
		const { pathname } = new URL(request.url ?? '/', 'http://page');
		const file = FILES[pathname];
		const page = `<!doctype html><meta charset="utf-8"><title>bench</title>${parts.pages[pathname.slice(1)] ?? ''}`;
		response.setHeader('content-type', file ? 'text/javascript' : 'text/html');
		void (file ? readFile(file) : Promise.resolve(page)).then((body) => response.end(body));
	});
	await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
	const found = await findChromium();
	const browser = await chromium.launch({
		executablePath: found.executablePath,
		args: [
			...chromiumFlags,
			...(parts.microphone ? [`--use-file-for-fake-audio-capture=${parts.microphone}%noloop`] : []),
		],
		ignoreDefaultArgs: ['--mute-audio'],
		env: { ...process.env, ...found.env } as Record<string, string>,
	});
	return {
		async open(name, before) {
			const page = await browser.newPage();
			if (before) await page.addInitScript(before);
			await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/${name}`);
			await page.waitForFunction('window.ready');
			return page;
		},
		async close() {
			await browser.close();
			server.closeAllConnections();
			server.close();
		},
	};
}
