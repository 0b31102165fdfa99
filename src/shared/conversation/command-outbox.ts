import type { ClientMessage, CommandName } from '#shared/protocol/client-message.ts';
import { COMMAND_LIMIT } from '#shared/protocol/limits.ts';

/** Commands waiting for one session, within its limits (protocol 4.4). Pure: `nextDueMs`, then `take`. */
export interface Outbox {
	/** In sending order. At most one of each kind, except `tts_task`. */
	readonly waiting: readonly ClientMessage[];
	/** When `set_task` or `get_task` was last sent. */
	readonly taskMs: number;
	/** When `pause_task` or `end_task` was last sent. */
	readonly controlMs: number;
	/** When the `tts_task`s of the last window were sent. */
	readonly spokenMs: readonly number[];
}

/** 1 per 2 s, `set_task` and `get_task` counted together, with a small margin for network jitter. */
export const TASK_SPACING_MS = COMMAND_LIMIT.taskPeriodMs + 100;
/** 1 per 3 s, counted together to be safe; with the same margin. */
export const CONTROL_SPACING_MS = COMMAND_LIMIT.pauseAndEndPeriodMs + 100;
const SPOKEN = COMMAND_LIMIT.ttsTasks;

export const emptyOutbox: Outbox = { waiting: [], taskMs: -Infinity, controlMs: -Infinity, spokenMs: [] };

/** The waiting commands that a new command makes pointless. */
const supersedes: { readonly [Name in CommandName]: readonly CommandName[] } = {
	// The last set_task wins and resumes, so drop an unsent pause; get_task would only delay it.
	set_task: ['set_task', 'get_task', 'pause_task'],
	get_task: ['get_task'],
	// Resuming sends the whole task, with unsent changes. Nothing is spoken in a pause: drop typed texts.
	pause_task: ['pause_task', 'set_task', 'get_task', 'tts_task'],
	flush_task: ['flush_task'],
	interrupt_task: ['interrupt_task'],
	tts_task: [],
	end_task: ['set_task', 'get_task', 'pause_task', 'flush_task', 'interrupt_task', 'tts_task', 'end_task'],
};

export function offer(outbox: Outbox, command: ClientMessage): Outbox {
	const { waiting } = outbox;
	// A task that has not been sent yet cannot be queried.
	if (command.message_type === 'get_task' && waiting.some((other) => other.message_type === 'set_task')) {
		return outbox;
	}
	const pointless = supersedes[command.message_type];
	const kept = waiting.filter((other) => !pointless.includes(other.message_type));
	const spoken = kept.filter((other) => other.message_type === 'tts_task').length;
	// More waiting texts than one window allows indicate a mistake, not a queue.
	if (command.message_type === 'tts_task' && spoken >= SPOKEN.count) return outbox;
	return { ...outbox, waiting: [...kept, command] };
}

/** The outbox without unsent typed texts. */
export function withoutSpeech(outbox: Outbox): Outbox {
	return { ...outbox, waiting: outbox.waiting.filter((command) => command.message_type !== 'tts_task') };
}

/** When the next waiting command may be sent; null = none is waiting. */
export function nextDueMs(outbox: Outbox): number | null {
	if (outbox.waiting.length === 0) return null;
	return Math.min(...outbox.waiting.map((command) => earliestMs(outbox, command)));
}

/** Everything that may be sent at `nowMs`, in order. */
export function take(outbox: Outbox, nowMs: number): { outbox: Outbox; send: readonly ClientMessage[] } {
	const send: ClientMessage[] = [];
	let rest = outbox;
	for (const command of outbox.waiting) {
		if (earliestMs(rest, command) > nowMs) continue;
		send.push(command);
		rest = left(rest, command, nowMs);
	}
	return { outbox: rest, send };
}

/** The service reported that we sent too fast: restart the limits now. */
export function holdBack(outbox: Outbox, nowMs: number): Outbox {
	return { ...outbox, taskMs: nowMs, controlMs: nowMs };
}

function left(outbox: Outbox, command: ClientMessage, nowMs: number): Outbox {
	const waiting = outbox.waiting.filter((other) => other !== command);
	switch (command.message_type) {
		case 'set_task':
		case 'get_task':
			return { ...outbox, waiting, taskMs: nowMs };
		case 'pause_task':
		case 'end_task':
			return { ...outbox, waiting, controlMs: nowMs };
		case 'tts_task': {
			const recent = outbox.spokenMs.filter((at) => at > nowMs - SPOKEN.windowMs);
			return { ...outbox, waiting, spokenMs: [...recent, nowMs] };
		}
		default:
			return { ...outbox, waiting };
	}
}

function earliestMs(outbox: Outbox, command: ClientMessage): number {
	switch (command.message_type) {
		case 'set_task':
		case 'get_task':
			return outbox.taskMs + TASK_SPACING_MS;
		case 'pause_task':
		case 'end_task':
			return outbox.controlMs + CONTROL_SPACING_MS;
		case 'tts_task': {
			const oldest = outbox.spokenMs.at(-SPOKEN.count);
			return oldest === undefined ? -Infinity : oldest + SPOKEN.windowMs;
		}
		default:
			return -Infinity;
	}
}
