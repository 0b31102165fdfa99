import { afterEach, expect, test, vi } from 'vitest';
import { silentLogger } from '#shared/lib/log.ts';
import { createFakeMedia } from '#test/support/fake-media.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { createAudioEngine } from './context.ts';
import { createDevices } from './device-list.ts';
import { recordSample } from './sound-actions.ts';

const wish = { microphone: null, echoCancellation: false, noiseSuppression: false, autoGainControl: false };
const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
	for (const end of ends.splice(0)) await end();
});

async function setUp(mostMs = 60_000) {
	const clock = createManualClock();
	const media = createFakeMedia([{ kind: 'audioinput', id: 'l1', label: 'Laptop' }]);
	const devices = createDevices({ media, clock });
	await devices.refresh();
	const engine = createAudioEngine({ clock, log: silentLogger });
	const abort = new AbortController();
	const ended = vi.fn();
	const options = { mostMs, signal: abort.signal, ended };
	ends.push(async () => {
		abort.abort();
		devices.close();
		await engine.close();
		await media.close();
	});
	return {
		media,
		abort,
		ended,
		record: () => recordSample({ media, devices, clock, engine }, wish, options),
	};
}

/** RMS of 16-bit samples, 0..1. */
const loudness = (samples: Int16Array) =>
	Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length) / 32_768;

test('what the microphone hears is recorded, as loud and as long, until it is stopped', async () => {
	const { media, record, ended } = await setUp();
	media.setLoudness(0.5);
	const begun = await record();
	if (!begun.ok) throw new Error(begun.error.kind);
	await vi.waitFor(() => expect(begun.value.lengthMs()).toBeGreaterThan(400), { timeout: 10_000 });
	const { samples, rateHz } = begun.value.stop();
	expect(rateHz).toBe(24_000);
	expect(samples.length / 24).toBeGreaterThan(400);
	// The RMS of a sine of that amplitude; the first moment may still be silent.
	expect(loudness(samples.subarray(samples.length >> 1))).toBeCloseTo(0.354, 1);
	expect(begun.value.stop().samples).toBe(samples);
	expect([media.live(), ended.mock.calls.length]).toEqual([0, 0]);
});

test('it ends by itself at the longest, and when the device goes away, and says so once', async () => {
	const { media, record, ended } = await setUp(200);
	media.setLoudness(0.5);
	const begun = await record();
	if (!begun.ok) throw new Error(begun.error.kind);
	await vi.waitFor(() => expect(ended).toHaveBeenCalledTimes(1), { timeout: 10_000 });
	expect([begun.value.stop().samples.length, media.live()]).toEqual([4800, 0]);
	const other = await setUp();
	const unplugged = await other.record();
	if (!unplugged.ok) throw new Error(unplugged.error.kind);
	other.media.plug([]);
	unplugged.value.stop();
	expect([other.ended.mock.calls.length, other.media.live()]).toEqual([1, 0]);
});

test('closes the microphone when the page is left, also while opening; reports a refusal', async () => {
	const left = await setUp();
	const begun = await left.record();
	expect(begun.ok).toBe(true);
	left.abort.abort();
	expect(left.media.live()).toBe(0);
	const early = await setUp();
	early.abort.abort();
	expect(await early.record()).toEqual({ ok: false, error: { kind: 'cancelled' } });
	const refused = await setUp();
	refused.media.fail('NotAllowedError');
	expect(await refused.record()).toMatchObject({ ok: false, error: { kind: 'microphone-denied' } });
});
