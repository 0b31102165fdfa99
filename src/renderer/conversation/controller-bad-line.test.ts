import { describe, expect, it } from 'vitest';
import { ALL_TRANSCRIPTS, FINAL_TRANSCRIPTS } from '#shared/protocol/vocabulary.ts';
import { choices, liveRig } from '#test/support/conversation-rig.ts';
import type { ScriptedTransport } from '#test/support/scripted-transport.ts';

/** For each task that was set: its targets, and whether it asked for partial texts. */
const tasks = (room: ScriptedTransport) =>
	room.sent.flatMap((sent) => {
		if (sent.message_type !== 'set_task') return [];
		const { translations, allowed_message_types: types } = sent.data.pipeline;
		const partials = translations.some((one) => one.translate_partial_transcriptions);
		const isAll = types?.join() === ALL_TRANSCRIPTS.join();
		const isFinals = types?.join() === FINAL_TRANSCRIPTS.join() && !partials;
		const what = isAll ? 'all' : isFinals ? 'finals' : types?.join();
		return [`${translations.map((one) => one.target_language).join()} ${what}`];
	});

describe('on a line that has no room for unfinished texts', () => {
	it('the task asks for finished ones, and for all when there is room again, and the person sees no change', async () => {
		const rig = await liveRig();
		await rig.clock.run(5000);
		rig.room().script.onlyFinals = true;
		await rig.clock.run(10_000);
		expect(tasks(rig.room())).toEqual(['es all', 'es finals']);
		rig.room().script.onlyFinals = false;
		await rig.clock.run(10_000);
		expect(tasks(rig.room())).toEqual(['es all', 'es finals', 'es all']);
		expect(rig.view()).toMatchObject({ phase: 'live', change: 'none', notice: null });
	});

	it('it is asked no more often than the service lets a task be set, and the last wish wins', async () => {
		const rig = await liveRig();
		const leftMs: number[] = [];
		let known = tasks(rig.room()).length;
		for (let at = 0; at < 300; at++) {
			rig.room().script.onlyFinals = Math.floor(at / 10) % 2 === 0;
			await rig.clock.run(100);
			const now = tasks(rig.room()).length;
			for (; known < now; known++) leftMs.push(rig.clock.now());
		}
		expect(leftMs.length).toBeGreaterThan(5);
		for (const [at, ms] of leftMs.entries()) expect(ms - (leftMs[at - 1] ?? 0)).toBeGreaterThanOrEqual(2000);
		await rig.clock.run(5000);
		expect(tasks(rig.room()).at(-1)).toBe('es all');
	});

	it('a pause stays a pause, and the task that ends it is the short one', async () => {
		const rig = await liveRig();
		await rig.clock.run(5000);
		rig.conversation.pause();
		await rig.clock.run(5000);
		rig.room().script.onlyFinals = true;
		await rig.clock.run(5000);
		expect([tasks(rig.room()), rig.room().task]).toEqual([['es all'], 'paused']);
		rig.conversation.resume();
		await rig.clock.run(5000);
		expect([tasks(rig.room()), rig.room().task]).toEqual([['es all', 'es finals'], 'running']);
	});

	it('a change that is under way is what is asked for, and one that comes later is short as well', async () => {
		const rig = await liveRig();
		await rig.clock.run(5000);
		rig.room().script.readyMs = 3000;
		rig.conversation.change({ ...choices, hear: ['fr'], voiceOf: 'fr' });
		rig.room().script.onlyFinals = true;
		await rig.clock.run(10_000);
		expect([tasks(rig.room()), rig.view().change]).toEqual([['es all', 'fr all', 'fr finals'], 'applied']);
		rig.conversation.change({ ...choices, hear: ['de'], voiceOf: 'de' });
		await rig.clock.run(10_000);
		expect([tasks(rig.room()).at(-1), rig.view().change]).toEqual(['de finals', 'applied']);
	});

	it('a new session begins with all of them, whatever the line of the last one was', async () => {
		const rig = await liveRig();
		rig.room().script.onlyFinals = true;
		await rig.clock.run(5000);
		rig.room().down();
		await rig.clock.run(20_000);
		expect([rig.view().phase, tasks(rig.room())]).toEqual(['live', ['es all']]);
	});

	it('nothing is waited for: a service that never answers to it is not given up', async () => {
		const rig = await liveRig();
		await rig.clock.run(5000);
		const room = rig.room();
		room.script.readyMs = 1_000_000;
		room.script.onlyFinals = true;
		await rig.clock.run(60_000);
		expect([rig.view().phase, rig.created(), tasks(room)]).toEqual(['live', 1, ['es all', 'es finals']]);
	});
});
