import { describe, expect, it } from 'vitest';
import {
	createInterpreterStage,
	type InterpreterStage,
	runningStage,
	SILENCE,
	SPEECH,
} from '#test/support/interpreter-stage.ts';

const errors = (stage: InterpreterStage) => stage.messages('error').map(({ data }) => data.code);
const timeOf = (stage: InterpreterStage, type: string) =>
	stage.deeds.find(({ value }) => (value as { message_type?: string } | null)?.message_type === type)?.atMs;

describe('end_task', () => {
	it('says the whole tail, then ends the stream and the connection: current generation', async () => {
		const stage = await runningStage();
		await stage.hear(SPEECH, 1000);
		stage.command('end_task');
		await stage.wait(10_000);
		const order = stage.deeds.flatMap(({ what, value }) => {
			if (what === 'speak' || what === 'end') return [what];
			const type = (value as { message_type?: string } | null)?.message_type;
			return type && !type.startsWith('partial') && type !== 'task_status' ? [type] : [];
		});
		expect(order).toEqual([
			'validated_transcription',
			'translated_transcription',
			'speak',
			'end_of_stream',
			'end',
		]);
		const spoken = stage.deeds.find(({ what }) => what === 'speak');
		const packets = (spoken?.value as { packets: unknown[] } | undefined)?.packets ?? [];
		expect(timeOf(stage, 'end_of_stream')).toBeGreaterThanOrEqual((spoken?.atMs ?? 0) + packets.length * 20);
		expect(stage.clock.pending).toBe(0);
	});

	it('gives the tail at most 5 s in the older generation and calls its end eos', async () => {
		const stage = await runningStage({ generation: 'older' });
		for (let turn = 0; turn < 4; turn += 1) {
			await stage.hear(SPEECH, 1000);
			await stage.hear(SILENCE, 800);
		}
		const asked = stage.clock.now();
		stage.command('end_task');
		await stage.wait(10_000);
		expect((timeOf(stage, 'eos') ?? 0) - asked).toBe(5000);
		expect(stage.messages('end_of_stream')).toEqual([]);
		expect(stage.deeds.at(-1)?.what).toBe('end');
	});

	it('drops the tail when forced', async () => {
		const stage = await runningStage();
		await stage.hear(SPEECH, 1000);
		stage.command('end_task', { force: true });
		expect(stage.deeds.at(-1)?.what).toBe('end');
		await stage.wait(5000);
		expect(stage.messages('validated_transcription')).toEqual([]);
	});

	it('ends at once when nothing is under way, task or not', async () => {
		const stage = createInterpreterStage();
		stage.command('end_task');
		await stage.wait(1000);
		expect(stage.messages().map(({ message_type: type }) => type)).toEqual(['end_of_stream']);
		expect(stage.deeds.at(-1)?.what).toBe('end');
	});
});

describe('input that stops', () => {
	it('ends the stream with SERVICE_TIMEOUT 10 s after the last packet, and closes', async () => {
		const stage = await runningStage();
		const lastHeardAt = stage.clock.now() - 20;
		await stage.wait(10_500);
		expect((timeOf(stage, 'error') ?? 0) - lastHeardAt).toBeLessThanOrEqual(10_050);
		expect(errors(stage)).toEqual(['SERVICE_TIMEOUT']);
		expect(stage.deeds.at(-1)?.what).toBe('end');
	});

	it('does not end the stream of a file, whose sender waits for what was recognised', async () => {
		const stage = await runningStage({ asHeard: true });
		await stage.wait(60_000);
		expect(errors(stage)).toEqual([]);
		expect(stage.deeds.at(-1)?.what).not.toBe('end');
	});

	it('is not silence: silent packets keep it alive', async () => {
		const stage = await runningStage();
		await stage.hear(0, 12_000);
		expect(errors(stage)).toEqual([]);
	});
});
