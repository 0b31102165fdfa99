import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox } from '#sandbox/sandbox.ts';
import { notRun } from '#test/support/not-run.ts';
import { openBrowser } from '#test/support/open-browser.ts';
import { speechWav } from '#test/support/recordings.ts';

/*
 * The service vendor's own JavaScript SDK, unchanged, holds a whole conversation with the sandbox: it
 * is the nearest thing to the real service's own word, and the client that tries /rtc/v1 first.
 */

const LIBRARY = 'test/vendor-sdk/node_modules/@palabra-ai/translator/dist/lib.js';
if (!existsSync(LIBRARY)) {
	spawnSync('npm', ['ci', '--prefix', 'test/vendor-sdk'], { shell: process.platform === 'win32' });
}
const missing = existsSync(LIBRARY) ? null : 'the SDK could not be installed from its lock file';

const PAGE = `<!doctype html><meta charset="utf-8"><title>vendor SDK</title><script type="module">
import { PalabraClient, EVENT_TRANSCRIPTION_RECEIVED, EVENT_TRANSLATION_RECEIVED,
  EVENT_PARTIAL_TRANSCRIPTION_RECEIVED, EVENT_ERROR_RECEIVED, EVENT_REMOTE_TRACKS_UPDATE } from '/lib.js';
const seen = { partials: 0, sources: [], translations: [], errors: [], tracks: [], loudest: 0 };
let client;
let context;
const text = (event) => (event?.transcription ?? event)?.text;
window.begin = async (api, key) => {
  context = new AudioContext();
  client = new PalabraClient({
    auth: { userToken: key }, apiBaseUrl: api, translateFrom: 'en', translateTo: 'es', intent: 'api',
    handleOriginalTrack: async () => (await navigator.mediaDevices.getUserMedia({ audio: true })).getAudioTracks()[0],
  });
  client.on(EVENT_PARTIAL_TRANSCRIPTION_RECEIVED, () => { seen.partials += 1; });
  client.on(EVENT_TRANSCRIPTION_RECEIVED, (event) => seen.sources.push(text(event)));
  client.on(EVENT_TRANSLATION_RECEIVED, (event) => seen.translations.push(text(event)));
  client.on(EVENT_ERROR_RECEIVED, (event) => { if (event) seen.errors.push(event); });
  client.on(EVENT_REMOTE_TRACKS_UPDATE, (tracks) => {
    for (const { track, language } of tracks) {
      if (seen.tracks.includes(language)) continue;
      seen.tracks.push(language);
      // Chromium feeds an AudioContext only while an element plays the track, and several pages at once may fail to open
      // their output: a client tries again (faults 96).
      const element = new Audio();
      element.muted = true;
      const play = () => { element.srcObject = new MediaStream([track]); element.play().catch(() => {}); };
      element.onerror = () => setTimeout(play, 250);
      play();
      const analyser = context.createAnalyser();
      context.createMediaStreamSource(new MediaStream([track])).connect(analyser);
      const samples = new Float32Array(analyser.fftSize);
      setInterval(() => {
        analyser.getFloatTimeDomainData(samples);
        for (const sample of samples) seen.loudest = Math.max(seen.loudest, Math.abs(sample));
      }, 40);
    }
  });
  await client.startTranslation();
  await client.startPlayback();
};
window.seen = () => seen;
window.pause = () => client.pauseTranslation();
window.resume = () => client.resumeTranslation();
window.end = () => client.stopTranslation();
window.ready = true;
</script>`;

describe.skipIf(missing !== null && notRun('vendor JavaScript SDK', missing))(
	'the vendor’s JavaScript SDK',
	() => {
		let server: Server;
		let browser: Browser;
		let origin: string;

		beforeAll(async () => {
			server = createServer((request, response) => {
				const library = request.url === '/lib.js';
				response.setHeader('content-type', library ? 'text/javascript' : 'text/html');
				void (library ? readFile(LIBRARY) : Promise.resolve(PAGE)).then((body) => response.end(body));
			});
			await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
			origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
			browser = await openBrowser({ microphone: resolve(speechWav().path) });
		}, 60_000);

		afterAll(async () => {
			await browser?.close();
			server?.close();
		});

		async function open(): Promise<Page> {
			const page = await browser.newPage();
			await page.goto(origin);
			await page.waitForFunction('window.ready');
			return page;
		}

		for (const livekit of ['current', 'older'] as const) {
			for (const generation of ['current', 'older'] as const) {
				it.concurrent(`holds a conversation: ${generation} service, ${livekit} room`, async () => {
					const sandbox = await startSandbox({ livekit, generation });
					const page = await open();
					try {
						await page.evaluate(
							`begin(${JSON.stringify(sandbox.addresses.api)}, ${JSON.stringify(sandbox.addresses.key)})`,
						);
						const enough = 'seen().translations.length >= 2 && seen().loudest > 0.05';
						await page.waitForFunction(enough, null, { timeout: 45_000, polling: 100 }).catch(async () => {
							throw new Error(`not within 45 s: ${enough}; ${JSON.stringify(await page.evaluate('seen()'))}`);
						});
						const seen = (await page.evaluate('seen()')) as {
							partials: number;
							sources: string[];
							translations: string[];
							errors: unknown[];
							tracks: string[];
						};
						expect(seen.tracks).toEqual(['es']);
						expect(seen.partials).toBeGreaterThan(2);
						expect(seen.sources.every((text) => text.length > 0)).toBe(true);
						expect(seen.translations.every((text) => text.length > 0)).toBe(true);
						expect(seen.sources).not.toEqual(seen.translations);
						await page.evaluate('pause()');
						await page.evaluate('resume()');
						expect(sandbox.openSessions()).toHaveLength(1);
						await page.evaluate('end()');
						expect(sandbox.openSessions()).toHaveLength(0);
					} finally {
						await page.close();
						await sandbox.close();
					}
				}, 90_000);
			}
		}
	},
);
