import { afterEach, expect, test } from 'vitest';
import { createChosenMicrophone, type Microphone } from '#renderer/sound/microphone.ts';
import { createMicrophoneRig, endMicrophones, headset, laptop } from '#test/support/microphone-rig.ts';
import { createSharedMicrophone } from './create-face.ts';

afterEach(endMicrophones);

async function createSharedRig() {
	const rig = await createMicrophoneRig();
	return { ...rig, shared: createSharedMicrophone(rig.microphone, ['a', 'b']) };
}

async function opened(microphone: Pick<Microphone, 'open'>): Promise<MediaStreamTrack> {
	const result = await microphone.open();
	if (!result.ok) throw new Error(result.error.kind);
	return result.value;
}

test('two have copies of one device, each behind its own gate, and not one frame before it is opened', async () => {
	const { shared, media } = await createSharedRig();
	const [a, b] = [await opened(shared.of.a), await opened(shared.of.b)];
	expect(media.tracks).toHaveLength(1);
	expect([a === b, a.enabled, b.enabled]).toEqual([false, false, false]);
	shared.setGates({ a: true, b: false });
	expect([a.enabled, b.enabled]).toEqual([true, false]);
	shared.setGates({ a: false, b: true });
	expect([a.enabled, b.enabled]).toEqual([false, true]);
});

test('who is muted stays so behind an open gate', async () => {
	const { shared } = await createSharedRig();
	const a = await opened(shared.of.a);
	shared.of.a.setMuted(true);
	shared.setGates({ a: true, b: true });
	expect(a.enabled).toBe(false);
	shared.of.a.setMuted(false);
	expect(a.enabled).toBe(true);
});

test('the device is off when the last of them has closed, and not before', async () => {
	const { shared, media } = await createSharedRig();
	const a = await opened(shared.of.a);
	const b = await opened(shared.of.b);
	shared.of.a.close();
	expect([a.readyState, b.readyState, media.live()]).toEqual(['ended', 'live', 1]);
	shared.of.b.close();
	expect([b.readyState, media.live()]).toEqual(['ended', 0]);
	shared.of.b.close();
	const again = await opened(shared.of.a);
	expect([again.readyState, media.live()]).toEqual(['live', 1]);
});

test('a device that takes over reaches each of them as a copy of its own, behind its gate', async () => {
	const { shared, media, clock } = await createSharedRig();
	await opened(shared.of.a);
	await opened(shared.of.b);
	shared.setGates({ a: true, b: false });
	const heard: [string, MediaStreamTrack][] = [];
	for (const name of ['a', 'b'] as const) {
		shared.of[name].listen((event) => event.type === 'replaced' && heard.push([name, event.track]));
	}
	media.plug([headset]);
	await expect
		.poll(async () => {
			await clock.run(500);
			return heard.length;
		})
		.toBe(2);
	expect(heard.map(([name, track]) => [name, track.enabled, track.readyState])).toEqual([
		['a', true, 'live'],
		['b', false, 'live'],
	]);
	expect(heard[0]?.[1]).not.toBe(heard[1]?.[1]);
});

test('one that closes while the device is being opened gets nothing, and leaves nothing open', async () => {
	const { shared, media } = await createSharedRig();
	const opening = shared.of.a.open();
	shared.of.a.close();
	expect(await opening).toMatchObject({ ok: false, error: { kind: 'cancelled' } });
	await expect.poll(() => media.live()).toBe(0);
});

test('one that is opened again at once gets it: what was asked for before and comes late takes nothing away', async () => {
	const { shared, media } = await createSharedRig();
	const before = shared.of.a.open();
	shared.of.a.close();
	const again = await opened(shared.of.a);
	expect(await before).toMatchObject({ ok: false, error: { kind: 'cancelled' } });
	expect([again.readyState, media.live()]).toEqual(['live', 1]);
});

test('a refusal is told to each of them, and a later try may work', async () => {
	const { shared, media } = await createSharedRig();
	media.fail('NotAllowedError');
	expect(await shared.of.a.open()).toMatchObject({ ok: false, error: { kind: 'microphone-denied' } });
	expect((await shared.of.a.open()).ok).toBe(true);
});

test('the one chosen at the opening is kept until it is closed, muted as it was said', async () => {
	const one = await createMicrophoneRig([laptop]);
	const two = await createMicrophoneRig([headset]);
	let choice = one.microphone;
	const chosen = createChosenMicrophone(() => choice);
	chosen.setMuted(true);
	const track = await opened(chosen);
	choice = two.microphone;
	expect([track.enabled, chosen.device, await opened(chosen)]).toEqual([false, 'Laptop', track]);
	chosen.close();
	expect([track.readyState, (await opened(chosen)).readyState, chosen.device]).toEqual([
		'ended',
		'live',
		'Headset',
	]);
	chosen.close();
});
