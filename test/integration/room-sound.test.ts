import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { openRoomBrowser, type RoomBrowser } from '#test/support/room-page.ts';
import { startRoomServer } from '#test/support/room-server.ts';

let browser: RoomBrowser;
beforeAll(async () => {
	browser = await openRoomBrowser();
}, 60_000);
afterAll(() => browser?.close());

describe('a voice, as the listener hears it', () => {
	it('carries four seconds without a hole, and falls silent at once when dropped', async () => {
		const server = await startRoomServer({ livekit: 'older' });
		const client = await browser.page();
		try {
			await client.call('join', server.url, await server.token());
			const { port } = server.recorder();
			port.publish(['es']);
			await eventually(
				() => client.call('voices'),
				(seen) => expect(seen).toEqual(['translation_es']),
				5000,
			);
			await client.call('listen', 1000);
			const packets = (await client.call('tone', 440, 20_000)).map((bytes) => Uint8Array.from(bytes));
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
		} finally {
			await client.close();
			await server.stop();
		}
	}, 40_000);
});

describe.concurrent('a microphone, as the interpreter hears it', () => {
	it.each(['older', 'current'] as const)(
		'is told packet by packet, phrases apart from pauses (%s)',
		async (livekit) => {
			const server = await startRoomServer({ livekit });
			const client = await browser.page();
			try {
				await client.call('join', server.url, await server.token(), { publish: { dtx: false } });
				const recorder = server.recorder();
				await eventually(
					() => recorder.levels.length,
					(seen) => expect(seen).toBeGreaterThan(250),
					10_000,
				);
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
			} finally {
				await client.close();
				await server.stop();
			}
		},
		40_000,
	);

	it('is told its silence too when it saves packets in the pauses', async () => {
		const server = await startRoomServer({ livekit: 'older' });
		const client = await browser.page();
		try {
			await client.call('join', server.url, await server.token(), { publish: { dtx: true } });
			const recorder = server.recorder();
			await eventually(
				() => recorder.packets.length,
				(seen) => expect(seen).toBeGreaterThan(100),
				10_000,
			);
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
		} finally {
			await client.close();
			await server.stop();
		}
	}, 40_000);

	it('is not heard while muted, nor after it was taken back', async () => {
		const server = await startRoomServer({ livekit: 'current' });
		const client = await browser.page();
		try {
			await client.call('join', server.url, await server.token(), { publish: { dtx: false } });
			const recorder = server.recorder();
			await eventually(
				() => recorder.levels.length,
				(seen) => expect(seen).toBeGreaterThan(50),
				10_000,
			);
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
		} finally {
			await client.close();
			await server.stop();
		}
	}, 40_000);
});
