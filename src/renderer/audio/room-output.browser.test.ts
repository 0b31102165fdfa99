import { afterEach, expect, test } from 'vitest';
import { silentLogger } from '#shared/lib/log.ts';
import { createMixerRig, createTone, endMixers, headset, speakers } from '#test/support/mixer-rig.ts';
import { createRoomOutput } from './room-output.ts';

afterEach(endMixers);

async function createRig() {
	const rig = await createMixerRig();
	const room = createRoomOutput({ devices: rig.devices, clock: rig.clock, log: silentLogger });
	const wants = { room: true };
	const mixer = room.alsoHere(rig.mixer, () => wants.room);
	mixer.selectVoice('es');
	mixer.setVoice('es', createTone().track);
	const settled = () => rig.clock.run(1000);
	/** Elements that are heard. */
	const heard = () => rig.playing().filter((element) => !element.muted);
	return { ...rig, room, mixer, wants, settled, heard };
}

const second = { id: 'h1', label: 'Headset' };

test('the voice is heard on a second loudspeaker, at its own volume, and there alone where it is turned off', async () => {
	const { room, mixer, heard, settled, sinks } = await createRig();
	expect(heard()).toHaveLength(1);
	room.setVolume(0.25);
	room.setDevice(second);
	await settled();
	expect(heard().map(({ volume }) => volume)).toEqual([1, 0.25]);
	expect(sinks).toEqual(['h1']);
	mixer.setVoiceVolume(0);
	expect(heard().map(({ volume }) => volume)).toEqual([0, 0.25]);
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
