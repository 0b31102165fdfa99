import { expect, test } from 'vitest';
import { createLinkStats } from './livekit-stats.ts';

interface Entry {
	readonly type: string;
	readonly [name: string]: unknown;
}

/** A sender or receiver that reports what it is told to. */
function reporting<Kind extends RTCRtpSender | RTCRtpReceiver>(entries: () => readonly Entry[]): Kind {
	return {
		getStats: async () => new Map(entries().map((entry, index) => [String(index), entry])),
	} as unknown as Kind;
}

const sender = (packetsSent: number, more: readonly Entry[] = []) =>
	reporting<RTCRtpSender>(() => [{ type: 'outbound-rtp', packetsSent }, ...more]);

test('packets go on counting when a reconnect sends by a new sender', async () => {
	const stats = createLinkStats();
	expect((await stats.read(sender(100), [])).packetsSent).toBe(100);
	expect((await stats.read(null, [])).packetsSent).toBe(100);
	const next = sender(7);
	expect((await stats.read(next, [])).packetsSent).toBe(107);
	expect((await stats.read(next, [])).packetsSent).toBe(107);
});

test('the jitter buffer is the average of what was played since the last reading', async () => {
	let delayS = 0;
	let emitted = 0;
	const receiver = reporting<RTCRtpReceiver>(() => [
		{ type: 'inbound-rtp', jitterBufferDelay: delayS, jitterBufferEmittedCount: emitted },
	]);
	const stats = createLinkStats();
	await stats.read(null, [receiver]);
	delayS = 48_000 * 0.08;
	emitted = 48_000;
	expect((await stats.read(null, [receiver])).jitterBufferMs).toBeCloseTo(80);
	delayS += 48_000 * 0.03;
	emitted += 48_000;
	expect((await stats.read(null, [receiver])).jitterBufferMs).toBeCloseTo(30);
	expect((await stats.read(null, [receiver])).jitterBufferMs).toBe(0);
	// The voice went away: its numbers stay in the sums, so that no interval is negative.
	expect((await stats.read(null, [])).jitterBufferMs).toBe(0);
});

test('invented samples count unless they were invented silence', async () => {
	const receiver = reporting<RTCRtpReceiver>(() => [
		{
			type: 'inbound-rtp',
			packetsReceived: 50,
			totalSamplesReceived: 1000,
			concealedSamples: 150,
			silentConcealedSamples: 50,
		},
	]);
	const numbers = await createLinkStats().read(null, [receiver]);
	expect(numbers).toMatchObject({ packetsReceived: 50, concealedRatio: 0.1 });
});

test('the round trip is that of the path in use, else the far side’s report', async () => {
	const report = { type: 'remote-inbound-rtp', roundTripTime: 0.2 };
	const pairs = [
		{ type: 'candidate-pair', nominated: false, currentRoundTripTime: 0.9 },
		{ type: 'candidate-pair', nominated: true, currentRoundTripTime: 0.05 },
	];
	expect((await createLinkStats().read(sender(1, [report, ...pairs]), [])).roundTripMs).toBe(50);
	expect((await createLinkStats().read(sender(1, [report]), [])).roundTripMs).toBe(200);
});

test('a way that is longer than the one before is not one on which packets queue', async () => {
	let pair: Entry = {
		type: 'candidate-pair',
		nominated: true,
		localCandidateId: 'a',
		currentRoundTripTime: 0.02,
	};
	const out = reporting<RTCRtpSender>(() => [pair]);
	const stats = createLinkStats();
	await stats.read(out, []);
	pair = { ...pair, localCandidateId: 'b', currentRoundTripTime: 0.3 };
	await stats.read(out, []);
	expect(stats.line().queuedMs).toBe(0);
	pair = { ...pair, currentRoundTripTime: 0.5 };
	await stats.read(out, []);
	expect(stats.line().queuedMs).toBeCloseTo(200);
});

test('the line is known by the newest report, what is missing of the voice, and the way’s longest wait', async () => {
	let report: Entry = { type: 'remote-inbound-rtp', timestamp: 1, fractionLost: 0.25 };
	let trip = 0.04;
	let came: Entry = { type: 'inbound-rtp', packetsReceived: 50, packetsLost: 0 };
	const out = reporting<RTCRtpSender>(() => [
		report,
		{ type: 'candidate-pair', nominated: true, currentRoundTripTime: trip, responsesReceived: 9 },
	]);
	const into = reporting<RTCRtpReceiver>(() => [came]);
	const stats = createLinkStats();
	expect(await stats.read(out, [into])).toMatchObject({ pathAnswers: 9 });
	expect(stats.line()).toEqual({ upLoss: 0.25, downLoss: 0, askedAgain: 0, queuedMs: 0 });
	trip = 1.04;
	came = { type: 'inbound-rtp', packetsReceived: 80, packetsLost: 20 };
	await stats.read(out, [into]);
	expect(stats.line()).toEqual({ upLoss: null, downLoss: 0.4, askedAgain: 0, queuedMs: 1000 });
	report = { ...report, timestamp: 2, fractionLost: 0 };
	await stats.read(out, [into]);
	// Hardly any packets: losses cannot be derived.
	expect(stats.line()).toMatchObject({ upLoss: 0, downLoss: null });
});

test('what had to be asked for again is told of the way on which it was more, since the last reading', async () => {
	let out = { packetsSent: 50, retransmittedPacketsSent: 0 };
	let into = { packetsReceived: 50, packetsLost: 0, nackCount: 0 };
	const far = reporting<RTCRtpSender>(() => [{ type: 'outbound-rtp', ...out }]);
	const near = reporting<RTCRtpReceiver>(() => [{ type: 'inbound-rtp', ...into }]);
	const stats = createLinkStats();
	await stats.read(far, [near]);
	expect(stats.line().askedAgain).toBe(0);
	// Everything came in the end: of 50 packets each way, 5 and 10 were retransmitted.
	out = { packetsSent: 100, retransmittedPacketsSent: 5 };
	into = { packetsReceived: 100, packetsLost: 0, nackCount: 10 };
	await stats.read(far, [near]);
	expect(stats.line().askedAgain).toBeCloseTo(0.2);
	out = { packetsSent: 200, retransmittedPacketsSent: 35 };
	await stats.read(far, [near]);
	expect(stats.line().askedAgain).toBeCloseTo(0.3);
	// Nothing is sent and little comes: nothing is known.
	into = { ...into, packetsReceived: 109, nackCount: 19 };
	await stats.read(far, [near]);
	expect(stats.line().askedAgain).toBeNull();
	// Another sender counts from zero.
	const next = reporting<RTCRtpSender>(() => [
		{ type: 'outbound-rtp', packetsSent: 20, retransmittedPacketsSent: 4 },
	]);
	await stats.read(next, [near]);
	expect(stats.line().askedAgain).toBeCloseTo(0.2);
});
