/** What the page holds open of the browser's expensive things, since `countResources`. */
export interface ResourceCount {
	/** AudioContexts not closed. */
	contexts(): number;
	/** RTCPeerConnections not closed. */
	connections(): number;
	/** Tracks of microphones and copies of tracks that are still live. */
	tracks(): number;
	/** Audio elements that still have something to play. */
	elements(): number;
	/** Rooms of livekit-client (or whatever is given to `follow`) that nobody has let go of; after a garbage collection. */
	followed(): number;
	follow(thing: object): void;
	restore(): void;
}

/** Wraps the constructors, so that whoever makes one is counted. */
export function countResources(): ResourceCount {
	const contexts = new Set<AudioContext>();
	const connections = new Set<RTCPeerConnection>();
	const tracks = new Set<MediaStreamTrack>();
	const elements = new Set<HTMLAudioElement>();
	const followed: WeakRef<object>[] = [];

	const { AudioContext: RealContext, RTCPeerConnection: RealConnection, Audio: RealAudio } = globalThis;
	const getUserMedia = MediaDevices.prototype.getUserMedia;
	const clone = MediaStreamTrack.prototype.clone;
	globalThis.AudioContext = class extends RealContext {
		constructor(options?: AudioContextOptions) {
			super(options);
			contexts.add(this);
		}
	};
	globalThis.RTCPeerConnection = class extends RealConnection {
		constructor(configuration?: RTCConfiguration) {
			super(configuration);
			connections.add(this);
		}
	};
	globalThis.Audio = class extends RealAudio {
		constructor(address?: string) {
			super(address);
			elements.add(this);
		}
	};
	MediaDevices.prototype.getUserMedia = async function (this: MediaDevices, constraints) {
		const stream = await getUserMedia.call(this, constraints);
		for (const track of stream.getTracks()) tracks.add(track);
		return stream;
	};
	MediaStreamTrack.prototype.clone = function (this: MediaStreamTrack) {
		const copy = clone.call(this);
		tracks.add(copy);
		return copy;
	};

	const count = <Thing>(things: Iterable<Thing>, open: (thing: Thing) => boolean) =>
		[...things].filter(open).length;
	return {
		contexts: () => count(contexts, (context) => context.state !== 'closed'),
		connections: () => count(connections, (connection) => connection.connectionState !== 'closed'),
		tracks: () => count(tracks, (track) => track.readyState === 'live'),
		elements: () => count(elements, (element) => element.srcObject !== null || !element.paused),
		followed: () => count(followed, (reference) => reference.deref() !== undefined),
		follow: (thing) => void followed.push(new WeakRef(thing)),
		restore() {
			Object.assign(globalThis, {
				AudioContext: RealContext,
				RTCPeerConnection: RealConnection,
				Audio: RealAudio,
			});
			MediaDevices.prototype.getUserMedia = getUserMedia;
			MediaStreamTrack.prototype.clone = clone;
		},
	};
}
