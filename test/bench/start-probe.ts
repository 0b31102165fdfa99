/** What is seen in a page after Start; ms of `performance.now()`. */
export interface StartSeen {
	readonly pressedMs: number | null;
	/** The first audio packet was counted as sent. The browser renews its counters every 50 ms. */
	readonly packetMs: number | null;
	/** The first sound of a remote track that is not silence. */
	readonly soundMs: number | null;
}

/**
 * Watches peer connections and presses; the same for every program under test. `toString()` of it runs
 * in the page before any page script, so it may use nothing from outside.
 */
export function installStartProbe(): void {
	const LOUD = 0.02;
	let seen = {
		pressedMs: null as number | null,
		packetMs: null as number | null,
		soundMs: null as number | null,
	};
	let round = 0;

	async function watchSent(peer: RTCPeerConnection, mine: number): Promise<void> {
		while (mine === round && seen.packetMs === null && peer.connectionState !== 'closed') {
			for (const row of (await peer.getStats()).values()) {
				const { type, kind, packetsSent } = row as { type: string; kind?: string; packetsSent?: number };
				if (type === 'outbound-rtp' && kind === 'audio' && (packetsSent ?? 0) > 0 && mine === round)
					seen.packetMs ??= performance.now();
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
		}
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
				seen = { pressedMs: null, packetMs: null, soundMs: null };
			},
			seen: () => seen,
		},
	});
}
