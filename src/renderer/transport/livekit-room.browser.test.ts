import { Room } from 'livekit-client';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { commands } from 'vitest/browser';
import { createAudioEngine } from '#renderer/audio/context.ts';
import { createDevices } from '#renderer/audio/devices.ts';
import { createMicrophone } from '#renderer/audio/microphone.ts';
import { createMixer } from '#renderer/audio/mixer.ts';
import { systemClock } from '#renderer/system-clock.ts';
import { measureLevel } from '#shared/audio/level.ts';
import { silentLogger } from '#shared/lib/log.ts';
import type { LivekitVersion } from '#test/support/livekit-server.ts';
import { countResources } from '#test/support/resource-count.ts';
import { joinAsAgent } from '#test/support/room-agent.ts';
import { createLivekitTransport } from './livekit-transport.ts';
import type { Transport, TransportEvent } from './transport.ts';

const CURRENT = 'v1.13.5';
const OLDER = 'v1.8.4';
const ME = 'me';
const never = () => new AbortController().signal;
const soon = { timeout: 10_000, interval: 20 };
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const there = {
	[CURRENT]: await commands.livekitStart(CURRENT, 'LiveKit rooms, server v1.13.5'),
	[OLDER]: await commands.livekitStart(OLDER, 'LiveKit rooms, server v1.8.4'),
};
afterAll(() => Promise.all([commands.livekitStop(CURRENT), commands.livekitStop(OLDER)]));

const ends: (() => unknown)[] = [];
afterEach(async () => {
	for (const end of ends.splice(0).reverse()) await end();
	vi.restoreAllMocks();
});

let rooms = 0;
async function enter(server: LivekitVersion) {
	rooms += 1;
	const room = `stay-${server}-${rooms}`;
	const grant = await commands.livekitAccess(server, { room, identity: ME });
	const far = await commands.livekitAccess(server, { room: `${room}-far`, identity: 'unused' });
	const { publisher } = await commands.livekitAccess(server, { room, identity: 'palabra_translator_1' });
	const agent = await joinAsAgent({ webrtcUrl: far.webrtcUrl, publisher });
	ends.push(() => agent.close());
	const transport = createLivekitTransport({ grant, clock: systemClock, log: silentLogger });
	ends.push(() => transport.close());
	const events: TransportEvent[] = [];
	transport.listen((event) => events.push(event));
	return { room, grant, agent, transport, events };
}

/** A tone as a microphone, so that silence and sound can be told apart at the far side. */
function createTone(): MediaStreamTrack {
	const context = new AudioContext();
	const tone = context.createOscillator();
	const sink = context.createMediaStreamDestination();
	tone.connect(sink);
	tone.start();
	ends.push(() => context.close());
	const [track] = sink.stream.getAudioTracks();
	if (!track) throw new Error('no track');
	return track;
}

/** Measures what arrives; Chromium gives samples of a remote track only while an element plays it. */
function listenTo(track: MediaStreamTrack): () => number {
	const element = new Audio();
	element.muted = true;
	element.srcObject = new MediaStream([track]);
	void element.play();
	const context = new AudioContext();
	const analyser = context.createAnalyser();
	context.createMediaStreamSource(new MediaStream([track])).connect(analyser);
	ends.push(async () => {
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

describe.skipIf(!there[CURRENT])('in a room of a current server', () => {
	test('the microphone is published as the service needs it: one track, no DTX, no RED, mono, not muted', async () => {
		const { room, transport } = await enter(CURRENT);
		await transport.setMicrophone(createTone());
		await transport.open(never());
		const present = await commands.livekitPresent(CURRENT, room);
		const me = present.find((one) => one.identity === ME);
		expect(me?.tracks).toEqual([
			{ name: 'microphone', muted: false, stereo: false, disableDtx: true, disableRed: true },
		]);
	});

	test('muted, packets keep flowing and nothing is heard; unmuted, it is heard again', async () => {
		const { transport, agent } = await enter(CURRENT);
		const microphone = createTone();
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

	test('a full reconnect sends the microphone of now, muted if muted, and the voices come back', async () => {
		const on = vi.spyOn(Room.prototype, 'on');
		const { transport, agent, events } = await enter(CURRENT);
		const agentRoom = on.mock.contexts[0];
		await transport.open(never());
		const room = on.mock.contexts.find((one) => one !== agentRoom) as Room;
		await agent.speak('translation_es');
		await vi.waitFor(() => expect(events.some((event) => event.type === 'voice')).toBe(true), soon);
		const microphone = createTone();
		microphone.enabled = false;
		await transport.setMicrophone(microphone);
		const before = (await transport.stats()).packetsSent;
		events.length = 0;

		await room.simulateScenario('full-reconnect');

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
		const arriving = listenTo(agent.tracks.at(-1) as MediaStreamTrack);
		microphone.enabled = true;
		await vi.waitFor(() => expect(arriving()).toBeGreaterThan(-20), soon);
	}, 30_000);

	test('two tracks of one language are one voice, and losing one leaves the other', async () => {
		const { transport, agent, events } = await enter(CURRENT);
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
		const { transport, agent } = await enter(CURRENT);
		await transport.open(never());
		await transport.send({ message_type: 'pause_task', data: {} });
		await vi.waitFor(() => {
			expect(agent.heard).toEqual([
				{ text: '{"message_type":"pause_task","data":{}}', reliable: true, topic: undefined },
			]);
		}, soon);
	});

	test.each([
		['removed from the room', { remove: ME }, { kind: 'session-lost', cause: 'participant-removed' }],
		['room deleted', 'delete', { kind: 'session-lost', cause: 'room-deleted' }],
	] as const)('%s: says so', async (_what, done, problem) => {
		const { room, transport, events } = await enter(CURRENT);
		await transport.open(never());
		await commands.livekitRoom(CURRENT, room, done);
		await vi.waitFor(
			() => expect(events.at(-1)).toEqual({ type: 'link', link: { state: 'down', problem } }),
			soon,
		);
	});

	test('somebody joins in our name: says so', async () => {
		const { grant, transport, events } = await enter(CURRENT);
		await transport.open(never());
		const other = createLivekitTransport({ grant, clock: systemClock, log: silentLogger });
		ends.push(() => other.close());
		await other.open(never());
		await vi.waitFor(() => {
			expect(events.at(-1)).toEqual({
				type: 'link',
				link: { state: 'down', problem: { kind: 'opened-elsewhere' } },
			});
		}, soon);
	});

	test('a token that is no token, and one that may not publish, are refused with the reason', async () => {
		const { grant, room } = await enter(CURRENT);
		const parts = { clock: systemClock, log: silentLogger };
		const nonsense = createLivekitTransport({ ...parts, grant: { ...grant, publisher: 'nonsense' } });
		expect(await nonsense.open(never())).toEqual({
			ok: false,
			error: { kind: 'room-refused', reason: 'not-allowed-401' },
		});
		const listener = await commands.livekitAccess(CURRENT, { room, identity: 'listener', canPublish: false });
		const mute = createLivekitTransport({ ...parts, grant: listener });
		expect(await mute.open(never())).toEqual({
			ok: false,
			error: { kind: 'room-refused', reason: 'publishing-not-allowed' },
		});
		expect((await commands.livekitPresent(CURRENT, room)).map((one) => one.identity)).not.toContain(
			'listener',
		);
	});

	test('a server that never answers is given up after 15 s', async () => {
		const { room, transport } = await enter(CURRENT);
		await commands.livekitLine(room, 'stall');
		const before = performance.now();
		const opened = await transport.open(never());
		expect(opened).toMatchObject({ ok: false, error: { kind: 'room-unreachable' } });
		expect(performance.now() - before).toBeLessThan(17_000);
	}, 30_000);

	test('a server that knows no rooms is asked twice, not for ever', async () => {
		const { room, transport } = await enter(CURRENT);
		const before = await commands.livekitLine(room, 'not-found');
		expect(await transport.open(never())).toEqual({
			ok: false,
			error: { kind: 'room-unreachable', reason: 'not-a-room-server' },
		});
		// Each asking is a socket and, when that is refused, a question by HTTP why.
		expect((await commands.livekitLine(room, 'pass')) - before).toBeLessThanOrEqual(6);
	});

	test('no line of the library with a token or an address in it reaches the console', async () => {
		const said = (['log', 'info', 'warn', 'error', 'debug', 'trace'] as const).map((name) =>
			vi.spyOn(console, name),
		);
		const { transport, grant, room } = await enter(CURRENT);
		await transport.open(never());
		await commands.livekitLine(room, 'cut');
		await pause(200);
		await transport.close();
		const lines = said.flatMap((spy) => spy.mock.calls.map((call) => JSON.stringify(call)));
		expect(lines.filter((line) => line.includes(grant.publisher) || line.includes('access_token'))).toEqual(
			[],
		);
	});
});

describe.skipIf(!there[OLDER])('in a room of the generation the service runs', () => {
	test('media and commands still flow after 21 s, with no reconnect (the version pin)', async () => {
		const { transport, agent, events } = await enter(OLDER);
		await transport.setMicrophone(createTone());
		await transport.open(never());
		for (let second = 0; second < 21; second += 3) {
			await pause(3000);
			const sent = (await transport.stats()).packetsSent;
			expect(sent).toBeGreaterThan((second + 2) * 45);
			expect(await transport.send({ message_type: 'get_task', data: {} })).toBe(true);
		}
		await vi.waitFor(() => expect(agent.heard).toHaveLength(7), soon);
		expect(events).toEqual([]);
	}, 60_000);
});

describe.skipIf(!there[CURRENT])('fifty starts and stops', () => {
	test('leave no context, connection, track, element or room behind', async () => {
		const { grant, agent } = await enter(CURRENT);
		await agent.speak('translation_es');
		const count = countResources();
		ends.push(count.restore);
		const on = Room.prototype.on;
		Room.prototype.on = function (this: Room, ...args: Parameters<typeof on>) {
			count.follow(this);
			return on.apply(this, args);
		} as typeof on;
		ends.push(() => {
			Room.prototype.on = on;
		});
		const parts = { clock: systemClock, log: silentLogger };
		const devices = createDevices({ media: navigator.mediaDevices, clock: systemClock });
		const engine = createAudioEngine(parts);
		const wish = { microphone: null, echoCancellation: true, noiseSuppression: true, autoGainControl: true };
		const microphone = createMicrophone({
			...parts,
			media: navigator.mediaDevices,
			devices,
			engine,
			wish: () => wish,
		});
		const mixer = createMixer({ ...parts, engine, devices });
		mixer.setOriginalVolume(0.1);
		ends.push(() => devices.close());

		for (let round = 0; round < 50; round += 1) {
			const opened = await microphone.open();
			if (!opened.ok) throw new Error(opened.error.kind);
			const transport = createLivekitTransport({ ...parts, grant });
			const heard = new Promise<void>((resolve) => {
				transport.listen((event) => {
					if (event.type !== 'voice') return;
					mixer.setVoice(event.language, event.track);
					resolve();
				});
			});
			mixer.selectVoice('es');
			mixer.setOriginal(opened.value);
			await transport.setMicrophone(opened.value);
			// Every fifth is stopped half way.
			const opening = transport.open(never());
			if (round % 5 === 4) void transport.close();
			else {
				expect(await opening).toEqual({ ok: true });
				await heard;
				if (round % 5 === 0) await transport.setMicrophone(null);
			}
			await opening;
			await transport.close();
			microphone.close();
			mixer.clear();
		}

		await vi.waitFor(() => {
			expect({
				contexts: count.contexts(),
				connections: count.connections(),
				tracks: count.tracks(),
				elements: count.elements(),
			}).toEqual({ contexts: 0, connections: 0, tracks: 0, elements: 0 });
		}, soon);
		await vi.waitFor(
			async () => {
				await commands.collectGarbage();
				expect(count.followed()).toBeLessThanOrEqual(1);
			},
			{ timeout: 30_000, interval: 1000 },
		);
	}, 180_000);
});
