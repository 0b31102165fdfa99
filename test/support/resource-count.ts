/** The expensive browser resources that the page holds, counted since `countResources`. */
export interface ResourceCount {
	/** AudioContexts not closed. */
	contexts(): number;
	/** RTCPeerConnections not closed. */
	connections(): number;
	/** Tracks of microphones and copies of tracks that are still live. */
	tracks(): number;
	/** Audio elements that still have something to play. */
	elements(): number;
	/** Rooms of livekit-client (or whatever is given to `follow`) that are still referenced; call after a garbage collection. */
	followed(): number;
	follow(thing: object): void;
	restore(): void;
}

/** Wraps the constructors, so that every instance is counted. */
export function countResources(): ResourceCount {
	// Held weakly, so that counting keeps nothing alive.
	const contexts = createFollowed<AudioContext>();
	const connections = createFollowed<RTCPeerConnection>();
	const tracks = createFollowed<MediaStreamTrack>();
	const elements = createFollowed<HTMLAudioElement>();
	const followed = createFollowed<object>();

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

	return {
		contexts: () => contexts.count((context) => context.state !== 'closed'),
		connections: () => connections.count((connection) => connection.connectionState !== 'closed'),
		tracks: () => tracks.count((track) => track.readyState === 'live'),
		elements: () => elements.count((element) => element.srcObject !== null || !element.paused),
		followed: () => followed.count(() => true),
		follow: followed.add,
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

function createFollowed<Thing extends object>() {
	const known = new WeakSet<Thing>();
	const references: WeakRef<Thing>[] = [];
	return {
		add(thing: Thing): void {
			if (known.has(thing)) return;
			known.add(thing);
			references.push(new WeakRef(thing));
		},
		count: (matches: (thing: Thing) => boolean) =>
			references.filter((reference) => {
				const thing = reference.deref();
				return thing !== undefined && matches(thing);
			}).length,
	};
}
