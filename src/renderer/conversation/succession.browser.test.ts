import { afterEach, expect, test } from 'vitest';
import { createAudioEngine } from '#renderer/sound/context.ts';
import { tapLevel } from '#renderer/sound/meter.ts';
import { systemClock } from '#renderer/system-clock.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { createTone, endMixers } from '#test/support/mixer-rig.ts';
import { createKeepVoice } from './succession.ts';

afterEach(endMixers);

const LOUD_DB = -20;
const SILENT_DB = -60;

function createRig() {
	const engine = createAudioEngine({ clock: systemClock, log: silentLogger });
	const keep = createKeepVoice({ engine, clock: systemClock, log: silentLogger });
	const tone = createTone();
	let changes = 0;
	const kept = keep(tone.track, () => {
		changes += 1;
	});
	const { track } = kept;
	if (!track) throw new Error('no track');
	let db = Number.NaN;
	const end = tapLevel({ engine, clock: systemClock }, track, ({ rmsDb }) => {
		db = rmsDb;
	});
	return { engine, tone, kept, db: () => db, changes: () => changes, end };
}

test('what a voice says while it waits is heard when it is let go, and then it waits no more', async () => {
	const { engine, tone, kept, db, changes, end } = createRig();
	await expect.poll(db).toBeLessThan(SILENT_DB);
	tone.loud(0.5);
	await expect.poll(kept.waits).toBe(true);
	await new Promise((done) => setTimeout(done, 500));
	expect(db()).toBeLessThan(SILENT_DB);
	tone.loud(0);
	await new Promise((done) => setTimeout(done, 300));
	kept.letGo();
	await expect.poll(db).toBeGreaterThan(LOUD_DB);
	await expect.poll(kept.waits, { timeout: 5000 }).toBe(false);
	expect(changes()).toBe(1);
	end();
	kept.close();
	await engine.close();
});

test('one that said nothing has nothing to wait for', async () => {
	const { engine, kept, changes, end } = createRig();
	await new Promise((done) => setTimeout(done, 300));
	expect(kept.waits()).toBe(false);
	kept.letGo();
	kept.close();
	expect(changes()).toBe(0);
	end();
	await engine.close();
});
