import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { notRun } from '#test/support/not-run.ts';
import { hasVoices, openRoomBrowser, type RoomPage, toneOf } from '#test/support/room-page.ts';
import type { JoinOptions } from '#test/support/room-page-client.ts';
import { type RoomServer, startLivekitRoomServer, startRoomServer } from '#test/support/room-server.ts';

const PATIENT_MS = 8000;

/** Servers side by side; in the one room of each there is one client at a time. */
const IN_TURN = { timeout: 60_000, concurrent: false };

const browser = await openRoomBrowser();
afterAll(() => browser.close());

/** What passes with the sandbox's rooms must pass with the servers they imitate. */
const kinds: readonly {
	readonly name: string;
	readonly options: JoinOptions;
	readonly start: () => Promise<RoomServer | { missing: string }>;
}[] = [
	{
		name: 'the room like a current server, two peer connections',
		options: { singlePeerConnection: false },
		start: () => startRoomServer({ livekit: 'current' }),
	},
	{
		name: 'the room like a current server, one peer connection',
		options: {},
		start: () => startRoomServer({ livekit: 'current' }),
	},
	{ name: 'the room like server 1.8.4', options: {}, start: () => startRoomServer({ livekit: 'older' }) },
	{ name: 'LiveKit v1.13.5', options: {}, start: () => startLivekitRoomServer('v1.13.5') },
	{ name: 'LiveKit v1.8.4', options: {}, start: () => startLivekitRoomServer('v1.8.4') },
];

/** Microphone and commands. What is sent right after a join may be lost (the peer is not yet active), so it is tried again for a while. */
async function flowsUp(server: RoomServer, client: RoomPage): Promise<void> {
	const { levels, commands } = server.recorder();
	const heardBefore = levels.length;
	const sentBefore = await client.call('packetsSent');
	await eventually(
		() => levels.length,
		(seen) => expect(seen).toBeGreaterThan(heardBefore + 20),
		PATIENT_MS,
	).catch(async (cause) => {
		const sent = (await client.call('packetsSent')) - sentBefore;
		const events = (await client.call('events')).join(', ');
		throw new Error(`heard ${levels.length - heardBefore} of ${sent} packets sent; ${events}`, { cause });
	});
	const text = `{"message_type":"get_task","n":${heardBefore}}`;
	await eventually(
		() => {
			// The client may wait 15 s for the channel of a connection that it then replaces.
			client.call('send', text).catch(() => {});
			return commands.includes(text);
		},
		(seen) => expect(seen).toBe(true),
		PATIENT_MS,
	);
}

async function everythingFlows(server: RoomServer, client: RoomPage): Promise<void> {
	await flowsUp(server, client);
	const { port } = server.recorder();
	await hasVoices(client, 'es');
	const packets = await toneOf(client, 700, 600);
	await eventually(
		async () => {
			port.speak('es', { transcriptionId: 't', partId: '0', packets });
			const [sound] = await client.call('listen', 700);
			return sound?.rms;
		},
		(seen) => expect(seen).toBeGreaterThan(0.1),
		PATIENT_MS,
	);
	const got = (await client.call('received')).length;
	port.say({ message_type: 'hello' });
	await eventually(
		async () => (await client.call('received')).length,
		(seen) => expect(seen).toBeGreaterThan(got),
		PATIENT_MS,
	);
}

describe.concurrent.each(kinds)('$name', ({ name, options, start }) => {
	let server: RoomServer | null = null;
	beforeAll(async () => {
		const started = await start();
		if ('missing' in started) notRun(`reconnecting to ${name}`, started.missing);
		else server = started;
	}, 60_000);
	afterAll(() => server?.stop());

	/** Runs `check` with a client that has joined, publishes, and has one voice. */
	async function live(check: (server: RoomServer, client: RoomPage) => Promise<void>): Promise<void> {
		if (!server) return;
		const client = await browser.page();
		try {
			await client.call('join', server.url, await server.token(), options);
			server.recorder().port.publish(['es']);
			await hasVoices(client, 'es');
			// Struck in its first second, while offers are under way, a connection to 1.8.4 was seen to carry nothing for 8 s.
			await flowsUp(server, client);
			await check(server, client);
			await client.call('leave');
			await eventually(
				() => server?.presence.at(-1),
				(seen) => expect(seen).toBe(false),
				10_000,
			);
		} finally {
			await client.close();
		}
	}

	it(
		'survives the loss of the signalling socket with the same peer connections',
		IN_TURN,
		async ({ skip }) => {
			if (!server) skip(`${name} is not here`);
			await live(async (server, client) => {
				const presence = server.presence.length;
				await client.call('scenario', 'signal-reconnect');
				await client.call('saw', 'reconnected');
				expect(await client.call('events')).not.toContain('participantDisconnected');
				await everythingFlows(server, client);
				expect(server.presence).toHaveLength(presence);
			});
		},
	);

	// In livekit-client `resume-reconnect` is a resume that fails on the client's side: it joins afresh.
	it.for(['full-reconnect', 'resume-reconnect'])(
		'survives %s: a new join in the place of the old',
		IN_TURN,
		async (scenario, { skip }) => {
			if (!server) skip(`${name} is not here`);
			await live(async (server, client) => {
				await client.call('scenario', scenario);
				await client.call('saw', 'reconnected');
				await everythingFlows(server, client);
			});
		},
	);

	it('tells the client when the room is deleted', IN_TURN, async ({ skip }) => {
		if (!server) skip(`${name} is not here`);
		await live(async (server, client) => {
			await server.closeRoom();
			await client.call('saw', 'disconnected');
			expect(await client.call('disconnectReason')).toBe('ROOM_DELETED');
			expect(server.recorder().closed).toBe(true);
			expect(server.presence.at(-1)).toBe(false);
		});
	});
});
