import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutAtPauses, VoiceRing, withoutPauses } from './voice-ring.ts';

const RATE = 24_000;

/** Samples of tone and silence in turn, each for its ms; the tone first. */
function speech(...ms: readonly number[]): Int16Array {
	const parts = ms.map((length, index) => {
		const samples = new Int16Array((length * RATE) / 1000);
		if (index % 2 === 0)
			for (let at = 0; at < samples.length; at++) samples[at] = at % 2 === 0 ? 8000 : -8000;
		return samples;
	});
	const out = new Int16Array(parts.reduce((sum, { length }) => sum + length, 0));
	let at = 0;
	for (const part of parts) {
		out.set(part, at);
		at += part.length;
	}
	return out;
}
const msOf = ({ samples }: { readonly samples: Int16Array }) => Math.round((samples.length / RATE) * 1000);
const isLoud = (sample: number | undefined) => Math.abs(sample ?? 0) > 4000;

describe('the ring of a voice', () => {
	it('gives what came between two moments, as long as it is there', () => {
		const ring = new VoiceRing(RATE, 1);
		for (let second = 0; second < 3; second++)
			ring.push(new Float32Array(RATE).fill((second + 1) / 10), RATE);
		expect([...new Set(ring.read(1000, 0))]).toEqual([Math.round(0.3 * 32_767)]);
		expect(ring.read(1000, 0)).toHaveLength(RATE);
		// One ms more than there is.
		expect(ring.read(1001, 0)).toHaveLength(RATE);
		expect(ring.read(5000, 2000)).toHaveLength(0);
		expect(ring.read(500, 250)).toHaveLength(RATE / 4);
		expect(ring.read(250, 500)).toHaveLength(0);
		expect(ring.read(100, -100)).toHaveLength(RATE / 10);
	});

	it('counts silence as time', () => {
		const ring = new VoiceRing(RATE, 2);
		ring.push(new Float32Array(RATE / 2).fill(0.5), RATE / 2);
		ring.push(null, RATE / 2);
		expect(ring.read(1000, 500).every(isLoud)).toBe(true);
		expect(ring.read(500, 0).some(isLoud)).toBe(false);
		expect(ring.read(5000, 0)).toHaveLength(RATE);
	});

	it('keeps half of what a device has, never louder than it can be', () => {
		const ring = new VoiceRing(48_000, 1);
		expect(ring.rateHz).toBe(24_000);
		ring.push(new Float32Array(480).fill(3), 480);
		expect([...new Set(ring.read(1000, 0))]).toEqual([32_767]);
		expect(ring.read(1000, 0)).toHaveLength(240);
		ring.push(new Float32Array(480).fill(0.25), 480);
		expect([...new Set(ring.read(10, 0))]).toEqual([8192]);
		expect(new VoiceRing(44_100, 1).rateHz).toBe(22_050);
		expect(new VoiceRing(16_000, 1).rateHz).toBe(16_000);
	});

	it('gives the same whatever the blocks it came in', () => {
		fc.assert(
			fc.property(fc.array(fc.integer({ min: 1, max: 300 }), { maxLength: 40 }), (blocks) => {
				const whole = blocks.reduce((sum, length) => sum + length, 0);
				const sound = Float32Array.from({ length: whole }, (_, at) => (at % 200) / 200);
				const [one, other] = [new VoiceRing(48_000, 0.05), new VoiceRing(48_000, 0.05)];
				one.push(sound, whole);
				let at = 0;
				for (const length of blocks) {
					other.push(sound.subarray(at, at + length), length);
					at += length;
				}
				expect([...other.read(100, 0)]).toEqual([...one.read(100, 0)]);
			}),
		);
	});
});

describe('erasing', () => {
	it('leaves nothing, and what comes after it is there, whatever came and was read', () => {
		const step = fc.oneof(
			fc.record({ push: fc.integer({ min: 1, max: 900 }) }),
			fc.constant({ erase: true }),
			fc.record({ from: fc.integer({ min: 0, max: 80 }), to: fc.integer({ min: 0, max: 80 }) }),
		);
		fc.assert(
			fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
				// 50 ms, 1200 samples: many rounds.
				const ring = new VoiceRing(RATE, 0.05);
				let kept: number[] = [];
				let next = 1;
				for (const one of steps) {
					if ('push' in one) {
						const block = Float32Array.from({ length: one.push }, () => (next++ % 1000) / 1000);
						ring.push(block, one.push);
						kept = [...kept, ...block].slice(-1200);
					} else if ('erase' in one) {
						ring.erase();
						kept = [];
					} else {
						const place = (agoMs: number) => kept.length - (agoMs * RATE) / 1000;
						const wanted = kept.slice(Math.max(0, place(one.from)), Math.max(0, place(one.to)));
						expect([...ring.read(one.from, one.to)]).toEqual(
							wanted.map((sample) => Math.round(sample * 32_767)),
						);
					}
				}
			}),
		);
	});
});

describe('a sentence out of it', () => {
	it('is cut in the pauses around it', () => {
		// The end of another, a pause, the sentence, a pause, the beginning of the next.
		const samples = speech(100, 300, 1000, 300, 100);
		const cut = cutAtPauses({ samples, rateHz: RATE }, 350);
		expect(msOf(cut)).toBeGreaterThanOrEqual(1000);
		expect(msOf(cut)).toBeLessThan(1100);
		expect(cut.samples.filter(isLoud)).toHaveLength(RATE);
	});

	it('is cut nowhere else: not beyond twice the slack, and nearest to the sentence where all is alike', () => {
		const cut = cutAtPauses({ samples: speech(210, 300, 500, 300, 210), rateHz: RATE }, 100);
		// 180 ms less at the beginning, and as much at the end.
		expect([msOf(cut), isLoud(cut.samples[0])]).toEqual([1520 - 360, true]);
		// Half of a short one is the most.
		expect(msOf(cutAtPauses({ samples: speech(100, 300, 100), rateHz: RATE }, 5000))).toBe(50);
	});

	it('is cut where 20 ms are quietest, not one sample', () => {
		const samples = speech(1000);
		samples[240] = 0;
		samples.fill(1000, 0.18 * RATE, 0.2 * RATE);
		const cut = cutAtPauses({ samples, rateHz: RATE }, 100);
		expect(cut.samples.length).toBe(RATE - 0.18 * RATE - 0.18 * RATE);
	});

	it('is left as it is where it is no longer than the slack', () => {
		expect(msOf(cutAtPauses({ samples: speech(10), rateHz: RATE }, 350))).toBeLessThanOrEqual(10);
		expect(msOf(cutAtPauses({ samples: new Int16Array(0), rateHz: RATE }, 350))).toBe(0);
	});
});

describe('what is caught up with', () => {
	it('has its pauses shortened, and no word', () => {
		const caught = withoutPauses({ samples: speech(500, 2000, 500, 100, 500), rateHz: RATE });
		expect(caught.samples.filter(isLoud)).toHaveLength(1.5 * RATE);
		expect(msOf(caught)).toBe(500 + 240 + 500 + 100 + 500);
	});

	it('is nothing where nothing was said', () => {
		expect(msOf(withoutPauses({ samples: new Int16Array(RATE * 5), rateHz: RATE }))).toBe(0);
	});
});
