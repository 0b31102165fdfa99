import { afterEach, expect, test } from 'vitest';
import { createAudioEngine } from '#renderer/sound/context.ts';
import { tapLevel } from '#renderer/sound/level-tap.ts';
import { systemClock } from '#renderer/system-clock.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { createTone, endMixers } from '#test/support/mixer-rig.ts';
import { createLateVoice } from './late-voice.ts';

afterEach(endMixers);

function setUp() {
	const engine = createAudioEngine({ clock: systemClock, log: silentLogger });
	let track: MediaStreamTrack | null = null;
	let untap = () => {};
	let loudest = -100;
	const heard: number[] = [];
	const mixer = {
		setVoice(_: string, next: MediaStreamTrack | null) {
			untap();
			track = next;
			if (!next) return;
			untap = tapLevel({ engine, clock: systemClock }, next, ({ rmsDb }) => {
				loudest = rmsDb;
				heard.push(rmsDb);
			});
		},
	};
	const voice = createLateVoice({ engine, clock: systemClock, log: silentLogger, mixer });
	return { engine, voice, heard, mixer, now: () => loudest, track: () => track, end: () => untap() };
}

test('a late voice waits while the live one speaks, comes in its pause, and leaves it alone at the end', async () => {
	const it = setUp();
	const [live, late] = [createTone(), createTone()];
	it.mixer.setVoice('es', live.track);
	it.voice.follow(live.track, 'es');
	live.loud(0.05);
	await expect.poll(it.now, { timeout: 5000 }).toBeGreaterThan(-35);
	it.voice.speak(late.track);
	await expect.poll(() => it.track() !== live.track, { timeout: 5000 }).toBe(true);
	await expect.poll(it.now).toBeGreaterThan(-35);
	await new Promise((later) => setTimeout(later, 300));
	// Ten times as loud, so that it cannot hide behind the live one.
	late.loud(0.5);
	const before = it.heard.length;
	await new Promise((later) => setTimeout(later, 1500));
	late.loud(0);
	// The loudest reading: single ones have holes on a busy machine, and a hole makes none louder.
	const loudest = Math.max(...it.heard.slice(before));
	expect(loudest).toBeGreaterThan(-35);
	expect(loudest).toBeLessThan(-20);
	live.loud(0);
	// A second and a half of it had to wait: it comes, after the live voice.
	await expect.poll(it.now, { timeout: 3000, interval: 20 }).toBeLessThan(-60);
	await expect.poll(it.now, { timeout: 3000, interval: 20 }).toBeGreaterThan(-20);
	const sinceMs = performance.now();
	await it.voice.settled();
	expect(performance.now() - sinceMs).toBeGreaterThan(300);
	await expect.poll(it.now, { timeout: 3000 }).toBeLessThan(-60);
	it.voice.close();
	expect(it.track()).toBe(live.track);
	it.end();
	await it.engine.close();
});

test('it speaks also where there is no live voice, and with another one that comes meanwhile', async () => {
	const it = setUp();
	const [late, live] = [createTone(), createTone()];
	it.voice.follow(null, 'es');
	it.voice.speak(late.track);
	late.loud(0.3);
	await expect.poll(it.now, { timeout: 5000 }).toBeGreaterThan(-30);
	late.loud(0);
	await expect.poll(it.now).toBeLessThan(-60);
	it.mixer.setVoice('es', live.track);
	it.voice.follow(live.track, 'es');
	live.loud(0.3);
	await expect.poll(it.now, { timeout: 5000 }).toBeGreaterThan(-30);
	expect(it.track()).not.toBe(live.track);
	it.voice.follow(live.track, 'fr');
	expect(it.track()).toBe(live.track);
	it.end();
	await it.engine.close();
});
