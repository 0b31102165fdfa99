import { type DataPacket_Kind, Room, RoomEvent, Track } from 'livekit-client';
import { afterEach, expect, vi } from 'vitest';
import { commands } from 'vitest/browser';
import { systemClock } from '#renderer/system-clock.ts';
import { createLivekitTransport } from '#renderer/transport/livekit-transport.ts';
import type { TransportEvent } from '#renderer/transport/transport.ts';
import { silentLogger } from '#shared/lib/log.ts';
import type { LivekitVersion } from './livekit-server.ts';

/** Our name in every room. */
export const ME = 'me';
export const never = () => new AbortController().signal;
export const soon = { timeout: 10_000, interval: 20 };

let rooms = 0;

/** A fresh room of a real server with an agent in it and a transport that may go there; all ended after each test. */
export function createStays() {
	const ends: (() => unknown)[] = [];
	afterEach(async () => {
		for (const end of ends.splice(0).reverse()) await end();
		vi.restoreAllMocks();
	});

	async function enter(server: LivekitVersion) {
		rooms += 1;
		const room = `stay-${crypto.randomUUID()}-${rooms}`;
		const grant = await commands.livekitAccess(server, { room, identity: ME });
		// The agent connects through a proxy of its own, which is never broken; it is there before us, as with the service.
		const far = await commands.livekitAccess(server, { room: `${room}-far`, identity: 'unused' });
		const { publisher } = await commands.livekitAccess(server, { room, identity: 'palabra_translator_1' });
		const agent = await joinAsAgent({ webrtcUrl: far.webrtcUrl, publisher });
		ends.push(() => agent.close());
		const transport = createLivekitTransport({ grant, clock: systemClock, log: silentLogger });
		ends.push(() => transport.close());
		const events: TransportEvent[] = [];
		transport.listen((event) => events.push(event));
		return { room, grant, agent, transport, events };
	}

	/** To be called before `enter`, so that its rooms are remembered: gives the library's Room once the transport is open. */
	function watchRoom(): () => Room {
		const on = vi.spyOn(Room.prototype, 'on');
		return () => on.mock.contexts.find((one) => (one as Room).localParticipant.identity === ME) as Room;
	}

	/** A tone as a microphone, so that silence and sound can be told apart at the far side. */
	function createTone(): MediaStreamTrack {
		const context = new AudioContext();
		const tone = context.createOscillator();
		const sink = context.createMediaStreamDestination();
		tone.connect(sink);
		tone.start();
		ends.push(() => context.close());
		const [track] = sink.stream.getAudioTracks();
		if (!track) throw new Error('no track');
		return track;
	}

	return {
		/** Runs after the test, before everything that was there earlier is ended. */
		atEnd: (end: () => unknown) => void ends.push(end),
		enter,
		watchRoom,
		createTone,
		/** As `enter`, and in it: a tone is sent, and the agent's voice has come. */
		async converse(server: LivekitVersion) {
			const libraryRoom = watchRoom();
			const stay = await enter(server);
			await stay.transport.setMicrophone(createTone());
			await stay.transport.open(never());
			await stay.agent.speak('translation_es');
			await vi.waitFor(() => expect(stay.events.some(({ type }) => type === 'voice')).toBe(true), soon);
			return { ...stay, libraryRoom };
		},
	};
}

/** The far side of a room, played in the same page: what the interpreter would do there. */
export interface RoomAgent {
	/** Commands heard, as text, with how they came. */
	readonly heard: { readonly text: string; readonly reliable: boolean; readonly topic: string | undefined }[];
	/** Tracks of others that it hears. */
	readonly tracks: MediaStreamTrack[];
	say(message: object): Promise<void>;
	/** A steady tone under that track name; returns its end. */
	speak(trackName: string, hz?: number): Promise<() => Promise<void>>;
	close(): Promise<void>;
}

export async function joinAsAgent(access: { webrtcUrl: string; publisher: string }): Promise<RoomAgent> {
	const room = new Room({ singlePeerConnection: false });
	const heard: RoomAgent['heard'] = [];
	const tracks: MediaStreamTrack[] = [];
	room.on(RoomEvent.DataReceived, (payload, _from, kind, topic) => {
		heard.push({ text: new TextDecoder().decode(payload), reliable: kind === (0 as DataPacket_Kind), topic });
	});
	room.on(RoomEvent.TrackSubscribed, (track) => tracks.push(track.mediaStreamTrack));
	await room.connect(access.webrtcUrl, access.publisher);
	const contexts = new Set<AudioContext>();
	return {
		heard,
		tracks,
		say: (message) =>
			room.localParticipant.publishData(new TextEncoder().encode(JSON.stringify(message)), {
				reliable: true,
			}),
		async speak(trackName, hz = 440) {
			const context = new AudioContext();
			contexts.add(context);
			const tone = context.createOscillator();
			tone.frequency.value = hz;
			const sink = context.createMediaStreamDestination();
			tone.connect(sink);
			tone.start();
			const [source] = sink.stream.getAudioTracks();
			if (!source) throw new Error('no track');
			await room.localParticipant.publishTrack(source, {
				name: trackName,
				source: Track.Source.Unknown,
				dtx: false,
				red: false,
			});
			return async () => {
				await room.localParticipant.unpublishTrack(source);
				await context.close();
				contexts.delete(context);
			};
		},
		async close() {
			await room.disconnect();
			await Promise.all([...contexts].map((context) => context.close()));
		},
	};
}
