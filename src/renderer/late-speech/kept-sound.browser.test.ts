import { expect, test } from 'vitest';
import { createVoiceMemory } from '#renderer/replay/voice-memory.ts';
import { createAudioEngine } from '#renderer/sound/context.ts';
import { systemClock } from '#renderer/system-clock.ts';
import { silentLogger } from '#shared/lib/log.ts';
import type { VoiceSlice } from '#shared/sound/voice-ring.ts';
import { openKeptSound } from './kept-sound.ts';

/** A tone, as kept at this rate. */
function tone(ms: number, rateHz: number): VoiceSlice {
	const samples = new Int16Array((ms * rateHz) / 1000);
	for (let at = 0; at < samples.length; at++)
		samples[at] = Math.sin((at * 2 * Math.PI * 440) / rateHz) * 12_000;
	return { samples, rateHz };
}
const loudS = ({ samples, rateHz }: VoiceSlice) =>
	samples.filter((sample) => Math.abs(sample) > 1500).length / rateHz / 0.92;

function setUp() {
	const engine = createAudioEngine({ clock: systemClock, log: silentLogger });
	const memory = createVoiceMemory({ engine, clock: systemClock, log: silentLogger, seconds: 6 });
	const sound = openKeptSound(engine);
	if (!sound) throw new Error('there is no sound');
	memory.follow(sound.track);
	return { engine, memory, sound };
}

test('what was kept is said once, in the time it took, and silence behind it', async () => {
	const { engine, memory, sound } = setUp();
	const lastFive = async () => await memory.read(systemClock.now() - 5000, systemClock.now());
	await expect.poll(lastFive).not.toBeNull();
	await new Promise((later) => setTimeout(later, 200));
	const begunMs = systemClock.now();
	expect(await sound.play(tone(1000, 22_050))).toBe(true);
	expect(systemClock.now() - begunMs).toBeGreaterThan(950);
	expect(await sound.play(tone(500, 24_000))).toBe(true);
	await new Promise((later) => setTimeout(later, 300));
	const slice = await lastFive();
	expect(slice && loudS(slice)).toBeGreaterThan(1.3);
	expect(slice && loudS(slice)).toBeLessThan(1.65);
	sound.close();
	memory.follow(null);
	await engine.close();
});

test('stopped it is silent at once, and says that it was not all; closed its track has ended', async () => {
	const { engine, memory, sound } = setUp();
	const played = sound.play(tone(3000, 24_000));
	await new Promise((later) => setTimeout(later, 300));
	const begunMs = systemClock.now();
	sound.stop();
	expect(await played).toBe(false);
	expect(systemClock.now() - begunMs).toBeLessThan(500);
	const again = sound.play(tone(3000, 24_000));
	sound.close();
	expect([await again, sound.track.readyState]).toEqual([false, 'ended']);
	expect(await sound.play(tone(100, 24_000))).toBe(false);
	memory.follow(null);
	await engine.close();
});
