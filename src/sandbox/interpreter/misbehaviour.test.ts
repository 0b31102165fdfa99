import { describe, expect, it } from 'vitest';
import { decodeServerMessage } from '#shared/protocol/decode-server-message.ts';
import { runningStage, SILENCE, SPEECH } from '#test/support/interpreter-stage.ts';

describe('misbehaviour', () => {
	it('encodes data twice', async () => {
		const stage = await runningStage({ faults: ['double-encoded'] });
		const status = stage.messages('task_status')[0];
		expect(typeof status?.data).toBe('string');
		expect(decodeServerMessage(JSON.stringify(status))).toMatchObject({
			type: 'task-status',
			event: 'started',
		});
	});

	it('says final messages twice and a partial after them', async () => {
		const stage = await runningStage({ faults: ['duplicate-messages'] });
		await stage.hear(SPEECH, 1000);
		await stage.hear(SILENCE, 1000);
		expect(
			stage
				.texts()
				.slice(-3)
				.map(([type]) => type),
		).toEqual(['validated_transcription', 'validated_transcription', 'partial_transcription']);
	});

	it('storms with a thousand errors a second while the task runs', async () => {
		const stage = await runningStage({ faults: ['error-storm'] });
		const before = stage.messages('error').length;
		await stage.hear(SILENCE, 1000);
		expect(stage.messages('error').length - before).toBe(1000);
	});

	it('sends garbage and messages nobody knows, none of which a client can take for text', async () => {
		const stage = await runningStage({ faults: ['garbage-data', 'unknown-messages'] });
		await stage.hear(SILENCE, 5000);
		expect(stage.messages('weather_report').length).toBeGreaterThan(5);
		const garbled = stage.messages().filter(({ data }) => typeof data !== 'object' || data === null);
		expect(garbled.length).toBeGreaterThan(2);
		for (const message of stage.messages()) {
			expect(decodeServerMessage(JSON.stringify(message)).type).not.toBe('transcript');
		}
	});

	it('keeps quiet under no-voice while the texts go on', async () => {
		const stage = await runningStage({ faults: ['no-voice'] });
		await stage.hear(SPEECH, 1000);
		await stage.hear(SILENCE, 3000);
		expect(stage.messages('translated_transcription')).toHaveLength(1);
		expect(stage.deeds.some(({ what }) => what === 'speak')).toBe(false);
	});

	it('never answers end_task under no-end-of-stream', async () => {
		const stage = await runningStage({ faults: ['no-end-of-stream'] });
		stage.command('end_task');
		await stage.wait(60_000);
		expect(stage.deeds.some(({ what }) => what === 'end')).toBe(false);
	});
});
