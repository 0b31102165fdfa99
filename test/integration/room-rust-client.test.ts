import {
	AudioFrame,
	AudioSource,
	AudioStream,
	LocalAudioTrack,
	type RemoteTrack,
	Room,
	RoomEvent,
	TrackPublishOptions,
	TrackSource,
} from '@livekit/rtc-node';
import { afterAll, describe, expect, it } from 'vitest';
import { type RoomServer, startRoomServer } from '#test/support/room-server.ts';

/*
 * A LiveKit client that is no browser: the Rust SDK that the vendor's Python SDK is
 * built on too.
 */

const RATE = 48_000;
const servers: RoomServer[] = [];
afterAll(async () => {
	for (const server of servers) await server.stop();
});

describe.each(['current', 'older'] as const)(
	'the Rust client in a room like a server that is %s',
	(livekit) => {
		it('joins, is heard, hears a voice and exchanges data', async () => {
			const server = await startRoomServer({ livekit });
			servers.push(server);
			const room = new Room();
			const texts: string[] = [];
			const tracks: RemoteTrack[] = [];
			room.on(RoomEvent.DataReceived, (payload) => texts.push(new TextDecoder().decode(payload)));
			room.on(RoomEvent.TrackSubscribed, (track) => tracks.push(track));
			await room.connect(server.url, await server.token(), { autoSubscribe: true, dynacast: false });
			const source = new AudioSource(RATE, 1);
			const microphone = LocalAudioTrack.createAudioTrack('microphone', source);
			await room.localParticipant?.publishTrack(
				microphone,
				new TrackPublishOptions({ source: TrackSource.SOURCE_MICROPHONE }),
			);
			const { port, levels, commands, packets } = server.recorder();
			const tone = Int16Array.from(
				{ length: RATE / 50 },
				(_, index) => 8000 * Math.sin((2 * Math.PI * 500 * index) / RATE),
			);
			const speak = async () => {
				for (let frame = 0; frame < 50; frame += 1)
					await source.captureFrame(new AudioFrame(tone, RATE, 1, tone.length));
				return Math.max(0, ...levels.map(({ level }) => level));
			};
			await expect.poll(speak, { timeout: 8000 }).toBeGreaterThan(0.1);
			const command = '{"message_type":"get_task"}';
			await room.localParticipant?.publishData(new TextEncoder().encode(command), { reliable: true });
			await expect.poll(() => commands).toEqual([command]);
			port.say({ message_type: 'hello' });
			await expect.poll(() => texts).toEqual(['{"message_type":"hello"}']);
			port.publish(['es']);
			await expect.poll(() => tracks.map(({ name }) => name), { timeout: 5000 }).toEqual(['translation_es']);
			const [voice] = tracks;
			if (!voice) throw new Error('no voice');
			// Sends back what was heard, because an echo needs no encoder.
			port.speak('es', { transcriptionId: 't', partId: '0', packets: packets.slice(-100) });
			const frames = new AudioStream(voice, RATE, 1).getReader();
			const loudest = async () => {
				const { value } = await frames.read();
				return value ? Math.max(...value.data) / 0x8000 : 0;
			};
			await expect.poll(loudest, { timeout: 5000, interval: 1 }).toBeGreaterThan(0.1);
			await frames.cancel();
			await room.disconnect();
			await expect.poll(() => server.presence).toEqual([true, false]);
		}, 30_000);
	},
);
