import { afterEach, expect, test } from 'vitest';
import { silentLogger } from '#shared/lib/log.ts';
import { createMixerRig, createTone, endMixers, headset, speakers } from '#test/support/mixer-rig.ts';
import type { AudioEngine } from './context.ts';
import { createRoomOutput } from './voice-path.ts';

afterEach(endMixers);

/** Counts what is played through it, instead of playing it. */
function createSilentEngine() {
	const playing = new Set<{ readonly gain: { value: number } }>();
	const sinks: string[] = [];
	const engine: AudioEngine = {
		use(build) {
			const context = { currentTime: 0, destination: {} } as Record<string, unknown>;
			const source = { connect: (to: unknown) => to, disconnect() {} };
			return build(
				Object.assign(context, {
					createMediaStreamSource: () => source,
					createGain() {
						const gain = {
							value: 1,
							setTargetAtTime(to: number) {
								gain.value = to;
							},
						};
						const node = { gain, context, connect() {}, disconnect: () => void playing.delete(node) };
						playing.add(node);
						return node;
					},
				}) as unknown as AudioContext,
			) as () => void;
		},
		isRunning: true,
		setSink: async (id) => id !== 'broken' && sinks.push(id) > 0,
		close: async () => {},
	};
	return { engine, sinks, volumes: () => [...playing].map(({ gain }) => gain.value) };
}

async function createRig() {
	const rig = await createMixerRig();
	const { engine, sinks, volumes } = createSilentEngine();
	const room = createRoomOutput({ devices: rig.devices, engine, log: silentLogger });
	const wants = { room: true };
	const mixer = room.alsoHere(rig.mixer, () => wants.room);
	mixer.selectVoice('es');
	mixer.setVoice('es', createTone().track);
	const settled = () => rig.clock.run(1000);
	/** How loud it is, first here, then in the room. */
	const heard = () => [
		...rig
			.playing()
			.filter((element) => !element.muted)
			.map(({ volume }) => volume),
		...volumes(),
	];
	return { ...rig, sinks, elementSinks: rig.sinks, room, mixer, wants, settled, heard };
}

const second = { id: 'h1', label: 'Headset' };

test('the voice is heard on a second loudspeaker, at its own volume, and there alone where it is turned off', async () => {
	const { room, mixer, heard, settled, sinks, elementSinks } = await createRig();
	expect(heard()).toHaveLength(1);
	room.setVolume(0.25);
	room.setDevice(second);
	await settled();
	expect(heard()).toEqual([1, 0.25]);
	expect(sinks).toEqual(['h1']);
	// Chromium would take the voice here along.
	expect(elementSinks).toEqual([]);
	mixer.setVoiceVolume(0);
	expect(heard()).toEqual([0, 0.25]);
	room.setDevice(null);
	await settled();
	expect(heard()).toHaveLength(1);
});

test('it follows the voice: another language, a cut, the end', async () => {
	const { room, mixer, heard, settled } = await createRig();
	room.setDevice(second);
	await settled();
	mixer.setVoice('fr', createTone().track);
	mixer.selectVoice('fr');
	expect(heard()).toHaveLength(2);
	mixer.cut();
	expect(heard()).toHaveLength(0);
	mixer.resumeVoice();
	expect(heard()).toHaveLength(2);
	mixer.clear();
	expect(heard()).toHaveLength(0);
});

test('a loudspeaker that vanishes is silent, not heard by the default one, and is back when it returns', async () => {
	const { room, heard, settled, media } = await createRig();
	room.setDevice(second);
	await settled();
	media.plug([speakers]);
	await settled();
	expect(heard()).toHaveLength(1);
	media.plug([speakers, headset]);
	await settled();
	expect(heard()).toHaveLength(2);
});

test('what goes into a call is not for the room', async () => {
	const { room, wants, heard, settled } = await createRig();
	room.setDevice(second);
	await settled();
	wants.room = false;
	room.apply();
	expect(heard()).toHaveLength(1);
});
