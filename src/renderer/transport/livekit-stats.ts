import type { TransportStats } from './transport.ts';

export interface LineReading {
	/** Share of our packets that did not reach the server, 0..1; null = the server reported nothing new. */
	readonly upLoss: number | null;
	/** Share of the server's packets that did not reach us; null = too few arrived to tell. */
	readonly downLoss: number | null;
	/** Share of packets retransmitted, in the worse direction, 0..1, even if repaired. Null = too few to tell. */
	readonly askedAgain: number | null;
	/** How much longer the round trip is than the shortest one seen, because packets queue, ms. */
	readonly queuedMs: number;
}

/** Fewer packets than this in one second are too few to measure losses. */
const MIN_PACKETS = 10;

/** The fields we read of `RTCStats` entries (W3C webrtc-stats); all are optional there. */
interface StatsEntry {
	readonly type?: string;
	readonly kind?: string;
	readonly nominated?: boolean;
	readonly id?: string;
	readonly localCandidateId?: string;
	readonly protocol?: string;
	readonly relayProtocol?: string;
	readonly packetsSent?: number;
	readonly retransmittedPacketsSent?: number;
	readonly nackCount?: number;
	readonly packetsReceived?: number;
	readonly packetsLost?: number;
	readonly fractionLost?: number;
	readonly timestamp?: number;
	readonly roundTripTime?: number;
	readonly currentRoundTripTime?: number;
	readonly responsesReceived?: number;
	readonly jitterBufferDelay?: number;
	readonly jitterBufferEmittedCount?: number;
	readonly concealedSamples?: number;
	readonly silentConcealedSamples?: number;
	readonly totalSamplesReceived?: number;
}

interface Inbound {
	readonly packets: number;
	readonly lost: number;
	/** Retransmission requests (NACKs). */
	readonly asked: number;
	readonly delayS: number;
	readonly emitted: number;
	readonly concealed: number;
	readonly samples: number;
}

interface Sent {
	readonly packets: number;
	readonly roundTripMs: number;
	readonly upLoss: number | null;
	/** Retransmitted share of this sender since the last reading; null = too few to tell. */
	readonly upAskedAgain: number | null;
	readonly answers?: number | undefined;
	/** Our candidate of the path in use. */
	readonly path?: string | undefined;
	readonly way?: TransportStats['way'];
}

const nothing: Inbound = { packets: 0, lost: 0, asked: 0, delayS: 0, emitted: 0, concealed: 0, samples: 0 };

/** Statistics of one link, summed over all its senders and receivers. */
export function createLinkStats() {
	let sentBefore = 0;
	let lastSender: {
		readonly sender: RTCRtpSender;
		readonly packets: number;
		readonly repeated: number;
	} | null = null;
	const inbound = new Map<RTCRtpReceiver, Inbound>();
	/** Sums over receivers that no longer exist. */
	let gone = nothing;
	let last = nothing;
	let shortestMs = Number.POSITIVE_INFINITY;
	/** The path on which `shortestMs` was measured. */
	let path: string | undefined;
	/** Time of the server's newest report. */
	let reportedAt = 0;
	let line: LineReading = { upLoss: null, downLoss: null, askedAgain: null, queuedMs: 0 };

	async function readSender(sender: RTCRtpSender | null): Promise<Sent> {
		// A full reconnect sends on a new sender, which counts from zero.
		if (lastSender && lastSender.sender !== sender) {
			sentBefore += lastSender.packets;
			lastSender = null;
		}
		if (!sender) return { packets: sentBefore, roundTripMs: 0, upLoss: null, upAskedAgain: null };
		const entries = entriesOf(await sender.getStats());
		const packets = sum(entries, 'outbound-rtp', (entry) => entry.packetsSent);
		const repeated = sum(entries, 'outbound-rtp', (entry) => entry.retransmittedPacketsSent);
		const before = lastSender ?? { packets: 0, repeated: 0 };
		const upAskedAgain = shareOf(repeated - before.repeated, packets - before.packets);
		lastSender = { sender, packets, repeated };
		const pair = entries.find((entry) => entry.type === 'candidate-pair' && entry.nominated);
		const report = entries.find((entry) => entry.type === 'remote-inbound-rtp');
		const roundTripS = pair?.currentRoundTripTime ?? report?.roundTripTime ?? 0;
		const candidate = entries.find((entry) => pair && entry.id === pair.localCandidateId);
		return {
			packets: sentBefore + packets,
			roundTripMs: roundTripS * 1000,
			way: wayOf(candidate),
			upLoss: newLoss(report),
			upAskedAgain,
			answers: pair?.responsesReceived,
			path: pair?.localCandidateId,
		};
	}

	/** Null if this report was already read. */
	function newLoss(report: StatsEntry | undefined): number | null {
		const at = report?.timestamp ?? 0;
		if (at === reportedAt) return null;
		reportedAt = at;
		return report?.fractionLost ?? null;
	}

	async function readReceiver(receiver: RTCRtpReceiver): Promise<void> {
		const entries = entriesOf(await receiver.getStats());
		inbound.set(receiver, {
			packets: sum(entries, 'inbound-rtp', (entry) => entry.packetsReceived),
			lost: sum(entries, 'inbound-rtp', (entry) => entry.packetsLost),
			asked: sum(entries, 'inbound-rtp', (entry) => entry.nackCount),
			delayS: sum(entries, 'inbound-rtp', (entry) => entry.jitterBufferDelay),
			emitted: sum(entries, 'inbound-rtp', (entry) => entry.jitterBufferEmittedCount),
			// Silence concealed with silence is inaudible, so it does not count.
			concealed: sum(
				entries,
				'inbound-rtp',
				(entry) => (entry.concealedSamples ?? 0) - (entry.silentConcealedSamples ?? 0),
			),
			samples: sum(entries, 'inbound-rtp', (entry) => entry.totalSamplesReceived),
		});
	}

	function lineNow({ upLoss, upAskedAgain, roundTripMs, path: seenPath }: Sent, since: Inbound): LineReading {
		const { packets, lost, asked } = since;
		const all = packets + Math.max(0, lost);
		const downAskedAgain = shareOf(asked, all);
		// Start anew on another network: a longer round trip there does not mean a queue.
		if (seenPath !== undefined && seenPath !== path) {
			path = seenPath;
			shortestMs = Number.POSITIVE_INFINITY;
		}
		if (roundTripMs > 0) shortestMs = Math.min(shortestMs, roundTripMs);
		return {
			upLoss,
			downLoss: all < MIN_PACKETS ? null : 1 - packets / all,
			askedAgain: upAskedAgain === null ? downAskedAgain : Math.max(upAskedAgain, downAskedAgain ?? 0),
			queuedMs: roundTripMs > 0 ? roundTripMs - shortestMs : 0,
		};
	}

	return {
		/** The line according to the last reading. */
		line: (): LineReading => line,
		async read(sender: RTCRtpSender | null, receivers: readonly RTCRtpReceiver[]): Promise<TransportStats> {
			const [sent] = await Promise.all([readSender(sender), ...receivers.map(readReceiver)]);
			for (const [receiver, before] of inbound) {
				if (receivers.includes(receiver)) continue;
				gone = plus(gone, before);
				inbound.delete(receiver);
			}
			const total = [...inbound.values()].reduce(plus, gone);
			const emitted = total.emitted - last.emitted;
			const jitterBufferMs = emitted > 0 ? ((total.delayS - last.delayS) / emitted) * 1000 : 0;
			line = lineNow(sent, minus(total, last));
			last = total;
			return {
				packetsSent: sent.packets,
				jitterBufferMs: Math.max(0, jitterBufferMs),
				roundTripMs: sent.roundTripMs,
				...(sent.way ? { way: sent.way } : {}),
				pathAnswers: sent.answers,
				packetsReceived: total.packets,
				concealedRatio: total.samples > 0 ? Math.min(1, Math.max(0, total.concealed / total.samples)) : 0,
			};
		},
	};
}

/** The protocol of our candidate in use; a relay has its own protocol. */
function wayOf(candidate: StatsEntry | undefined): TransportStats['way'] {
	const { relayProtocol, protocol } = candidate ?? {};
	if (relayProtocol === 'tls') return 'tls';
	const known = relayProtocol ?? protocol;
	return known === 'udp' || known === 'tcp' ? known : undefined;
}

function entriesOf(report: RTCStatsReport): readonly StatsEntry[] {
	const entries: StatsEntry[] = [];
	report.forEach((entry: StatsEntry) => void entries.push(entry));
	return entries;
}

function sum(
	entries: readonly StatsEntry[],
	type: string,
	pick: (entry: StatsEntry) => number | undefined,
): number {
	return entries.reduce((total, entry) => (entry.type === type ? total + (pick(entry) ?? 0) : total), 0);
}

/** Null if there are too few packets to tell. */
function shareOf(part: number, packets: number): number | null {
	return packets < MIN_PACKETS ? null : Math.min(1, Math.max(0, part / packets));
}

const plus = (one: Inbound, other: Inbound): Inbound => join(one, other, 1);
const minus = (one: Inbound, other: Inbound): Inbound => join(one, other, -1);

function join(one: Inbound, other: Inbound, sign: 1 | -1): Inbound {
	return {
		packets: one.packets + sign * other.packets,
		lost: one.lost + sign * other.lost,
		asked: one.asked + sign * other.asked,
		delayS: one.delayS + sign * other.delayS,
		emitted: one.emitted + sign * other.emitted,
		concealed: one.concealed + sign * other.concealed,
		samples: one.samples + sign * other.samples,
	};
}
