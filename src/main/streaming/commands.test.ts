import { describe, expect, test } from 'vitest';
import { buildTask } from '#shared/conversation/task-builder.ts';
import type { Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import type { ServerMessage } from '#shared/protocol/server-message.ts';
import { defaultSettings } from '#shared/settings/schema.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { createCommands } from './commands.ts';

const task = buildTask(defaultSettings, 'websocket');
const running: ServerMessage = {
	type: 'task-status',
	command: 'set_task',
	event: 'started',
	status: 'running',
	transcriptionId: null,
};
const notFound: ServerMessage = { type: 'error', code: 'NOT_FOUND', text: 'no task', field: '' };
const invalid: ServerMessage = { type: 'error', code: 'VALIDATION_ERROR', text: 'no', field: 'pipeline' };
const limited: ServerMessage = { type: 'error', code: 'RATE_LIMIT_EXCEEDED', text: 'slowly', field: '' };
const pause = { message_type: 'pause_task', data: {} } as const;

function stage() {
	const clock = createManualClock();
	const sent: string[] = [];
	const commands = createCommands({ clock, send: ({ message_type: type }) => void sent.push(type) });
	let outcome: Result<void, Problem> | null = null;
	return {
		clock,
		sent,
		commands,
		confirm() {
			void commands.confirm(task).then((result) => {
				outcome = result;
			});
		},
		outcome: () => outcome,
	};
}

describe('commands of one connection', () => {
	test('set the task at once, and know that it runs when the service says so', async () => {
		const { commands, confirm, outcome, sent, clock } = stage();
		confirm();
		expect(sent).toEqual(['set_task']);
		await clock.run(300);
		expect(outcome()).toBeNull();
		commands.hear(running);
		await clock.run(0);
		expect(outcome()).toEqual({ ok: true, value: undefined });
		await clock.run(60_000);
		expect([sent, clock.pending]).toEqual([['set_task'], 0]);
	});

	test('ask after the task of a service that confirms nothing, and give it up after 20 s', async () => {
		const { commands, confirm, outcome, sent, clock } = stage();
		confirm();
		await clock.run(10_000);
		expect(sent.filter((type) => type === 'get_task').length).toBeGreaterThan(1);
		commands.hear(notFound);
		expect(outcome()).toBeNull();
		await clock.run(15_000);
		expect(outcome()).toMatchObject({ ok: false, error: { kind: 'interpreter-silent' } });
		const asked = sent.length;
		await clock.run(60_000);
		expect([sent.length, clock.pending]).toEqual([asked, 0]);
	});

	test('end with the refusal of the task', async () => {
		const { commands, confirm, outcome, clock } = stage();
		confirm();
		commands.hear(invalid);
		await clock.run(0);
		expect(outcome()).toMatchObject({ ok: false, error: { kind: 'task-refused' } });
	});

	test('leave within the limits of the service, in their order, and all of them', async () => {
		const { commands, sent, clock } = stage();
		for (let count = 0; count < 4; count += 1) {
			commands.post(pause);
			commands.post({ message_type: 'set_task', data: task });
		}
		const atOnce = sent.length;
		expect(atOnce).toBeLessThan(8);
		await clock.run(300_000);
		expect(sent.at(-1)).toBe('set_task');
		expect(clock.pending).toBe(0);
	});

	test('wait longer when the service finds them too many', async () => {
		const { commands, sent, clock } = stage();
		commands.hear(limited);
		commands.post(pause);
		expect(sent).toEqual([]);
		await clock.run(120_000);
		expect(sent).toEqual(['pause_task']);
	});

	test('end the task as the generation of the service wants it', () => {
		const { commands } = stage();
		const older = commands.endTask();
		commands.hear(running);
		expect([older, commands.endTask()]).toEqual([
			{ message_type: 'end_task', data: { eos_timeout: 4 } },
			{ message_type: 'end_task', data: {} },
		]);
	});

	test('are over when the connection is: what is awaited is cancelled, nothing more leaves', async () => {
		const { commands, confirm, outcome, sent, clock } = stage();
		confirm();
		commands.close();
		await clock.run(60_000);
		expect([outcome(), sent, clock.pending]).toEqual([
			{ ok: false, error: { kind: 'cancelled' } },
			['set_task'],
			0,
		]);
	});
});
