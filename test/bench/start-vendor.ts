import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chromium } from 'playwright-core';
import { chromiumFlags, findChromium } from '#stand-in/chromium.ts';
import { until } from '#test/support/app-steps.ts';
import { type StartParts, type StartProgram, seenBy } from './start-ours.ts';
import { installStartProbe } from './start-probe.ts';

/** Installed by its own test, from its lock file. */
export const VENDOR_LIBRARY = 'test/vendor-sdk/node_modules/@palabra-ai/translator/dist/lib.js';

const PAGE = `<!doctype html><meta charset="utf-8"><title>vendor SDK</title><button id="start">Start</button>
<script type="module">
import { PalabraClient } from '/lib.js';
let client;
window.prepare = (api, key) => {
  client = new PalabraClient({
    auth: { userToken: key }, apiBaseUrl: api, translateFrom: 'en', translateTo: 'es', intent: 'api',
    handleOriginalTrack: async () => (await navigator.mediaDevices.getUserMedia({ audio: true })).getAudioTracks()[0],
  });
};
document.getElementById('start').onclick = async () => {
  await client.startTranslation();
  await client.startPlayback();
  window.started = true;
};
window.end = () => client.stopTranslation();
window.ready = true;
</script>`;

/** The service vendor's own SDK in a page of its own, the library loaded, everything else as it does it. */
export async function launchVendor({ sandbox, microphone, echoes }: StartParts): Promise<StartProgram> {
	const server = createServer((request, response) => {
		const isLibrary = request.url === '/lib.js';
		response.setHeader('content-type', isLibrary ? 'text/javascript' : 'text/html');
		void (isLibrary ? readFile(VENDOR_LIBRARY) : Promise.resolve(PAGE)).then((body) => response.end(body));
	});
	await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
	const found = await findChromium();
	const browser = await chromium.launch({
		executablePath: found.executablePath,
		args: [...chromiumFlags, `--use-file-for-fake-audio-capture=${microphone}%noloop`],
		ignoreDefaultArgs: ['--mute-audio'],
		env: { ...process.env, ...found.env } as Record<string, string>,
	});
	const page = await browser.newPage();
	await page.addInitScript(installStartProbe);
	await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
	await page.waitForFunction('window.ready');
	const { api, key } = sandbox.addresses;

	return {
		arms: {
			async vendor() {
				await page.evaluate(
					`window.started = false; window.prepare(${JSON.stringify(api)}, ${JSON.stringify(key)}); window.__start.arm()`,
				);
				await page.locator('#start').click();
				const seen = await seenBy(page, echoes);
				await page.waitForFunction('window.started', null, { timeout: 20_000 }).catch(() => {});
				await page.evaluate('window.end()');
				await until('no session open', () => sandbox.openSessions().length === 0);
				return seen;
			},
		},
		async close() {
			await browser.close();
			server.close();
		},
	};
}
