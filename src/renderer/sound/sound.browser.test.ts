import { expect, onTestFinished, test, vi } from 'vitest';
import type { AppInfo } from '#shared/host/contract.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { createFakeMedia } from '#test/support/fake-media.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { createAudioEngine } from './context.ts';
import { createDevices } from './device-list.ts';
import { createWindowSound, type Sound } from './sound.ts';

/** A window's sound with one microphone. */
function setUp(permission: AppInfo['microphone'], readPermission = async () => permission) {
	const clock = createManualClock();
	const media = createFakeMedia([{ kind: 'audioinput', id: 'l1', label: 'Laptop' }]);
	const devices = createDevices({ media, clock });
	const engine = createAudioEngine({ clock, log: silentLogger });
	const wish = { microphone: null, echoCancellation: false, noiseSuppression: false, autoGainControl: false };
	const { sound, close } = createWindowSound({
		clock,
		media,
		devices,
		engine,
		permission,
		readPermission,
		settings: null as never,
		captureSettings: () => wish,
	});
	onTestFinished(async () => {
		close();
		devices.close();
		await engine.close();
		await media.close();
	});
	return { media, sound };
}

test('a microphone chosen while another still opens is the one that is listened to', async () => {
	const { media, sound } = setUp('granted');
	media.fail('hold');
	const first = sound.listenIn();
	await vi.waitFor(() => expect(media.asked).toHaveLength(1));
	const second = await sound.listenIn();
	expect(second.ok && media.live()).toBe(1);
	// As the page does with one that is too late.
	const late = await first;
	if (late.ok) late.value();
	media.release();
	await vi.waitFor(() => expect(media.tracks).toHaveLength(2));
	expect(media.live()).toBe(1);
	if (second.ok) second.value();
	expect(media.live()).toBe(0);
});

test.each([
	['a microphone that opens', (sound: Sound) => sound.listenIn(), 'denied'],
	[
		'the system, asked when one comes back to the window',
		() => window.dispatchEvent(new Event('focus')),
		'granted',
	],
] as const)('%s shows that it is allowed by now', async (_, happens, said) => {
	let asked = 0;
	const { sound } = setUp('denied', async () => {
		asked += 1;
		return said;
	});
	expect(sound.store.getState().permission).toBe('denied');
	await happens(sound);
	await vi.waitFor(() => expect(sound.store.getState().permission).toBe('granted'));
	const before = asked;
	// Once it is allowed nobody asks any more.
	window.dispatchEvent(new Event('focus'));
	expect(asked).toBe(before);
});
