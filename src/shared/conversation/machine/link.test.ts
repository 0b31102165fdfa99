import { describe, expect, it, test } from 'vitest';
import { emptyOutbox } from '#shared/conversation/command-outbox.ts';
import { error, planFor, status, transcript } from '#test/support/driven-machine.ts';
import {
	cutShort,
	delayMs,
	dropPhrase,
	endTask,
	flush,
	getTask,
	giveBack,
	hasTask,
	heardOn,
	openLink,
	pauseTask,
	post,
	release,
	sendNothing,
	setTask,
	taskFor,
} from './link.ts';
import type { OpenLink } from './state.ts';

const plan = planFor('es');
const aLink = (over: Partial<OpenLink> = {}): OpenLink => ({ ...openLink(7, 'mine', 'webrtc'), ...over });
const current = aLink({ acknowledges: true });
const send = (command: unknown) => ({ do: 'send', id: 7, command });
const typed = {
	message_type: 'tts_task',
	data: { text: 'x', language: 'es', translate_text: false },
} as const;

test('a link that was opened just now has sent nothing, and nothing is known of its service', () => {
	expect(openLink(7, null, 'websocket')).toEqual({
		id: 7,
		handle: null,
		route: 'websocket',
		outbox: emptyOutbox,
		acknowledges: false,
		onlyFinals: false,
		untranslated: null,
		shortQueueUntilMs: null,
	});
});

describe('commands', () => {
	it('leave at once, and what the limits hold back when it may', () => {
		const first = post(aLink(), 1000, getTask);
		expect(first).toEqual({
			link: aLink({ outbox: { ...emptyOutbox, taskMs: 1000 } }),
			effects: [send(getTask)],
		});
		const second = post(first.link, 2000, setTask(plan.task));
		expect(flush(second.link, 3099)).toEqual({ link: second.link, effects: [] });
		expect(flush(second.link, 3100)).toEqual({
			link: aLink({ outbox: { ...emptyOutbox, taskMs: 3100 } }),
			effects: [send(setTask(plan.task))],
		});
	});

	it('have the task among them or not', () => {
		expect(hasTask([])).toBe(false);
		expect(hasTask(post(aLink(), 0, getTask, typed).effects)).toBe(false);
		expect(hasTask(post(aLink(), 0, typed, setTask(plan.task)).effects)).toBe(true);
		expect(hasTask([{ do: 'close-microphone' }])).toBe(false);
	});

	it('would wait for so long, whatever else waits', () => {
		const { link } = post(post(aLink(), 1000, getTask).link, 1000, pauseTask);
		expect([1000, 3099, 3100, 9000].map((nowMs) => delayMs(link, getTask, nowMs))).toEqual([2100, 1, 0, 0]);
		expect([1000, 4099, 4100].map((nowMs) => delayMs(link, pauseTask, nowMs))).toEqual([3100, 1, 0]);
		expect(delayMs(aLink(), getTask, 5)).toBe(0);
		const waiting = post(link, 1500, setTask(plan.task)).link;
		expect(delayMs(waiting, pauseTask, 1500)).toBe(2600);
	});
});

describe('what a message teaches about its link', () => {
	it('an acknowledgement: that its service gives them', () => {
		const known = heardOn(aLink(), status('pause_task', 'unknown'), 1000);
		expect(known).toEqual(current);
		expect(heardOn(known, status('set_task', 'running'), 2000)).toBe(known);
	});

	it.each(['RATE_LIMIT_EXCEEDED', 'too_many_requests'])('%s: that the limits count from now', (code) => {
		expect(heardOn(aLink(), error(code), 1000)).toEqual(
			aLink({ outbox: { ...emptyOutbox, taskMs: 1000, controlMs: 1000 } }),
		);
	});

	it.each([
		['another error', error('NOT_FOUND')],
		['the answer to a look', { type: 'current-task', status: 'running', targets: [] } as const],
		['a text', transcript],
		['a warning that is named like an error', { type: 'warning', code: 'RATE_LIMIT', text: '' } as const],
	])('%s: nothing', (_, heard) => {
		const link = aLink();
		expect(heardOn(link, heard, 1000)).toBe(link);
	});
});

describe('leaving', () => {
	const closed = [
		{ do: 'close-link', id: 7 },
		{ do: 'close-session', handle: 'mine' },
	];

	it('closes the link, and gives back the session where there is one', () => {
		expect(release(aLink())).toEqual(closed);
		expect(release(aLink({ handle: null }))).toEqual([{ do: 'close-link', id: 7 }]);
		expect(giveBack('mine')).toEqual(closed.slice(1));
		expect(giveBack(null)).toEqual([]);
	});

	it('at once says that the tail is not wanted, if the limits let it', () => {
		const end = send({ message_type: 'end_task', data: { force: true } });
		expect(cutShort(aLink(), 1000)).toEqual([end, ...closed]);
		const { link } = post(aLink(), 1000, pauseTask);
		expect(cutShort(link, 4099)).toEqual(closed);
		expect(cutShort(link, 4100)).toEqual([end, ...closed]);
	});
});

describe('what is said', () => {
	it('is the task of the way, and without unfinished texts where they have no room', () => {
		const { task, socketTask } = plan;
		expect(taskFor(plan, aLink())).toEqual({ message_type: 'set_task', data: task });
		expect(taskFor(plan, aLink({ route: 'websocket' }))).toEqual({
			message_type: 'set_task',
			data: socketTask,
		});
		const fast = { ...task, pipeline: { ...task.pipeline } };
		fast.pipeline.allowed_message_types = ['validated_transcription', 'translated_transcription'];
		expect(taskFor(plan, aLink({ onlyFinals: true }))).toEqual({ message_type: 'set_task', data: fast });
	});

	it('is named as each generation of the service has it', () => {
		expect([endTask(current), endTask(aLink())]).toEqual([
			{ message_type: 'end_task', data: {} },
			{ message_type: 'end_task', data: { eos_timeout: 4 } },
		]);
		const data = { languages: ['global'], pause_task: false };
		expect([dropPhrase(current), dropPhrase(aLink())]).toEqual([
			{ message_type: 'interrupt_task', data },
			{ message_type: 'flush_task', data },
		]);
		expect([getTask, pauseTask]).toEqual([
			{ message_type: 'get_task', data: {} },
			{ message_type: 'pause_task', data: {} },
		]);
		expect(sendNothing(aLink())).toEqual({ do: 'feed-link', id: 7, audio: 'nothing' });
	});
});
