import { describe, expect, it } from 'vitest';
import { error, planFor, transcript } from '#test/support/driven-machine.ts';
import {
	dropPhrase,
	endTask,
	getTask,
	hasTask,
	heardOn,
	openLink,
	pauseTask,
	post,
	sendNothing,
	setTask,
	taskFor,
} from './link.ts';
import type { OpenLink } from './state.ts';

const plan = planFor('es');
const aLink = (over: Partial<OpenLink> = {}): OpenLink => ({ ...openLink(7, 'mine', 'webrtc'), ...over });
const current = aLink({ acknowledges: true });
const typed = {
	message_type: 'tts_task',
	data: { text: 'x', language: 'es', translate_text: false },
} as const;

describe('commands', () => {
	it('have the task among them or not', () => {
		expect(hasTask([])).toBe(false);
		expect(hasTask(post(aLink(), 0, getTask, typed).effects)).toBe(false);
		expect(hasTask(post(aLink(), 0, typed, setTask(plan.task)).effects)).toBe(true);
		expect(hasTask([{ do: 'close-microphone' }])).toBe(false);
	});
});

describe('what a message teaches about its link', () => {
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
