import { afterEach, describe, expect, test, vi } from 'vitest';
import { silentLogger } from '#shared/lib/log.ts';
import { createFakeMedia, type FakeDevice } from '#test/support/fake-media.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { createAudioEngine } from './context.ts';
import { createDevices } from './devices.ts';
import { createMixer, type MixerEvent } from './mixer.ts';

const speakers: FakeDevice = { kind: 'audiooutput', id: 's1', label: 'Speakers' };
const headset: FakeDevice = { kind: 'audiooutput', id: 'h1', label: 'Headset' };
const tick = 40;

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
	for (const end of ends.splice(0)) await end();
	vi.restoreAllMocks();
});

/** A track of a tone whose loudness can be changed. */
function createTone() {
	const context = new AudioContext();
	const tone = context.createOscillator();
	const gain = context.createGain();
	const sink = context.createMediaStreamDestination();
	gain.gain.value = 0;
	tone.connect(gain).connect(sink);
	tone.start();
	ends.push(() => context.close());
	const [track] = sink.stream.getAudioTracks();
	if (!track) throw new Error('no track');
	return {
		track,
		loud(volume: number) {
			gain.gain.value = volume;
		},
	};
}

async function setUp() {
	// Elements live outside the document; this is how a test sees them, and where they are told to play.
	const elements: HTMLAudioElement[] = [];
	const play = HTMLMediaElement.prototype.play;
	const refusals: string[] = [];
	vi.spyOn(HTMLMediaElement.prototype, 'play').mockImplementation(function (this: HTMLMediaElement) {
		if (!elements.includes(this as HTMLAudioElement)) elements.push(this as HTMLAudioElement);
		const refusal = refusals.shift();
		return refusal ? Promise.reject(new DOMException('', refusal)) : play.call(this);
	});
	const sinks: string[] = [];
	vi.spyOn(HTMLMediaElement.prototype, 'setSinkId').mockImplementation(async (id) => {
		if (id === 'broken') throw new DOMException('', 'NotFoundError');
		sinks.push(id);
	});
	const clock = createManualClock();
	const media = createFakeMedia([speakers, headset]);
	const devices = createDevices({ media, clock });
	await devices.refresh();
	const gestures = new EventTarget();
	const contextSinks: string[] = [];
	const engine = createAudioEngine({
		clock,
		log: silentLogger,
		createContext() {
			const context = new AudioContext();
			Object.assign(context, { setSinkId: async (id: string) => void contextSinks.push(id) });
			return context;
		},
	});
	const mixer = createMixer({ engine, devices, clock, log: silentLogger, gestures });
	const events: MixerEvent[] = [];
	mixer.listen((event) => events.push(event));
	ends.push(async () => {
		await mixer.close();
		devices.close();
		await engine.close();
		await media.close();
	});
	const playing = () => elements.filter((element) => element.srcObject !== null);
	return { clock, media, mixer, events, elements, playing, refusals, sinks, contextSinks, gestures };
}

const trackOf = (element: HTMLAudioElement | undefined) =>
	element?.srcObject instanceof MediaStream ? element.srcObject.getAudioTracks()[0] : undefined;

describe('voices', () => {
	test('only the selected one is heard, each language on one element', async () => {
		const { mixer, playing } = await setUp();
		const [es, fr, newer] = [createTone(), createTone(), createTone()];
		mixer.selectVoice('es');
		mixer.setVoice('es', es.track);
		mixer.setVoice('fr', fr.track);
		expect(playing().map((element) => [trackOf(element), element.muted])).toEqual([
			[es.track, false],
			[fr.track, true],
		]);
		mixer.selectVoice('fr');
		expect(playing().map((element) => element.muted)).toEqual([true, false]);
		mixer.setVoice('fr', newer.track);
		expect(playing().map(trackOf)).toEqual([es.track, newer.track]);
		mixer.setVoice('es', null);
		mixer.setVoice('fr', null);
		expect(playing()).toEqual([]);
	});

	test('the same track again is left playing', async () => {
		const { mixer, elements } = await setUp();
		const { track } = createTone();
		mixer.setVoice('es', track);
		mixer.setVoice('es', track);
		expect(elements).toHaveLength(1);
	});

	test('volume is that of the elements, also of those that come later', async () => {
		const { mixer, playing } = await setUp();
		mixer.setVoice('es', createTone().track);
		mixer.setVoiceVolume(0.4);
		mixer.setVoice('fr', createTone().track);
		mixer.setVoiceVolume(7);
		mixer.setVoiceVolume(0.5);
		expect(playing().map((element) => element.volume)).toEqual([0.5, 0.5]);
	});

	test('cut silences at once until it is resumed, also for a track that comes meanwhile', async () => {
		const { mixer, playing } = await setUp();
		mixer.selectVoice('es');
		mixer.setVoice('es', createTone().track);
		mixer.cut();
		mixer.setVoice('es', createTone().track);
		expect(playing().map((element) => element.muted)).toEqual([true]);
		mixer.resumeVoice();
		expect(playing().map((element) => element.muted)).toEqual([false]);
	});

	test('tells when the voice speaks and when it stops', async () => {
		const { mixer, events, clock } = await setUp();
		const voice = createTone();
		mixer.setVoice('es', voice.track);
		mixer.selectVoice('es');
		voice.loud(0.3);
		const wait = { timeout: 5000, interval: 20 };
		await vi.waitFor(async () => {
			await clock.run(tick);
			expect(events).toEqual([{ type: 'voice-active', active: true }]);
		}, wait);
		voice.loud(0);
		await vi.waitFor(async () => {
			await clock.run(tick);
			expect(events.slice(1)).toEqual([{ type: 'voice-active', active: false }]);
		}, wait);
	});

	test('a voice that goes while it speaks has stopped speaking', async () => {
		const { mixer, events, clock } = await setUp();
		const voice = createTone();
		voice.loud(0.3);
		mixer.setVoice('es', voice.track);
		mixer.selectVoice('es');
		await vi.waitFor(
			async () => {
				await clock.run(tick);
				expect(events).toHaveLength(1);
			},
			{ timeout: 5000, interval: 20 },
		);
		mixer.setVoice('es', null);
		expect(events).toEqual([
			{ type: 'voice-active', active: true },
			{ type: 'voice-active', active: false },
		]);
	});

	test('refused by the browser: says so, and plays at the next gesture', async () => {
		const { mixer, events, refusals, gestures, elements } = await setUp();
		refusals.push('NotAllowedError');
		mixer.setVoice('es', createTone().track);
		await vi.waitFor(() => expect(events).toEqual([{ type: 'blocked' }]));
		gestures.dispatchEvent(new Event('pointerdown'));
		await vi.waitFor(() => expect(elements[0]?.paused).toBe(false));
		gestures.dispatchEvent(new Event('pointerdown'));
		expect(events).toHaveLength(1);
	});
});

describe('the original', () => {
	/** What the mixer's own context would play. */
	function listenTo(): { gains: GainNode[] } {
		const gains: GainNode[] = [];
		const create = AudioContext.prototype.createGain;
		vi.spyOn(AudioContext.prototype, 'createGain').mockImplementation(function (this: AudioContext) {
			const node = create.call(this);
			gains.push(node);
			return node;
		});
		return { gains };
	}

	test('costs nothing at volume 0', async () => {
		const { mixer } = await setUp();
		const { track } = createTone();
		const { gains } = listenTo();
		mixer.setOriginal(track);
		expect(gains).toHaveLength(0);
		mixer.setOriginalVolume(0.5);
		expect(gains).toHaveLength(1);
	});

	test('goes down within a syllable while the voice speaks, and is back after 400 ms', async () => {
		const { mixer, events, clock } = await setUp();
		const voice = createTone();
		const original = createTone();
		const { gains } = listenTo();
		mixer.setOriginalVolume(0.8);
		mixer.setOriginal(original.track);
		mixer.setVoice('es', voice.track);
		mixer.selectVoice('es');
		const gain = () => gains[0]?.gain.value ?? Number.NaN;
		const wait = { timeout: 5000, interval: 5 };
		await vi.waitFor(() => expect(gain()).toBeCloseTo(0.8, 2), wait);

		voice.loud(0.3);
		const until = (active: boolean) =>
			vi.waitFor(async () => {
				await clock.run(tick);
				expect(events.at(-1)).toEqual({ type: 'voice-active', active });
			}, wait);
		await until(true);
		const downAt = performance.now();
		await vi.waitFor(() => expect(gain()).toBeLessThan(0.2), wait);
		expect(performance.now() - downAt).toBeLessThan(250);

		voice.loud(0);
		await until(false);
		const upAt = performance.now();
		await vi.waitFor(() => expect(gain()).toBeGreaterThan(0.76), wait);
		expect(performance.now() - upAt).toBeGreaterThan(200);
		expect(performance.now() - upAt).toBeLessThan(1000);
	});

	test('stays up when ducking is off', async () => {
		const { mixer, events, clock } = await setUp();
		const [voice, original] = [createTone(), createTone()];
		const { gains } = listenTo();
		mixer.setDucking(false);
		mixer.setOriginalVolume(0.8);
		mixer.setOriginal(original.track);
		voice.loud(0.3);
		mixer.setVoice('es', voice.track);
		mixer.selectVoice('es');
		await vi.waitFor(
			async () => {
				await clock.run(tick);
				expect(events).toHaveLength(1);
			},
			{ timeout: 5000, interval: 20 },
		);
		expect(gains[0]?.gain.value).toBeCloseTo(0.8, 2);
	});
});

describe('the output', () => {
	test('takes every voice and the original along, and those that come later', async () => {
		const { mixer, sinks, contextSinks } = await setUp();
		mixer.setOriginalVolume(1);
		mixer.setOriginal(createTone().track);
		mixer.setVoice('es', createTone().track);
		expect(await mixer.setOutput({ id: 'h1', label: 'Headset' })).toEqual({ ok: true });
		mixer.setVoice('fr', createTone().track);
		expect(sinks).toEqual(['h1', 'h1']);
		expect(contextSinks).toEqual(['h1']);
	});

	test('that is not there: plays on the default, says so, and goes over when it comes', async () => {
		const { mixer, media, events, clock } = await setUp();
		media.plug([speakers]);
		await clock.run(1000);
		const gone = { id: 'h1', label: 'Headset' };
		expect(await mixer.setOutput(gone)).toEqual({
			ok: false,
			error: { kind: 'output-missing', device: 'Headset' },
		});
		media.plug([speakers, headset]);
		await clock.run(1000);
		expect(events).toEqual([{ type: 'output-switched', from: '', to: 'Headset' }]);
	});

	test('that vanishes: goes to the default, and back when it returns', async () => {
		const { mixer, media, events, clock } = await setUp();
		await mixer.setOutput({ id: 'h1', label: 'Headset' });
		media.plug([speakers]);
		await clock.run(1000);
		media.plug([speakers, headset]);
		await clock.run(1000);
		expect(events).toEqual([
			{ type: 'output-switched', from: 'Headset', to: '' },
			{ type: 'output-switched', from: '', to: 'Headset' },
		]);
	});

	test('that refuses: plays on the default', async () => {
		const { mixer, media, sinks, clock } = await setUp();
		media.plug([speakers, { ...headset, id: 'broken' }]);
		await clock.run(1000);
		mixer.setVoice('es', createTone().track);
		expect(await mixer.setOutput({ id: 'broken', label: 'Headset' })).toMatchObject({ ok: false });
		expect(sinks.filter((sink) => sink !== '')).toEqual([]);
	});

	test('the default is always to be had', async () => {
		const { mixer } = await setUp();
		expect(await mixer.setOutput(null)).toEqual({ ok: true });
	});
});

test('closing leaves no element playing and no timer running', async () => {
	const { mixer, playing, clock } = await setUp();
	mixer.setOriginalVolume(1);
	mixer.setOriginal(createTone().track);
	mixer.selectVoice('es');
	mixer.setVoice('es', createTone().track);
	await mixer.close();
	expect([playing(), clock.pending]).toEqual([[], 0]);
});
