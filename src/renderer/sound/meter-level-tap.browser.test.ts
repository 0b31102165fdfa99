import { expect, onTestFinished, test, vi } from 'vitest';
import { silentLogger } from '#shared/lib/log.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { createAudioEngine } from './context.ts';
import { tapLevel } from './meter.ts';

function setUp() {
	const clock = createManualClock();
	const engine = createAudioEngine({ clock, log: silentLogger });
	const context = new AudioContext();
	const sources = vi.spyOn(AudioContext.prototype, 'createMediaStreamSource');
	onTestFinished(async () => {
		vi.restoreAllMocks();
		await engine.close();
		await context.close();
	});
	const track = () => {
		const tone = context.createOscillator();
		const sink = context.createMediaStreamDestination();
		tone.connect(sink);
		tone.start();
		return sink.stream.getAudioTracks()[0] as MediaStreamTrack;
	};
	return { clock, sources, track, parts: { engine, clock } };
}

test('who listens to one track is told of the same readings, each as often as asked, and leaves nothing behind', async () => {
	const { clock, sources, track, parts } = setUp();
	const [one, other] = [track(), track()];
	const told = { often: 0, seldom: 0, other: 0 };
	let loudest = -100;
	const ends = [
		tapLevel(parts, one, ({ rmsDb }) => {
			told.often += 1;
			loudest = Math.max(loudest, rmsDb);
		}),
		tapLevel(parts, one, () => (told.seldom += 1), 120),
		tapLevel(parts, other, () => (told.other += 1)),
	];
	expect([sources.mock.calls.length, clock.pending]).toEqual([2, 1]);
	clock.advance(1200);
	expect(told).toEqual({ often: 30, seldom: 10, other: 30 });
	await vi.waitFor(() => {
		clock.advance(40);
		expect(loudest).toBeGreaterThan(-10);
	});
	const before = { ...told };
	ends[0]?.();
	clock.advance(120);
	expect([told.often - before.often, told.seldom - before.seldom]).toEqual([0, 1]);
	ends[1]?.();
	ends[1]?.();
	clock.advance(120);
	expect([told.seldom - before.seldom, told.other - before.other]).toEqual([1, 6]);
	ends[2]?.();
	expect([clock.pending, parts.engine.isRunning]).toEqual([0, false]);

	tapLevel(parts, one, () => (told.often += 1))();
	expect([sources.mock.calls.length, clock.pending]).toEqual([3, 0]);
});

test('one that ends another while being told: that one is told nothing more', () => {
	const { clock, track, parts } = setUp();
	const one = track();
	let told = 0;
	const first = tapLevel(parts, one, () => second());
	const second = tapLevel(parts, one, () => (told += 1));
	clock.advance(80);
	expect(told).toBe(0);
	first();
	expect(clock.pending).toBe(0);
});

test('a context that stands still is silence for a moment and then nothing, not its last sound for ever', async () => {
	const { clock, sources, track, parts } = setUp();
	let newest = -100;
	let told = 0;
	const end = tapLevel(parts, track(), ({ rmsDb }) => {
		newest = rmsDb;
		told += 1;
	});
	const context = sources.mock.contexts.at(-1) as AudioContext;
	await vi.waitFor(() => {
		clock.advance(40);
		expect(newest).toBeGreaterThan(-10);
	});
	const stands = vi.spyOn(context, 'currentTime', 'get').mockReturnValue(7);
	const now = vi.spyOn(performance, 'now');
	const atMs = performance.now();
	const read = (ms: number) => {
		now.mockReturnValue(atMs + ms);
		clock.advance(40);
	};
	read(0);
	read(480);
	expect(newest).toBeGreaterThan(-10);
	read(520);
	expect(newest).toBe(-100);
	read(1480);
	const before = told;
	read(1520);
	read(60_000);
	expect(told).toBe(before);
	now.mockRestore();
	stands.mockRestore();
	await vi.waitFor(() => {
		clock.advance(40);
		expect(newest).toBeGreaterThan(-10);
	});
	end();
});
