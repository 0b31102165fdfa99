import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ServerMessage } from '#shared/protocol/server-message.ts';
import { confirmTask, hear, nextDueMs, type Readiness, taskLeft, tick, verifyTask } from './readiness.ts';

const error = (code: string): ServerMessage => ({ type: 'error', code, text: 'why', field: 'pipeline.x' });
const notFound = error('NOT_FOUND');
const current = (
	status: 'running' | 'paused' | 'unknown',
	targets: readonly string[] = [],
): ServerMessage => ({
	type: 'current-task',
	status,
	targets,
});
const acknowledged: ServerMessage = {
	type: 'task-status',
	command: 'set_task',
	event: 'started',
	status: 'running',
	transcriptionId: null,
};

/** An answer to the command that set a task does not mean that the task is in force. */
it.each(['paused', 'unknown'] as const)('an answer that says %s confirms nothing', (status) => {
	const { readiness } = confirmTask(0);
	const answer: ServerMessage = {
		type: 'task-status',
		command: 'set_task',
		event: 'started',
		status,
		transcriptionId: null,
	};
	expect(hear(readiness, answer, 100).verdict).toEqual({ is: 'waiting' });
	expect(hear(readiness, acknowledged, 100).verdict).toEqual({ is: 'ready' });
});

/** Plays answers to each `get_task` until a verdict, and records what was sent when. */
function play(
	begin: { readiness: Readiness; commands: readonly string[] },
	answers: readonly ServerMessage[],
) {
	const sent: [string, number][] = begin.commands.map((name) => [name, 0]);
	const waiting = [...answers];
	let { readiness } = begin;
	let toldMs: number | null = null;
	let nowMs = 0;
	const take = (step: ReturnType<typeof tick>): string | null => {
		readiness = step.readiness;
		if (step.tell) toldMs = nowMs;
		for (const name of step.commands) sent.push([name, nowMs]);
		return step.verdict.is === 'waiting' ? null : step.verdict.is;
	};
	for (;;) {
		const asked = sent.at(-1)?.[0] === 'get_task' && sent.at(-1)?.[1] === nowMs;
		const answer = asked ? waiting.shift() : undefined;
		const verdict = answer ? take(hear(readiness, answer, nowMs)) : null;
		if (verdict) return { verdict, sent, toldMs, atMs: nowMs };
		nowMs = Math.max(nowMs, nextDueMs(readiness));
		const timed = take(tick(readiness, nowMs));
		if (timed) return { verdict: timed, sent, toldMs, atMs: nowMs };
	}
}

describe('readiness of a task', () => {
	it('is not there with the acknowledgement of another command', () => {
		const other: ServerMessage = { ...acknowledged, command: 'tts_task' } as ServerMessage;
		expect(hear(confirmTask(0).readiness, other, 700).verdict).toEqual({ is: 'waiting' });
	});

	it('is asked for every 2.1 s where nothing is acknowledged', () => {
		expect(play(confirmTask(0), [notFound, current('running')])).toEqual({
			verdict: 'ready',
			sent: [
				['set_task', 0],
				['get_task', 2100],
				['get_task', 4200],
			],
			toldMs: null,
			atMs: 4200,
		});
	});

	it('sets the task three times in all, each after two NOT_FOUND, tells at 10 s, gives up at 20 s', () => {
		const { verdict, sent, toldMs, atMs } = play(confirmTask(0), Array(20).fill(notFound));
		expect([verdict, toldMs, atMs]).toEqual(['late', 10_000, 20_000]);
		expect(sent.filter(([name]) => name === 'set_task').map(([, at]) => at)).toEqual([0, 4200, 8400]);
	});

	it('gives up at 20 s also when nothing is answered at all', () => {
		expect(play(confirmTask(0), []).atMs).toBe(20_000);
	});

	it('ends with the reason on any error but NOT_FOUND, the rate limit and those without a code', () => {
		const { readiness } = confirmTask(0);
		expect(hear(readiness, error('VALIDATION_ERROR'), 100).verdict).toEqual({
			is: 'refused',
			problem: { kind: 'task-refused', field: 'pipeline.x', detail: 'why' },
		});
		for (const code of ['NOT_FOUND', 'RATE_LIMIT_EXCEEDED', 'UNKNOWN_ERROR']) {
			expect(hear(readiness, error(code), 100).verdict).toEqual({ is: 'waiting' });
		}
		expect(hear(readiness, error('SERVICE_TIMEOUT'), 100).verdict.is).toBe('late');
	});

	it('asks more slowly after the rate limit', () => {
		const { readiness } = hear(confirmTask(0).readiness, error('RATE_LIMIT_EXCEEDED'), 1000);
		expect(nextDueMs(readiness)).toBe(5200);
	});

	it('after a reconnect asks first, and sets the task on the first NOT_FOUND', () => {
		expect(play(verifyTask(0), [notFound, current('running')]).sent).toEqual([
			['get_task', 0],
			['set_task', 0],
			['get_task', 2100],
		]);
		expect(play(verifyTask(0), [current('running')]).sent).toEqual([['get_task', 0]]);
	});

	it('after a reconnect gives up on whoever says nothing to three askings, but not on whoever is slow', () => {
		expect(play(verifyTask(0), [])).toMatchObject({ verdict: 'late', atMs: 6300, toldMs: null });
		const slow = play(verifyTask(0), [current('unknown'), ...Array(20).fill(current('unknown'))]);
		expect(slow).toMatchObject({ verdict: 'late', atMs: 20_000 });
	});

	it('sets a paused task again', () => {
		expect(play(verifyTask(0), [current('paused'), current('running')]).sent.map(([name]) => name)).toEqual([
			'get_task',
			'set_task',
			'get_task',
		]);
	});

	it('does not take the old targets for the change, but believes in it after two answers without an error', () => {
		const changed = confirmTask(0, ['fr']);
		expect(play(changed, [current('running', ['es']), current('running', ['fr'])]).atMs).toBe(4200);
		expect(play(changed, Array(5).fill(current('running', ['es']))).atMs).toBe(6300);
		expect(play(confirmTask(0, ['en']), [current('running', ['en-us'])]).atMs).toBe(2100);
	});

	it('always comes to a verdict within 20 s and never sets the task more than three times', () => {
		const answer = fc.constantFrom(notFound, current('unknown'), current('paused'), error('UNKNOWN_ERROR'));
		fc.assert(
			fc.property(fc.array(answer), fc.boolean(), (answers, fresh) => {
				const { sent, atMs } = play(fresh ? confirmTask(0) : verifyTask(0), answers);
				expect(atMs).toBeLessThanOrEqual(20_000);
				expect(sent.filter(([name]) => name === 'set_task').length).toBeLessThanOrEqual(3);
			}),
		);
	});
});

describe('a step of it', () => {
	const waits = { verdict: { is: 'waiting' }, commands: [], tell: false };
	const { readiness } = confirmTask(1000);

	it('asks when it is time, and says nothing before', () => {
		expect(tick(readiness, 3099)).toEqual({ ...waits, readiness });
		expect(tick(readiness, 3100)).toEqual({
			...waits,
			readiness: { ...readiness, pollMs: 5200 },
			commands: ['get_task'],
		});
	});

	it('counts from when the task left, where the limits held it back', () => {
		expect(taskLeft(readiness, 2500)).toEqual({ ...readiness, pollMs: 4600 });
	});

	it('tells how long it took until it was given up', () => {
		expect(tick(readiness, 20_999).verdict).toEqual({ is: 'waiting' });
		expect(tick(readiness, 21_000).verdict).toEqual({ is: 'late', afterMs: 20_000 });
		expect(hear(readiness, error('SERVICE_TIMEOUT'), 4000).verdict).toEqual({ is: 'late', afterMs: 3000 });
	});

	it('waits longer for who may have to send again what was lost', () => {
		const lateMs = (way?: 'new' | 'old') =>
			[6299, 6300, 10_499, 10_500].map((ms) => tick(verifyTask(1000, way).readiness, 1000 + ms).verdict.is);
		expect(lateMs()).toEqual(['waiting', 'late', 'late', 'late']);
		expect(lateMs('new')).toEqual(['waiting', 'late', 'late', 'late']);
		expect(lateMs('old')).toEqual(['waiting', 'waiting', 'waiting', 'late']);
	});

	it('sets the task again, and says no more', () => {
		expect(hear(readiness, current('paused'), 2000)).toEqual({
			...waits,
			readiness: { ...readiness, sends: 2, pollMs: 4100 },
			commands: ['set_task'],
		});
	});

	it('takes a task that runs for the one that is asked for, whose targets cannot be read or are the same', () => {
		const asked = confirmTask(0, ['es', 'fr-ca']).readiness;
		const heard = (targets: readonly string[]) => hear(asked, current('running', targets), 100).verdict.is;
		expect([['fr', 'es-mx'], ['es', 'fr', 'es'], [], ['es'], ['de', 'fr']].map(heard)).toEqual([
			...['ready', 'ready', 'ready', 'waiting', 'waiting'],
		]);
		expect(hear(readiness, current('running', ['de']), 100).verdict.is).toBe('ready');
	});
});
