import type { Room } from 'livekit-client';
import type { Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import type { LineReading } from './livekit-stats.ts';

/**
 * Texts arrive on an ordered channel, whose sender (pion/sctp 1.8.36 on the server) retransmits lost packets
 * after 1, 3, 7 and 15 s, one packet at a time: partial texts build up a queue in which the final texts wait.
 * Measured with that sender: at 10 % loss, 17 % of packets are requested again, and final texts arrive as soon
 * with partial texts as without; at 15 % loss (22 % requested again) 18 of 100 final texts are later than 3 s
 * with partial texts and 12 without; at 20 % loss (26 %) 41 and 30. The ratios are of packets requested again.
 */
const LIMITS: FitLimits = { steps: 1, lossRatio: 0.06, hopelessRatio: 0.21, readings: 2 };

/** The median of this many readings counts: a gap in the line affects one reading, bad radio all of them. */
const READINGS = 5;

/** Settings for lines of about 54, 24 and 12 kbit/s; the last is intelligible, a tenth of a second later. */
const SENT = [
	{ maxBitrate: 32_000, frameMs: 20 },
	{ maxBitrate: 16_000, frameMs: 60 },
	{ maxBitrate: 8000, frameMs: 120 },
] as const;

/** Bad radio loses less than this; a line of 20 kbit/s loses two thirds of everything. */
const HOPELESS_RATIO = 0.55;
const UP = { steps: SENT.length - 1, lossRatio: 0.1, hopelessRatio: HOPELESS_RATIO, readings: 2 };
/** A voice that lacks every third word is no help, and without the voice captions get through. */
const DOWN = { steps: 1, lossRatio: 0.3, hopelessRatio: HOPELESS_RATIO, readings: 3 };

/** How many times longer than usual the library's socket may be silent on a narrow line. */
const NARROW_FACTOR = 3;

/** Keeps a room's traffic, in both directions, within the capacity of its line. */
export function createRoomFit(parts: {
	readonly room: Room;
	readonly clock: Clock;
	readonly log: Logger;
	readonly sender: () => RTCRtpSender | null;
}) {
	const { room, clock, log } = parts;
	const up = createLineFit(UP);
	const down = createLineFit(DOWN);
	const texts = createTextFit();
	let fewTexts = false;
	let set: number = 0;
	let setting = false;
	let holdsVoice = false;
	/** How long the library normally lets its socket be silent, s; null = not changed yet. */
	let usualS: number | null = null;

	async function send(step: number): Promise<boolean> {
		const { maxBitrate, frameMs } = SENT[step] ?? SENT[0];
		const sender = parts.sender();
		if (!sender) return false;
		const parameters = sender.getParameters();
		for (const encoding of parameters.encodings) encoding.maxBitrate = maxBitrate;
		await sender.setParameters(parameters);
		return setFrameLength(room, frameMs);
	}

	/** Applies a step; if that fails now, a later reading tries again. */
	async function follow(step: number): Promise<void> {
		if (setting || step === set) return;
		setting = true;
		try {
			if (!(await send(step))) return;
			set = step;
			log.info('sending as the line allows', { ...SENT[step] });
		} catch (failure) {
			log.warn('the sender keeps its rate', {
				name: failure instanceof Error ? failure.name : typeof failure,
			});
		} finally {
			setting = false;
		}
	}

	/**
	 * Requests to the server go through the socket, over the same line. The library closes a socket that has not
	 * answered for 15 s, which loses all messages in transit; a new socket would take longer than waiting
	 * (2.18.7, `SignalClient`).
	 */
	function waitForSocket(): void {
		const { client } = room.engine;
		const limitS: unknown = Reflect.get(client, 'pingTimeoutDuration');
		const again: unknown = Reflect.get(client, 'resetPingTimeout');
		if (typeof limitS !== 'number' || typeof again !== 'function') return;
		// Rejoining a room restores the default limit; resuming keeps ours.
		if (usualS === null || limitS !== NARROW_FACTOR * usualS) usualS = limitS;
		Reflect.set(client, 'pingTimeoutDuration', holdsVoice ? NARROW_FACTOR * usualS : usualS);
		Reflect.apply(again, client, []);
	}

	function holdVoice(held: boolean): void {
		if (held === holdsVoice) return;
		holdsVoice = held;
		waitForSocket();
		log.info(held ? 'the line is too narrow for the voice' : 'the voice is asked for again');
		for (const participant of room.remoteParticipants.values())
			for (const publication of participant.trackPublications.values()) publication.setEnabled(!held);
	}

	return {
		/** Called at each reading of the statistics. */
		take({ upLoss, downLoss, askedAgain, queuedMs }: LineReading): void {
			const nowMs = clock.now();
			const few = texts.take({ askedAgain, queuedMs }, nowMs);
			if (few !== fewTexts)
				log.info(
					few ? 'only finished texts come through in time' : 'there is room for unfinished texts again',
				);
			fewTexts = few;
			// A voice that is not sent cannot be lost, so then only the queue shows the state of the line.
			const seenDown = holdsVoice ? 0 : downLoss;
			const held = down.take({ lossRatio: seenDown, queuedMs }, nowMs) > 0;
			// The server's reports about our packets may not get through a bad line. Then losses of the server's
			// packets count for both directions, but only high losses do: if only the uplink is narrow, low
			// downlink losses prove nothing.
			const speaksForUp = !holdsVoice && downLoss !== null && downLoss >= DOWN.lossRatio;
			const seenUp = upLoss ?? (speaksForUp ? downLoss : null);
			const sent = up.take({ lossRatio: seenUp, queuedMs }, nowMs);
			// Requests to the server would wait behind our own speech.
			void follow(held && !holdsVoice ? up.yield() : sent);
			holdVoice(held);
		},
		/** Call this when the sender or the connection was replaced and has lost its settings. */
		forget(): void {
			set = 0;
			if (holdsVoice) waitForSocket();
		},
		/** True while the server is asked not to send the voice, because the line is too narrow. */
		get holdsVoice(): boolean {
			return holdsVoice;
		},
		/** True if only final texts arrive in time on this line. */
		get onlyFinals(): boolean {
			return fewTexts || holdsVoice;
		},
	};
}

/** Whether a line has room for partial texts beside the final ones. */
export function createTextFit() {
	const fit = createLineFit(LIMITS);
	/** Shares of packets requested again, newest last. */
	let last: readonly number[] = [];
	return {
		/** Returns whether from now on only final texts arrive in time. */
		take({ askedAgain, queuedMs }: Pick<LineReading, 'askedAgain' | 'queuedMs'>, nowMs: number): boolean {
			if (askedAgain !== null) last = [...last, askedAgain].slice(-READINGS);
			return fit.take({ lossRatio: askedAgain === null ? null : medianOf(last), queuedMs }, nowMs) > 0;
		},
	};
}

/** The median; for an even number of values, the lower of the two middle ones. */
function medianOf(values: readonly number[]): number {
	return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? 0;
}

/** The library's lock around its offers; hidden by its types (2.18.7). */
interface Publisher {
	readonly pc: RTCPeerConnection;
	readonly offerLock: { lock(): Promise<() => void> };
}

/**
 * How much speech the room's sender puts into one packet, ms. The headers of 50 packets a second alone need 23
 * kbit/s, whatever the codec does; `setParameters` cannot change that, but an answer with `a=ptime` can (RFC 8866
 * 6.4, which Chromium follows). So this applies the last answer again with another value; nothing is sent, and
 * the server does not notice. Resolves to false if that is impossible just now.
 */
async function setFrameLength(room: Room, frameMs: number): Promise<boolean> {
	const publisher = room.engine.pcManager?.publisher as unknown as Publisher | undefined;
	if (!publisher) return false;
	const unlock = await publisher.offerLock.lock();
	try {
		const { pc } = publisher;
		const answer = pc.currentRemoteDescription;
		if (pc.signalingState !== 'stable' || answer?.type !== 'answer') return false;
		const sdp = withFrameLength(answer.sdp, frameMs);
		await pc.setLocalDescription(await pc.createOffer());
		try {
			await pc.setRemoteDescription({ type: 'answer', sdp });
		} catch {
			await pc.setLocalDescription({ type: 'rollback' });
			return false;
		}
		return true;
	} finally {
		unlock();
	}
}

/** Returns the description with this `ptime` in each audio section. */
export function withFrameLength(sdp: string, frameMs: number): string {
	return sdp
		.split(/^(?=m=)/m)
		.map((section) =>
			section.startsWith('m=audio')
				? `${section.replace(/^a=ptime:.*\r?\n/gm, '').trimEnd()}\r\na=ptime:${frameMs}\r\n`
				: section,
		)
		.join('');
}

/** One second's measurements of one direction of the line. */
export interface WayReading {
	/** Share of packets that did not arrive, 0..1; null = not known. */
	readonly lossRatio: number | null;
	/** How much longer the round trip is than the shortest one seen, because packets queue, ms. */
	readonly queuedMs: number;
}

interface FitLimits {
	/** Number of steps below the first. */
	readonly steps: number;
	/** Losses from this ratio on mean that the line is too narrow, if packets queue as well. */
	readonly lossRatio: number;
	/** From this ratio on a line is too narrow even without a queue: go to the last step at once. */
	readonly hopelessRatio: number;
	/** How many informative readings in a row must agree. */
	readonly readings: number;
}

const QUEUED_MS = 250;
/** A gap in the line causes losses in only the one second in which it ends; losses in two readings are no gap. */
const HOPELESS_READINGS = 2;
/** A queue this long must be shortened even if nothing is lost yet. */
const OVERFULL_MS = 1500;
/** A line with a shorter queue than this is idle again. */
const FREE_MS = 150;
/** How long a line must be idle before it gets more (one step); doubles each time that is too much. */
const FIRST_WAIT_MS = 10_000;
const LAST_WAIT_MS = 120_000;
/** An increase taken back within this time was too much. */
const TRIED_MS = 15_000;

/**
 * How much to send in one direction of a line: step 0 = everything, each higher step less.
 * Losses alone are no reason to send less: bad radio loses as much when little is sent. Losses with a queue are
 * one, because then our own packets fill the line. The fit decreases the amount quickly and increases it slowly,
 * so that it does not oscillate.
 */
export function createLineFit(limits: FitLimits) {
	let step = 0;
	let bad = 0;
	let hopeless = 0;
	let freeSinceMs: number | null = null;
	let waitMs = FIRST_WAIT_MS;
	let triedMs = Number.NEGATIVE_INFINITY;

	function down(isHopeless: boolean, nowMs: number): void {
		bad = hopeless = 0;
		if (step === limits.steps) return;
		step = isHopeless ? limits.steps : step + 1;
		if (nowMs - triedMs < TRIED_MS) waitMs = Math.min(LAST_WAIT_MS, 2 * waitMs);
	}

	return {
		/** Returns the step from now on. */
		take({ lossRatio, queuedMs }: WayReading, nowMs: number): number {
			const isHopeless = lossRatio !== null && lossRatio >= limits.hopelessRatio;
			const isLossy = lossRatio !== null && lossRatio >= limits.lossRatio && queuedMs >= QUEUED_MS;
			if (isHopeless || isLossy || queuedMs >= OVERFULL_MS) {
				freeSinceMs = null;
				bad += 1;
				hopeless = isHopeless ? hopeless + 1 : 0;
				if (bad >= limits.readings || hopeless >= HOPELESS_READINGS) down(isHopeless, nowMs);
				return step;
			}
			if (lossRatio === null) return step;
			bad = hopeless = 0;
			if (queuedMs >= FREE_MS) {
				freeSinceMs = null;
				return step;
			}
			freeSinceMs ??= nowMs;
			if (step > 0 && nowMs - freeSinceMs >= waitMs) {
				step -= 1;
				triedMs = freeSinceMs = nowMs;
			} else if (step === 0 && nowMs - triedMs >= LAST_WAIT_MS) {
				waitMs = FIRST_WAIT_MS;
			}
			return step;
		},
		/** Goes to the last step at once, whatever the readings, and returns that step. */
		yield(): number {
			step = limits.steps;
			bad = hopeless = 0;
			freeSinceMs = null;
			return step;
		},
	};
}
