import { afterEach, expect, test } from 'vitest';
import { createAudioEngine } from '#renderer/sound/context.ts';
import { tapLevel } from '#renderer/sound/meter.ts';
import type { MicrophoneEvent } from '#renderer/sound/microphone.ts';
import { systemClock } from '#renderer/system-clock.ts';
import type { SoundFrame } from '#shared/host/calls.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { createSystemSound } from './others-sound.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
	for (const end of ends.splice(0).reverse()) await end();
});

/** A main process that records whatever a test plays, and a window that listens. */
function createRig() {
	const contexts: AudioContext[] = [];
	const engine = createAudioEngine({
		clock: systemClock,
		log: silentLogger,
		createContext(latencyHint) {
			const made = new AudioContext({ latencyHint });
			contexts.push(made);
			return made;
		},
	});
	ends.push(() => engine.close());
	const recordings: { wish: unknown; port: MessagePort; open: boolean; ended: (problem: Problem) => void }[] =
		[];
	let application: string | null = null;
	let refusal: Problem | null = null;
	let ready = Promise.resolve();
	const source = createSystemSound({
		engine,
		clock: systemClock,
		log: silentLogger,
		application: () => application,
		async record(wish, ended): Promise<Result<{ frames: MessagePort; close(): void }, Problem>> {
			if (refusal) return err(refusal);
			const { port1, port2 } = new MessageChannel();
			const recording = { wish, port: port1, open: true, ended };
			recordings.push(recording);
			await ready;
			return ok({
				frames: port2,
				close() {
					recording.open = false;
				},
			});
		},
	});
	ends.push(() => source.close());
	const told: MicrophoneEvent[] = [];
	source.listen((event) => void told.push(event));
	let peakDb = Number.NEGATIVE_INFINITY;

	return {
		source,
		recordings,
		told,
		contexts,
		newest: () => recordings.at(-1),
		choose(name: string | null) {
			application = name;
		},
		/** From now on main answers only once the returned function is called. */
		delay() {
			const { promise, resolve } = Promise.withResolvers<void>();
			ready = promise;
			return resolve;
		},
		refuse(problem: Problem) {
			refusal = problem;
		},
		/** One program's stream: 20 ms of it about every 20 ms, until the test ends or `stop`. */
		play(from: number, amplitude: number) {
			const port = recordings.at(-1)?.port;
			const samples = () => new Int16Array(960).fill(amplitude * 32_767);
			const stop = systemClock.every(20, () =>
				port?.postMessage({ from, samples: samples() } satisfies SoundFrame),
			);
			ends.push(stop);
			return () => {
				stop();
				port?.postMessage({ from, samples: null } satisfies SoundFrame);
			};
		},
		watch(track: MediaStreamTrack) {
			ends.push(
				tapLevel({ engine, clock: systemClock }, track, (level) => {
					peakDb = level.peakDb;
				}),
			);
			return () => peakDb;
		},
	};
}

const soon = { timeout: 8000 };

test('the track carries the recorded programs mixed, and silence while nothing arrives', async () => {
	const rig = createRig();
	const opened = await rig.source.open();
	if (!opened.ok) throw new Error(opened.error.kind);
	expect(rig.newest()?.wish).toMatchObject({ application: null });
	expect(await rig.source.open()).toEqual(opened);
	const level = rig.watch(opened.value);
	await expect.poll(level, soon).toBe(-100);
	const stopOne = rig.play(1, 0.25);
	await expect.poll(level, soon).toBeCloseTo(-12, 0);
	const stopOther = rig.play(2, 0.25);
	await expect.poll(level, soon).toBeCloseTo(-6, 0);
	stopOther();
	await expect.poll(level, soon).toBeCloseTo(-12, 0);
	stopOne();
	await expect.poll(level, soon).toBe(-100);
});

test('muted it is silent and goes on; closed, its track and its recording end', async () => {
	const rig = createRig();
	rig.source.setMuted(true);
	const opened = await rig.source.open();
	if (!opened.ok) throw new Error(opened.error.kind);
	const level = rig.watch(opened.value);
	rig.play(1, 0.25);
	expect(opened.value.enabled).toBe(false);
	rig.source.setMuted(false);
	await expect.poll(level, soon).toBeCloseTo(-12, 0);
	rig.source.close();
	expect(opened.value.readyState).toBe('ended');
	expect(rig.newest()?.open).toBe(false);
});

test('another program is taken on the same track', async () => {
	const rig = createRig();
	const opened = await rig.source.open();
	if (!opened.ok) throw new Error(opened.error.kind);
	rig.choose('Zoom');
	await rig.source.apply();
	expect(rig.recordings.map(({ open, wish }) => ({ open, wish }))).toMatchObject([
		{ open: false, wish: { application: null } },
		{ open: true, wish: { application: 'Zoom' } },
	]);
	const level = rig.watch(opened.value);
	rig.play(7, 0.25);
	await expect.poll(level, soon).toBeCloseTo(-12, 0);
	expect(rig.told).toEqual([]);
});

test('another program that is chosen while recording begins is the one recorded', async () => {
	const rig = createRig();
	const begin = rig.delay();
	const opening = rig.source.open();
	await expect.poll(() => rig.recordings.length, soon).toBe(1);
	rig.choose('Zoom');
	const applying = rig.source.apply();
	begin();
	expect(await opening).toMatchObject({ ok: true });
	await applying;
	expect(rig.recordings.map(({ open, wish }) => ({ open, wish }))).toMatchObject([
		{ open: false, wish: { application: null } },
		{ open: true, wish: { application: 'Zoom' } },
	]);
	expect(rig.told).toEqual([]);
});

test('continues with another track and reports it after the audio context was recreated', async () => {
	const rig = createRig();
	const opened = await rig.source.open();
	if (!opened.ok) throw new Error(opened.error.kind);
	// As if the browser had given it up.
	await rig.contexts[0]?.close();
	await expect.poll(() => rig.told.length, soon).toBe(1);
	const [event] = rig.told;
	if (event?.type !== 'replaced') throw new Error('not replaced');
	expect([opened.value.readyState, event.track.readyState]).toEqual(['ended', 'live']);
	const level = rig.watch(event.track);
	rig.play(1, 0.25);
	await expect.poll(level, soon).toBeGreaterThan(-20);
});

test('what cannot be recorded is a problem, and what ends by itself is told', async () => {
	const rig = createRig();
	await rig.source.open();
	rig.newest()?.ended({ kind: 'system-sound-failed', reason: 'server' });
	expect(rig.told).toEqual([{ type: 'lost', problem: { kind: 'system-sound-failed', reason: 'server' } }]);
	rig.refuse({ kind: 'recorder-missing', program: 'parec' });
	expect(await rig.source.open()).toEqual(err({ kind: 'recorder-missing', program: 'parec' }));
});
