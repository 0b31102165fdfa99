import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { notRun } from '#test/support/not-run.ts';
import { openRoomBrowser, type RoomBrowser, type RoomPage } from '#test/support/room-page.ts';
import type { JoinOptions } from '#test/support/room-page-client.ts';
import { type RoomServer, startLivekitRoomServer, startRoomServer } from '#test/support/room-server.ts';

/** The sandbox's two rooms, and the real servers they imitate: what passes on one must pass on all. */
const deployments = [
	{ name: 'the room like a current server', start: () => startRoomServer({ livekit: 'current' }) },
	{ name: 'the room like server 1.8.4', start: () => startRoomServer({ livekit: 'older' }) },
	{ name: 'LiveKit v1.13.5', start: () => startLivekitRoomServer('v1.13.5') },
	{ name: 'LiveKit v1.8.4', start: () => startLivekitRoomServer('v1.8.4') },
] as const;

/** livekit-client as the vendor's SDK bundles it (2.13.0); there once that SDK's own test has installed it. */
const VENDOR_BUNDLE = 'test/vendor-sdk/node_modules/livekit-client/dist/livekit-client.esm.mjs';
const vendorMissing = existsSync(VENDOR_BUNDLE) ? null : `${VENDOR_BUNDLE} is not installed`;
if (vendorMissing) notRun("joining rooms with the vendor SDK's livekit-client", vendorMissing);

const clients: readonly { readonly name: string; readonly options: JoinOptions; readonly bundle?: string }[] =
	[
		{
			name: 'two peer connections, no DTX, no RED',
			options: { singlePeerConnection: false, publish: { dtx: false, red: false } },
		},
		{ name: 'default options', options: {} },
		{
			name: 'the version of the vendor SDK, publishing as it does',
			options: { publish: { forceStereo: true, source: 'unknown' } },
			bundle: VENDOR_BUNDLE,
		},
	];

/** In the one room of each deployment there is one client at a time. */
const IN_TURN = { timeout: 60_000 };

let browser: RoomBrowser;
beforeAll(async () => {
	browser = await openRoomBrowser();
}, 60_000);
afterAll(() => browser?.close());

describe.each(deployments)('$name', ({ name, start }) => {
	let server: RoomServer | null = null;
	beforeAll(async () => {
		const started = await start();
		if ('missing' in started) notRun(`joining ${name}`, started.missing);
		else server = started;
	}, 60_000);
	afterAll(() => server?.stop());

	it.for(clients)(
		'hears a client with $name, is heard, and exchanges data',
		IN_TURN,
		async ({ options, bundle }, { skip }) => {
			if (!server) return skip(`${name} is not here`);
			if (bundle && vendorMissing) return skip(vendorMissing);
			const client = await browser.page(bundle);
			try {
				await client.call('join', server.url, await server.token(), options);
				const { port, levels, commands } = server.recorder();
				const first = levels.length;
				await dataBothWays(server, client);
				const speech = () => Math.max(0, ...levels.slice(first).map(({ level }) => level));
				await eventually(speech, (seen) => expect(seen).toBeGreaterThan(0.02), 5000);
				port.publish(['es', 'fr']);
				await eventually(
					async () => [...(await client.call('voices'))].sort(),
					(seen) => expect(seen).toEqual(['translation_es', 'translation_fr']),
				);
				await hearsTones(server, client, { es: 440, fr: 1000 });
				port.publish(['fr']);
				await eventually(
					() => client.call('voices'),
					(seen) => expect(seen).toEqual(['translation_fr']),
				);
				port.publish(['fr', 'de']);
				await eventually(
					async () => [...(await client.call('voices'))].sort(),
					(seen) => expect(seen).toEqual(['translation_de', 'translation_fr']),
				);
				await hearsTones(server, client, { de: 600, fr: 1200 });
				port.publish([]);
				await client.call('leave');
				await eventually(
					() => server?.presence.at(-1),
					(seen) => expect(seen).toBe(false),
				);
				expect(commands.length).toBeGreaterThan(0);
			} finally {
				await client.close();
			}
		},
	);
});

async function dataBothWays(server: RoomServer, client: RoomPage): Promise<void> {
	const { port, commands } = server.recorder();
	for (const reliable of [true, false]) {
		const text = JSON.stringify({ message_type: 'get_task', reliable, n: commands.length });
		await client.call('send', text, reliable);
		await eventually(
			() => commands.at(-1),
			(seen) => expect(seen).toBe(text),
		);
	}
	port.say({ message_type: 'hello', text: 'señal' });
	await eventually(
		async () => (await client.call('received')).at(-1),
		(seen) =>
			expect(seen).toMatchObject({
				text: '{"message_type":"hello","text":"señal"}',
				from: expect.stringMatching(/^palabra_translator_/),
			}),
	);
}

/** Speaks a tone of its own in each language and listens whether each voice carries its own. */
async function hearsTones(
	server: RoomServer,
	client: RoomPage,
	tones: Record<string, number>,
): Promise<void> {
	const { port } = server.recorder();
	const spoken = await Promise.all(
		Object.entries(tones).map(async ([language, hz]) => {
			const packets = (await client.call('tone', hz, 900)).map((bytes) => Uint8Array.from(bytes));
			return { language, packets };
		}),
	);
	// The first moments of a fresh track may be lost, but not the next ones.
	await eventually(
		async () => {
			for (const { language, packets } of spoken) {
				port.speak(language, { transcriptionId: 't', partId: '0', packets });
			}
			return client.call('listen', 900);
		},
		(sounds) => {
			for (const [language, hz] of Object.entries(tones)) {
				const sound = sounds.find(({ name }) => name === `translation_${language}`);
				expect(sound?.rms).toBeGreaterThan(0.1);
				expect(Math.abs((sound?.hz ?? 0) - hz)).toBeLessThan(40);
			}
		},
	);
}
