import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRoomBrowser, type RoomBrowser, type RoomPage } from '#test/support/room-page.ts';
import { type RoomServer, startRoomServer } from '#test/support/room-server.ts';

let browser: RoomBrowser;
beforeAll(async () => {
	browser = await openRoomBrowser();
}, 60_000);
afterAll(() => browser?.close());

const kinds = [
	{
		livekit: 'current',
		options: { singlePeerConnection: false },
		name: 'current room, two peer connections',
	},
	{ livekit: 'current', options: {}, name: 'current room, one peer connection' },
	{ livekit: 'older', options: {}, name: 'older room' },
] as const;

/** Runs `check` with a client that has joined, publishes, and has one voice. */
async function live(
	kind: Pick<(typeof kinds)[number], 'livekit' | 'options'> & { faults?: readonly string[] },
	check: (parts: { server: RoomServer; client: RoomPage }) => Promise<void>,
): Promise<void> {
	const server = await startRoomServer(kind);
	const client = await browser.page();
	try {
		await client.call('join', server.url, await server.token(), kind.options);
		server.recorder().port.publish(['es']);
		await expect.poll(() => client.call('voices'), { timeout: 5000 }).toEqual(['translation_es']);
		await check({ server, client });
	} finally {
		await client.close();
		await server.stop();
	}
}

async function everythingFlows(server: RoomServer, client: RoomPage): Promise<void> {
	const recorder = server.recorder();
	const heardBefore = recorder.levels.length;
	await expect.poll(() => recorder.levels.length, { timeout: 5000 }).toBeGreaterThan(heardBefore + 20);
	const text = `{"message_type":"get_task","n":${heardBefore}}`;
	await client.call('send', text);
	await expect.poll(() => recorder.commands.includes(text), { timeout: 5000 }).toBe(true);
	await expect.poll(() => client.call('voices'), { timeout: 5000 }).toEqual(['translation_es']);
	const packets = (await client.call('tone', 700, 1500)).map((bytes) => Uint8Array.from(bytes));
	recorder.port.speak('es', { transcriptionId: 't', partId: '0', packets });
	const [sound] = await client.call('listen', 1500);
	expect(sound?.rms).toBeGreaterThan(0.1);
	const got = (await client.call('received')).length;
	recorder.port.say({ message_type: 'hello' });
	await expect.poll(async () => (await client.call('received')).length, { timeout: 3000 }).toBe(got + 1);
}

describe.each(kinds)('$name', (kind) => {
	it.each(['signal-reconnect', 'resume-reconnect'])(
		'survives %s with the same peer connections',
		async (scenario) => {
			await live(kind, async ({ server, client }) => {
				await client.call('scenario', scenario);
				await client.call('saw', 'reconnected');
				expect(await client.call('events')).not.toContain('participantDisconnected');
				await everythingFlows(server, client);
				expect(server.presence).toEqual([true]);
			});
		},
		40_000,
	);

	// In livekit-client `resume-reconnect` is a resume that fails on the client's side: it joins afresh.
	it.each(['full-reconnect', 'resume-reconnect'])(
		'survives %s: a new join in the place of the old',
		async (scenario) => {
			await live(kind, async ({ server, client }) => {
				await client.call('scenario', scenario);
				await client.call('saw', 'reconnected');
				await everythingFlows(server, client);
			});
		},
		40_000,
	);

	it('tells the client when the room is deleted', async () => {
		await live(kind, async ({ server, client }) => {
			await server.closeRoom();
			await client.call('saw', 'disconnected');
			expect(await client.call('disconnectReason')).toBe('ROOM_DELETED');
			expect(server.recorder().closed).toBe(true);
			expect(server.presence).toEqual([true, false]);
		});
	}, 40_000);
});
