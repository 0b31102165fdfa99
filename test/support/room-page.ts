import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { stripTypeScriptTypes } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { eventually } from './eventually.ts';
import { openBrowser } from './open-browser.ts';
import { speechLikeWav } from './recordings.ts';
import type { ClientApi, JoinOptions } from './room-page-client.ts';
import { type RoomServer, startRoomServer } from './room-server.ts';

/** A page with livekit-client in it, in a real headless Chromium whose microphone is a WAV file. */
export interface RoomBrowser {
	page(): Promise<RoomPage>;
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

const CLIENT = new URL('./room-page-client.ts', import.meta.url);
const PAGE = `<!doctype html><title>room</title><script type="module">
import { createClient } from '/client.js';
window.roomClient = createClient(await import('/livekit.mjs'));
</script>`;

/** Its microphone is a synthetic voice with pauses. */
export async function openRoomBrowser(): Promise<RoomBrowser> {
	const folder = await mkdtemp(join(tmpdir(), 'dragoman-room-'));
	const microphone = join(folder, 'speech.wav');
	await writeFile(microphone, speechLikeWav({ seconds: 20 }));
	const browser = await openBrowser({ microphone });
	const files: Readonly<Record<string, string>> = {
		'/client.js': stripTypeScriptTypes(await readFile(CLIENT, 'utf8')),
		'/livekit.mjs': await readFile('node_modules/livekit-client/dist/livekit-client.esm.mjs', 'utf8'),
	};
	const server = createServer(({ url = '' }, response) => {
		const script = files[url];
		response.setHeader('content-type', script === undefined ? 'text/html' : 'text/javascript');
		response.end(script ?? PAGE);
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

	return {
		async page() {
			const page = await browser.newPage();
			await page.goto(origin);
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

/** A client and a room of the sandbox, which `check` joins. */
export async function inRoom(
	browser: RoomBrowser,
	options: Parameters<typeof startRoomServer>[0],
	check: (
		client: RoomPage,
		server: RoomServer,
		join: (options?: JoinOptions) => Promise<void>,
	) => Promise<void>,
): Promise<void> {
	const server = await startRoomServer(options);
	const client = await browser.page();
	try {
		const token = await server.token();
		await check(client, server, (options = {}) => client.call('join', server.url, token, options));
	} finally {
		await client.close();
		await server.stop();
	}
}

/** Waits until the client has exactly the voices of these languages. */
export const hasVoices = (client: RoomPage, ...languages: readonly string[]) =>
	eventually(
		async () => [...(await client.call('voices'))].sort(),
		(seen) => expect(seen).toEqual(languages.map((language) => `translation_${language}`).sort()),
		10_000,
	);

/** Packets of a tone, as the page's browser encodes it. */
export async function toneOf(client: RoomPage, hz: number, ms: number): Promise<Uint8Array[]> {
	return (await client.call('tone', hz, ms)).map((bytes) => Uint8Array.from(bytes));
}
