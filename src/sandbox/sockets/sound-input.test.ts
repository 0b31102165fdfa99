import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { wavHead } from '#shared/sound/wav.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { createSoundInput, type Sound } from './sound-input.ts';

const raw = (format: 'pcm_s16le' | 'mulaw', rateHz: number, channels = 1): Sound => ({
	kind: 'raw',
	layout: { format, rateHz, channels },
});

function setUp(sound: Sound) {
	const clock = createManualClock();
	const heard: { level: number; durationMs: number; samples: number }[] = [];
	const input = createSoundInput(sound, clock, (level, durationMs, samples) =>
		heard.push({ level, durationMs, samples: samples.length }),
	);
	return { clock, heard, input };
}

/** A square wave has an RMS equal to its height. */
function square(samples: number, height: number): Buffer {
	const out = Buffer.alloc(samples * 2);
	for (let at = 0; at < samples; at += 1) out.writeInt16LE(at % 2 ? height : -height, at * 2);
	return out;
}

describe('sound of a client', () => {
	it('hear the same in whatever pieces the bytes come', () => {
		const pcm = square(16_000, 8192);
		const whole = setUp(raw('pcm_s16le', 16_000));
		const wholeMs = whole.input.hear(pcm);
		fc.assert(
			fc.property(fc.array(fc.integer({ min: 1, max: 5000 }), { minLength: 1 }), (sizes) => {
				const { heard, input } = setUp(raw('pcm_s16le', 16_000));
				let ms = 0;
				for (let at = 0, turn = 0; at < pcm.length; turn += 1) {
					const size = sizes[turn % sizes.length] ?? 1;
					ms += input.hear(pcm.subarray(at, at + size));
					at += size;
				}
				expect(heard).toEqual(whole.heard);
				expect(ms).toBeCloseTo(wholeMs, 6);
			}),
			{ numRuns: 20 },
		);
		expect(wholeMs).toBe(1000);
		expect(whole.heard).toHaveLength(50);
		expect(whole.heard[0]).toEqual({ level: 0.25, durationMs: 20, samples: 320 });
	});

	it('average two channels', () => {
		const { heard, input } = setUp(raw('pcm_s16le', 16_000, 2));
		const left = Buffer.alloc(320 * 4);
		for (let at = 0; at < 320; at += 1) left.writeInt16LE(16_384, at * 4);
		input.hear(left);
		expect(heard).toEqual([{ level: 0.25, durationMs: 20, samples: 320 }]);
	});

	it('know what µ-law silence and loudness are', () => {
		const { heard, input } = setUp(raw('mulaw', 8000));
		input.hear(Buffer.concat([Buffer.alloc(160, 0xff), Buffer.alloc(160, 0x80)]));
		expect(heard[0]?.level).toBe(0);
		expect(heard[1]?.level).toBeGreaterThan(0.9);
	});

	it('follow the header of a WAV that comes in pieces', () => {
		const { heard, input } = setUp({ kind: 'wav' });
		const pcm = square(8000, 8192);
		const file = Buffer.concat([wavHead({ rateHz: 8000, channels: 1, bytes: pcm.length }), pcm]);
		for (let at = 0; at < file.length; at += 13) input.hear(file.subarray(at, at + 13));
		expect(heard).toHaveLength(50);
		expect(heard.every(({ level, samples }) => level === 0.25 && samples === 160)).toBe(true);
	});

	it('take what they cannot look into for speech, as long as it took to come', () => {
		const { clock, heard, input } = setUp({ kind: 'wav' });
		clock.advance(500);
		expect(input.hear(Buffer.from('this is no WAV file at all, whoever says so'))).toBe(500);
		clock.advance(60_000);
		expect(input.hear(Buffer.alloc(1))).toBe(1000);
		expect(heard.every(({ level, samples }) => level === 0.1 && samples === 0)).toBe(true);
	});

	it('survive any bytes in any format', () => {
		const sounds: readonly Sound[] = [
			{ kind: 'wav' },
			{ kind: 'opaque' },
			...(['pcm_s16le', 'pcm_s32le', 'pcm_s32be', 'pcm_f32le', 'pcm_f32be', 'mulaw', 'alaw'] as const).map(
				(format): Sound => ({ kind: 'raw', layout: { format, rateHz: 8000, channels: 1 } }),
			),
		];
		fc.assert(
			fc.property(
				fc.constantFrom(...sounds),
				fc.array(fc.uint8Array({ maxLength: 2000 })),
				(sound, pieces) => {
					const { heard, input } = setUp(sound);
					for (const piece of pieces) input.hear(Buffer.from(piece));
					expect(heard.every(({ level }) => level >= 0 && level <= 1)).toBe(true);
				},
			),
		);
	});
});
