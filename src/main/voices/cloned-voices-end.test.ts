import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { silentLogger } from '#shared/lib/log.ts';
import { ok } from '#shared/lib/result.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { createMemoryRegister } from '#test/support/memory-register.ts';
import { createPretendVoices } from '#test/support/pretend-voices.ts';
import { draft, newFolder, writeSample } from '#test/support/voice-rig.ts';
import { createClonedVoices } from './cloned-voices.ts';
import { wavLength } from './samples.ts';

test('a service that hangs does not keep the end from erasing what was recorded, in the time there is', async () => {
	const folder = newFolder();
	onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
	const clock = createManualClock();
	const memory = createMemoryRegister([]);
	let asked = 0;
	const service = createPretendVoices((when) => {
		if (when === 'before') asked += 1;
		return new Promise(() => {});
	});
	const { answers, close } = createClonedVoices({
		register: memory,
		api: { account: service.account, credential: () => 'voice-token' },
		clock,
		random: () => 0.5,
		log: silentLogger,
		folder: join(folder, 'samples'),
		lengthOf: (_, wav) => wavLength(wav),
		isPassing: () => false,
		ready: async () => ok(),
		chooseFile: async () => writeSample(folder),
		finished() {},
	});
	const chosen = await answers['voice.choose-file'](undefined);
	const sample = (chosen.ok && chosen.value?.sample) || '';
	void answers['voice.make']({ draft, sample });
	await expect.poll(() => asked).toBe(1);
	await answers['voice.begin-recording']({ name: 'Mine' });
	const samples = () => readdirSync(join(folder, 'samples'));
	expect(samples()).toHaveLength(1);
	const closed = close();
	// A quarter of what the program allows for it is left (lifecycle.ts).
	await clock.run(1500);
	// Then the program ends.
	await closed;
	expect(samples()).toEqual([]);
});
