import { afterAll, describe, expect, it } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { notRun } from '#test/support/not-run.ts';
import { hasVoices, inRoom, openRoomBrowser, type RoomPage, toneOf } from '#test/support/room-page.ts';
import { type RoomServer, startLivekitRoomServer, startRoomServer } from '#test/support/room-server.ts';

const browser = await openRoomBrowser();
afterAll(() => browser.close());

/** Commands of either kind arrive as they are, and so does what is said to the client. */
async function dataBothWays(server: RoomServer, client: RoomPage): Promise<void> {
	const { port, commands } = server.recorder();
	for (const reliable of [true, false]) {
		const text = JSON.stringify({ message_type: 'get_task', reliable });
		await client.call('send', text, reliable);
		await eventually(
			() => commands,
			(seen) => expect(seen).toContain(text),
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
async function hearsTones({ recorder }: RoomServer, client: RoomPage, tones: Record<string, number>) {
	const { port } = recorder();
	const spoken: (readonly [string, Uint8Array[]])[] = [];
	for (const [language, hz] of Object.entries(tones)) spoken.push([language, await toneOf(client, hz, 900)]);
	// The first moments of a fresh track may be lost, but not the next ones.
	await eventually(
		async () => {
			for (const [language, packets] of spoken)
				port.speak(language, { transcriptionId: 't', partId: '0', packets });
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

/** The sandbox's rooms, and the servers they imitate. The client that the vendor's SDK bundles is in vendor-sdk.test.ts. */
describe.each([
	{ name: 'the room like a current server', start: () => startRoomServer({ livekit: 'current' }) },
	{ name: 'the room like server 1.8.4', start: () => startRoomServer({ livekit: 'older' }) },
	{ name: 'LiveKit v1.13.5', start: () => startLivekitRoomServer('v1.13.5') },
	{ name: 'LiveKit v1.8.4', start: () => startLivekitRoomServer('v1.8.4') },
])('$name', ({ name, start }) => {
	it('exchanges data of either kind, and has voices that come and go, each with its own sound', async ({
		skip,
	}) => {
		const server = await start();
		if ('missing' in server) {
			notRun(`voices of ${name}`, server.missing);
			return skip(server.missing);
		}
		const client = await browser.page();
		try {
			await client.call('join', server.url, await server.token());
			await dataBothWays(server, client);
			for (const tones of [
				{ es: 440, fr: 1000 },
				{ fr: 1200, de: 600 },
			]) {
				server.recorder().port.publish(Object.keys(tones));
				await hasVoices(client, ...Object.keys(tones));
				await hearsTones(server, client, tones);
			}
			server.recorder().port.publish([]);
			await hasVoices(client);
		} finally {
			await client.close();
			await server.stop();
		}
	}, 60_000);
});

describe('a voice, as the listener hears it', () => {
	it('carries four seconds without a hole, and falls silent at once when dropped', async () => {
		await inRoom(browser, { livekit: 'older' }, async (client, server, join) => {
			await join();
			const { port } = server.recorder();
			port.publish(['es']);
			await hasVoices(client, 'es');
			await client.call('listen', 1000);
			const packets = await toneOf(client, 440, 20_000);
			const [before] = await client.call('playback');
			const speech = port.speak('es', { transcriptionId: 't', partId: '0', packets });
			await client.call('listen', 500);
			const [sound] = await client.call('listen', 4000);
			const [after] = await client.call('playback');
			speech.drop();
			await speech.done;
			const concealed = (after?.concealed ?? 0) - (before?.concealed ?? 0);
			const total = (after?.total ?? 0) - (before?.total ?? 0);
			expect(sound?.share).toBeGreaterThan(0.97);
			expect(concealed / total).toBeLessThan(0.05);
			// What is already in the listener's jitter buffer (deep on a busy machine) is played; the rest is not.
			await client.call('playOut', 20);
			const [silence] = await client.call('listen', 500);
			expect(silence?.rms).toBeLessThan(0.01);
		});
	}, 40_000);
});

describe.concurrent('a microphone, as the interpreter hears it', () => {
	/** Waits until the interpreter has heard so many packets. */
	const untilHeard = (packets: readonly unknown[], count: number) =>
		eventually(
			() => packets.length,
			(seen) => expect(seen).toBeGreaterThan(count),
			10_000,
		);

	it.each(['older', 'current'] as const)(
		'is told packet by packet, phrases apart from pauses (%s)',
		async (livekit) => {
			await inRoom(browser, { livekit }, async (_client, server, join) => {
				await join({ publish: { dtx: false } });
				const recorder = server.recorder();
				await untilHeard(recorder.levels, 250);
				const heard = recorder.levels.slice(-200);
				expect(new Set(heard.map(({ durationMs }) => durationMs))).toEqual(new Set([20]));
				expect(recorder.packets.length).toBe(recorder.levels.length);
				// The microphone speaks 1.2 s of every 2 s, in syllables.
				const loud = heard.filter(({ level }) => level > 0.02).length / heard.length;
				expect(loud).toBeGreaterThan(0.2);
				expect(loud).toBeLessThan(0.8);
				const spanMs = (heard.at(-1)?.atMs ?? 0) - (heard[0]?.atMs ?? 0);
				expect(spanMs).toBeGreaterThan(3500);
				expect(spanMs).toBeLessThan(4500);
			});
		},
		40_000,
	);

	it('is told its silence too when it saves packets in the pauses', async () => {
		await inRoom(browser, { livekit: 'older' }, async (client, server, join) => {
			await join({ publish: { dtx: true } });
			const recorder = server.recorder();
			await untilHeard(recorder.packets, 100);
			const first = recorder.levels.length;
			const packets = recorder.packets.length;
			await client.call('listen', 4000);
			const heard = recorder.levels.slice(first);
			// Fewer than 50 packets a second, yet all of the time is accounted for.
			expect(recorder.packets.length - packets).toBeLessThan(180);
			const toldMs = heard.reduce((sum, { durationMs }) => sum + durationMs, 0);
			const spanMs = (heard.at(-1)?.atMs ?? 0) - (heard[0]?.atMs ?? 0);
			expect(toldMs / spanMs).toBeGreaterThan(0.8);
			expect(toldMs / spanMs).toBeLessThan(1.2);
		});
	}, 40_000);

	it('is not heard while muted, nor after it was taken back', async () => {
		await inRoom(browser, { livekit: 'current' }, async (client, server, join) => {
			await join({ publish: { dtx: false } });
			const recorder = server.recorder();
			await untilHeard(recorder.levels, 50);
			await client.call('mute', true);
			await client.call('listen', 300);
			const muted = recorder.levels.length;
			await client.call('listen', 500);
			expect(Math.max(0, ...recorder.levels.slice(muted).map(({ level }) => level))).toBeLessThan(0.001);
			await client.call('mute', false);
			const loud = () => Math.max(...recorder.levels.slice(muted).map(({ level }) => level));
			await eventually(loud, (seen) => expect(seen).toBeGreaterThan(0.02), 5000);
			await client.call('unpublish');
			await client.call('listen', 500);
			const gone = recorder.levels.length;
			await client.call('listen', 500);
			expect(recorder.levels.length).toBe(gone);
		});
	}, 40_000);
});
