import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ClientMessage } from '#shared/protocol/client-message.ts';
import { defaultSettings } from '#shared/settings/schema.ts';
import { emptyOutbox, holdBack, nextDueMs, type Outbox, offer, take } from './command-outbox.ts';
import { buildTask } from './task-builder.ts';

const setTask = (speak: string): ClientMessage => ({
	message_type: 'set_task',
	data: buildTask({ ...defaultSettings, speak }, 'webrtc'),
});
const getTask: ClientMessage = { message_type: 'get_task', data: {} };
const pause: ClientMessage = { message_type: 'pause_task', data: {} };
const end: ClientMessage = { message_type: 'end_task', data: {} };
const interrupt: ClientMessage = {
	message_type: 'interrupt_task',
	data: { languages: ['es'], pause_task: false },
};
const speak: ClientMessage = {
	message_type: 'tts_task',
	data: { text: 'x', language: 'es', translate_text: false },
};

/** Sends everything; returns each command and when it was sent. */
function drain(start: Outbox, fromMs = 0) {
	const left: { readonly atMs: number; readonly command: ClientMessage }[] = [];
	let outbox = start;
	let nowMs = fromMs;
	for (let due = nextDueMs(outbox); due !== null; due = nextDueMs(outbox)) {
		nowMs = Math.max(nowMs, due);
		const taken = take(outbox, nowMs);
		outbox = taken.outbox;
		left.push(...taken.send.map((command) => ({ atMs: nowMs, command })));
	}
	return left;
}

const offered = (...commands: readonly ClientMessage[]) => commands.reduce(offer, emptyOutbox);

describe('commands on their way', () => {
	it('leave at once when nothing left before', () => {
		expect(drain(offered(setTask('en')), 500)).toEqual([{ atMs: 500, command: setTask('en') }]);
	});

	it('keep more than two seconds between set_task and get_task', () => {
		const { outbox } = take(offered(setTask('en')), 0);
		expect(drain(offer(outbox, getTask), 10).map(({ atMs }) => atMs)).toEqual([2100]);
	});

	it('keep more than three seconds between pause_task and end_task', () => {
		const { outbox } = take(offered(pause), 0);
		expect(drain(offer(outbox, end), 10).map(({ atMs }) => atMs)).toEqual([3100]);
	});

	it('send the last of several set_task', () => {
		const { outbox } = take(offered(setTask('en')), 0);
		const waiting = offer(offer(outbox, setTask('fr')), setTask('de'));
		expect(drain(waiting).map(({ command }) => command)).toEqual([setTask('de')]);
	});

	it('let a resume void a pause that has not left, and the other way round', () => {
		const paused = take(offered(pause), 0).outbox;
		expect(drain(offer(offer(paused, pause), setTask('en'))).map(({ command }) => command)).toEqual([
			setTask('en'),
		]);
		const set = take(offered(setTask('en')), 0).outbox;
		expect(drain(offer(offer(set, setTask('fr')), pause)).map(({ command }) => command)).toEqual([pause]);
	});

	it('leave what was typed behind when a pause is asked for', () => {
		const { outbox } = take(offered(...Array<ClientMessage>(60).fill(speak)), 0);
		expect(drain([speak, pause].reduce(offer, outbox))).toEqual([{ atMs: 0, command: pause }]);
	});

	it('do not let a look at the task delay the task', () => {
		const { outbox } = take(offered(getTask), 0);
		const waiting = [getTask, setTask('en'), getTask].reduce(offer, outbox);
		expect(drain(waiting)).toEqual([{ atMs: 2100, command: setTask('en') }]);
	});

	it('forget everything else at the end', () => {
		const { outbox } = take(offered(setTask('en')), 0);
		const waiting = [setTask('fr'), pause, speak, end].reduce(offer, outbox);
		expect(drain(waiting).map(({ command }) => command)).toEqual([end]);
	});

	it('speak sixty times a minute at most', () => {
		let outbox = offered(...Array<ClientMessage>(60).fill(speak));
		outbox = take(outbox, 0).outbox;
		const times = drain([speak, speak].reduce(offer, outbox), 1000).map(({ atMs }) => atMs);
		expect(times).toEqual([60_000, 60_000]);
	});

	it('hold sixty typed texts, and not one more', () => {
		const waiting = (count: number) => offered(...Array<ClientMessage>(count).fill(speak)).waiting.length;
		expect([59, 60, 61].map(waiting)).toEqual([59, 60, 60]);
	});

	it('wait anew when the service was too busy', () => {
		expect(drain(offer(holdBack(emptyOutbox, 1000), getTask), 1000).map(({ atMs }) => atMs)).toEqual([3100]);
	});

	it('wait each for its own limit, and leave the others waiting', () => {
		const { outbox } = take(offered(setTask('en')), 0);
		const waiting = [setTask('fr'), interrupt].reduce(offer, outbox);
		expect(nextDueMs(waiting)).toBe(-Infinity);
		const taken = take(waiting, 10);
		expect(taken.send).toEqual([interrupt]);
		expect(taken.outbox).toEqual({ ...outbox, waiting: [setTask('fr')] });
		const paused = take(offer(outbox, pause), 1500).outbox;
		expect(nextDueMs([end, getTask].reduce(offer, paused))).toBe(2100);
		expect(nextDueMs(offered(speak))).toBe(-Infinity);
		expect(nextDueMs(emptyOutbox)).toBeNull();
	});

	it('are not held back by typed texts, nor count as such', () => {
		const full = offered(...Array<ClientMessage>(60).fill(speak));
		expect(offer(full, getTask).waiting).toHaveLength(61);
		const beside = offered(getTask, ...Array<ClientMessage>(59).fill(speak));
		expect(offer(beside, speak).waiting).toHaveLength(61);
	});

	it('remember of typed texts the last minute alone', () => {
		const first = take(offered(speak), 0).outbox;
		const spoken = (atMs: number) => take(offer(first, speak), atMs).outbox.spokenMs;
		expect([spoken(59_999), spoken(60_000)]).toEqual([[0, 59_999], [60_000]]);
	});

	it('stay within every limit whatever is offered whenever', () => {
		const command = fc.constantFrom(setTask('en'), setTask('fr'), getTask, pause, end);
		fc.assert(
			fc.property(
				fc.array(fc.tuple(command, fc.integer({ min: 0, max: 4000 })), { maxLength: 40 }),
				(moves) => {
					let outbox: Outbox = emptyOutbox;
					let nowMs = 0;
					const left: { atMs: number; kind: 'task' | 'control' }[] = [];
					const flush = () => {
						const taken = take(outbox, nowMs);
						outbox = taken.outbox;
						for (const { message_type } of taken.send) {
							left.push({ atMs: nowMs, kind: message_type.endsWith('et_task') ? 'task' : 'control' });
						}
					};
					for (const [next, ms] of moves) {
						outbox = offer(outbox, next);
						flush();
						nowMs += ms;
						flush();
					}
					for (const [kind, spacing] of [
						['task', 2000],
						['control', 3000],
					] as const) {
						const times = left.filter((one) => one.kind === kind).map(({ atMs }) => atMs);
						for (const [index, atMs] of times.entries()) {
							if (index > 0) expect(atMs - (times[index - 1] ?? 0)).toBeGreaterThan(spacing);
						}
					}
					// Two of a kind never wait.
					expect(outbox.waiting.length).toBeLessThanOrEqual(2);
				},
			),
		);
	});
});
