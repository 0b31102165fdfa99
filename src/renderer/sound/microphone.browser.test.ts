import { afterEach, describe, expect, test, vi } from 'vitest';
import type { FakeDevice } from '#test/support/fake-media.ts';
import {
	createMicrophoneRig,
	endMicrophones,
	headset,
	laptop,
	openedMicrophone,
	plain,
	wantHeadset,
} from '#test/support/microphone-rig.ts';

afterEach(endMicrophones);

const desk: FakeDevice = { kind: 'audioinput', id: 'd1', label: 'Desk' };
const wantDesk = { ...plain, microphone: { id: 'd1', label: 'Desk' } };

describe('opening the microphone', () => {
	test('asks for what the settings say, in mono, and never for voice isolation', async () => {
		const { media, microphone } = await openedMicrophone([laptop, headset], wantHeadset);
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
		const { media, microphone } = await openedMicrophone();
		expect(media.asked[0]).not.toHaveProperty('deviceId');
		expect(microphone.device).toBe('Laptop');
	});

	test('finds the device by its name when ids have changed', async () => {
		const { microphone } = await openedMicrophone([laptop, { ...headset, id: 'h2' }], wantHeadset);
		expect(microphone.device).toBe('Headset');
	});

	test('takes the default when the wished one is not there', async () => {
		const { microphone } = await openedMicrophone([laptop], wantHeadset);
		expect(microphone.device).toBe('Laptop');
	});

	test('opened twice is one microphone', async () => {
		const { microphone, track, media } = await openedMicrophone();
		expect(await microphone.open()).toEqual({ ok: true, value: track });
		expect(media.asked).toHaveLength(1);
	});

	test.each([
		['NotAllowedError', { kind: 'microphone-denied' }],
		['SecurityError', { kind: 'microphone-denied' }],
		['NotFoundError', { kind: 'microphone-missing' }],
		['TypeError', { kind: 'microphone-failed', device: 'Laptop', reason: 'TypeError' }],
	])('says what is wrong: %s', async (name, problem) => {
		const { media, microphone } = await createMicrophoneRig();
		media.fail(name);
		expect(await microphone.open()).toEqual({ ok: false, error: problem });
		expect(await microphone.open()).toMatchObject({ ok: true });
	});

	test('asks a busy one twice more, 300 ms apart, then says so', async () => {
		const { media, microphone, clock } = await createMicrophoneRig();
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
		const { media, microphone, clock } = await createMicrophoneRig();
		media.fail('NotReadableError');
		const opening = microphone.open();
		await clock.run(300);
		expect(await opening).toMatchObject({ ok: true });
	});

	test('closed while the user is being asked: cancelled at once, and what comes later is switched off', async () => {
		const { media, microphone } = await createMicrophoneRig();
		media.fail('hold');
		const opening = microphone.open();
		microphone.close();
		expect(await opening).toEqual({ ok: false, error: { kind: 'cancelled' } });
		media.release();
		await vi.waitFor(() => expect(media.tracks).toHaveLength(1));
		expect(media.live()).toBe(0);
	});

	test('a question that is never answered ends after a minute', async () => {
		const { media, microphone, clock } = await createMicrophoneRig();
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
		const { microphone, track, media } = await openedMicrophone();
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
		const { microphone, media, clock } = await openedMicrophone();
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
		const { microphone, media, events, clock, track } = await openedMicrophone(
			[laptop, headset],
			wantHeadset,
		);
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
		const { media, events, clock, microphone } = await openedMicrophone([laptop]);
		media.plug([]);
		await clock.run(1000);
		expect(events).toEqual([{ type: 'lost', problem: { kind: 'microphone-missing' } }]);
		media.plug([headset]);
		await clock.run(1000);
		expect(events.at(-1)).toMatchObject({ type: 'replaced', to: 'Headset' });
		expect(microphone.device).toBe('Headset');
	});

	test('follows a new default only if the default is wished', async () => {
		const followed = await openedMicrophone([laptop, headset]);
		followed.media.plug([headset, laptop]);
		await followed.clock.run(1000);
		expect(followed.events).toMatchObject([{ type: 'replaced', from: 'Laptop', to: 'Headset' }]);

		const kept = await openedMicrophone([laptop, headset], {
			...plain,
			microphone: { id: 'l1', label: 'Laptop' },
		});
		kept.media.plug([headset, laptop]);
		await kept.clock.run(1000);
		expect(kept.events).toEqual([]);
	});

	test('thirty changes in a second open at most one other microphone', async () => {
		const { media, clock, events } = await openedMicrophone([laptop, headset], wantHeadset);
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
		const { microphone, events, setWish, media } = await openedMicrophone();
		setWish(wantHeadset);
		await microphone.apply();
		expect(events).toMatchObject([{ type: 'replaced', from: 'Laptop', to: 'Headset' }]);
		expect(media.live()).toBe(1);
	});

	test('settings that change while a device is being opened count afterwards, all of them at once', async () => {
		const { microphone, events, setWish, media, clock } = await openedMicrophone([laptop, headset, desk]);
		setWish(wantHeadset);
		media.fail('hold');
		void microphone.apply();
		await clock.run(0);
		expect(media.asked).toHaveLength(2);
		for (let change = 0; change < 10; change += 1) void microphone.apply();
		setWish(wantDesk);
		void microphone.apply();
		media.release();
		await clock.run(1000);
		expect(events.at(-1)).toMatchObject({ type: 'replaced', to: 'Desk' });
		expect(media.asked).toHaveLength(3);
		expect(media.live()).toBe(1);
	});

	test('settings that change while the user is being asked count afterwards', async () => {
		const { microphone, events, setWish, media, clock } = await createMicrophoneRig();
		media.fail('hold');
		const opening = microphone.open();
		setWish(wantHeadset);
		void microphone.apply();
		media.release();
		expect(await opening).toMatchObject({ ok: true });
		await clock.run(1000);
		expect(events).toMatchObject([{ type: 'replaced', from: 'Laptop', to: 'Headset' }]);
		expect(media.live()).toBe(1);
	});

	test('the wished device comes back while the one standing in is being opened: it is taken', async () => {
		const { media, events, clock } = await openedMicrophone([laptop, headset], wantHeadset);
		media.fail('hold');
		media.plug([laptop]);
		await clock.run(0);
		expect(media.asked).toHaveLength(2);
		media.plug([laptop, headset]);
		await clock.run(1000);
		media.release();
		await clock.run(1000);
		expect(events.at(-1)).toMatchObject({ type: 'replaced', from: 'Laptop', to: 'Headset' });
		expect(media.live()).toBe(1);
	});

	test('the default moves on while it is being opened: it is asked for once more', async () => {
		const { microphone, media, events, clock } = await openedMicrophone([laptop, headset]);
		media.fail('hold');
		void microphone.apply();
		await clock.run(0);
		media.plug([headset, laptop]);
		await clock.run(1000);
		media.release();
		await clock.run(1000);
		expect(events.at(-1)).toMatchObject({ type: 'replaced', to: 'Headset' });
		expect(media.asked).toHaveLength(3);
	});

	test('a wished device that is listed but cannot be found is asked for once', async () => {
		const { microphone, events, setWish, media, clock } = await openedMicrophone();
		setWish(wantHeadset);
		media.fail('OverconstrainedError');
		await microphone.apply();
		await clock.run(1000);
		expect(events).toMatchObject([{ type: 'replaced', to: 'Laptop' }]);
		expect(media.asked).toHaveLength(3);
	});

	test('a wished device that fails leaves the one in use alone', async () => {
		const { microphone, events, setWish, media, track } = await openedMicrophone();
		setWish(wantHeadset);
		media.fail('NotAllowedError');
		await microphone.apply();
		expect(events).toEqual([]);
		expect(track.readyState).toBe('live');
	});
});
