import { expect, test } from 'vitest';
import { liveLegsRig } from '#test/support/legs-rig.ts';

test('a voice that was muted is heard again when both are over, not before: so that typed texts are heard', async () => {
	const rig = await liveLegsRig();
	rig.room('outgoing').script.tailMs = 3000;
	rig.legs.outgoing.muteVoice(true);
	rig.legs.stop();
	await rig.clock.run(2500);
	expect(rig.view()).toMatchObject({ phase: 'ending', tail: true });
	expect(rig.legs.outgoing.voice.getState().muted).toBe(true);
	await rig.clock.run(5000);
	expect(rig.view().phase).toBe('idle');
	expect(rig.legs.outgoing.voice.getState().muted).toBe(false);
	expect(rig.voiceMuted.at(-1)).toEqual(['outgoing', false]);
});

test('one that failed is not tried again while the other is paused, but when that goes on', async () => {
	const rig = await liveLegsRig();
	rig.room('incoming').down({ kind: 'opened-elsewhere' });
	await rig.clock.run(1000);
	rig.legs.pause();
	await rig.clock.run(2000);
	rig.legs.incoming.again();
	await rig.clock.run(5000);
	expect([rig.view().paused, rig.leg('incoming').phase]).toEqual([true, 'failed']);
	rig.legs.resume();
	rig.legs.incoming.again();
	await rig.clock.run(5000);
	expect([rig.view().paused, rig.leg('incoming').phase]).toEqual([false, 'live']);
});
