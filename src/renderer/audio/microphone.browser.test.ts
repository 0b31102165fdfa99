import { afterEach, describe, expect, test, vi } from 'vitest';
import { silentLogger } from '#shared/lib/log.ts';
import { createFakeMedia, type FakeDevice } from '#test/support/fake-media.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import type { CaptureWish } from './capture.ts';
import { createAudioEngine } from './context.ts';
import { createDevices } from './devices.ts';
import { createMicrophone, type MicrophoneEvent } from './microphone.ts';

const laptop: FakeDevice = { kind: 'audioinput', id: 'l1', label: 'Laptop' };
const headset: FakeDevice = { kind: 'audioinput', id: 'h1', label: 'Headset' };
const plain: CaptureWish = {
	microphone: null,
	echoCancellation: true,
	noiseSuppression: false,
	autoGainControl: true,
};
const wantHeadset = { ...plain, microphone: { id: 'h1', label: 'Headset' } };

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
	for (const end of ends.splice(0)) await end();
});

async function setUp(devices: readonly FakeDevice[] = [laptop, headset], first: CaptureWish = plain) {
	const clock = createManualClock();
	const media = createFakeMedia(devices);
	const list = createDevices({ media, clock });
	const engine = createAudioEngine({ clock, log: silentLogger });
	let wish = first;
	const parts = { media, devices: list, engine, clock, log: silentLogger, wish: () => wish };
	const microphone = createMicrophone(parts);
	const events: MicrophoneEvent[] = [];
	microphone.listen((event) => events.push(event));
	ends.push(async () => {
		microphone.close();
		list.close();
		await engine.close();
		await media.close();
	});
	await list.refresh();
	return {
		clock,
		media,
		microphone,
		events,
		setWish: (next: CaptureWish) => {
			wish = next;
		},
	};
}

async function opened(...args: Parameters<typeof setUp>) {
	const rig = await setUp(...args);
	const result = await rig.microphone.open();
	if (!result.ok) throw new Error(result.error.kind);
	return { ...rig, track: result.value };
}

describe('opening the microphone', () => {
	test('asks for what the settings say, in mono, and never for voice isolation', async () => {
		const { media, microphone } = await opened([laptop, headset], wantHeadset);
		expect(media.asked).toEqual([
			{
				deviceId: { exact: 'h1' },
				echoCancellation: true,
				noiseSuppression: false,
				autoGainControl: true,
				channelCount: 1,
				voiceIsolation: false,
			},
		]);
		expect(microphone.device).toBe('Headset');
	});

	test('asks for no device when the default is wished', async () => {
		const { media, microphone } = await opened();
		expect(media.asked[0]).not.toHaveProperty('deviceId');
		expect(microphone.device).toBe('Laptop');
	});

	test('finds the device by its name when ids have changed', async () => {
		const { microphone } = await opened([laptop, { ...headset, id: 'h2' }], wantHeadset);
		expect(microphone.device).toBe('Headset');
	});

	test('takes the default when the wished one is not there', async () => {
		const { microphone } = await opened([laptop], wantHeadset);
		expect(microphone.device).toBe('Laptop');
	});

	test('opened twice is one microphone', async () => {
		const { microphone, track, media } = await opened();
		expect(await microphone.open()).toEqual({ ok: true, value: track });
		expect(media.asked).toHaveLength(1);
	});

	test.each([
		['NotAllowedError', { kind: 'microphone-denied' }],
		['SecurityError', { kind: 'microphone-denied' }],
		['NotFoundError', { kind: 'microphone-missing' }],
		['TypeError', { kind: 'microphone-failed', device: 'Laptop', reason: 'TypeError' }],
	])('says what is wrong: %s', async (name, problem) => {
		const { media, microphone } = await setUp();
		media.fail(name);
		expect(await microphone.open()).toEqual({ ok: false, error: problem });
		expect(await microphone.open()).toMatchObject({ ok: true });
	});

	test('asks a busy one twice more, 300 ms apart, then says so', async () => {
		const { media, microphone, clock } = await setUp();
		media.fail('NotReadableError', 'NotReadableError', 'NotReadableError');
		const opening = microphone.open();
		await clock.run(299);
		expect(media.asked).toHaveLength(1);
		await clock.run(1);
		expect(media.asked).toHaveLength(2);
		await clock.run(300);
		expect(await opening).toEqual({ ok: false, error: { kind: 'microphone-busy', device: 'Laptop' } });
	});

	test('a busy one that is free at the second asking is taken', async () => {
		const { media, microphone, clock } = await setUp();
		media.fail('NotReadableError');
		const opening = microphone.open();
		await clock.run(300);
		expect(await opening).toMatchObject({ ok: true });
	});

	test('closed while the user is being asked: cancelled at once, and what comes later is switched off', async () => {
		const { media, microphone } = await setUp();
		media.fail('hold');
		const opening = microphone.open();
		microphone.close();
		expect(await opening).toEqual({ ok: false, error: { kind: 'cancelled' } });
		media.release();
		await vi.waitFor(() => expect(media.tracks).toHaveLength(1));
		expect(media.live()).toBe(0);
	});

	test('a question that is never answered ends after a minute', async () => {
		const { media, microphone, clock } = await setUp();
		media.fail('hold');
		const opening = microphone.open();
		await clock.run(60_000);
		expect(await opening).toEqual({
			ok: false,
			error: { kind: 'timed-out', what: 'microphone', afterMs: 60_000 },
		});
	});
});

describe('mute', () => {
	test('disables the track without ending it, and holds for whatever is opened later', async () => {
		const { microphone, track, media } = await opened();
		microphone.setMuted(true);
		expect([track.enabled, track.readyState]).toEqual([false, 'live']);
		media.plug([headset]);
		await vi.waitFor(() => expect(microphone.device).toBe('Headset'));
		expect(media.tracks.at(-1)?.enabled).toBe(false);
		microphone.close();
		const again = await microphone.open();
		expect(again.ok && again.value.enabled).toBe(false);
		microphone.setMuted(false);
		expect(again.ok && again.value.enabled).toBe(true);
	});
});

describe('closing', () => {
	test('ends every track, copies too, before it returns', async () => {
		const copies: MediaStreamTrack[] = [];
		const clone = MediaStreamTrack.prototype.clone;
		vi.spyOn(MediaStreamTrack.prototype, 'clone').mockImplementation(function (this: MediaStreamTrack) {
			const copy = clone.call(this);
			copies.push(copy);
			return copy;
		});
		const { microphone, media, clock } = await opened();
		microphone.close();
		expect(media.live()).toBe(0);
		expect(copies.map((copy) => copy.readyState)).toEqual(['ended']);
		expect(clock.pending).toBe(0);
		expect(microphone.device).toBe('');
		vi.restoreAllMocks();
	});
});

describe('devices that come and go', () => {
	test('goes over to the default when the one in use is unplugged, and back when it returns', async () => {
		const { microphone, media, events, clock, track } = await opened([laptop, headset], wantHeadset);
		media.plug([laptop]);
		await clock.run(1000);
		const standIn = media.tracks.at(-1);
		expect(events).toEqual([{ type: 'replaced', track: standIn, from: 'Headset', to: 'Laptop' }]);
		expect(track.readyState).toBe('ended');
		media.plug([laptop, headset]);
		await clock.run(1000);
		expect(events.slice(1)).toEqual([
			{ type: 'replaced', track: media.tracks.at(-1), from: 'Laptop', to: 'Headset' },
		]);
		expect(microphone.device).toBe('Headset');
		expect(media.live()).toBe(1);
	});

	test('says that it is lost when nothing is left, and takes the next one that comes', async () => {
		const { media, events, clock, microphone } = await opened([laptop]);
		media.plug([]);
		await clock.run(1000);
		expect(events).toEqual([{ type: 'lost', problem: { kind: 'microphone-missing' } }]);
		media.plug([headset]);
		await clock.run(1000);
		expect(events.at(-1)).toMatchObject({ type: 'replaced', to: 'Headset' });
		expect(microphone.device).toBe('Headset');
	});

	test('follows a new default only if the default is wished', async () => {
		const followed = await opened([laptop, headset]);
		followed.media.plug([headset, laptop]);
		await followed.clock.run(1000);
		expect(followed.events).toMatchObject([{ type: 'replaced', from: 'Laptop', to: 'Headset' }]);

		const kept = await opened([laptop, headset], { ...plain, microphone: { id: 'l1', label: 'Laptop' } });
		kept.media.plug([headset, laptop]);
		await kept.clock.run(1000);
		expect(kept.events).toEqual([]);
	});

	test('thirty changes in a second open at most one other microphone', async () => {
		const { media, clock, events } = await opened([laptop, headset], wantHeadset);
		for (let change = 0; change < 30; change += 1) {
			media.plug(change % 2 === 0 ? [laptop] : [laptop, headset]);
			await clock.run(33);
		}
		await clock.run(1000);
		expect(media.live()).toBe(1);
		expect(events.length).toBeLessThanOrEqual(3);
		expect(events.at(-1)).toMatchObject({ type: 'replaced', to: 'Headset' });
	});

	test('goes over to what the settings wish when told that they changed', async () => {
		const { microphone, events, setWish, media } = await opened();
		setWish(wantHeadset);
		await microphone.apply();
		expect(events).toMatchObject([{ type: 'replaced', from: 'Laptop', to: 'Headset' }]);
		expect(media.live()).toBe(1);
	});

	test('a wished device that fails leaves the one in use alone', async () => {
		const { microphone, events, setWish, media, track } = await opened();
		setWish(wantHeadset);
		media.fail('NotAllowedError');
		await microphone.apply();
		expect(events).toEqual([]);
		expect(track.readyState).toBe('live');
	});
});

describe('what it hears', () => {
	const tick = 40;

	test('nothing for 8 s although unmuted: says so once, with the device named', async () => {
		const { events, clock } = await opened();
		await clock.run(7900);
		expect(events).toEqual([]);
		await clock.run(20_000);
		expect(events).toEqual([{ type: 'silent', device: 'Laptop' }]);
	});

	test('muted or heard, it is not called silent', async () => {
		const { events, clock, microphone, media } = await opened();
		microphone.setMuted(true);
		await clock.run(20_000);
		expect(events).toEqual([]);
		microphone.setMuted(false);
		media.setLoudness(0.3);
		await vi.waitFor(
			async () => {
				await new Promise(requestAnimationFrame);
				await clock.run(tick);
				expect(clock.now()).toBeGreaterThan(30_000);
			},
			{ timeout: 20_000, interval: 1 },
		);
		expect(events).toEqual([]);
	}, 30_000);

	test('speech while muted is noticed, once in a while, although nothing of it is sent', async () => {
		const { events, clock, microphone, media, track } = await opened();
		microphone.setMuted(true);
		media.setLoudness(0.5);
		await vi.waitFor(
			async () => {
				await clock.run(tick);
				expect(events).toEqual([{ type: 'speaking-while-muted' }]);
			},
			{ timeout: 5000, interval: 20 },
		);
		expect(track.enabled).toBe(false);
		await clock.run(5000);
		expect(events).toHaveLength(1);
		await clock.run(20_000);
		expect(events).toHaveLength(2);
	});
});
