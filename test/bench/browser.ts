import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';
import { openBrowser } from '#test/support/open-browser.ts';

export type BenchPage = Page;

/** A Chromium for the pages that the app is compared with. */
interface BenchBrowser {
	/** Opens a page, and resolves once its script has set `window.ready`. `before` runs ahead of that script. */
	open(name: string, ...before: readonly (() => void)[]): Promise<BenchPage>;
	close(): Promise<void>;
}

/** The vendor's SDK, which `test/integration/vendor-sdk.test.ts` installs from its lock file. */
export const VENDOR_LIBRARY = 'test/vendor-sdk/node_modules/@palabra-ai/translator/dist/lib.js';

/**
 * Body of a page in which livekit-client alone holds a call: `begin(url, token)`, `end()`. `say` sends a command, as the app
 * does; `__ear` is there when the page is recorded.
 */
export const BARE_PAGE = `<script type="module">
import { Room } from '/livekit.mjs';
let room, track;
window.begin = async (url, token) => {
  await window.__ear?.arm();
  track = (await navigator.mediaDevices.getUserMedia({ audio: true })).getAudioTracks()[0];
  room = new Room();
  room.on('trackSubscribed', (voice) => document.body.append(voice.attach()));
  await room.connect(url, token);
  await room.localParticipant.publishTrack(track, {
    source: 'microphone', dtx: false, red: false, audioPreset: { maxBitrate: 32000 },
  });
};
window.end = async () => {
  await room.disconnect();
  track.stop();
  document.body.replaceChildren();
};
window.say = (message) =>
  room.localParticipant.publishData(new TextEncoder().encode(JSON.stringify(message)), { reliable: true });
window.isOut = () => room?.state === 'disconnected';
window.ready = true;
</script>`;

const FILES: Readonly<Record<string, string>> = {
	'/livekit.mjs': 'node_modules/livekit-client/dist/livekit-client.esm.mjs',
	'/lib.js': VENDOR_LIBRARY,
};

/** `microphone`: a WAV file that plays once whenever the microphone is opened; null: the browser's own beep. */
export async function openBenchBrowser(parts: {
	readonly microphone: string | null;
	/** Bodies by name. They may import `/livekit.mjs` (the version the app uses) and `/lib.js` (the vendor's SDK). */
	readonly pages: Readonly<Record<string, string>>;
	/** A program and its arguments to run the browser with, for example in a network namespace. */
	readonly wrap?: readonly string[];
	readonly env?: Readonly<Record<string, string>>;
}): Promise<BenchBrowser> {
	async function answer(address: string): Promise<{ contentType: string; body: string | Buffer }> {
		const { pathname } = new URL(address, 'http://page');
		const file = FILES[pathname];
		if (file) return { contentType: 'text/javascript', body: await readFile(file) };
		const page = parts.pages[pathname.slice(1)] ?? '';
		return {
			contentType: 'text/html',
			body: `<!doctype html><meta charset="utf-8"><title>bench</title>${page}`,
		};
	}
	const server = createServer((request, response) => {
		void answer(request.url ?? '/').then(({ contentType, body }) => {
			response.setHeader('content-type', contentType);
			response.end(body);
		});
	});
	await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
	let wrapper: string | null = null;
	const browser = await openBrowser({
		microphone: parts.microphone ? `${parts.microphone}%noloop` : undefined,
		env: parts.env,
		wrap(program) {
			if (parts.wrap) wrapper = wrapperOf([...parts.wrap, program]);
			return wrapper ?? program;
		},
	});
	const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	return {
		async open(name, ...before) {
			const page = await browser.newPage();
			// A browser in another network namespace cannot reach our server.
			if (wrapper)
				await page.route(`${origin}/**`, async (route) => route.fulfill(await answer(route.request().url())));
			for (const script of before) await page.addInitScript(script);
			await page.goto(`${origin}/${name}`);
			await page.waitForFunction('window.ready');
			return page;
		},
		async close() {
			await browser.close();
			server.closeAllConnections();
			server.close();
			if (wrapper) rmSync(dirname(wrapper), { recursive: true, force: true });
		},
	};
}

/** Writes a script that runs this command, because Playwright takes only a single path. */
function wrapperOf(words: readonly string[]): string {
	const file = join(mkdtempSync(join(tmpdir(), 'dragoman-browser-')), 'browser');
	const quoted = words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`);
	writeFileSync(file, `#!/bin/sh\nexec ${quoted.join(' ')} "$@"\n`, { mode: 0o700 });
	return file;
}

/** The service's address, and the key with which sessions are made. */
interface SessionPlace {
	readonly api: string;
	readonly key: string;
}

/** Makes a session for a page. `begin` is the code with which the page joins it; `end` deletes it. */
export async function sessionForPage({
	api,
	key,
}: SessionPlace): Promise<{ readonly begin: string; end(): Promise<void> }> {
	const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
	const answer = await fetch(`${api}/session-storage/session`, {
		method: 'POST',
		headers,
		body: JSON.stringify({ data: { subscriber_count: 0, intent: 'api' } }),
	});
	const { data } = (await answer.json()) as {
		data: { id: string; webrtc_url: string; publisher: string };
	};
	return {
		begin: `window.begin(${JSON.stringify(data.webrtc_url)}, ${JSON.stringify(data.publisher)})`,
		async end() {
			await fetch(`${api}/session-storage/sessions/${data.id}`, { method: 'DELETE', headers });
		},
	};
}
