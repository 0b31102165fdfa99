import { afterEach, describe, expect, test, vi } from 'vitest';
import {
	createMixerRig,
	createTone,
	endMixers,
	type Glide,
	glidesOf,
	headset,
	speakers,
	tick,
} from '#test/support/mixer-rig.ts';

afterEach(endMixers);

const trackOf = (element: HTMLAudioElement | undefined) =>
	element?.srcObject instanceof MediaStream ? element.srcObject.getAudioTracks()[0] : undefined;

/** A mixer that is watched for whether its voice speaks. */
async function talkingRig() {
	const rig = await createMixerRig();
	/** Waits until the mixer has told these changes and nothing else. */
	const tells = (...changes: readonly boolean[]) =>
		vi.waitFor(
			async () => {
				await rig.clock.run(tick);
				expect(rig.events).toEqual(changes.map((active) => ({ type: 'voice-active', active })));
			},
			{ timeout: 5000, interval: 20 },
		);
	return { ...rig, tells };
}

describe('voices', () => {
	test('only the selected one is heard, each language on one element', async () => {
		const { mixer, playing } = await createMixerRig();
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

	test('tells which voices there are, heard or not', async () => {
		const { mixer } = await createMixerRig();
		const [es, fr] = [createTone(), createTone()];
		const told: unknown[] = [];
		mixer.listen(({ type }) => {
			if (type === 'voices') told.push([...mixer.voices()].map(([language, { track }]) => [language, track]));
		});
		mixer.selectVoice('es');
		mixer.setVoice('es', es.track);
		mixer.setVoiceVolume(0);
		mixer.cut();
		mixer.setVoice('fr', fr.track);
		expect(told.at(-1)).toEqual([
			['es', es.track],
			['fr', fr.track],
		]);
		mixer.setVoice('es', null);
		expect(told.at(-1)).toEqual([['fr', fr.track]]);
		mixer.clear();
		expect(told.at(-1)).toEqual([]);
	});

	test('one that the browser could not play on is given its track anew, a few times and not for ever', async () => {
		const { mixer, playing, elements, clock } = await createMixerRig();
		const { track } = createTone();
		mixer.selectVoice('es');
		mixer.setVoice('es', track);
		mixer.setVoiceVolume(0.5);
		const [element] = elements;
		const before = element?.srcObject;
		for (let times = 1; times <= 5; times += 1) {
			element?.dispatchEvent(new Event('error'));
			expect(playing()).toEqual([]);
			await clock.run(2100);
			expect(playing().map((one) => [trackOf(one), one.muted, one.volume])).toEqual([[track, false, 0.5]]);
		}
		expect(element?.srcObject).not.toBe(before);
		element?.dispatchEvent(new Event('error'));
		await clock.run(60_000);
		expect(playing()).toEqual([]);
		// The element was left alone for a while, and its device is back.
		mixer.setVoice('es', createTone().track);
		expect(playing()).toHaveLength(1);
		elements.at(-1)?.dispatchEvent(new Event('error'));
		mixer.setVoice('es', null);
		await clock.run(60_000);
		expect(playing()).toEqual([]);
	});

	test('one that has given up plays again, as often as at first, when the devices change', async () => {
		const { mixer, playing, elements, clock, media } = await createMixerRig();
		const { track } = createTone();
		mixer.setVoice('es', track);
		async function giveUp() {
			for (let times = 1; times <= 6; times += 1) {
				expect(playing().map(trackOf)).toEqual([track]);
				elements[0]?.dispatchEvent(new Event('error'));
				await clock.run(2100);
			}
			expect(playing()).toEqual([]);
		}
		await giveUp();
		media.plug([speakers]);
		await clock.run(1000);
		await giveUp();
		await mixer.close();
		media.plug([speakers, headset]);
		await clock.run(1000);
		expect(playing()).toEqual([]);
	});

	test('one that has played on for ten seconds since is given its track anew as often as at first', async () => {
		const { mixer, playing, elements, clock } = await createMixerRig();
		const { track } = createTone();
		mixer.selectVoice('es');
		mixer.setVoice('es', track);
		for (let times = 1; times <= 8; times += 1) {
			elements[0]?.dispatchEvent(new Event('error'));
			expect(playing()).toEqual([]);
			await clock.run(10_001);
			expect(playing().map(trackOf)).toEqual([track]);
		}
	});

	test('the same track again is left playing', async () => {
		const { mixer, elements } = await createMixerRig();
		const { track } = createTone();
		mixer.setVoice('es', track);
		mixer.setVoice('es', track);
		expect(elements).toHaveLength(1);
	});

	test('volume is that of the elements, also of those that come later', async () => {
		const { mixer, playing } = await createMixerRig();
		mixer.setVoice('es', createTone().track);
		mixer.setVoiceVolume(0.25);
		mixer.setVoice('fr', createTone().track);
		const volumes = () => playing().map((element) => element.volume);
		expect(volumes()).toEqual([0.25, 0.25]);
		mixer.setVoiceVolume(7);
		mixer.setVoiceVolume(0.5);
		expect(volumes()).toEqual([0.5, 0.5]);
	});

	test('cut silences at once until it is resumed, also for a track that comes meanwhile', async () => {
		const { mixer, playing } = await createMixerRig();
		mixer.selectVoice('es');
		mixer.setVoice('es', createTone().track);
		mixer.cut();
		mixer.setVoice('es', createTone().track);
		expect(playing().map((element) => element.muted)).toEqual([true]);
		mixer.resumeVoice();
		expect(playing().map((element) => element.muted)).toEqual([false]);
	});

	test('tells when the voice speaks and when it stops', async () => {
		const { mixer, tells } = await talkingRig();
		const voice = createTone();
		mixer.setVoice('es', voice.track);
		mixer.selectVoice('es');
		voice.loud(0.3);
		await tells(true);
		voice.loud(0);
		await tells(true, false);
	});

	test('a voice that goes while it speaks has stopped speaking', async () => {
		const { mixer, events, tells } = await talkingRig();
		const voice = createTone();
		voice.loud(0.3);
		mixer.setVoice('es', voice.track);
		mixer.selectVoice('es');
		await tells(true);
		mixer.setVoice('es', null);
		expect(events).toEqual([
			{ type: 'voice-active', active: true },
			{ type: 'voice-active', active: false },
		]);
	});

	test('refused by the browser: says so, and plays at the next gesture', async () => {
		const { mixer, events, refusals, gestures, elements } = await createMixerRig();
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
	/** The output of the mixer's own context. */
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

	/** Ms from `start` until a glide that begins there reaches `value`. */
	function reachesMs(glide: Glide | undefined, start: number, value: number): number {
		if (!glide) throw new Error('no glide');
		return 1000 * glide.timeConstant * Math.log((start - glide.to) / (value - glide.to));
	}

	test('costs nothing at volume 0', async () => {
		const { mixer } = await createMixerRig();
		const { track } = createTone();
		const { gains } = listenTo();
		mixer.setOriginal(track);
		expect(gains).toHaveLength(0);
		mixer.setOriginalVolume(0.5);
		expect(gains).toHaveLength(1);
	});

	test('goes down within a syllable while the voice speaks, and is back after 400 ms', async () => {
		const { mixer, events, clock } = await createMixerRig();
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
		// Speed is computed from what the browser was told, not from when a busy machine comes to observe it.
		const glides = glidesOf();
		const now = () => gains[0]?.context.currentTime ?? Number.NaN;
		await until(true);
		const down = glides.at(-1);
		expect(down?.from).toBeLessThanOrEqual(now());
		expect(reachesMs(down, 0.8, 0.2)).toBeLessThan(250);
		await vi.waitFor(() => expect(gain()).toBeLessThan(0.2), wait);

		voice.loud(0);
		await until(false);
		const up = glides.at(-1);
		expect(up?.from).toBeLessThanOrEqual(now());
		expect(reachesMs(up, 0.16, 0.76)).toBeGreaterThan(200);
		expect(reachesMs(up, 0.16, 0.76)).toBeLessThan(1000);
		await vi.waitFor(() => expect(gain()).toBeGreaterThan(0.76), wait);
	});

	test('stays up when ducking is off', async () => {
		const { mixer, tells } = await talkingRig();
		const [voice, original] = [createTone(), createTone()];
		const { gains } = listenTo();
		mixer.setDucking(false);
		mixer.setOriginalVolume(0.8);
		mixer.setOriginal(original.track);
		voice.loud(0.3);
		mixer.setVoice('es', voice.track);
		mixer.selectVoice('es');
		await tells(true);
		expect(gains[0]?.gain.value).toBeCloseTo(0.8, 2);
	});

	test('comes back when the voice is cut while it speaks, which then counts as silent', async () => {
		const { mixer, events, tells } = await talkingRig();
		const [voice, original] = [createTone(), createTone()];
		mixer.setOriginalVolume(0.8);
		mixer.setOriginal(original.track);
		voice.loud(0.3);
		mixer.setVoice('es', voice.track);
		mixer.selectVoice('es');
		await tells(true);
		const glides = glidesOf();
		mixer.cut();
		expect(events.slice(1)).toEqual([{ type: 'voice-active', active: false }]);
		expect(glides.at(-1)?.to).toBeCloseTo(0.8, 2);
	});

	test('switched on it goes down while the voice speaks and not before, switched off it comes back', async () => {
		const { mixer, tells } = await talkingRig();
		const [voice, original] = [createTone(), createTone()];
		const { gains } = listenTo();
		mixer.setOriginalVolume(0.8);
		mixer.setOriginal(original.track);
		const gain = () => gains[0]?.gain.value ?? Number.NaN;
		await vi.waitFor(() => expect(gain()).toBeCloseTo(0.8, 2), { timeout: 5000, interval: 5 });
		const glides = glidesOf();
		mixer.setDucking(false);
		mixer.setDucking(true);
		expect(glides.filter(({ to }) => Math.abs(to - 0.8) > 0.01)).toEqual([]);
		mixer.setDucking(false);
		voice.loud(0.3);
		mixer.setVoice('es', voice.track);
		mixer.selectVoice('es');
		await tells(true);
		mixer.setDucking(true);
		expect(glides.at(-1)?.to).toBeCloseTo(0.16, 2);
		mixer.setDucking(false);
		expect(glides.at(-1)?.to).toBeCloseTo(0.8, 2);
	});
});

test('closing leaves no element playing and no timer running', async () => {
	const { mixer, playing, clock } = await createMixerRig();
	mixer.setOriginalVolume(1);
	mixer.setOriginal(createTone().track);
	mixer.selectVoice('es');
	mixer.setVoice('es', createTone().track);
	await mixer.close();
	expect([playing(), clock.pending]).toEqual([[], 0]);
});
