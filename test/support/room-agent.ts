import { type DataPacket_Kind, Room, RoomEvent, Track } from 'livekit-client';

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
