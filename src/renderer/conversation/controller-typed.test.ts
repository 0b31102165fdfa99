import { describe, expect, it } from 'vitest';
import type { ServerMessage } from '#shared/protocol/server-message.ts';
import { choices, createRig, liveRig, type RigScript } from '#test/support/conversation-rig.ts';
import { heardText } from '#test/support/heard-text.ts';

const HELLO = { text: 'Good morning', language: 'en', translate: true };
const HOLA = { text: 'Buenos días', language: 'es', translate: false };

const queued = (transcriptionId: string): ServerMessage => ({
	type: 'task-status',
	command: 'tts_task',
	event: 'queued',
	status: 'running',
	transcriptionId,
});
const spoken = (
	kind: 'source' | 'translation',
	transcriptionId: string,
	language: string,
	text: string,
	final = true,
) => heardText(transcriptionId, { kind, final, language, text, startS: 0, endS: 0 });
const refused: ServerMessage = {
	type: 'error',
	code: 'VALIDATION_ERROR',
	text: 'Must be one of the target languages',
	field: 'language',
};

async function live(given: Partial<RigScript> = {}) {
	const rig = await liveRig(given);
	const { captions } = rig.conversation;
	const rows = () => Array.from({ length: captions.store.getState().rows }, (_, at) => captions.row(at));
	const texts = () =>
		rows().map((row) => [
			row?.typed?.is,
			row?.source?.text,
			...(row?.translations ?? []).map(({ text }) => text),
		]);
	const left = () => rig.room().sent.filter(({ message_type: name }) => name === 'tts_task');
	return { rig, rows, texts, left };
}

describe('a typed text', () => {
	it('is a row at once, leaves as tts_task, and its texts come into its row', async () => {
		const { rig, texts, left } = await live();
		expect(rig.conversation.say(HELLO)).toBe(true);
		expect(texts()).toEqual([['sending', 'Good morning']]);
		await rig.clock.run(50);
		expect(left()).toEqual([
			{ message_type: 'tts_task', data: { text: 'Good morning', language: 'en', translate_text: true } },
		]);
		rig.room().say(queued('t9'));
		rig.room().say(spoken('source', 't9', 'en', 'Good morning.'));
		rig.room().say(spoken('translation', 't9', 'es', 'Buenos días'));
		expect(texts()).toEqual([['taken', 'Good morning', 'Buenos días']]);
		expect(rig.conversation.captions.finals()).toHaveLength(2);
	});

	it('that is spoken as it stands is no second row when its text comes back', async () => {
		const { rig, texts } = await live();
		rig.conversation.say(HOLA);
		await rig.clock.run(50);
		rig.room().say(queued('t9'));
		rig.room().say(spoken('translation', 't9', 'es', 'Buenos días'));
		expect(texts()).toEqual([['taken', undefined, 'Buenos días']]);
	});

	it('keeps its order among what is said, and leaves what is said alone', async () => {
		const { rig, texts } = await live();
		rig.conversation.say(HOLA);
		rig.room().say(spoken('source', 'a', 'en', 'Someone speaks'));
		await rig.clock.run(50);
		rig.room().say(queued('t9'));
		rig.room().say(spoken('translation', 'a', 'es', 'Alguien habla'));
		expect(texts()).toEqual([
			['taken', undefined, 'Buenos días'],
			[undefined, 'Someone speaks', 'Alguien habla'],
		]);
	});

	it('is refused with the reason, which is told at its row and nowhere else', async () => {
		const { rig, rows } = await live();
		rig.conversation.say(HOLA);
		await rig.clock.run(50);
		rig.room().say(refused);
		expect(rows()[0]?.typed).toEqual({
			is: 'refused',
			problem: { kind: 'task-refused', field: 'language', detail: 'Must be one of the target languages' },
		});
		expect([rig.view().phase, rig.view().notice]).toEqual(['live', null]);
		expect(rig.conversation.captions.finals()).toEqual([]);
	});

	it('takes no answer that a change of the task awaits, and still its own', async () => {
		const { rig, rows } = await live();
		await rig.clock.run(5000);
		rig.room().script.readyMs = 60_000;
		rig.conversation.change({ ...choices, hear: ['de'], voiceOf: 'de' });
		await rig.clock.run(50);
		rig.conversation.say(HOLA);
		await rig.clock.run(50);
		const path = 'pipeline.translations.0.target_language';
		rig.room().say({ type: 'error', code: 'VALIDATION_ERROR', text: 'Unknown voice', field: path });
		expect([rig.view().change, rows()[0]?.typed?.is]).toEqual(['refused', 'sending']);
		rig.room().say(refused);
		expect(rows()[0]?.typed?.is).toBe('refused');
	});

	it('answers go to texts in their order', async () => {
		const { rig, rows } = await live();
		for (const typed of [HOLA, HELLO, HOLA]) rig.conversation.say(typed);
		await rig.clock.run(50);
		rig.room().say(queued('t1'));
		rig.room().say(refused);
		rig.room().say(queued('t3'));
		expect(rows().map((row) => row?.typed?.is)).toEqual(['taken', 'refused', 'taken']);
	});

	it('that nobody answers is given up, where commands are answered', async () => {
		const { rig, rows } = await live();
		rig.conversation.say(HOLA);
		await rig.clock.run(10_000);
		expect(rows()[0]?.typed).toMatchObject({ is: 'refused', problem: { kind: 'timed-out' } });
	});

	it.each([500, 10_000])(
		'counts as taken where nothing is answered, and its texts are known by what they say, after %i ms',
		async (ms) => {
			const { rig, texts } = await live({ rooms: [{ generation: 'older' }] });
			rig.conversation.say(HELLO);
			rig.conversation.say(HOLA);
			await rig.clock.run(ms);
			rig.room().say(spoken('source', 'x', 'en', 'Good  morning'));
			rig.room().say(spoken('translation', 'y', 'es', 'Buenos días'));
			rig.room().say(spoken('translation', 'x', 'es', 'Buen día'));
			await rig.clock.run(10_000);
			const typed = [
				// Before the silence counts as consent it has the service's own gaps.
				['taken', ms < 6000 ? 'Good  morning' : 'Good morning', 'Buen día'],
				['taken', undefined, 'Buenos días'],
			];
			expect(texts()).toEqual(typed);
			rig.room().say(spoken('source', 'z', 'en', 'Good morning', false));
			rig.room().say(spoken('source', 'z', 'en', 'Good morning, everyone'));
			expect(texts()).toEqual([...typed, [undefined, 'Good morning, everyone']]);
		},
	);

	it('is not taken by a socket that was lost before it said so', async () => {
		const { rig, rows } = await live({ travel: { route: 'websocket', mayFallBack: false } });
		rig.conversation.say(HOLA);
		await rig.clock.run(50);
		rig.socket().restoring('connection-lost');
		await rig.clock.run(7000);
		expect(rows()[0]?.typed).toMatchObject({ is: 'refused' });
	});

	it('that is typed is not what is spoken, though that begins with the same words', async () => {
		const { rig, texts } = await live({ rooms: [{ generation: 'older' }] });
		rig.conversation.say(HELLO);
		await rig.clock.run(10_000);
		rig.room().say(spoken('source', 'z', 'en', 'Good morning', false));
		rig.room().say(spoken('source', 'z', 'en', 'Good morning, everyone'));
		expect(texts()).toHaveLength(2);
		expect(texts()[1]).toEqual([undefined, 'Good morning, everyone']);
	});

	it('sixty leave within a minute, the rest as the limit allows, and no more wait than that', async () => {
		const { rig, rows, left } = await live({ rooms: [{ generation: 'older' }] });
		for (let count = 0; count < 121; count += 1) rig.conversation.say(HOLA);
		await rig.clock.run(1000);
		expect(left()).toHaveLength(60);
		expect(rows().at(-1)?.typed).toMatchObject({ is: 'refused', problem: { kind: 'rate-limited' } });
		await rig.clock.run(60_000);
		expect(left()).toHaveLength(120);
	});

	it('is not taken while paused, before the start, or without words', async () => {
		const { rig, texts, left } = await live();
		rig.conversation.say({ ...HOLA, text: '  ' });
		rig.conversation.say({ ...HOLA, text: 'a'.repeat(2049) });
		rig.conversation.pause();
		expect(rig.conversation.say(HOLA)).toBe(false);
		await rig.clock.run(1000);
		expect([texts(), left()]).toEqual([[], []]);
		expect(createRig().conversation.say(HOLA)).toBe(false);
	});

	it.each([
		[60, []],
		[61, [{ is: 'refused', problem: { kind: 'cancelled' } }]],
	])('of %i, what the limit holds back is not spoken in a pause, nor after it', async (count, held) => {
		const { rig, rows, left } = await live({ rooms: [{ generation: 'older' }] });
		for (let at = 0; at < count; at += 1) rig.conversation.say(HOLA);
		await rig.clock.run(1000);
		rig.conversation.pause();
		expect(rows().flatMap((row) => (row?.typed?.is === 'refused' ? [row.typed] : []))).toEqual(held);
		await rig.clock.run(90_000);
		rig.conversation.resume();
		await rig.clock.run(90_000);
		expect([rig.view().phase, left().length]).toEqual(['live', 60]);
		rig.conversation.say(HOLA);
		await rig.clock.run(50);
		expect(left()).toHaveLength(61);
	});

	it('that the limit holds back is not spoken after a pause while the link was restored', async () => {
		const { rig, rows, left } = await live();
		for (let at = 0; at < 61; at += 1) rig.conversation.say(HOLA);
		await rig.clock.run(50);
		for (let at = 0; at < 60; at += 1) rig.room().say(queued(`t${at}`));
		rig.room().restoring('network');
		rig.conversation.pause();
		expect(rows().at(-1)?.typed).toEqual({ is: 'refused', problem: { kind: 'cancelled' } });
		rig.conversation.resume();
		rig.room().up();
		await rig.clock.run(70_000);
		expect([rig.view().phase, left().length]).toEqual(['live', 60]);
	});

	it('that had left is taken although its answer comes in a pause', async () => {
		const { rig, rows } = await live();
		rig.conversation.say(HOLA);
		await rig.clock.run(50);
		rig.conversation.pause();
		rig.room().say(queued('t1'));
		expect(rows()[0]?.typed).toEqual({ is: 'taken' });
		await rig.clock.run(10_000);
		expect([rig.view().paused, rows()[0]?.typed]).toEqual([true, { is: 'taken' }]);
	});

	it('goes by a socket as well', async () => {
		const { rig, rows } = await live({ travel: { route: 'websocket', mayFallBack: false } });
		rig.conversation.say(HOLA);
		await rig.clock.run(50);
		expect(rig.socket().sent.at(-1)?.message_type).toBe('tts_task');
		rig.socket().say(queued('t1'));
		expect(rows()[0]?.typed).toEqual({ is: 'taken' });
	});

	it('is lost with the link it waited on, and says so', async () => {
		const { rig, rows } = await live();
		rig.conversation.say(HOLA);
		rig.room().down({ kind: 'connection-lost', reason: 'gave-up' });
		expect(rows()[0]?.typed).toMatchObject({ is: 'refused', problem: { kind: 'connection-lost' } });
	});
});
