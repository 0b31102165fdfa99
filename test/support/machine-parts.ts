import type { Effect, Event, Plan, Route } from '#shared/conversation/machine/events.ts';
import { openLink } from '#shared/conversation/machine/link.ts';
import { beginRun } from '#shared/conversation/machine/run.ts';
import {
	initialState,
	type OpenLink,
	type Run,
	type Stage,
	type State,
} from '#shared/conversation/machine/state.ts';
import { buildTask } from '#shared/conversation/task-builder.ts';
import type { Problem } from '#shared/problem.ts';
import type { ClientMessage } from '#shared/protocol/client-message.ts';
import type { ServerMessage } from '#shared/protocol/server-message.ts';
import { defaultSettings } from '#shared/settings/schema.ts';
import { heardText } from './heard-text.ts';

/* The parts a state of the conversation machine is made of, and what is said to it. */

export function planFor(hear: string, over: Partial<Plan> = {}): Plan {
	const choices = { ...defaultSettings, hear: [hear], voiceOf: hear };
	return {
		choices,
		task: buildTask(choices, 'webrtc'),
		socketTask: buildTask(choices, 'websocket'),
		route: 'webrtc',
		mayFallBack: false,
		without: null,
		...over,
	};
}

export const plan = planFor('es');
/** With a socket to go on with. */
export const fallingBack = planFor('es', { mayFallBack: true });
export const other = planFor('fr');
/** Of which the service may refuse a part. */
export const generous = planFor('es', { without: other });

/** The microphone is on, nothing has happened since 0. */
export function aRun(over: Partial<Run> = {}): Run {
	return { ...beginRun(plan, 1, 0), microphone: { is: 'on' }, ...over };
}

export const onSocket = { route: 'websocket' as Route };
export const noMicrophone = { microphone: { is: 'off' as const } };

/** Number 7, of the session `session-7`. */
export function aLink(over: Partial<OpenLink> = {}): OpenLink {
	return { ...openLink(7, 'session-7', 'webrtc'), ...over };
}

/** Number 7 without a session. */
export const aSocket = openLink(7, null, 'websocket');

export function stateOf<Kind extends Stage>(stage: Kind): State & { readonly stage: Kind } {
	return { ...initialState, serial: 7, stage };
}

export const tick: Event = { type: 'tick' };
export const lost: Problem = { kind: 'connection-lost', reason: 'x' };
export const gone: Problem = { kind: 'session-lost', cause: 'x' };

export const sessionLost = (handle: string, problem: Problem = gone): Event => ({
	type: 'session-lost',
	handle,
	problem,
});
export const linkDown = (id: number, problem: Problem = lost): Event => ({ type: 'link-down', id, problem });
export const message = (what: ServerMessage, id = 7): Event => ({ type: 'message', id, message: what });
export const packets = (sent: number, received = 0, id = 7): Event => ({
	type: 'packets',
	id,
	sent,
	received,
});

export const status = (command: string, task: 'running' | 'paused'): ServerMessage => ({
	type: 'task-status',
	command,
	event: 'x',
	status: task,
	transcriptionId: null,
});
export const running = status('set_task', 'running');
export const currentTask = (task: 'running' | 'paused'): ServerMessage => ({
	type: 'current-task',
	status: task,
	targets: [],
});
export const error = (code: string): ServerMessage => ({ type: 'error', code, text: 'why', field: 'a.b' });
export const queue = (currentMs: number): ServerMessage => ({
	type: 'queue-level',
	levels: new Map([
		['es', { currentMs, maxMs: null }],
		['fr', { currentMs: 0, maxMs: null }],
	]),
});
export const transcript = heardText('a', { final: false, text: 'x' });

export const send = (command: ClientMessage, id = 7): Effect => ({ do: 'send', id, command });
export const setTaskOf = ({ task }: Plan, id = 7): Effect =>
	send({ message_type: 'set_task', data: task }, id);
export const getTask: ClientMessage = { message_type: 'get_task', data: {} };
export const pauseTask: ClientMessage = { message_type: 'pause_task', data: {} };

export const closeMicrophone: Effect = { do: 'close-microphone' };
export const closeLink: Effect = { do: 'close-link', id: 7 };
/** The link and its session. */
export const released: readonly Effect[] = [closeLink, { do: 'close-session', handle: 'session-7' }];
