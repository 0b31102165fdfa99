import { afterEach, describe, expect, test, vi } from 'vitest';
import {
	createMixerRig,
	createTone,
	endMixers,
	glidesOf,
	headset,
	speakers,
} from '#test/support/mixer-rig.ts';

afterEach(endMixers);

describe('the output', () => {
	test('takes every voice and the original along, and those that come later', async () => {
		const { mixer, sinks, contextSinks } = await createMixerRig();
		mixer.setOriginalVolume(1);
		mixer.setOriginal(createTone().track);
		mixer.setVoice('es', createTone().track);
		expect(await mixer.setOutput({ id: 'h1', label: 'Headset' })).toEqual({ ok: true });
		mixer.setVoice('fr', createTone().track);
		expect(sinks).toEqual(['h1', 'h1']);
		expect(contextSinks).toEqual(['h1']);
	});

	test('apart from other mixers is that of the context alone: no element is given it, for it would take all others along', async () => {
		const { mixer, sinks, contextSinks, playing } = await createMixerRig();
		const through = vi.spyOn(AudioContext.prototype, 'createMediaStreamSource');
		const { track } = createTone();
		mixer.selectVoice('es');
		mixer.setVoice('es', track);
		const headsetOutput = { id: 'h1', label: 'Headset' };
		expect(await mixer.setOutput(headsetOutput, true)).toEqual({ ok: true });
		expect(through.mock.calls.at(-1)?.[0].getTracks()).toEqual([track]);
		expect(contextSinks).toEqual(['h1']);
		// A later voice plays there too.
		mixer.setVoice('es', createTone().track);
		expect(sinks).toEqual([]);
		expect(playing().every((element) => element.muted)).toBe(true);

		expect(await mixer.setOutput(headsetOutput)).toEqual({ ok: true });
		expect(sinks).toEqual(['h1']);
		expect(playing().some((element) => !element.muted)).toBe(true);
	});

	test('that is not there: plays on the default, says so, and goes over when it comes', async () => {
		const { mixer, media, events, clock } = await createMixerRig();
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
		const { mixer, media, events, clock } = await createMixerRig();
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
		const { mixer, media, sinks, clock } = await createMixerRig();
		media.plug([speakers, { ...headset, id: 'broken' }]);
		await clock.run(1000);
		mixer.setVoice('es', createTone().track);
		expect(await mixer.setOutput({ id: 'broken', label: 'Headset' })).toMatchObject({ ok: false });
		expect(sinks.filter((sink) => sink !== '')).toEqual([]);
	});

	test('the default is always to be had', async () => {
		const { mixer } = await createMixerRig();
		expect(await mixer.setOutput(null)).toEqual({ ok: true });
	});

	test('a voice apart from other mixers is as loud as it was set, before and while it is heard, and can be muted', async () => {
		const { mixer } = await createMixerRig();
		const [before, { track }] = [createTone(), createTone()];
		const gains: GainNode[] = [];
		const create = AudioContext.prototype.createGain;
		vi.spyOn(AudioContext.prototype, 'createGain').mockImplementation(function (this: AudioContext) {
			const node = create.call(this);
			gains.push(node);
			return node;
		});
		const glides = glidesOf();
		mixer.selectVoice('es');
		expect(await mixer.setOutput({ id: 'h1', label: 'Headset' }, true)).toEqual({ ok: true });
		mixer.setVoice('es', before.track);
		expect(gains.map(({ gain }) => gain.value)).toEqual([1]);
		mixer.setVoiceVolume(0.5);
		mixer.setVoice('es', track);
		const node = gains.at(-1);
		expect(node?.gain.value).toBe(0.5);
		mixer.setVoiceVolume(0.25);
		expect(glides.at(-1)?.to).toBe(0.25);
		const left = node && vi.spyOn(node, 'disconnect');
		mixer.setVoiceVolume(0);
		expect(left).toHaveBeenCalledTimes(1);
	});
});
