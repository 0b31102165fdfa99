import { describe, expect, test } from 'vitest';
import { buildTask } from '#shared/conversation/task-builder.ts';
import type { ClientMessage } from '#shared/protocol/client-message.ts';
import { READINESS } from '#shared/protocol/limits.ts';
import type { ServerMessage } from '#shared/protocol/server-message.ts';
import { defaultSettings } from '#shared/settings/schema.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { createCommands } from './speech-to-speech.ts';

const task = buildTask({ ...defaultSettings, speak: 'en', hear: ['es'] }, 'websocket');
const running: ServerMessage = {
	type: 'task-status',
	command: 'set_task',
	status: 'running',
	event: 'started',
	transcriptionId: null,
};
const current = (status: 'running' | 'paused', targets = ['es']): ServerMessage => ({
	type: 'current-task',
	status,
	targets,
});
const failed = (code: string): ServerMessage => ({ type: 'error', code, text: '', field: '' });
const getTask: ClientMessage = { message_type: 'get_task', data: {} };
const pauseTask: ClientMessage = { message_type: 'pause_task', data: {} };
const say = (text: string): ClientMessage => ({
	message_type: 'tts_task',
	data: { text, language: 'es', translate_text: false },
});

function rig() {
	const clock = createManualClock();
	const sent: { readonly name: string; readonly atMs: number; readonly message: ClientMessage }[] = [];
	const commands = createCommands({
		clock,
		send: (message) => void sent.push({ name: message.message_type, atMs: clock.now(), message }),
	});
	const outcomes: unknown[] = [];
	return {
		clock,
		commands,
		sent,
		names: () => sent.map(({ name }) => name),
		outcomes,
		confirm: () => void commands.confirm(task).then((outcome) => outcomes.push(outcome)),
	};
}

describe('confirming a task', () => {
	test.each([
		['the newer generation answers', running],
		['the older one is asked', current('running')],
	])('it runs as soon as %s', async (_, answer) => {
		const { clock, commands, confirm, sent, outcomes } = rig();
		confirm();
		expect(sent).toMatchObject([{ message: { message_type: 'set_task', data: task } }]);
		await clock.run(500);
		expect(outcomes).toEqual([]);
		commands.hear(answer);
		await clock.run(0);
		expect(outcomes).toEqual([{ ok: true, value: undefined }]);
		await clock.run(60_000);
		expect([sent.length, clock.pending]).toEqual([1, 0]);
	});

	test('the task is asked for within the limits while nothing is answered, for 20 s', async () => {
		const { clock, confirm, sent, outcomes } = rig();
		confirm();
		await clock.run(19_900);
		expect(outcomes).toEqual([]);
		expect(sent.filter(({ name }) => name === 'get_task').length).toBeGreaterThan(3);
		for (const [index, { atMs }] of sent.entries())
			if (index > 0) expect(atMs - (sent[index - 1]?.atMs ?? 0)).toBeGreaterThan(2000);
		await clock.run(200);
		expect(outcomes).toEqual([{ ok: false, error: { kind: 'interpreter-silent', afterMs: 20_000 } }]);
		expect(clock.pending).toBe(0);
	});

	test('a task that is still not found is set again, a few times in all', async () => {
		const { clock, commands, confirm, sent, names } = rig();
		confirm();
		for (let answered = 1; clock.now() < 19_000; ) {
			await clock.run(100);
			for (; answered < sent.length; answered += 1)
				if (sent[answered]?.name === 'get_task') commands.hear(failed('NOT_FOUND'));
			if (clock.now() === 3000) expect(names().filter((name) => name === 'set_task')).toHaveLength(1);
		}
		expect(names().filter((name) => name === 'set_task')).toHaveLength(READINESS.setTasksInAll);
	});

	test('a refusal is told with its reason', async () => {
		const { clock, commands, confirm, outcomes } = rig();
		confirm();
		commands.hear({ type: 'error', code: 'VALIDATION_ERROR', text: 'no such voice', field: 'a.b' });
		await clock.run(0);
		expect(outcomes).toMatchObject([{ ok: false, error: { kind: 'task-refused', field: 'a.b' } }]);
	});

	test('closing ends the wait', async () => {
		const { clock, commands, confirm, outcomes } = rig();
		confirm();
		commands.close();
		await clock.run(30_000);
		expect([outcomes, clock.pending]).toEqual([[{ ok: false, error: { kind: 'cancelled' } }], 0]);
	});
});

describe('posting', () => {
	test('what is within the limits leaves at once, in its order; the rest as soon as it may', async () => {
		const { clock, commands, sent, names } = rig();
		commands.post(getTask);
		commands.post(say('uno'));
		commands.post(getTask);
		commands.post(pauseTask);
		expect(names()).toEqual(['get_task', 'tts_task', 'pause_task']);
		await clock.run(10_000);
		expect(names()).toEqual(['get_task', 'tts_task', 'pause_task']);
		commands.post(getTask);
		commands.post(getTask);
		await clock.run(10_000);
		const asked = sent.filter(({ name }) => name === 'get_task').map(({ atMs }) => atMs);
		expect(asked.slice(0, 2)).toEqual([0, 10_000]);
		expect((asked[2] ?? 0) - (asked[1] ?? 0)).toBeGreaterThan(2000);
	});

	test('after a word about the limit everything limited waits', async () => {
		const { clock, commands, sent } = rig();
		await clock.run(10_000);
		commands.hear(failed('RATE_LIMIT_EXCEEDED'));
		commands.post(pauseTask);
		expect(sent).toEqual([]);
		await clock.run(4000);
		expect(sent.map(({ atMs }) => atMs)).toEqual([expect.closeTo(13_100, -2)]);
	});

	test('nothing leaves after the end', async () => {
		const { clock, commands, sent } = rig();
		commands.post(getTask);
		commands.post(getTask);
		commands.close();
		await clock.run(10_000);
		expect([sent.length, clock.pending]).toEqual([1, 0]);
	});
});

test('the task is ended as its generation wants it: by name, and with a time-out where nothing was ever answered', () => {
	const { commands } = rig();
	expect(commands.endTask()).toEqual({ message_type: 'end_task', data: { eos_timeout: 4 } });
	commands.hear(running);
	expect(commands.endTask()).toEqual({ message_type: 'end_task', data: {} });
});
