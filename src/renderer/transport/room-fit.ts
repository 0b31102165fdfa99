import type { Room } from 'livekit-client';
import type { Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import type { LineReading } from './livekit-stats.ts';

/**
 * Texts come by an ordered channel, whose sender retransmits what was lost after 1, 3, 7 and 15 s, one packet at a time
 * (pion/sctp 1.8.36, the server's): with partial texts in it a queue builds up in which the final ones wait. Measured
 * with that sender: at 10 % loss, 17 % are requested again, and final texts come as soon with partial ones as without;
 * at 15 % (22 % requested again) 18 of 100 are later than 3 s with them and 12 without; at 20 % (26 %) 41 and 30.
 */
const LIMITS: FitLimits = { steps: 1, lossRatio: 0.06, hopelessRatio: 0.21, readings: 2 };

/** The median of this many readings counts: a gap in the line affects one of them, bad radio all. */
const READINGS = 5;

/**
 * What is sent on a line that cannot take all of it: about 54, 24 and 12 kbit/s with the headers of the network. The
 * last is still intelligible speech, a tenth of a second later.
 */
const SENT = [
	{ maxBitrate: 32_000, frameMs: 20 },
	{ maxBitrate: 16_000, frameMs: 60 },
	{ maxBitrate: 8000, frameMs: 120 },
] as const;

/** More than bad radio loses; a line of 20 kbit/s loses two thirds of everything. */
const HOPELESS_RATIO = 0.55;
const UP = { steps: SENT.length - 1, lossRatio: 0.1, hopelessRatio: HOPELESS_RATIO, readings: 2 };
/** A voice that lacks every third word is no help, and without it captions come through. */
const DOWN = { steps: 1, lossRatio: 0.3, hopelessRatio: HOPELESS_RATIO, readings: 3 };

/** How many times longer than usual the library's socket may be silent on a narrow line. */
const NARROW_FACTOR = 3;

/** Keeps a room's traffic, both ways, within what its line can carry. */
interface RoomFit {
	/** Called at each reading of the statistics. */
	take(line: LineReading): void;
	/** Sender or connection were replaced and have lost their settings. */
	forget(): void;
	/** The server is asked not to send the voice: the line is too narrow for it. */
	readonly holdsVoice: boolean;
	/** Only final texts come through such a line in time. */
	readonly onlyFinals: boolean;
}

export function createRoomFit(parts: {
	readonly room: Room;
	readonly clock: Clock;
	readonly log: Logger;
	readonly sender: () => RTCRtpSender | null;
}): RoomFit {
	const { room, clock, log } = parts;
	const up = createLineFit(UP);
	const down = createLineFit(DOWN);
	const texts = createTextFit();
	let fewTexts = false;
	let set: number = 0;
	let setting = false;
	let holdsVoice = false;
	/** How long the library lets its socket be silent, s; null = not changed yet. */
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

	/** If it fails now, a later reading tries again. */
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
	 * Requests to the server go by its socket, over the same line. The library closes a socket that has not answered for
	 * 15 s, which loses what is still in it; a new one would take longer than waiting (2.18.7, `SignalClient`).
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
		take({ upLoss, downLoss, askedAgain, queuedMs }) {
			const nowMs = clock.now();
			const few = texts.take({ askedAgain, queuedMs }, nowMs);
			if (few !== fewTexts)
				log.info(
					few ? 'only finished texts come through in time' : 'there is room for unfinished texts again',
				);
			fewTexts = few;
			// A voice that is not sent is not lost: then only the queue shows the state of the line.
			const seenDown = holdsVoice ? 0 : downLoss;
			const held = down.take({ lossRatio: seenDown, queuedMs }, nowMs) > 0;
			// The server's reports about our packets may not come through such a line: then losses of its own packets count for
			// both ways, but only as bad news. If only the way up is narrow, they would say that all is well.
			const speaksForUp = !holdsVoice && downLoss !== null && downLoss >= DOWN.lossRatio;
			const seenUp = upLoss ?? (speaksForUp ? downLoss : null);
			const sent = up.take({ lossRatio: seenUp, queuedMs }, nowMs);
			// Requests to the server would wait behind our own speech.
			void follow(held && !holdsVoice ? up.yield() : sent);
			holdVoice(held);
		},
		forget() {
			set = 0;
			if (holdsVoice) waitForSocket();
		},
		get holdsVoice() {
			return holdsVoice;
		},
		get onlyFinals() {
			return fewTexts || holdsVoice;
		},
	};
}

/** Whether a line has room for partial texts beside the final ones. */
interface TextFit {
	/** Returns whether from now on only the final ones come through in time. */
	take(reading: Pick<LineReading, 'askedAgain' | 'queuedMs'>, nowMs: number): boolean;
}

export function createTextFit(): TextFit {
	const fit = createLineFit(LIMITS);
	/** Shares requested again, newest last. */
	let last: readonly number[] = [];
	return {
		take({ askedAgain, queuedMs }, nowMs) {
			if (askedAgain !== null) last = [...last, askedAgain].slice(-READINGS);
			return fit.take({ lossRatio: askedAgain === null ? null : medianOf(last), queuedMs }, nowMs) > 0;
		},
	};
}

/** For an even number, the lower of the two. */
function medianOf(values: readonly number[]): number {
	return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? 0;
}

/** The library's lock around its offers; hidden by its types (2.18.7). */
interface Publisher {
	readonly pc: RTCPeerConnection;
	readonly offerLock: { lock(): Promise<() => void> };
}

/**
 * How much speech the room's sender puts into one packet, ms. The headers of 50 packets a second need 23 kbit/s by
 * themselves, whatever the codec does; `setParameters` cannot change that, an answer with `a=ptime` can (RFC 8866 6.4,
 * heeded by Chromium). So the last answer is applied again with another value; nothing is sent, and the server does not
 * notice. Resolves to false if that is impossible just now.
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

/** The same description with this `ptime` in each audio section. */
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
	/** Losses from here on mean a line that is too narrow, if packets queue as well. */
	readonly lossRatio: number;
	/** And from here on even if none queue: the line drops what it cannot take. Then it goes to the last step at once. */
	readonly hopelessRatio: number;
	/** How many informative readings in a row must agree. */
	readonly readings: number;
}

/** How much one direction of a line is asked to carry: 0 = everything, each step up less. */
interface LineFit {
	/** Returns the step from now on. */
	take(reading: WayReading, nowMs: number): number;
	/** Goes to the last step at once, whatever was read, and returns it. */
	yield(): number;
}

const QUEUED_MS = 250;
/** A gap in the line shows as losses in the one second in which it ends; this much in two is no gap. */
const HOPELESS_READINGS = 2;
/** Nothing is lost yet, but a queue this long must be shortened. */
const OVERFULL_MS = 1500;
/** The line is idle again below this. */
const FREE_MS = 150;
/** After this long on an idle line a step back down is tried; the wait doubles each time that proves too much. */
const FIRST_WAIT_MS = 10_000;
const LAST_WAIT_MS = 120_000;
/** An increase taken back within this time was too much. */
const TRIED_MS = 15_000;

/**
 * Losses alone are no reason to send less: bad radio loses as much when little is sent. Losses with a queue are,
 * because then our own packets fill the line. It decreases quickly and increases slowly, so that it does not oscillate.
 */
export function createLineFit(limits: FitLimits): LineFit {
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
		take({ lossRatio, queuedMs }, nowMs) {
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
		yield() {
			step = limits.steps;
			bad = hopeless = 0;
			freeSinceMs = null;
			return step;
		},
	};
}
