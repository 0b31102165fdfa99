import { LocalParticipant, RoomEvent } from 'livekit-client';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { commands } from 'vitest/browser';
import { measureLevel } from '#shared/sound/level.ts';
import { createStays, joinAsAgent, ME, never, soon } from '#test/support/room-stays.ts';
import type { Transport } from './transport.ts';

const CURRENT = 'v1.13.5';
const OLDER = 'v1.8.4';
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const stays = createStays();
const there = {
	[CURRENT]: await commands.livekitStart(CURRENT, 'LiveKit rooms, server v1.13.5'),
	[OLDER]: await commands.livekitStart(OLDER, 'LiveKit rooms, server v1.8.4'),
};
afterAll(() => Promise.all([commands.livekitStop(CURRENT), commands.livekitStop(OLDER)]));

/** Measures what arrives; Chromium delivers samples of a remote track only while an element plays it. */
function listenTo(track: MediaStreamTrack): () => number {
	const element = new Audio();
	element.muted = true;
	element.srcObject = new MediaStream([track]);
	void element.play();
	const context = new AudioContext();
	const analyser = context.createAnalyser();
	context.createMediaStreamSource(new MediaStream([track])).connect(analyser);
	stays.atEnd(async () => {
		element.srcObject = null;
		await context.close();
	});
	const samples = new Float32Array(analyser.fftSize);
	return () => {
		analyser.getFloatTimeDomainData(samples);
		return measureLevel(samples).rmsDb;
	};
}

async function grows(transport: Transport): Promise<void> {
	const before = (await transport.stats()).packetsSent;
	await vi.waitFor(
		async () => expect((await transport.stats()).packetsSent).toBeGreaterThan(before + 10),
		soon,
	);
}

/** Packets that leave in a second, over two seconds. */
async function rateOf(transport: Transport): Promise<number> {
	const [before, fromMs] = [(await transport.stats()).packetsSent, performance.now()];
	await pause(2000);
	const { packetsSent } = await transport.stats();
	return ((packetsSent - before) * 1000) / (performance.now() - fromMs);
}

/**
 * From now on the browser says that four packets of five are lost, both ways, and that the round trip is longer at each
 * reading. What is sent is counted as before.
 */
function narrowLine(): void {
	let readings = 0;
	let received = 0;
	const reportOf = (entries: readonly object[]) =>
		new Map(entries.map((entry, at) => [String(at), entry])) as unknown as RTCStatsReport;
	const getStats = RTCRtpSender.prototype.getStats;
	vi.spyOn(RTCRtpSender.prototype, 'getStats').mockImplementation(async function (this: RTCRtpSender) {
		const real: object[] = [];
		(await getStats.call(this)).forEach((entry) => void real.push(entry));
		readings += 1;
		// The first of a kind counts.
		return reportOf([
			{ type: 'remote-inbound-rtp', timestamp: readings, fractionLost: 0.8 },
			{ type: 'candidate-pair', nominated: true, currentRoundTripTime: readings },
			...real,
		]);
	});
	vi.spyOn(RTCRtpReceiver.prototype, 'getStats').mockImplementation(async () => {
		received += 20;
		return reportOf([{ type: 'inbound-rtp', packetsReceived: received, packetsLost: 4 * received }]);
	});
}

describe.skipIf(!there[CURRENT])('in a room of a current server', () => {
	test('the microphone is published as the service needs it: one track, no DTX, no RED, mono, not muted', async () => {
		const { room, transport } = await stays.enter(CURRENT);
		await transport.setMicrophone(stays.createTone());
		await transport.open(never());
		const present = await commands.livekitPresent(CURRENT, room);
		const me = present.find((one) => one.identity === ME);
		expect(me?.tracks).toEqual([
			{ name: 'microphone', muted: false, stereo: false, disableDtx: true, disableRed: true },
		]);
	});

	test('the microphone is on its way before anything is asked of the server, by two connections to /rtc', async () => {
		const steps: string[] = [];
		const publish = LocalParticipant.prototype.publishTrack;
		vi.spyOn(LocalParticipant.prototype, 'publishTrack').mockImplementation(function (
			this: LocalParticipant,
			...args
		) {
			steps.push('publish');
			return publish.apply(this, args);
		});
		const { transport } = await stays.enter(CURRENT);
		const { WebSocket: RealSocket, RTCPeerConnection: RealConnection } = globalThis;
		globalThis.WebSocket = class extends RealSocket {
			constructor(url: string | URL) {
				super(url);
				steps.push(new URL(url).pathname);
			}
		};
		globalThis.RTCPeerConnection = class extends RealConnection {
			constructor(configuration?: RTCConfiguration) {
				super(configuration);
				steps.push('connection');
			}
		};
		stays.atEnd(() =>
			Object.assign(globalThis, { WebSocket: RealSocket, RTCPeerConnection: RealConnection }),
		);
		await transport.setMicrophone(stays.createTone());
		await transport.open(never());
		expect(steps).toEqual(['publish', '/rtc', 'connection', 'connection']);
	});

	test('muted, packets keep flowing and nothing is heard; unmuted, it is heard again', async () => {
		const { transport, agent } = await stays.enter(CURRENT);
		const microphone = stays.createTone();
		microphone.enabled = false;
		await transport.setMicrophone(microphone);
		await transport.open(never());
		await vi.waitFor(() => expect(agent.tracks).toHaveLength(1), soon);
		const level = listenTo(agent.tracks[0] as MediaStreamTrack);
		await grows(transport);
		expect(level()).toBeLessThan(-80);
		microphone.enabled = true;
		await vi.waitFor(() => expect(level()).toBeGreaterThan(-20), soon);
		microphone.enabled = false;
		await vi.waitFor(() => expect(level()).toBeLessThan(-80), soon);
		await grows(transport);
	});

	test.each([
		['a tone', () => stays.createTone()],
		['silence', () => null],
		['nothing', () => undefined],
	])('of %s, the path says by its own checks that it lives', async (_what, source) => {
		const { transport } = await stays.converse(CURRENT);
		await transport.setMicrophone(source());
		const answers = async () => (await transport.stats()).pathAnswers ?? 0;
		await vi.waitFor(async () => expect(await answers()).toBeGreaterThan(0), soon);
		const before = await answers();
		await vi.waitFor(async () => expect(await answers()).toBeGreaterThan(before), soon);
	});

	test('of nothing, not one packet leaves for who sees the same track; the next sound is heard at once, as after a new connection', async () => {
		const { room, transport, agent, libraryRoom } = await stays.converse(CURRENT);
		await vi.waitFor(() => expect(agent.tracks).toHaveLength(1), soon);
		const [arriving] = agent.tracks as [MediaStreamTrack];
		const level = listenTo(arriving);
		await vi.waitFor(() => expect(level()).toBeGreaterThan(-20), soon);

		expect(await transport.setMicrophone(undefined)).toEqual({ ok: true });
		const answers = () => transport.stats();
		await vi.waitFor(() => expect(level()).toBeLessThan(-80), soon);
		const before = (await answers()).packetsSent;
		expect(before).toBeGreaterThan(0);
		// As long as ten packets; meanwhile the path's own checks still tell the round trip.
		await pause(1000);
		expect(await answers()).toMatchObject({ packetsSent: before, roundTripMs: expect.any(Number) });
		const present = await commands.livekitPresent(CURRENT, room);
		expect(present.find((one) => one.identity === ME)?.tracks).toMatchObject([
			{ name: 'microphone', muted: false },
		]);

		expect(await transport.setMicrophone(stays.createTone())).toEqual({ ok: true });
		await vi.waitFor(() => expect(level()).toBeGreaterThan(-20), soon);
		await grows(transport);
		// No new publication was needed.
		expect(agent.tracks).toHaveLength(1);

		await transport.setMicrophone(undefined);
		const paused = (await answers()).packetsSent;
		await libraryRoom().simulateScenario('full-reconnect');
		await vi.waitFor(() => expect(agent.tracks).toHaveLength(2), soon);
		expect((await answers()).packetsSent).toBe(paused);
		await transport.setMicrophone(stays.createTone());
		const again = listenTo(agent.tracks.at(-1) as MediaStreamTrack);
		await vi.waitFor(() => expect(again()).toBeGreaterThan(-20), soon);
	}, 30_000);

	test('who else speaks in the room is heard between the agent, rubbish is counted, and we do not hear ourselves', async () => {
		const libraryRoom = stays.watchRoom();
		const { room, transport, agent, events } = await stays.enter(CURRENT);
		const [far, { publisher }] = await Promise.all([
			commands.livekitAccess(CURRENT, { room: `${room}-other`, identity: 'unused' }),
			commands.livekitAccess(CURRENT, { room, identity: 'somebody_else' }),
		]);
		const other = await joinAsAgent({ webrtcUrl: far.webrtcUrl, publisher });
		stays.atEnd(() => other.close());
		await transport.open(never());
		const final = (id: string) => ({
			message_type: 'validated_transcription',
			data: { transcription: { transcription_id: id, language: 'en', text: `said ${id}`, segments: [] } },
		});
		await agent.say(final('a1'));
		await other.say({ message_type: 'chat', data: { text: 'not a caption' } });
		await other.say(final('b1'));
		await other.say([1, 2]);
		await agent.say(final('a2'));
		const names = () =>
			events.flatMap((event) => {
				if (event.type !== 'message') return [];
				const { message } = event;
				return message.type === 'transcript'
					? message.transcriptionId
					: message.type === 'unknown'
						? message.name
						: [];
			});
		await vi.waitFor(
			() => expect(names().sort()).toEqual(['(not-an-object)', 'a1', 'a2', 'b1', 'chat']),
			soon,
		);
		// No server sends us our own data; if one began to, it would not be meant for us.
		const ours = libraryRoom();
		const packet = new TextEncoder().encode(JSON.stringify(final('mine')));
		ours.emit(RoomEvent.DataReceived, packet, ours.localParticipant as never);
		await agent.say(final('a3'));
		await vi.waitFor(() => expect(names()).toContain('a3'), soon);
		expect(names()).not.toContain('mine');
	});

	test('makes its way anew at once when the system has another network, with the same voices', async () => {
		const { transport, events } = await stays.converse(CURRENT);
		events.length = 0;

		window.dispatchEvent(new Event('online'));

		const links = () => events.flatMap((event) => (event.type === 'link' ? [event.link.state] : []));
		await vi.waitFor(() => expect(links()).toEqual(['restoring', 'up']), soon);
		expect(events.filter((event) => event.type !== 'link')).toEqual([]);
		await grows(transport);
	});

	test('a full reconnect sends the microphone of now, muted if muted, and the voices come back', async () => {
		const libraryRoom = stays.watchRoom();
		const { transport, agent, events } = await stays.enter(CURRENT);
		await transport.open(never());
		await agent.speak('translation_es');
		await vi.waitFor(() => expect(events.some((event) => event.type === 'voice')).toBe(true), soon);
		const microphone = stays.createTone();
		microphone.enabled = false;
		await transport.setMicrophone(microphone);
		const before = (await transport.stats()).packetsSent;
		events.length = 0;

		await libraryRoom().simulateScenario('full-reconnect');

		await vi.waitFor(() => {
			expect(events.filter((event) => event.type === 'link').map((event) => event.link.state)).toEqual([
				'restoring',
				'up',
			]);
			expect(events.filter((event) => event.type === 'voice')).toHaveLength(1);
			expect(events.filter((event) => event.type === 'voice-gone')).toHaveLength(1);
		}, soon);
		expect(microphone.enabled).toBe(false);
		await vi.waitFor(
			async () => expect((await transport.stats()).packetsSent).toBeGreaterThan(before + 10),
			soon,
		);
		microphone.enabled = true;
		// The track of now may come to the agent a moment after it is sent.
		const levels = new Map<MediaStreamTrack, () => number>();
		await vi.waitFor(() => {
			const track = agent.tracks.at(-1) as MediaStreamTrack;
			const level = levels.get(track) ?? listenTo(track);
			levels.set(track, level);
			expect(level()).toBeGreaterThan(-20);
		}, soon);
	}, 30_000);

	test('two tracks of one language are one voice, and losing one leaves the other', async () => {
		const { transport, agent, events } = await stays.enter(CURRENT);
		await transport.open(never());
		const voices = () => events.filter((event) => event.type === 'voice' || event.type === 'voice-gone');
		await agent.speak('translation_es');
		await vi.waitFor(() => expect(voices()).toHaveLength(1), soon);
		const endSecond = await agent.speak('translation_es');
		await vi.waitFor(() => expect(voices()).toHaveLength(2), soon);
		await agent.speak('something_else');
		await endSecond();
		await vi.waitFor(() => expect(voices()).toHaveLength(3), soon);
		expect(voices().map((event) => event.type)).toEqual(['voice', 'voice', 'voice']);
		expect(voices()[2]).toEqual(voices()[0]);
	});

	test('commands go reliably and without a topic', async () => {
		const { transport, agent } = await stays.enter(CURRENT);
		await transport.open(never());
		await transport.send({ message_type: 'pause_task', data: {} });
		await vi.waitFor(() => {
			expect(agent.heard).toEqual([
				{ text: '{"message_type":"pause_task","data":{}}', reliable: true, topic: undefined },
			]);
		}, soon);
	});
});

describe.skipIf(!there[OLDER])('in a room of the generation the service runs', () => {
	test('media and commands still flow after 21 s, with no reconnect (the version pin)', async () => {
		const { transport, agent, events } = await stays.enter(OLDER);
		await transport.setMicrophone(stays.createTone());
		await transport.open(never());
		let before = 0;
		for (let second = 0; second < 21; second += 3) {
			await pause(3000);
			const sent = (await transport.stats()).packetsSent;
			// Out of 150: a busy machine may make fewer, which does not matter here.
			expect(sent - before).toBeGreaterThan(75);
			before = sent;
			expect(await transport.send({ message_type: 'get_task', data: {} })).toBe(true);
		}
		await vi.waitFor(() => expect(agent.heard).toHaveLength(7), soon);
		expect(events).toEqual([]);
	}, 60_000);

	test('while nearly everything is lost no voice is asked for, nor one that comes later, and only finished texts are', async () => {
		const { transport, agent, libraryRoom } = await stays.converse(OLDER);
		const asked = () =>
			[...libraryRoom().remoteParticipants.values()].flatMap((one) =>
				[...one.trackPublications.values()].map((publication) => publication.isEnabled),
			);
		expect(asked()).toEqual([true]);
		narrowLine();
		await vi.waitFor(
			async () => expect(await transport.stats()).toMatchObject({ holdsVoice: true, onlyFinals: true }),
			soon,
		);
		expect(asked()).toEqual([false]);
		await agent.speak('translation_fr');
		await vi.waitFor(() => expect(asked()).toEqual([false, false]), soon);
	}, 30_000);

	test('while nearly everything is lost speech leaves in few packets, also once the library has joined anew', async () => {
		const { transport, events, libraryRoom } = await stays.converse(OLDER);
		const slowsDown = () =>
			vi.waitFor(async () => {
				const rate = await rateOf(transport);
				// 120 ms each.
				expect(rate).toBeLessThan(15);
				expect(rate).toBeGreaterThan(2);
			}, soon);
		narrowLine();
		await slowsDown();
		events.length = 0;
		await libraryRoom().simulateScenario('full-reconnect');
		const links = () => events.flatMap((event) => (event.type === 'link' ? [event.link.state] : []));
		await vi.waitFor(() => expect(links()).toEqual(['restoring', 'up']), soon);
		await grows(transport);
		await slowsDown();
	}, 60_000);
});

for (const server of [CURRENT, OLDER] as const) {
	test.skipIf(!there[server])(
		`a room of ${server} leaves it to the server whom we hear, and makes no AudioContext`,
		async () => {
			const libraryRoom = stays.watchRoom();
			const { transport, agent, events } = await stays.enter(server);
			const { AudioContext: Real } = globalThis;
			const contexts = vi.fn();
			globalThis.AudioContext = class extends Real {
				constructor(options?: AudioContextOptions) {
					super(options);
					contexts();
				}
			};
			stays.atEnd(() => Object.assign(globalThis, { AudioContext: Real }));
			await transport.open(never());
			// The library would make one, which holds up the page while the room is being joined.
			expect(contexts).not.toHaveBeenCalled();
			await agent.speak('translation_es');
			await vi.waitFor(() => expect(events.some((event) => event.type === 'voice')).toBe(true), soon);
			expect(libraryRoom().engine.client.connectOptions?.autoSubscribe).toBe(true);
			await vi.waitFor(
				async () => expect((await transport.stats()).packetsReceived).toBeGreaterThan(5),
				soon,
			);
		},
	);
}
