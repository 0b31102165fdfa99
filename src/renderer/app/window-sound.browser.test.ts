import { expect, onTestFinished, test, vi } from 'vitest';
import { createAudioEngine } from '#renderer/audio/context.ts';
import { createDevices } from '#renderer/audio/devices.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { createFakeMedia } from '#test/support/fake-media.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { createWindowSound } from './window-sound.ts';

test('a microphone chosen while another still opens is the one that is listened to', async () => {
	const clock = createManualClock();
	const media = createFakeMedia([{ kind: 'audioinput', id: 'l1', label: 'Laptop' }]);
	const devices = createDevices({ media, clock });
	const engine = createAudioEngine({ clock, log: silentLogger });
	const wish = { microphone: null, echoCancellation: false, noiseSuppression: false, autoGainControl: false };
	const { sound, close } = createWindowSound({
		...{ clock, media, devices, engine, permission: 'granted' as const },
		settings: null as never,
		captureSettings: () => wish,
	});
	onTestFinished(async () => {
		close();
		devices.close();
		await engine.close();
		await media.close();
	});
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
