import { afterEach, describe, expect, test, vi } from 'vitest';
import { endMicrophones, openedMicrophone } from '#test/support/microphone-rig.ts';

afterEach(endMicrophones);

describe('what it hears', () => {
	const tick = 40;

	test('nothing for 8 s although unmuted: says so once, with the device named', async () => {
		const { events, clock } = await openedMicrophone();
		await clock.run(7900);
		expect(events).toEqual([]);
		await clock.run(20_000);
		expect(events).toEqual([{ type: 'silent', device: 'Laptop' }]);
	});

	test('muted or heard, it is not called silent', async () => {
		const { events, clock, microphone, media } = await openedMicrophone();
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
		const { events, levels, clock, microphone, media, track } = await openedMicrophone();
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
		// The level is measured all the same.
		expect(Math.max(...levels)).toBeGreaterThan(-20);
		await clock.run(5000);
		expect(events).toHaveLength(1);
		await clock.run(20_000);
		expect(events).toHaveLength(2);
	});
});
