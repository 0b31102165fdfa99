import { beforeEach, expect, test } from 'vitest';
import { withZeros } from '#renderer/calls/others-sound.ts';
import { ok } from '#shared/lib/result.ts';
import { FLOOR_DB } from '#shared/sound/level.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import type { Microphone, MicrophoneEvent } from './microphone.ts';

const track = {} as MediaStreamTrack;
let clock: ReturnType<typeof createManualClock>;
let told: boolean[];
let level: (peakDb: number) => void;
let taps: number;
let say: (event: MicrophoneEvent) => void;
let source: Microphone;

beforeEach(() => {
	clock = createManualClock();
	told = [];
	taps = 0;
	level = () => {};
	say = () => {};
	const bare: Microphone = {
		open: async () => ok(track),
		setMuted() {},
		close() {},
		listen(heard) {
			say = heard;
			return () => {};
		},
		device: '',
		async apply() {},
	};
	source = withZeros(bare, {
		clock,
		tap(_track, heard) {
			taps += 1;
			level = (peakDb) => heard({ peakDb, rmsDb: peakDb });
			return () => {
				taps -= 1;
			};
		},
		afterMs: 6000,
		tell: (zeros) => void told.push(zeros),
	});
});

function zerosFor(ms: number): void {
	for (let at = 0; at < ms; at += 250) {
		clock.advance(250);
		level(FLOOR_DB);
	}
}

test('nothing but zeros is told once, and that something comes again', async () => {
	await source.open();
	zerosFor(5750);
	expect(told).toEqual([]);
	zerosFor(1000);
	expect(told).toEqual([true]);
	level(-70);
	expect(told).toEqual([true, false]);
	zerosFor(5750);
	expect(told).toEqual([true, false]);
});

test('who is muted hears nothing and is told nothing', async () => {
	await source.open();
	source.setMuted(true);
	zerosFor(20_000);
	expect(told).toEqual([]);
	source.setMuted(false);
	zerosFor(5750);
	expect(told).toEqual([]);
	zerosFor(500);
	expect(told).toEqual([true]);
});

test('another track begins anew, and after the end nothing is looked at and nothing stands', async () => {
	source.listen(() => {});
	await source.open();
	zerosFor(7000);
	say({ type: 'replaced', track, from: '', to: '' });
	expect(told).toEqual([true, false]);
	expect(taps).toBe(1);
	zerosFor(7000);
	source.close();
	expect(told).toEqual([true, false, true, false]);
	expect(taps).toBe(0);
});
