import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRoomBrowser, type RoomBrowser } from '#test/support/room-page.ts';
import { startRoomServer } from '#test/support/room-server.ts';

let browser: RoomBrowser;
beforeAll(async () => {
	browser = await openRoomBrowser();
}, 60_000);
afterAll(() => browser?.close());

const clients = [
	{ name: 'two peer connections', options: { singlePeerConnection: false } },
	{ name: 'default options', options: {} },
] as const;

describe.each(['current', 'older'] as const)('a room like a LiveKit server that is %s', (livekit) => {
	it.each(clients)(
		'lets a client with $name join, be heard, hear a voice and exchange data',
		async ({ options }) => {
			const server = await startRoomServer({ livekit });
			const client = await browser.page();
			try {
				const times = await client.call('join', server.url, await server.token(), options);
				console.info(livekit, options, times);
				const { port, levels, commands } = server.recorder();
				await client.call('send', '{"message_type":"set_task"}');
				await expect.poll(() => commands, { timeout: 3000 }).toEqual(['{"message_type":"set_task"}']);
				port.publish(['es']);
				await expect.poll(() => client.call('voices'), { timeout: 5000 }).toEqual(['translation_es']);
				const tone = (await client.call('tone', 440, 1500)).map((bytes) => Uint8Array.from(bytes));
				const spoken = port.speak('es', { transcriptionId: 't', partId: '0', packets: tone });
				const [sound] = await client.call('listen', 1500);
				expect(sound?.rms).toBeGreaterThan(0.1);
				expect(sound?.hz).toBeGreaterThan(400);
				expect(sound?.hz).toBeLessThan(480);
				await spoken.done;
				port.say({ message_type: 'hello' });
				await expect.poll(() => client.call('received'), { timeout: 3000 }).toHaveLength(1);
				expect(Math.max(...levels.map(({ level }) => level))).toBeGreaterThan(0.02);
			} finally {
				await client.close();
				await server.stop();
			}
		},
		30_000,
	);
});
