import { describe, expect, it } from 'vitest';
import { phrases } from '#sandbox/canned/phrases.ts';
import { decodeServerMessage } from '#shared/protocol/decode-server-message.ts';
import {
	createInterpreterStage,
	type InterpreterStage,
	runningStage,
	SILENCE,
	SPEECH,
	webrtcTask,
} from '#test/support/interpreter-stage.ts';

const statuses = (stage: InterpreterStage) =>
	stage.messages('task_status').map(({ data }) => [data.command, data.event, data.task_status]);
const errors = (stage: InterpreterStage) => stage.messages('error').map(({ data }) => data.code);
const timeOf = (stage: InterpreterStage, type: string) =>
	stage.deeds.find(({ value }) => (value as { message_type?: string } | null)?.message_type === type)?.atMs;

describe('readiness', () => {
	it('is acknowledged by the current generation when the task runs, 0.5 to 1.5 s after set_task', async () => {
		const stage = await runningStage();
		expect(statuses(stage)).toEqual([['set_task', 'started', 'running']]);
		expect(timeOf(stage, 'task_status')).toBe(1000);
		expect(stage.deeds.find(({ what }) => what === 'publish')).toMatchObject({ atMs: 1000, value: ['es'] });
	});

	it('is never acknowledged by the older one, which answers get_task', async () => {
		const stage = createInterpreterStage({ generation: 'older' });
		stage.command('set_task', webrtcTask());
		stage.command('get_task');
		await stage.hear(SILENCE, 2100);
		stage.command('get_task');
		expect(stage.messages().map(({ message_type: type }) => type)).toEqual(['error', 'current_task']);
		expect(stage.messages('error')[0]?.data).toEqual({
			code: 'NOT_FOUND',
			desc: 'No active task found',
			param: null,
		});
		expect(stage.messages('current_task')[0]?.data).toMatchObject({
			...webrtcTask(),
			task_status: 'running',
		});
	});

	it('survives the loss of the first set_task when it is sent again', async () => {
		const stage = createInterpreterStage({ faults: ['ignore-first-set-task:2'] });
		for (let attempt = 0; attempt < 3; attempt += 1) {
			expect(statuses(stage)).toEqual([]);
			stage.command('set_task', webrtcTask());
			await stage.hear(SILENCE, 2100);
		}
		expect(statuses(stage)).toEqual([['set_task', 'started', 'running']]);
	});

	it('never comes under never-ready', async () => {
		const stage = await runningStage({ faults: ['never-ready'] });
		stage.command('get_task');
		expect(errors(stage)).toEqual(['NOT_FOUND']);
		expect(statuses(stage)).toEqual([]);
	});
});

describe('a wrong task', () => {
	it('is refused naming the field, and nothing runs', async () => {
		const stage = await runningStage({}, webrtcTask({ targets: ['es', 'xx'] }));
		expect(errors(stage)).toEqual(['VALIDATION_ERROR']);
		expect(stage.messages('error')[0]?.data.desc).toContain(
			"('pipeline', 'translations', 1, 'target_language')",
		);
		expect(decodeServerMessage(JSON.stringify(stage.messages('error')[0]))).toMatchObject({
			type: 'error',
			code: 'VALIDATION_ERROR',
			field: 'pipeline.translations.1.target_language',
		});
		expect(statuses(stage)).toEqual([]);
	});

	it('leaves the running one in force', async () => {
		const stage = await runningStage();
		stage.command('set_task', webrtcTask({ targets: ['xx'] }));
		await stage.hear(SILENCE, 2100);
		stage.command('get_task');
		expect(stage.messages('current_task')[0]?.data).toMatchObject(webrtcTask());
	});

	it('is refused on purpose by a fault', async () => {
		expect(errors(await runningStage({ faults: ['refuse-task'] }))).toEqual(['VALIDATION_ERROR']);
	});

	it('may be no JSON at all', () => {
		const stage = createInterpreterStage();
		stage.interpreter.command('{');
		stage.interpreter.command(Uint8Array.of(0xff, 0xfe));
		stage.interpreter.command('{"message_type":"dance"}');
		expect(errors(stage)).toEqual(['BAD_REQUEST', 'BAD_REQUEST', 'BAD_REQUEST']);
	});
});

describe('a change while live', () => {
	it('is acknowledged as updated or unchanged and moves the voices', async () => {
		const stage = await runningStage();
		stage.command('set_task', webrtcTask());
		await stage.hear(SILENCE, 2100);
		stage.command('set_task', webrtcTask({ targets: ['fr', 'de'] }));
		expect(statuses(stage).map(([, event]) => event)).toEqual(['started', 'unchanged', 'updated']);
		expect(stage.deeds.filter(({ what }) => what === 'publish').at(-1)?.value).toEqual(['fr', 'de']);
	});

	it('applies from the next sentence on', async () => {
		const stage = await runningStage();
		await stage.hear(SPEECH, 600);
		stage.command('set_task', webrtcTask({ targets: ['fr'] }));
		await stage.hear(SPEECH, 600);
		await stage.hear(SILENCE, 2000);
		await stage.hear(SPEECH, 600);
		await stage.hear(SILENCE, 2000);
		const finals = stage.texts().filter(([type]) => type === 'translated_transcription');
		expect(finals.map(([, language]) => language)).toEqual(['es', 'fr']);
	});

	it('warns of a voice nobody has', async () => {
		const translations = [{ target_language: 'es', speech_generation: { voice_id: 'nobody' } }];
		const stage = await runningStage({}, webrtcTask({ pipeline: { translations } }));
		expect(stage.messages('warning').map(({ data }) => data.code)).toEqual(['VOICE_NOT_FOUND']);
	});
});

describe('rate limits', () => {
	it('hold set_task and get_task apart, one each in 2 s', async () => {
		const stage = await runningStage();
		stage.command('set_task', webrtcTask());
		stage.command('get_task');
		expect(errors(stage)).toEqual([]);
		await stage.hear(SILENCE, 1000);
		stage.command('get_task');
		expect(errors(stage)).toEqual(['RATE_LIMIT_EXCEEDED']);
		await stage.hear(SILENCE, 1000);
		stage.command('get_task');
		expect(errors(stage)).toEqual(['RATE_LIMIT_EXCEEDED']);
	});

	it('forgive a fifth of a second, and no more', async () => {
		const early = await runningStage();
		early.command('get_task');
		await early.hear(SILENCE, 1780);
		early.command('get_task');
		expect(errors(early)).toEqual(['RATE_LIMIT_EXCEEDED']);
		const late = await runningStage();
		late.command('get_task');
		await late.hear(SILENCE, 1800);
		late.command('get_task');
		expect(errors(late)).toEqual([]);
	});

	it('hold them together by a switch', async () => {
		const stage = await runningStage({ faults: ['count-together'] });
		stage.command('set_task', webrtcTask());
		stage.command('get_task');
		expect(errors(stage)).toEqual(['RATE_LIMIT_EXCEEDED']);
	});

	it('hold pause_task to one in 3 s', async () => {
		const stage = await runningStage();
		stage.command('pause_task');
		await stage.hear(SILENCE, 2500);
		stage.command('pause_task');
		expect(errors(stage)).toEqual(['RATE_LIMIT_EXCEEDED']);
	});
});

describe('pause', () => {
	it('stops all texts, keeps the task, and ends with set_task', async () => {
		const stage = await runningStage();
		await stage.hear(SPEECH, 500);
		stage.command('pause_task');
		const before = stage.texts().length;
		await stage.hear(SPEECH, 2000);
		await stage.hear(SILENCE, 2000);
		expect(stage.texts()).toHaveLength(before);
		stage.command('get_task');
		expect(stage.messages('current_task')[0]?.data.task_status).toBe('paused');
		stage.command('set_task', webrtcTask());
		await stage.hear(SPEECH, 500);
		expect(stage.texts().length).toBeGreaterThan(before);
		expect(statuses(stage)).toEqual([
			['set_task', 'started', 'running'],
			['pause_task', 'paused', 'paused'],
			['set_task', 'resumed', 'running'],
		]);
	});

	it('needs no audio for however long', async () => {
		const stage = await runningStage();
		stage.command('pause_task');
		await stage.wait(60_000);
		expect(errors(stage)).toEqual([]);
	});
});

describe('dropping the phrase in progress', () => {
	it('forgets what was being said and lets the next sentence through', async () => {
		const stage = await runningStage();
		await stage.hear(SPEECH, 1000);
		stage.command('interrupt_task', { languages: ['global'], pause_task: false });
		await stage.hear(SPEECH, 1000);
		await stage.hear(SILENCE, 2000);
		expect(stage.texts().filter(([type]) => !type.startsWith('partial'))).toEqual([]);
		await stage.hear(SPEECH, 1000);
		await stage.hear(SILENCE, 2000);
		expect(stage.messages('translated_transcription')).toHaveLength(1);
		expect(statuses(stage).at(-1)).toEqual(['interrupt_task', 'interrupted', 'running']);
	});

	it('cuts the voice at once', async () => {
		const stage = await runningStage();
		await stage.hear(SPEECH, 1000);
		await stage.hear(SILENCE, 1600);
		expect(stage.deeds.some(({ what }) => what === 'speak')).toBe(true);
		stage.command('interrupt_task', { languages: ['global'] });
		expect(stage.deeds.find(({ what }) => what === 'drop')?.atMs).toBe(stage.clock.now());
	});

	it('lets words through again where the sentence of somebody who makes no pause would be split', async () => {
		const stage = await runningStage();
		await stage.hear(SPEECH, 1000);
		stage.command('interrupt_task', { languages: ['global'], pause_task: false });
		const before = stage.texts().length;
		await stage.hear(SPEECH, 7900);
		expect(stage.texts()).toHaveLength(before);
		await stage.hear(SPEECH, 600);
		expect(stage.texts().length).toBeGreaterThan(before);
	});

	it('is not needed to drop what waits: a shorter queue does, and the sentence being said goes on', async () => {
		const stage = await runningStage();
		for (let turn = 0; turn < 6; turn += 1) {
			await stage.hear(SPEECH, 500);
			await stage.hear(SILENCE, 800);
		}
		await stage.hear(SPEECH, 1000);
		const drops = () => stage.deeds.filter(({ what }) => what === 'drop').length;
		const before = stage.texts().length;
		expect(drops()).toBe(0);
		const queue = { desired_queue_level_ms: 2000, max_queue_level_ms: 4000 };
		const pipeline = { translation_queue_configs: { global: queue } };
		stage.command('set_task', webrtcTask({ pipeline }));
		expect(drops()).toBeGreaterThan(0);
		await stage.hear(SPEECH, 300);
		expect(stage.texts().length).toBeGreaterThan(before);
	});

	it('cuts the voice late under late-audio-after-flush', async () => {
		const stage = await runningStage({ faults: ['late-audio-after-flush'] });
		await stage.hear(SPEECH, 1000);
		await stage.hear(SILENCE, 1600);
		const flushedAt = stage.clock.now();
		stage.command('interrupt_task', { languages: ['global'] });
		await stage.hear(SILENCE, 1000);
		expect(stage.deeds.find(({ what }) => what === 'drop')?.atMs).toBe(flushedAt + 800);
	});

	it('touches only the languages named', async () => {
		const stage = await runningStage({}, webrtcTask({ targets: ['es', 'fr'] }));
		await stage.hear(SPEECH, 1000);
		stage.command('interrupt_task', { languages: ['es'] });
		await stage.hear(SPEECH, 300);
		await stage.hear(SILENCE, 2500);
		const finals = stage.texts().filter(([type]) => !type.startsWith('partial'));
		expect(finals.map(([, language]) => language)).toEqual(['en', 'fr']);
	});

	it('goes by flush_task in the older generation, without a reply; interrupt_task does nothing there', async () => {
		const stage = await runningStage({ generation: 'older' });
		await stage.hear(SPEECH, 1000);
		const before = stage.messages().length;
		stage.command('interrupt_task', { languages: ['global'] });
		await stage.hear(SILENCE, 2000);
		expect(stage.messages('translated_transcription')).toHaveLength(1);
		await stage.hear(SPEECH, 1000);
		stage.command('flush_task', { languages: ['global'] });
		await stage.hear(SILENCE, 2000);
		expect(stage.messages('translated_transcription')).toHaveLength(1);
		expect(before).toBeGreaterThan(0);
		expect(stage.messages('task_status')).toEqual([]);
	});

	it('pauses as well when asked', async () => {
		const stage = await runningStage();
		stage.command('interrupt_task', { languages: ['global'], pause_task: true });
		expect(
			statuses(stage)
				.slice(1)
				.map(([, event]) => event),
		).toEqual(['interrupted', 'paused']);
	});
});

describe('tts_task', () => {
	it('speaks a text in a target under the id it was queued with', async () => {
		const stage = await runningStage();
		stage.command('tts_task', { text: 'Hasta pronto', language: 'es', translate_text: false });
		const queued = stage.messages('task_status').at(-1)?.data;
		expect(queued).toMatchObject({ command: 'tts_task', event: 'queued', task_status: 'running' });
		await stage.hear(SILENCE, 2000);
		expect(stage.texts()).toEqual([['translated_transcription', 'es', 'Hasta pronto']]);
		const spoken = stage.deeds.find(({ what }) => what === 'speak')?.value;
		expect(spoken).toMatchObject({ language: 'es', id: queued?.transcription_id });
	});

	it('translates a sentence of the table to all targets, and says when it cannot', async () => {
		const stage = await runningStage({}, webrtcTask({ targets: ['es', 'de'] }));
		stage.command('tts_task', { text: phrases[1]?.text.en, language: 'en', translate_text: true });
		stage.command('tts_task', { text: 'Zebra', language: 'en', translate_text: true });
		await stage.hear(SILENCE, 2000);
		const finals = stage.texts().filter(([type]) => type === 'translated_transcription');
		expect(finals.map(([, , text]) => text)).toEqual([
			phrases[1]?.text.es,
			phrases[1]?.text.de,
			'[es] The sandbox cannot translate: Zebra',
			'[de] The sandbox cannot translate: Zebra',
		]);
	});

	it('is refused for a language that is no target', async () => {
		const stage = await runningStage();
		stage.command('tts_task', { text: 'Hallo', language: 'de', translate_text: false });
		expect(stage.messages('error')[0]?.data).toMatchObject({ code: 'VALIDATION_ERROR', param: 'language' });
	});
});
