import type { Effect, Event, Plan } from '#shared/conversation/machine/events.ts';
import { initialState, type State } from '#shared/conversation/machine/state.ts';
import { dueMs, step } from '#shared/conversation/machine/succession.ts';
import type { Problem } from '#shared/problem.ts';
import type { ServerMessage, TaskState } from '#shared/protocol/server-message.ts';
import { heardText } from './heard-text.ts';
import { planFor as plainPlanFor } from './machine-parts.ts';

/** An effect and its time, ms. */
export type Timed = Effect & { readonly atMs: number };

/** With a socket to go on with. */
export const planFor = (hear: string, over: Partial<Plan> = {}): Plan =>
	plainPlanFor(hear, { mayFallBack: true, ...over });

/** The conversation machine alone: events go in by hand, and its ticks come when they are due. */
export function drivenMachine(plan: Plan = planFor('es')) {
	let state: State = initialState;
	let nowMs = 0;

	function tell(event: Event): readonly Effect[] {
		const next = step(state, event, { nowMs, random: 0.5 });
		state = next.state;
		return next.effects;
	}

	/** Time passes; what is done meanwhile. */
	function pass(ms: number): Timed[] {
		const untilMs = nowMs + ms;
		const done: Timed[] = [];
		for (let ticks = 0; ticks < 1000; ticks += 1) {
			const due = dueMs(state);
			if (due === null || due > untilMs) {
				nowMs = untilMs;
				return done;
			}
			nowMs = Math.max(nowMs, due);
			done.push(...tell({ type: 'tick' }).map((effect) => ({ ...effect, atMs: nowMs })));
		}
		throw new Error('it ticks for ever');
	}

	const say = (id: number, message: ServerMessage) => tell({ type: 'message', id, message });
	const packets = (id: number, sent: number, received: number, answers?: number) =>
		tell({ type: 'packets', id, sent, received, answers });

	return {
		tell,
		pass,
		say,
		packets,
		get state() {
			return state;
		},
		now: () => nowMs,
		dueMs: () => dueMs(state),
		/** To a moment, ms. */
		passTo: (atMs: number) => pass(atMs - nowMs),
		/** The report that a room sends once a second. */
		reports: (id: number) => say(id, { type: 'queue-level', levels: new Map() }),
		confirms: (id: number) => say(id, status('set_task', 'running')),
		down: (id: number, problem: Problem = lost) => tell({ type: 'link-down', id, problem }),
		/** Microphone 1 and link 2, live at 0. `older`: a service that acknowledges nothing. */
		goLive(generation: 'current' | 'older' = 'current') {
			tell({ type: 'start', plan });
			tell({ type: 'microphone-opened', id: 1 });
			if (plan.route === 'webrtc') tell({ type: 'session-opened', id: 2, handle: 'session-2' });
			tell({ type: 'link-opened', id: 2 });
			if (generation === 'current') say(2, status('set_task', 'running'));
			else say(2, { type: 'current-task', status: 'running', targets: [] });
			packets(2, 1, 0);
			if (state.stage.name !== 'live') throw new Error(`in ${state.stage.name}`);
		},
		/** The link lives, looked at twice a second: it sends and is heard. */
		flow(ms: number, id = 2): Timed[] {
			const untilMs = nowMs + ms;
			const done: Timed[] = [];
			while (nowMs < untilMs) {
				done.push(...pass(Math.min(500, untilMs - nowMs)));
				packets(id, nowMs, nowMs);
			}
			return done;
		},
	};
}

export type DrivenMachine = ReturnType<typeof drivenMachine>;

export const lost: Problem = { kind: 'connection-lost', reason: 'x' };

export const status = (command: string, task: TaskState): ServerMessage => ({
	type: 'task-status',
	command,
	event: 'x',
	status: task,
	transcriptionId: null,
});

export const error = (code: string): ServerMessage => ({ type: 'error', code, text: '', field: '' });

export const transcript = heardText('a', { kind: 'translation', language: 'es', text: 'x' });

/** The effects that leave a link and delete its session. */
export const released = (id: number): readonly Effect[] => [
	{ do: 'close-link', id },
	{ do: 'close-session', handle: `session-${id}` },
];
