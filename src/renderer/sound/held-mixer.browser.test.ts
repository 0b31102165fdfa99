import { afterEach, expect, test, vi } from 'vitest';
import { systemClock } from '#renderer/system-clock.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { createMixerRig, createTone, endMixers } from '#test/support/mixer-rig.ts';
import { createAudioEngine } from './context.ts';
import { createHeldMixer } from './held-mixer.ts';
import { tapLevel } from './meter.ts';

afterEach(endMixers);

async function createRig(active = true) {
	const rig = await createMixerRig();
	const engine = createAudioEngine({ clock: systemClock, log: silentLogger });
	const held = createHeldMixer({
		mixer: rig.mixer,
		engine,
		clock: systemClock,
		log: silentLogger,
		active: () => active,
	});
	const waiting: boolean[] = [];
	held.watch((waits) => waiting.push(waits));
	/** The one element that is heard. */
	const heard = () => rig.playing().filter((element) => !element.muted);
	/** Loudness of what it plays, dBFS. */
	function level() {
		const [element] = heard();
		const [track] = element?.srcObject instanceof MediaStream ? element.srcObject.getAudioTracks() : [];
		let db = Number.NaN;
		let loudest = Number.NEGATIVE_INFINITY;
		const end = track
			? tapLevel({ engine, clock: systemClock }, track, ({ rmsDb }) => {
					db = rmsDb;
					loudest = Math.max(loudest, rmsDb);
				})
			: () => {};
		return {
			/** The present level; NaN, neither above nor below anything, until it is measured. */
			db: () => db,
			/** The highest level so far, because a short sound is over before the test can read its level. */
			loudest: () => loudest,
			end,
		};
	}
	return { ...rig, held, waiting, heard, level, engine };
}

test('elsewhere it is the mixer it stands before', async () => {
	const { held, heard } = await createRig(false);
	const [es, fr] = [createTone(), createTone()];
	held.mixer.selectVoice('es');
	held.mixer.setVoice('es', es.track);
	held.mixer.setVoice('fr', fr.track);
	expect(heard()).toHaveLength(1);
	const stream = heard()[0]?.srcObject;
	expect(stream instanceof MediaStream && stream.getAudioTracks()).toEqual([es.track]);
});

test('every voice is heard, by one way, whichever was selected', async () => {
	const { held, heard, level, engine } = await createRig();
	const [es, en] = [createTone(), createTone()];
	held.mixer.selectVoice('es');
	held.mixer.setVoice('es', es.track);
	held.mixer.setVoice('en', en.track);
	await expect.poll(() => heard().length).toBe(1);
	en.loud(0.5);
	const { db, end } = level();
	await expect.poll(db).toBeGreaterThan(-20);
	en.loud(0);
	await expect.poll(db).toBeLessThan(-60);
	es.loud(0.5);
	await expect.poll(db).toBeGreaterThan(-20);
	end();
	held.mixer.clear();
	expect(heard()).toEqual([]);
	await engine.close();
});

test('a held voice is silent and waits; let go, it is heard', async () => {
	const { held, heard, level, waiting, engine } = await createRig();
	const es = createTone();
	held.hold(true);
	held.mixer.setVoice('es', es.track);
	await expect.poll(() => heard().length).toBe(1);
	es.loud(0.5);
	await expect.poll(() => waiting.at(-1)).toBe(true);
	const { db, loudest, end } = level();
	await expect.poll(db).toBeLessThan(-60);
	expect(loudest()).toBeLessThan(-60);
	es.loud(0);
	held.hold(false);
	await expect.poll(loudest).toBeGreaterThan(-20);
	await expect.poll(() => waiting.at(-1)).toBe(false);
	end();
	held.mixer.clear();
	await engine.close();
});

test('what waits is still heard after another voice has come and gone', async () => {
	const { held, heard, level, waiting, engine } = await createRig();
	const [es, en] = [createTone(), createTone()];
	held.hold(true);
	held.mixer.setVoice('es', es.track);
	await expect.poll(() => heard().length).toBe(1);
	es.loud(0.5);
	await expect.poll(() => waiting.at(-1)).toBe(true);
	const { db, loudest, end } = level();
	await expect.poll(db).toBeLessThan(-60);
	es.loud(0);
	held.mixer.setVoice('en', en.track);
	held.mixer.setVoice('es', null);
	expect(waiting.at(-1)).toBe(true);
	held.hold(false);
	await expect.poll(loudest).toBeGreaterThan(-20);
	await expect.poll(() => waiting.at(-1)).toBe(false);
	await expect.poll(db).toBeLessThan(-60);
	en.loud(0.5);
	await expect.poll(db).toBeGreaterThan(-20);
	end();
	held.mixer.clear();
	await engine.close();
});

test('what waits is dropped when the voice is cut', async () => {
	const { held, heard, waiting, engine } = await createRig();
	const es = createTone();
	held.hold(true);
	held.mixer.setVoice('es', es.track);
	await expect.poll(() => heard().length).toBe(1);
	es.loud(0.5);
	await expect.poll(() => waiting.at(-1)).toBe(true);
	es.loud(0);
	// The pause right after it is kept as well: cut until that is over.
	const waits = () => {
		held.mixer.cut();
		return waiting.at(-1);
	};
	await expect.poll(waits, { timeout: 5000 }).toBe(false);
	held.mixer.clear();
	await engine.close();
});

test('a voice that goes before its graph is made leaves nothing running', async () => {
	const { held, engine, heard } = await createRig();
	const posted = vi.spyOn(MessagePort.prototype, 'postMessage');
	// Another user keeps the context open.
	const leave = engine.use(() => () => {});
	held.mixer.setVoice('es', createTone().track);
	held.mixer.setVoice('es', null);
	await expect.poll(() => posted.mock.calls.map(([said]) => said)).toContainEqual({ type: 'end' });
	expect(heard()).toEqual([]);
	leave();
	await engine.close();
});
