import { afterEach, describe, expect, test, vi } from 'vitest';
import { silentLogger } from '#shared/lib/log.ts';
import { encodeWav } from '#shared/sound/wav.ts';
import { createFakeMedia } from '#test/support/fake-media.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { type AudioEngine, createAudioEngine } from './context.ts';
import { createDevices } from './device-list.ts';
import { createMeter } from './meter.ts';
import { playWav } from './play-wav.ts';
import { findLiveliest, playTestSound } from './sound-actions.ts';

const wish = { microphone: null, echoCancellation: false, noiseSuppression: false, autoGainControl: false };
const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
	for (const end of ends.splice(0)) await end();
	vi.restoreAllMocks();
});

async function setUp() {
	const clock = createManualClock();
	const media = createFakeMedia([{ kind: 'audioinput', id: 'l1', label: 'Laptop' }]);
	const devices = createDevices({ media, clock });
	await devices.refresh();
	const engine = createAudioEngine({ clock, log: silentLogger });
	const meter = createMeter({ media, devices, clock, engine });
	ends.push(async () => {
		meter.close();
		devices.close();
		await engine.close();
		await media.close();
	});
	return { clock, media, meter };
}

describe('a meter', () => {
	test('shows the level of its own microphone, 25 times a second, until it is closed', async () => {
		const { meter, media, clock } = await setUp();
		await meter.openMicrophone(wish);
		expect(meter.getState()).toMatchObject({ state: 'open', device: 'Laptop', level: { peakDb: -100 } });
		media.setLoudness(0.5);
		await vi.waitFor(
			async () => {
				await clock.run(50);
				const view = meter.getState();
				expect(view.state === 'open' && view.level.peakDb).toBeCloseTo(-6, 0);
				expect(view.state === 'open' && view.level.rmsDb).toBeCloseTo(-9, 0);
			},
			{ timeout: 5000, interval: 20 },
		);
		let changes = 0;
		meter.subscribe(() => {
			changes += 1;
		});
		await clock.run(1000);
		expect(changes).toBe(25);
		meter.close();
		expect([meter.getState().state, media.live(), clock.pending]).toEqual(['closed', 0, 0]);
	});

	test('says why it shows nothing', async () => {
		const { meter, media } = await setUp();
		media.fail('NotAllowedError');
		await meter.openMicrophone(wish);
		expect(meter.getState()).toEqual({ state: 'failed', problem: { kind: 'microphone-denied' } });
	});

	test('closed while it opens leaves no microphone on', async () => {
		const { meter, media } = await setUp();
		media.fail('hold');
		const opening = meter.openMicrophone(wish);
		meter.close();
		await opening;
		media.release();
		await vi.waitFor(() => expect(media.tracks).toHaveLength(1));
		expect([media.live(), meter.getState().state]).toEqual([0, 'closed']);
	});

	test('does not stop a track that it was shown', async () => {
		const { meter, media } = await setUp();
		const stream = await media.getUserMedia({ audio: true });
		const [track] = stream.getAudioTracks();
		if (!track) throw new Error('no track');
		meter.show(track);
		expect(meter.getState().state).toBe('open');
		meter.close();
		expect(track.readyState).toBe('live');
	});
});

describe('the test sound', () => {
	test('plays to its end', async () => {
		expect(await playTestSound({ clock: createManualClock() }, null, 0.1)).toEqual({ ok: true });
	});

	test('says when the output is not there', async () => {
		const output = { id: 'nonsense', label: 'Headset' };
		expect(await playTestSound({ clock: createManualClock() }, output)).toEqual({
			ok: false,
			error: { kind: 'output-missing', device: 'Headset' },
		});
	});

	test('says when the browser wants a gesture first', async () => {
		vi.spyOn(HTMLMediaElement.prototype, 'play').mockRejectedValue(new DOMException('', 'NotAllowedError'));
		expect(await playTestSound({ clock: createManualClock() }, null)).toEqual({
			ok: false,
			error: { kind: 'output-blocked' },
		});
	});

	test('gives up on an output that never ends it', async () => {
		vi.spyOn(HTMLMediaElement.prototype, 'play').mockResolvedValue();
		const clock = createManualClock();
		const playing = playTestSound({ clock }, null);
		await clock.run(5000);
		expect(await playing).toMatchObject({ ok: false, error: { kind: 'output-missing' } });
	});
});

describe('a sound that is stopped', () => {
	const wav = encodeWav(new Float32Array(48_000), 24_000);
	const options = { output: null, volume: 0.1, limitMs: 5000 };

	test('is silent at once', async () => {
		const elements: HTMLMediaElement[] = [];
		const { play } = HTMLMediaElement.prototype;
		vi.spyOn(HTMLMediaElement.prototype, 'play').mockImplementation(function (this: HTMLMediaElement) {
			elements.push(this);
			return play.call(this);
		});
		const stop = new AbortController();
		const ended = playWav({ clock: createManualClock() }, wav, {
			...options,
			signal: stop.signal,
			started: () => stop.abort(),
		});
		expect(await ended).toEqual({ ok: true });
		expect(elements.map(({ paused }) => paused)).toEqual([true]);
	});

	test('while its device is being opened is not played', async () => {
		const opened = Promise.withResolvers<undefined>();
		vi.spyOn(HTMLMediaElement.prototype, 'setSinkId').mockReturnValue(opened.promise);
		const play = vi.spyOn(HTMLMediaElement.prototype, 'play');
		const stop = new AbortController();
		const output = { id: 'headset', label: 'Headset' };
		const ended = playWav({ clock: createManualClock() }, wav, { ...options, output, signal: stop.signal });
		stop.abort();
		opened.resolve(undefined);
		expect(await ended).toEqual({ ok: true });
		expect(play).not.toHaveBeenCalled();
	});
});

describe('of the other microphones', () => {
	/** An engine in which each microphone is as loud as it is said here, 0 to 1. */
	function createEar(loudness: Readonly<Record<string, number>>): AudioEngine {
		return {
			use(build) {
				let heard = 0;
				const context = {
					sampleRate: 48_000,
					currentTime: 0,
					createMediaStreamSource(stream: MediaStream) {
						heard = loudness[stream.getAudioTracks()[0]?.label ?? ''] ?? 0;
						return { connect() {}, disconnect() {} };
					},
					createAnalyser: () => ({
						fftSize: 0,
						getFloatTimeDomainData: (samples: Float32Array) => void samples.fill(heard),
					}),
				};
				const undo = build(context as unknown as AudioContext);
				return () => void undo();
			},
			isRunning: true,
			setSink: async () => true,
			close: async () => {},
		};
	}

	async function search(loudness: Readonly<Record<string, number>>) {
		const clock = createManualClock();
		const media = createFakeMedia(
			['Laptop', 'Desk', 'Headset', 'Dragoman microphone'].map(
				(label) => ({ kind: 'audioinput', id: label, label }) as const,
			),
		);
		const devices = createDevices({ media, clock });
		await devices.refresh();
		ends.push(async () => {
			devices.close();
			await media.close();
		});
		const searching = findLiveliest({ media, devices, clock, engine: createEar(loudness) }, wish);
		await clock.run(3000);
		return { found: await searching, media, clock };
	}

	test('the loudest is found, the one in use and our own are not opened, and none stays open', async () => {
		const loudness = { Laptop: 0.9, Desk: 0.5, Headset: 0.05, 'Dragoman microphone': 0.9 };
		const { found, media, clock } = await search(loudness);
		expect(found).toMatchObject({ label: 'Desk' });
		expect(media.asked.map(({ deviceId }) => deviceId)).toEqual([{ exact: 'Desk' }, { exact: 'Headset' }]);
		expect([media.live(), clock.pending]).toEqual([0, 0]);
	});

	test('none is found where all are silent', async () => {
		const { found, media } = await search({ Desk: 0.0005 });
		expect([found, media.live()]).toEqual([null, 0]);
	});
});
