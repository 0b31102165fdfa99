import { Room } from 'livekit-client';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { commands } from 'vitest/browser';
import { createAudioEngine } from '#renderer/sound/context.ts';
import { createDevices } from '#renderer/sound/device-list.ts';
import { createMicrophone } from '#renderer/sound/microphone.ts';
import { createMixer } from '#renderer/sound/mixer.ts';
import { systemClock } from '#renderer/system-clock.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { countResources } from '#test/support/resource-count.ts';
import { createStays, never, soon } from '#test/support/room-stays.ts';
import { createLivekitTransport } from './livekit-transport.ts';

const CURRENT = 'v1.13.5';
const stays = createStays();
const there = await commands.livekitStart(CURRENT, 'fifty starts and stops over LiveKit');
afterAll(() => commands.livekitStop(CURRENT));

/** Tracks sockets made from now on, and counts those that were not released. */
function followSockets() {
	const RealSocket = globalThis.WebSocket;
	const made: WeakRef<WebSocket>[] = [];
	globalThis.WebSocket = class extends RealSocket {
		constructor(address: string | URL, protocols?: string | string[]) {
			super(address, protocols);
			made.push(new WeakRef(this));
		}
	};
	return {
		kept: () => made.filter((socket) => socket.deref() !== undefined).length,
		restore() {
			globalThis.WebSocket = RealSocket;
		},
	};
}

/** Follows every room from now on, each kept by nobody once it has been left. */
function followRooms(follow: (room: Room) => void): void {
	const on = Room.prototype.on;
	Room.prototype.on = function (this: Room, ...args: Parameters<typeof on>) {
		follow(this);
		return on.apply(this, args);
	} as typeof on;
	stays.atEnd(() => {
		Room.prototype.on = on;
	});
}

describe.skipIf(!there)('fifty starts and stops', () => {
	test('leave no context, connection, track, element, room or socket behind', async () => {
		const { grant, agent } = await stays.enter(CURRENT);
		await agent.speak('translation_es');
		const count = countResources();
		stays.atEnd(count.restore);
		followRooms(count.follow);
		const sockets = followSockets();
		stays.atEnd(sockets.restore);
		const parts = { clock: systemClock, log: silentLogger };
		const devices = createDevices({ media: navigator.mediaDevices, clock: systemClock });
		const engine = createAudioEngine(parts);
		const settings = {
			microphone: null,
			echoCancellation: true,
			noiseSuppression: true,
			autoGainControl: true,
		};
		const microphone = createMicrophone({
			...parts,
			media: navigator.mediaDevices,
			devices,
			engine,
			captureSettings: () => settings,
		});
		const mixer = createMixer({ ...parts, engine, devices });
		mixer.setOriginalVolume(0.1);
		stays.atEnd(() => devices.close());

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
				expect(sockets.kept()).toBeLessThanOrEqual(1);
			},
			{ timeout: 30_000, interval: 1000 },
		);
	}, 180_000);
});

test.skipIf(!there)(
	'a context that still has the voice keeps no room that was left',
	async () => {
		const { grant, agent } = await stays.enter(CURRENT);
		await agent.speak('translation_es');
		const count = countResources();
		stays.atEnd(count.restore);
		followRooms(count.follow);
		const context = new AudioContext();
		stays.atEnd(() => context.close());
		const sources: AudioNode[] = [];
		for (let round = 0; round < 5; round += 1) {
			const transport = createLivekitTransport({ clock: systemClock, log: silentLogger, grant });
			const heard = new Promise<void>((resolve) => {
				transport.listen((event) => {
					if (event.type !== 'voice') return;
					sources.push(context.createMediaStreamSource(new MediaStream([event.track])));
					resolve();
				});
			});
			expect(await transport.open(never())).toEqual({ ok: true });
			await heard;
			await transport.close();
		}
		await vi.waitFor(
			async () => {
				await commands.collectGarbage();
				// The last one may be held by the engine's own clean-up.
				expect(count.followed()).toBeLessThanOrEqual(1);
			},
			{ timeout: 30_000, interval: 1000 },
		);
		expect(sources).toHaveLength(5);
	},
	60_000,
);
