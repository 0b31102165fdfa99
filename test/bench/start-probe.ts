/** What is seen in a page after Start; ms of `performance.now()`. */
export interface StartSeen {
	readonly pressedMs: number | null;
	/** The first audio packet left. */
	readonly packetMs: number | null;
	/** The first sound of a remote track that is not silence. */
	readonly soundMs: number | null;
	/** The steps on the way there, each the first time it happened. */
	readonly steps: Readonly<Partial<Record<StartStep, number>>>;
}

/** In the order of a start one step after another. */
export type StartStep =
	| 'microphone asked'
	| 'microphone there'
	| 'room asked'
	| 'room answered'
	| 'ICE connected'
	| 'media connected';

/**
 * Watches peer connections and presses; the same for every program under test. `toString()` of it runs
 * in the page before any page script, so it may use nothing from outside.
 */
export function installStartProbe(): void {
	const LOUD = 0.02;
	/** What a packet holds. */
	const PACKET_MS = 20;
	const nothing = () => ({
		pressedMs: null as number | null,
		packetMs: null as number | null,
		soundMs: null as number | null,
		steps: {} as Partial<Record<StartStep, number>>,
	});
	let seen = nothing();
	let round = 0;

	function step(name: StartStep): void {
		seen.steps[name] ??= performance.now();
	}

	async function watchSent(peer: RTCPeerConnection, mine: number): Promise<void> {
		while (mine === round && seen.packetMs === null && peer.connectionState !== 'closed') {
			// Asked only when there may be something to count: each answer costs the page a moment.
			if (peer.iceConnectionState !== 'new') {
				for (const row of (await peer.getStats()).values()) {
					const { type, kind, timestamp, packetsSent } = row as {
						readonly type: string;
						readonly kind?: string;
						readonly timestamp: number;
						readonly packetsSent?: number;
					};
					if (type !== 'outbound-rtp' || kind !== 'audio' || !packetsSent || mine !== round) continue;
					// The browser renews its counters every 50 ms only; packets leave one after another.
					seen.packetMs ??= timestamp - performance.timeOrigin - (packetsSent - 1) * PACKET_MS;
				}
			}
			await new Promise((done) => setTimeout(done, 10));
		}
	}

	interface Sound {
		readonly numberOfFrames: number;
		copyTo(into: Float32Array, options: { planeIndex: number; format: string }): void;
		close(): void;
	}
	async function watchHeard(track: MediaStreamTrack, mine: number): Promise<void> {
		const Processor = (
			globalThis as unknown as {
				MediaStreamTrackProcessor: new (options: {
					track: MediaStreamTrack;
				}) => {
					readable: ReadableStream<Sound>;
				};
			}
		).MediaStreamTrackProcessor;
		const reader = new Processor({ track }).readable.getReader();
		for (;;) {
			const { done, value } = await reader.read();
			if (done || mine !== round) break;
			const samples = new Float32Array(value.numberOfFrames);
			value.copyTo(samples, { planeIndex: 0, format: 'f32-planar' });
			value.close();
			if (!samples.some((sample) => Math.abs(sample) > LOUD)) continue;
			seen.soundMs ??= performance.now();
			break;
		}
		await reader.cancel().catch(() => {});
	}

	const Native = window.RTCPeerConnection;
	window.RTCPeerConnection = class extends Native {
		constructor(configuration?: RTCConfiguration) {
			super(configuration);
			const mine = round;
			void watchSent(this, mine);
			this.addEventListener('track', ({ track }) => {
				if (track.kind === 'audio') void watchHeard(track, mine);
			});
			this.addEventListener('iceconnectionstatechange', () => {
				if (this.iceConnectionState === 'connected') step('ICE connected');
			});
			this.addEventListener('connectionstatechange', () => {
				if (this.connectionState === 'connected') step('media connected');
			});
		}
	};
	const NativeSocket = window.WebSocket;
	window.WebSocket = class extends NativeSocket {
		constructor(address: string | URL, protocols?: string | string[]) {
			super(address, protocols);
			step('room asked');
			this.addEventListener('message', () => step('room answered'), { once: true });
		}
	};
	const devices = navigator.mediaDevices;
	const open = devices.getUserMedia.bind(devices);
	devices.getUserMedia = async (wish) => {
		step('microphone asked');
		const stream = await open(wish);
		step('microphone there');
		return stream;
	};
	for (const kind of ['click', 'keydown']) {
		addEventListener(
			kind,
			(event) => {
				if (kind === 'keydown' && (event as KeyboardEvent).key !== 'Enter') return;
				seen.pressedMs ??= event.timeStamp;
			},
			true,
		);
	}
	Object.defineProperty(window, '__start', {
		value: {
			arm() {
				round += 1;
				seen = nothing();
			},
			seen: () => seen,
		},
	});
}
