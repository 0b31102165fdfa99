import { emptyOutbox, holdBack, nextDueMs, offer, take } from '#shared/conversation/command-outbox.ts';
import { meaningOf } from '#shared/conversation/readiness.ts';
import { withoutPartials, withShortQueue } from '#shared/conversation/task-builder.ts';
import type { ClientMessage, Task } from '#shared/protocol/client-message.ts';
import type { ServerMessage } from '#shared/protocol/server-message.ts';
import { ALL_LANGUAGES } from '#shared/protocol/vocabulary.ts';
import type { Effect, Plan, Route } from './events.ts';
import type { OpenLink } from './state.ts';

export interface LinkStep {
	readonly link: OpenLink;
	readonly effects: readonly Effect[];
}

export function openLink(id: number, handle: string | null, route: Route): OpenLink {
	return {
		id,
		handle,
		route,
		outbox: emptyOutbox,
		acknowledges: false,
		onlyFinals: false,
		untranslated: null,
		shortQueueUntilMs: null,
	};
}

/** Queues commands and sends those that the limits allow now. */
export function post(link: OpenLink, nowMs: number, ...commands: readonly ClientMessage[]): LinkStep {
	return flush({ ...link, outbox: commands.reduce(offer, link.outbox) }, nowMs);
}

export function flush(link: OpenLink, nowMs: number): LinkStep {
	const { outbox, send } = take(link.outbox, nowMs);
	return {
		link: { ...link, outbox },
		effects: send.map((command) => ({ do: 'send', id: link.id, command })),
	};
}

export function hasTask(effects: readonly Effect[]): boolean {
	return effects.some((effect) => effect.do === 'send' && effect.command.message_type === 'set_task');
}

/** How long the limits would now delay `get_task` and `set_task`, or `pause_task` and `end_task`, ms. */
export function delayMs(link: OpenLink, command: ClientMessage, nowMs: number): number {
	const due = nextDueMs({ ...link.outbox, waiting: [command] }) ?? nowMs;
	return Math.max(0, due - nowMs);
}

/** Updates the link from any message, in addition to its other handling. */
export function heardOn(link: OpenLink, message: ServerMessage, nowMs: number): OpenLink {
	if (message.type === 'task-status') return link.acknowledges ? link : { ...link, acknowledges: true };
	if (message.type === 'transcript') {
		const { kind, final, transcriptionId } = message;
		if (kind === 'source') return { ...link, untranslated: transcriptionId };
		return final && transcriptionId === link.untranslated ? { ...link, untranslated: null } : link;
	}
	if (message.type !== 'error' || meaningOf(message) !== 'limited') return link;
	return { ...link, outbox: holdBack(link.outbox, nowMs) };
}

/** Leaves the room and closes the session at the same time: neither waits for the other. */
export function release(link: { readonly id: number; readonly handle: string | null }): readonly Effect[] {
	return [{ do: 'close-link', id: link.id }, ...giveBack(link.handle)];
}

/** "Stop now": asks to drop the tail (protocol 9.2) if the limits allow; leaving has the same effect. */
export function cutShort(link: OpenLink, nowMs: number): readonly Effect[] {
	return [...post(link, nowMs, endTaskNow).effects, ...release(link)];
}

export function giveBack(handle: string | null): readonly Effect[] {
	return handle === null ? [] : [{ do: 'close-session', handle }];
}

/** The plan's task for this link, which may have no bandwidth for partial texts. */
export function taskFor(
	plan: Plan,
	{ route, onlyFinals, shortQueueUntilMs }: Pick<OpenLink, 'route' | 'onlyFinals' | 'shortQueueUntilMs'>,
): ClientMessage {
	const whole = route === 'websocket' ? plan.socketTask : plan.task;
	const task = onlyFinals ? withoutPartials(whole) : whole;
	return setTask(shortQueueUntilMs === null ? task : withShortQueue(task));
}

export function setTask(task: Task): ClientMessage {
	return { message_type: 'set_task', data: task };
}

export const getTask: ClientMessage = { message_type: 'get_task', data: {} };
const endTaskNow: ClientMessage = { message_type: 'end_task', data: { force: true } };
export const pauseTask: ClientMessage = { message_type: 'pause_task', data: {} };

/** Stops sending audio; only the connection's own checks keep it open. */
export function sendNothing({ id }: Pick<OpenLink, 'id'>): Effect {
	return { do: 'feed-link', id, audio: 'nothing' };
}

/** Seconds without speech after which the older generation ends the stream (protocol 4.4). */
const EOS_TIMEOUT_S = 4;

/** Current generation: sends the whole tail unasked. */
export function endTask({ acknowledges }: Pick<OpenLink, 'acknowledges'>): ClientMessage {
	return { message_type: 'end_task', data: acknowledges ? {} : { eos_timeout: EOS_TIMEOUT_S } };
}

/** Drops the phrase in progress, with the command of the link's generation (protocol 4.4). */
export function dropPhrase({ acknowledges }: OpenLink): ClientMessage {
	const data = { languages: [ALL_LANGUAGES], pause_task: false };
	return acknowledges ? { message_type: 'interrupt_task', data } : { message_type: 'flush_task', data };
}
