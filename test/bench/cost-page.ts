/** What a page holds and what it sent, as seen from inside the page. */
export interface PageCost {
	/** RTP and data on the wire in all, IP and UDP headers included, bytes. */
	readonly sentBytes: number;
	/** Tasks longer than 50 ms since the last call, ms. */
	readonly longTasks: readonly number[];
	/** Not closed, or live. */
	readonly contexts: number;
	readonly connections: number;
	readonly tracks: number;
}

/** `toString()` of it runs in the page before any page script, so it may use nothing from outside. */
export function installCostProbe(): void {
	/** IPv4 and UDP. */
	const HEADERS = 28;
	// Held weakly, because a connection keeps alive the room that listens to it. The browser keeps those still in use.
	const connections: WeakRef<RTCPeerConnection>[] = [];
	const contexts: WeakRef<AudioContext>[] = [];
	const tracks: WeakRef<MediaStreamTrack>[] = [];
	function there<Thing extends WeakKey>(list: readonly WeakRef<Thing>[]): readonly Thing[] {
		return list.flatMap((one) => one.deref() ?? []);
	}
	let longTasks: number[] = [];
	new PerformanceObserver((list) => {
		longTasks.push(...list.getEntries().map(({ duration }) => duration));
	}).observe({ type: 'longtask' });
	const { RTCPeerConnection: Connection, AudioContext: Context } = window;
	window.RTCPeerConnection = class extends Connection {
		constructor(configuration?: RTCConfiguration) {
			super(configuration);
			connections.push(new WeakRef<RTCPeerConnection>(this));
		}
	};
	window.AudioContext = class extends Context {
		constructor(options?: AudioContextOptions) {
			super(options);
			contexts.push(new WeakRef<AudioContext>(this));
		}
	};
	const media = MediaDevices.prototype;
	const { getUserMedia } = media;
	media.getUserMedia = async function (this: MediaDevices, constraints) {
		const stream = await getUserMedia.call(this, constraints);
		tracks.push(...stream.getTracks().map((track) => new WeakRef(track)));
		return stream;
	};
	async function sent(): Promise<number> {
		let bytes = 0;
		for (const connection of there(connections)) {
			if (connection.connectionState === 'closed') continue;
			for (const row of (await connection.getStats()).values()) {
				const { type, nominated, bytesSent = 0, packetsSent = 0 } = row as Record<string, never>;
				if (type === 'candidate-pair' && nominated) bytes += bytesSent + packetsSent * HEADERS;
			}
		}
		return bytes;
	}
	Object.defineProperty(window, '__cost', {
		value: async (): Promise<PageCost> => {
			const tasks = longTasks;
			longTasks = [];
			return {
				sentBytes: await sent(),
				longTasks: tasks,
				contexts: there(contexts).filter(({ state }) => state !== 'closed').length,
				connections: there(connections).filter(({ connectionState }) => connectionState !== 'closed').length,
				tracks: there(tracks).filter(({ readyState }) => readyState === 'live').length,
			};
		},
	});
}
