import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createLine, jitteryWay, type Way } from '#test/support/random.ts';
import { VoiceStream } from './voice-stream.ts';

const IN_HZ = 24_000;
const OUT_HZ = 48_000;
const QUANTUM = 128;
const CHUNKS_MS = [20, 40, 100, 320] as const;
const HARMONICS = 12;

/** The speaker's pitch, Hz: it glides as in speech. */
const pitchHz = (seconds: number) => 140 + 35 * Math.sin(2 * Math.PI * 0.4 * seconds);

/** A voice without a pause: a vowel of changing pitch, colour and loudness, never quieter than half. */
function vowel(ms: number): Float32Array {
	const sound = new Float32Array((ms * IN_HZ) / 1000);
	let phase = 0;
	for (let index = 0; index < sound.length; index += 1) {
		const seconds = index / IN_HZ;
		phase += (2 * Math.PI * pitchHz(seconds)) / IN_HZ;
		const formant = 5 + 2 * Math.sin(2 * Math.PI * 0.7 * seconds);
		let sum = 0;
		for (let harmonic = 1; harmonic <= HARMONICS; harmonic += 1)
			sum += Math.sin(harmonic * phase) / (1 + (harmonic - formant) ** 2 / 4 + harmonic / 3);
		sound[index] = sum * 0.1 * (0.75 + 0.25 * Math.sin(2 * Math.PI * 3 * seconds));
	}
	return sound;
}

/** One sentence of a live speaker in chunks, over a way; heard at the loudspeaker. */
function hear(sound: Float32Array, chunkMs: number, way: Way) {
	const stream = new VoiceStream(OUT_HZ);
	const line = createLine<Int16Array>(way);
	const perChunk = (chunkMs * IN_HZ) / 1000;
	const toMs = (sound.length / IN_HZ) * 1000;
	const heard = new Float32Array(Math.ceil((toMs * OUT_HZ) / 1000 / QUANTUM) * QUANTUM);
	let said = 0;
	let sequence = 0;
	const quantum = new Float32Array(QUANTUM);
	for (let at = 0; at < heard.length; at += QUANTUM) {
		const nowMs = (at / OUT_HZ) * 1000;
		for (; said + perChunk <= (nowMs * IN_HZ) / 1000; said += perChunk) {
			const samples = Int16Array.from(sound.subarray(said, said + perChunk), (sample) =>
				Math.round(sample * 32_768),
			);
			line.put(samples, ((said + perChunk) / IN_HZ) * 1000);
		}
		for (const samples of line.take(nowMs)) {
			stream.push({ transcriptionId: 's', partId: '0', sequence, last: false, samples }, nowMs);
			sequence += 1;
		}
		stream.read(quantum, nowMs);
		heard.set(quantum, at);
	}
	const from = heard.findIndex((sample) => Math.abs(sample) > 0.01) + OUT_HZ / 100;
	return { heard: heard.subarray(from), state: stream.state(toMs) };
}

/** Loudness of each 10 ms. */
function levels(sound: Float32Array, hz: number): number[] {
	const frame = hz / 100;
	return Array.from({ length: Math.floor(sound.length / frame) }, (_, index) => {
		const part = sound.subarray(index * frame, (index + 1) * frame);
		return Math.sqrt(part.reduce((sum, sample) => sum + sample * sample, 0) / frame);
	});
}

/** Pitch of each 10 ms, by autocorrelation, Hz. */
function pitches(sound: Float32Array, hz: number): number[] {
	const window = Math.round(hz * 0.025);
	const [shortest, longest] = [Math.round(hz / 195), Math.round(hz / 95)];
	const found: number[] = [];
	for (let from = 0; from + window + longest < sound.length; from += hz / 100) {
		let best = 0;
		let bestLikeness = -Infinity;
		for (let lag = shortest; lag <= longest; lag += 1) {
			let product = 0;
			let energy = 1e-9;
			for (let index = 0; index < window; index += 4) {
				const later = sound[from + index + lag] ?? 0;
				product += (sound[from + index] ?? 0) * later;
				energy += later * later;
			}
			const likeness = product / Math.sqrt(energy);
			if (likeness > bestLikeness) [best, bestLikeness] = [lag, likeness];
		}
		found.push(hz / best);
	}
	return found;
}

function largestStep(sound: Float32Array): number {
	let largest = 0;
	for (let index = 1; index < sound.length; index += 1)
		largest = Math.max(largest, Math.abs((sound[index] ?? 0) - (sound[index - 1] ?? 0)));
	return largest;
}

/** How much a value jumps from one 10 ms to the next, as a ratio. */
const jumps = (list: readonly number[]) =>
	list.slice(1).map((value, index) => Math.max(value / (list[index] ?? 1), (list[index] ?? 1) / value));

const SOUND = vowel(40_000);

describe('a voice over a jittery socket, for 40 s without a pause', () => {
	// Each length in a jitter of its own, the shortest and the usual one in two.
	it.each([
		[20, 1],
		[20, 2],
		[40, 2],
		[40, 3],
		[100, 3],
		[320, 1],
	])('never stops at 30 ms of jitter, in chunks of %i ms, seed %i', (chunkMs, seed) => {
		const { heard, state } = hear(SOUND, chunkMs, jitteryWay(20, 30, seed));
		expect(state.underruns).toBe(0);
		expect(Math.min(...levels(heard, OUT_HZ))).toBeGreaterThan(0.3 * Math.min(...levels(SOUND, IN_HZ)));
		expect(largestStep(heard)).toBeLessThan(largestStep(SOUND));
		expect(state.hidden).toBeLessThan(40);
		expect(state.prebufferMs).toBeLessThanOrEqual(98);
	});

	it.each(CHUNKS_MS)('never stops at 10 ms of jitter, and hardly waits, in chunks of %i ms', (chunkMs) => {
		const { state } = hear(SOUND, chunkMs, jitteryWay(20, 10, 4));
		expect(state.underruns).toBe(0);
		expect(state.prebufferMs).toBeLessThanOrEqual(34);
	});

	it.each(CHUNKS_MS)('hides next to nothing where nothing is late, in chunks of %i ms', (chunkMs) => {
		const { state } = hear(SOUND.subarray(0, IN_HZ * 10), chunkMs, jitteryWay(20, 0, 1));
		expect(state.underruns).toBe(0);
		expect(state.hidden).toBeLessThanOrEqual(2);
	});
});

describe('a gap', () => {
	/** Everything after a second and a half comes late by this much. */
	const late =
		(ms: number): Way =>
		(atMs) =>
			atMs + (atMs > 1500 ? ms : 0);
	const sound = SOUND.subarray(0, IN_HZ * 2.2);

	it('of up to 50 ms is a sound that is held, as loud as before and in pitch', () => {
		fc.assert(
			fc.property(fc.integer({ min: 5, max: 50 }), fc.constantFrom(20, 40, 100), (lateMs, chunkMs) => {
				const { heard, state } = hear(sound, chunkMs, late(lateMs));
				expect(state.underruns).toBe(0);
				expect(largestStep(heard)).toBeLessThan(largestStep(sound));
				expect(Math.max(...jumps(levels(heard, OUT_HZ)))).toBeLessThan(2);
				const found = pitches(heard.subarray(OUT_HZ), OUT_HZ);
				expect(Math.max(...jumps(found))).toBeLessThan(1.08);
			}),
			{ numRuns: 15 },
		);
	});

	it('of 300 ms is heard once, counted, and fades without a click', () => {
		const { heard, state } = hear(sound, 40, late(300));
		expect(state).toMatchObject({ underruns: 1 });
		expect(largestStep(heard)).toBeLessThan(largestStep(sound));
		const silent = levels(heard, OUT_HZ).filter((level) => level < 0.001).length * 10;
		expect(silent).toBeGreaterThan(120);
		expect(silent).toBeLessThan(240);
	});
});

it('makes no buffer while it reads, whatever is late', () => {
	const stream = new VoiceStream(OUT_HZ);
	const quantum = new Float32Array(QUANTUM);
	const way = jitteryWay(0, 30, 5);
	const chunk = (atMs: number) =>
		Int16Array.from(SOUND.subarray((atMs * IN_HZ) / 1000, ((atMs + 40) * IN_HZ) / 1000), (sample) =>
			Math.round(sample * 32_768),
		);
	const pieces = Array.from({ length: 400 }, (_, index) => ({
		dueMs: way(index * 40),
		piece: { transcriptionId: 's', partId: '0', sequence: index, last: false, samples: chunk(index * 40) },
	}));
	let made = 0;
	const counted = new Proxy(Float32Array, {
		construct(Type, given) {
			made += 1;
			return Reflect.construct(Type, given);
		},
	});
	const copies = (['slice', 'subarray', 'map', 'filter'] as const).map((name) =>
		vi.spyOn(Object.getPrototypeOf(Float32Array.prototype), name),
	);
	vi.stubGlobal('Float32Array', counted);
	onTestFinished(() => {
		vi.unstubAllGlobals();
		vi.restoreAllMocks();
	});
	let nowMs = 0;
	for (const { dueMs, piece } of pieces) {
		for (; nowMs < dueMs; nowMs += QUANTUM / 48) stream.read(quantum, nowMs);
		stream.push(piece, nowMs);
	}
	expect(stream.state(nowMs).hidden).toBeGreaterThan(0);
	expect(made).toBe(0);
	for (const copy of copies) expect(copy).not.toHaveBeenCalled();
});
