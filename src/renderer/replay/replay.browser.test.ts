import { afterEach, expect, test } from 'vitest';
import { createAudioEngine } from '#renderer/sound/context.ts';
import { withSelectedVoice } from '#renderer/sound/mixer.ts';
import { systemClock } from '#renderer/system-clock.ts';
import { silentLogger } from '#shared/lib/log.ts';
import type { VoiceSlice } from '#shared/sound/voice-ring.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { createMixerRig, createTone, endMixers } from '#test/support/mixer-rig.ts';
import { createVoiceMemory } from './replay.ts';

afterEach(endMixers);

async function createRig(clock = systemClock) {
	const { mixer } = await createMixerRig();
	const engine = createAudioEngine({ clock: systemClock, log: silentLogger });
	const memory = createVoiceMemory({ engine, clock, log: silentLogger });
	const kept = withSelectedVoice(mixer, memory.follow);
	/** Share of what is loud in the last so many ms. */
	async function loud(ms: number): Promise<number> {
		const now = clock.now();
		const slice = await memory.read(now - ms, now);
		return slice ? shareOf(slice) : Number.NaN;
	}
	return { mixer: kept, memory, engine, loud };
}

function shareOf({ samples }: VoiceSlice): number {
	return samples.length === 0
		? 0
		: samples.filter((sample) => Math.abs(sample) > 300).length / samples.length;
}

test('what a voice said is there afterwards, also of the track that came before', async () => {
	const { mixer, memory, engine, loud } = await createRig();
	const [first, second] = [createTone(), createTone()];
	mixer.selectVoice('es');
	mixer.setVoice('es', first.track);
	await expect.poll(() => loud(200), { timeout: 5000 }).toBe(0);
	const from = systemClock.now();
	first.loud(0.5);
	await expect.poll(() => loud(300)).toBeGreaterThan(0.9);
	first.loud(0);
	mixer.setVoice('es', second.track);
	await expect.poll(() => loud(300)).toBeLessThan(0.05);
	const to = systemClock.now();
	const slice = await memory.read(from, to);
	expect(slice && shareOf(slice)).toBeGreaterThan(0.2);
	expect((slice?.samples.length ?? 0) / (slice?.rateHz ?? 1)).toBeCloseTo((to - from) / 1000, 1);
	second.loud(0.5);
	await expect.poll(() => loud(200)).toBeGreaterThan(0.5);
	mixer.clear();
	await engine.close();
});

test('a voice that was not chosen is not kept', async () => {
	const { mixer, engine, loud } = await createRig();
	const [es, fr] = [createTone(), createTone()];
	mixer.selectVoice('es');
	mixer.setVoice('es', es.track);
	mixer.setVoice('fr', fr.track);
	fr.loud(0.5);
	await expect.poll(() => loud(200), { timeout: 5000 }).toBe(0);
	await new Promise((later) => setTimeout(later, 300));
	expect(await loud(300)).toBe(0);
	mixer.clear();
	await engine.close();
});

test('of the last so many seconds no more is there, and nothing of it once it is erased', async () => {
	const engine = createAudioEngine({ clock: systemClock, log: silentLogger });
	const memory = createVoiceMemory({ engine, clock: systemClock, log: silentLogger, seconds: 1 });
	const tone = createTone();
	tone.loud(0.5);
	memory.follow(tone.track);
	const last = async (ms: number) => await memory.read(systemClock.now() - ms, systemClock.now());
	const secondsOf = (slice: VoiceSlice | null) => (slice ? slice.samples.length / slice.rateHz : 0);
	await expect.poll(async () => secondsOf(await last(5000)), { timeout: 6000 }).toBe(1);
	await expect
		.poll(async () => shareOf((await last(500)) ?? { samples: new Int16Array(0), rateHz: 1 }))
		.toBeGreaterThan(0.9);
	memory.erase();
	// Only what came since is kept.
	expect(secondsOf(await last(5000))).toBeLessThan(0.3);
	memory.erase();
	tone.loud(0);
	await expect.poll(async () => secondsOf(await last(5000)), { timeout: 6000 }).toBe(1);
	memory.follow(null);
	await engine.close();
});

test('it is forgotten ten seconds after the voice has gone, and not before', async () => {
	const clock = createManualClock();
	const { mixer, memory, engine } = await createRig(clock);
	expect(await memory.read(0, 1)).toBeNull();
	mixer.selectVoice('es');
	mixer.setVoice('es', createTone().track);
	clock.advance(1000);
	const isKept = async () => (await memory.read(clock.now() - 10, clock.now())) !== null;
	await expect.poll(isKept).toBe(true);
	mixer.clear();
	clock.advance(9999);
	expect(await isKept()).toBe(true);
	mixer.selectVoice('es');
	mixer.setVoice('es', createTone().track);
	clock.advance(1);
	expect(await isKept()).toBe(true);
	mixer.clear();
	clock.advance(10_000);
	expect(await isKept()).toBe(false);
	expect(clock.pending).toBe(0);
	await engine.close();
});
