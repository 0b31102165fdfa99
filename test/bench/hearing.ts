/** What came of the voice in about a quarter of a second, by the browser's own counters of sound at 48 kHz. */
export interface HeardSlot {
	/** Its end, ms since 1970: pages of one computer can be laid side by side. */
	readonly atMs: number;
	readonly lengthMs: number;
	/** Samples that were due to be played. */
	readonly samples: number;
	/** How many of these were concealed, and how many of those were silent. */
	readonly concealed: number;
	readonly silent: number;
	/** How often concealment began. */
	readonly events: number;
}

declare global {
	interface Window {
		/** The slots since the last call. */
		readonly __hearing: () => HeardSlot[];
		/** Sends bytes to the room's server as the page's library would: a scenario to simulate. */
		readonly __signal: (bytes: readonly number[]) => boolean;
	}
}

/**
 * Reads the counters of every voice that comes over a peer connection; where there are several, of the one
 * that is best heard. `toString()` of it runs in the page before any page script, so it may use nothing from outside.
 */
export function installHearing(): void {
	const EVERY_MS = 250;
	interface Counters {
		totalSamplesReceived: number;
		concealedSamples: number;
		silentConcealedSamples: number;
		concealmentEvents: number;
	}
	const none: Counters = {
		totalSamplesReceived: 0,
		concealedSamples: 0,
		silentConcealedSamples: 0,
		concealmentEvents: 0,
	};
	const voices = new Map<RTCRtpReceiver, Counters>();
	let slots: HeardSlot[] = [];
	let beganMs = Date.now();

	const Connection = window.RTCPeerConnection;
	window.RTCPeerConnection = class extends Connection {
		constructor(configuration?: RTCConfiguration) {
			super(configuration);
			this.addEventListener('track', ({ track, receiver }) => {
				if (track.kind === 'audio' && !voices.has(receiver)) voices.set(receiver, none);
			});
			this.addEventListener('connectionstatechange', () => {
				if (this.connectionState !== 'closed') return;
				for (const receiver of this.getReceivers()) voices.delete(receiver);
			});
		}
	};
	const Socket = window.WebSocket;
	let signal: WebSocket | null = null;
	window.WebSocket = class extends Socket {
		constructor(address: string | URL, protocols?: string | string[]) {
			super(address, protocols);
			if (String(address).includes('/rtc')) signal = this;
		}
	};

	async function since(receiver: RTCRtpReceiver, before: Counters): Promise<Counters> {
		const rows = [...(await receiver.getStats()).values()];
		const now = rows.find(({ type }) => type === 'inbound-rtp') as unknown as Counters | undefined;
		if (!now) return none;
		voices.set(receiver, now);
		return Object.fromEntries(
			(Object.keys(none) as (keyof Counters)[]).map((name) => [
				name,
				Math.max(0, (now[name] ?? 0) - (before[name] ?? 0)),
			]),
		) as unknown as Counters;
	}

	async function look(): Promise<void> {
		const heard = await Promise.all(
			[...voices].map(([receiver, before]) => since(receiver, before).catch(() => none)),
		);
		const atMs = Date.now();
		const clear = (each: Counters) => each.totalSamplesReceived - each.concealedSamples;
		const best = heard.reduce((one, other) => (clear(other) > clear(one) ? other : one), heard[0] ?? none);
		slots.push({
			atMs,
			lengthMs: atMs - beganMs,
			samples: best.totalSamplesReceived,
			concealed: best.concealedSamples,
			silent: best.silentConcealedSamples,
			events: best.concealmentEvents,
		});
		beganMs = atMs;
	}
	void (async () => {
		for (;;) {
			await new Promise((done) => setTimeout(done, EVERY_MS));
			await look();
		}
	})();
	Object.defineProperty(window, '__hearing', {
		value: () => {
			const taken = slots;
			slots = [];
			return taken;
		},
	});
	Object.defineProperty(window, '__signal', {
		value: (bytes: readonly number[]) => {
			if (signal?.readyState !== WebSocket.OPEN) return false;
			signal.send(new Uint8Array(bytes));
			return true;
		},
	});
}
