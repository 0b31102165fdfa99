/** What happens to packets of one direction; `shaper.py` says what each means. Nothing: a clean line. */
export interface Condition {
	/** 0 to 1, each packet by itself. */
	readonly lossRatio?: number;
	/** Chances per packet to enter and to leave a bad state, in which `lossRatio` (default all) are lost. */
	readonly burst?: { readonly enter: number; readonly leave: number; readonly lossRatio?: number };
	readonly delayMs?: number;
	/** Standard deviation; what was sent first still arrives first. */
	readonly jitterMs?: number;
	readonly duplicateRatio?: number;
	/** These packets alone come `reorderMs` later. */
	readonly reorderRatio?: number;
	readonly reorderMs?: number;
	readonly bytesPerSecond?: number;
	/** Size of the queue at that rate; more is lost. */
	readonly queueBytes?: number;
	/** Nothing passes, without any notice. */
	readonly cut?: boolean;
	readonly blockUdp?: boolean;
	readonly blockTcpPorts?: readonly number[];
	/** Cut for the first `forMs` of every period but the first. */
	readonly outage?: { readonly everyMs: number; readonly forMs: number };
}

/** Up: from the app to the service. */
export interface LineCondition {
	readonly up?: Condition;
	readonly down?: Condition;
}

const both = (condition: Condition): LineCondition => ({ up: condition, down: condition });

export const CLEAN: LineCondition = {};
export const CUT: LineCondition = both({ cut: true });

/** Lines as people have them. */
export const profiles = {
	clean: CLEAN,
	'home Wi-Fi': both({ delayMs: 5, jitterMs: 5, lossRatio: 0.005 }),
	// Bursts of 2 to 5 packets; one packet in 33 is lost.
	'bad Wi-Fi': both({ delayMs: 30, jitterMs: 15, burst: { enter: 0.009, leave: 0.29 } }),
	'4G with hand-overs': both({ delayMs: 80, jitterMs: 60, outage: { everyMs: 30_000, forMs: 1000 } }),
} as const satisfies Readonly<Record<string, LineCondition>>;

export type ProfileName = keyof typeof profiles;

/** Lines that are bad in one way each (faults 53). */
export const hardships = {
	'1 % loss': both({ delayMs: 20, lossRatio: 0.01 }),
	'5 % loss': both({ delayMs: 20, lossRatio: 0.05 }),
	'20 % loss': both({ delayMs: 20, lossRatio: 0.2 }),
	'29 % loss in bursts': both({ delayMs: 20, burst: { enter: 0.14, leave: 0.34 } }),
	jitter: both({ delayMs: 60, jitterMs: 40 }),
	'reordering and doubling': both({
		delayMs: 20,
		reorderRatio: 0.2,
		reorderMs: 45,
		duplicateRatio: 0.2,
	}),
} as const satisfies Readonly<Record<string, LineCondition>>;

export type HardshipName = keyof typeof hardships;

/** Outages a line is known to have, s: a lift, a tunnel, LiveKit's issue 4477, a router that starts anew. */
export const outagesS = [5, 25, 84, 600] as const;

/** 20 kbit/s each way, with the queue of a modem that keeps everything for a second. */
export const NARROW: LineCondition = both({ delayMs: 40, bytesPerSecond: 2500, queueBytes: 4000 });
