import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { stripTypeScriptTypes } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { openBrowser } from './open-browser.ts';
import { speechLikeWav } from './recordings.ts';
import type { ClientApi } from './room-page-client.ts';

/** A page with livekit-client in it, in a real headless Chromium whose microphone is a WAV file. */
export interface RoomBrowser {
	/** `bundle`: an ES module file of livekit-client; default the version the app uses. */
	page(bundle?: string): Promise<RoomPage>;
	close(): Promise<void>;
}

/** Calls one of `ClientApi`'s functions in the page. */
export interface RoomPage {
	readonly page: Page;
	call<N extends keyof ClientApi>(
		name: N,
		...args: Parameters<ClientApi[N]>
	): Promise<Awaited<ReturnType<ClientApi[N]>>>;
	close(): Promise<void>;
}

const BUNDLE = 'node_modules/livekit-client/dist/livekit-client.esm.mjs';
const CLIENT = new URL('./room-page-client.ts', import.meta.url);

/** `microphone`: a WAV file; default a synthetic voice with pauses. */
export async function openRoomBrowser(options: { microphone?: string } = {}): Promise<RoomBrowser> {
	const folder = await mkdtemp(join(tmpdir(), 'dragoman-room-'));
	const microphone = options.microphone ?? join(folder, 'speech.wav');
	if (!options.microphone) await writeFile(microphone, speechLikeWav({ seconds: 20 }));
	const browser = await openBrowser({ microphone });
	const client = stripTypeScriptTypes(await readFile(CLIENT, 'utf8'));
	const bundles = new Map<string, string>();
	const server = createServer(async (request, response) => {
		const url = new URL(request.url ?? '/', 'http://page');
		if (url.pathname === '/') {
			const file = JSON.stringify(`/livekit.mjs${url.search}`);
			response
				.writeHead(200, { 'content-type': 'text/html' })
				.end(
					`<!doctype html><title>room</title><script type="module">import { createClient } from '/client.js'; window.roomClient = createClient(await import(${file}));</script>`,
				);
			return;
		}
		const text =
			url.pathname === '/client.js' ? client : await bundleText(url.searchParams.get('file') ?? BUNDLE);
		response.writeHead(200, { 'content-type': 'text/javascript' }).end(text);
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

	async function bundleText(file: string): Promise<string> {
		const known = bundles.get(file) ?? (await readFile(file, 'utf8'));
		bundles.set(file, known);
		return known;
	}

	return {
		async page(bundle = BUNDLE) {
			const page = await browser.newPage();
			await page.goto(`${origin}/?file=${encodeURIComponent(bundle)}`);
			await page.waitForFunction(() => 'roomClient' in window);
			return {
				page,
				call: (name, ...args) =>
					page.evaluate(
						([name, args]) => {
							const { roomClient } = window as unknown as {
								roomClient: Record<string, (...args: unknown[]) => unknown>;
							};
							return roomClient[name]?.(...args);
						},
						[name, args] as const,
						// biome-ignore lint/suspicious/noExplicitAny: the page's answer is typed by ClientApi
					) as any,
				close: () => page.close(),
			};
		},
		async close() {
			await browser.close();
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
			await rm(folder, { recursive: true, force: true });
		},
	};
}
