import type { Outbox } from '#shared/conversation/command-outbox.ts';
import type { ConnectionKind, Readiness } from '#shared/conversation/readiness.ts';
import type { Problem } from '#shared/problem.ts';
import type { Effect, Plan, Route } from './events.ts';
import type { Watch } from './watch.ts';

/**
 * ```
 *            start                 task runs, packets leave
 *   idle ───────────► opening ───────────────────────────────► live ◄──────┐
 *    ▲  ▲               │ session → held → link → task           │ ▲        │ task verified,
 *    │  │ stop          │ (the microphone meanwhile; one new    │ │resume  │ or new session joined
 *    │  └───────────────┤  session when the first is no good)   │ │        │
 *    │                  │                              10 min   │ resting   │
 *    │                  ▼ fatal                        asleep ► │           │
 *    │               failed(problem) ◄──────────────────────────┼── reconnecting
 *    │                                                          │    restoring → checking
 *    │        end of stream, 6 s / 30 s, stop again             │    waiting → joining → …
 *    └──────────────────────── ending ◄─────────────────────────┘ stop
 * ```
 * In every stage but idle, failed and resting some time limit runs (`dueMs`); live always has its watchdog.
 * A link that must be left while it lives is left for a `successor`, without leaving live.
 * If a room cannot be reached, or dies for good, opening and reconnecting go on by a socket (`run.route`).
 * Muted is orthogonal: it survives all of it.
 */
export interface State {
	readonly muted: boolean;
	/** The last number given to a microphone, session or link request. */
	readonly serial: number;
	readonly standby: Standby;
	readonly successor: Successor;
	readonly stage: Stage;
}

export type Stage = Idle | Failed | Opening | Live | Reconnecting | Resting | Ending;
export type StageName = Stage['name'];

export interface Idle {
	readonly name: 'idle';
}

/** Everything is closed; the problem stays on screen. */
export interface Failed {
	readonly name: 'failed';
	readonly problem: Problem;
	/** The state to resume from when it is tried again; absent: it never was live. */
	readonly lived?: Pick<Run, 'liveSinceMs' | 'interpretedMs'>;
}

/** Start was pressed: the microphone alongside session and room, then the task. */
export interface Opening {
	readonly name: 'opening';
	readonly run: Run;
	readonly attempt: Attempt;
	/** New sessions taken because the first was refused or silent; at most one. */
	readonly renewals: number;
}

export interface Live {
	readonly name: 'live';
	readonly run: Run;
	readonly link: OpenLink;
	readonly work: Work;
	readonly watch: Watch;
	/** When it became live this time; a loss soon after counts as the same outage. */
	readonly sinceMs: number;
}

export interface Reconnecting {
	readonly name: 'reconnecting';
	readonly run: Run;
	readonly outage: Outage;
	readonly how: Recovery;
}

/** After a long sleep, or where a socket was lost in a pause: no session, no microphone; waits for the person. */
export interface Resting {
	readonly name: 'resting';
	readonly run: Run;
}

/** Stop was pressed: microphone off, the tail of the translation is still heard. */
export interface Ending {
	readonly name: 'ending';
	readonly run: Run;
	readonly link: OpenLink;
	readonly sinceMs: number;
	readonly progressMs: number;
	/** When the service said that nothing more will come. */
	readonly endOfStreamMs: number | null;
}

/** State that lasts for the whole conversation, across sessions. */
export interface Run {
	/** The plan in force; before the first confirmation, the one being tried. */
	readonly plan: Plan;
	/** A change that is not in force yet. */
	readonly wanted: Plan | null;
	readonly change: 'none' | 'waiting' | 'applied' | 'refused';
	readonly paused: boolean;
	/** Paused by the machine's sleep, not by the person. */
	readonly asleep: boolean;
	readonly microphone: MicrophoneUse;
	readonly voiceActive: boolean;
	/** Last progress that the listener noticed: text, queued speech, voice. */
	readonly progressMs: number;
	readonly liveSinceMs: number | null;
	/** Interpreted before `countingSinceMs`, ms. */
	readonly interpretedMs: number;
	readonly countingSinceMs: number | null;
	/** When the session was last taken from us. */
	readonly takenMs: number | null;
	/** The session given up last: the room may report its end before main reports who ended it. */
	readonly givenUp: string | null;
	/** Cleared only after the conversation was live for a while, so that back-off continues. */
	readonly outage: Outage | null;
	/** The route in use, or about to be. */
	readonly route: Route;
	/** Set when it fell back to a socket. */
	readonly switched: Switched | null;
	/** When joining a room began, across sessions; the time until the switch to a socket counts from here. */
	readonly connectingMs: number | null;
}

export interface Switched {
	readonly sinceMs: number;
	readonly cause: Problem;
	/** It has been live on the socket since. */
	readonly done: boolean;
}

export type MicrophoneUse =
	| { readonly is: 'off' }
	| { readonly is: 'opening'; readonly id: number; readonly sinceMs: number }
	| { readonly is: 'on' };

/** Since when the conversation has not been live, and how many recoveries were tried. */
export interface Outage {
	readonly sinceMs: number;
	/** 1 = the first. */
	readonly tries: number;
	readonly cause: string;
	/** How many of the last tries in a row had this cause; undefined = one. */
	readonly alike?: number;
}

/** One session on its way to live. */
export type Attempt =
	| { readonly at: 'session'; readonly id: number; readonly sinceMs: number }
	/** A socket waits for the microphone: without sound the service would close it again. */
	| { readonly at: 'held'; readonly id: number; readonly handle: null }
	| { readonly at: 'link'; readonly id: number; readonly handle: string | null; readonly sinceMs: number }
	/** In the room, waiting for the microphone; without it a task would only cost. */
	| { readonly at: 'joined'; readonly link: OpenLink }
	| {
			readonly at: 'task';
			readonly link: OpenLink;
			readonly readiness: Readiness;
			readonly confirmed: boolean;
			readonly packets: boolean;
	  };

/** A room we are in, or a socket that is open. */
export interface OpenLink {
	readonly id: number;
	/** Handle of its session; a socket has none. */
	readonly handle: string | null;
	readonly route: Route;
	readonly outbox: Outbox;
	/** A `task_status` was seen: the current generation of the service (protocol 4.4). */
	readonly acknowledges: boolean;
	/** Its line has no room for partial texts, so no task requests them. */
	readonly onlyFinals: boolean;
	/** The newest sentence that was heard and has no translation yet; null = none. */
	readonly untranslated: string | null;
	/** Until when the task asks for a short queue, so that the voice catches up; null = it does not. */
	readonly shortQueueUntilMs: number | null;
}

/** What the interpreter is doing for us, as far as we know. */
export type Work =
	| { readonly is: 'running' }
	/** This plan's `set_task` was sent: a resume, a change, or a task that had vanished. */
	| { readonly is: 'confirming'; readonly readiness: Readiness; readonly sent: Plan }
	/** `pause_task` was sent, not confirmed yet. */
	| { readonly is: 'pausing'; readonly sinceMs: number; readonly tries: number; readonly askMs: number }
	| { readonly is: 'paused' };

export type Recovery =
	/**
	 * The transport is restoring the link, or we wait for the line; the limit is ours. `received`: packets so far, null
	 * before they were counted; `heardMs`: when they last grew or a message came. `path`: answers to its checks when we
	 * found the line cut and the transport had not noticed; null = it has. `refusals`: tries of the transport that were
	 * refused at once; `quietLooks`: counts of packets in a row in which there were no new ones.
	 */
	| {
			readonly by: 'restoring';
			readonly link: OpenLink;
			readonly sinceMs: number;
			readonly received: number | null;
			readonly heardMs: number;
			readonly path: number | null;
			readonly refusals: number;
			readonly quietLooks: number;
	  }
	/** The link is back: is the task? */
	| {
			readonly by: 'checking';
			readonly link: OpenLink;
			readonly readiness: Readiness;
			readonly way: ConnectionKind;
	  }
	| { readonly by: 'waiting'; readonly untilMs: number }
	| { readonly by: 'joining'; readonly attempt: Attempt };

/**
 * A socket opened while the room is still being tried, so that there is no wait when the room is given up. If it opens,
 * the network works and only the room is away, which no timer can tell. It has no task before it takes over, and is
 * closed without a trace when the room is heard again.
 */
export type Standby =
	| { readonly is: 'none'; readonly notBeforeMs: number }
	| { readonly is: 'opening'; readonly id: number }
	| { readonly is: 'open'; readonly link: OpenLink; readonly sinceMs: number }
	/** The plan allows none beside the room's session: it is opened once that is closed. */
	| { readonly is: 'refused'; readonly sinceMs: number }
	/** It could not be opened: the room continues as if nothing had been tried. */
	| { readonly is: 'failed' };

export const noStandby: Standby = { is: 'none', notBeforeMs: Number.NEGATIVE_INFINITY };

/** The standby link; null = there is none. */
export function standbyId({ standby }: Pick<State, 'standby'>): number | null {
	if (standby.is === 'opening') return standby.id;
	return standby.is === 'open' ? standby.link.id : null;
}

/** Why a working link is to be left: its session expires, or its server asks to be left. */
export type Succession = 'expiring' | 'leaving';

/** A link is to be replaced, from `fromMs` on. */
export interface SuccessionDue {
	readonly why: Succession;
	/** The link that is to be left. */
	readonly of: number;
	readonly fromMs: number;
	/** Failed successors so far. */
	readonly tries: number;
}

/**
 * Another session with its link, which takes over from the one in use while that is still live. It is fed silence until
 * a pause of the speaker lets the microphone move to it: no word is heard twice, and none is lost.
 */
export type Successor =
	| { readonly is: 'none' }
	| ({ readonly is: 'due' } & SuccessionDue)
	/** `asked`: the plan requested; `plan`: what the service accepted of it. */
	| ({
			readonly is: 'coming';
			readonly attempt: Attempt;
			readonly route: Route;
			readonly asked: Plan;
			readonly plan: Plan;
	  } & SuccessionDue)
	/** Its task runs (`tasked`), or there is nothing to interpret now. */
	| ({
			readonly is: 'ready';
			readonly link: OpenLink;
			readonly tasked: boolean;
			readonly sinceMs: number;
			readonly route: Route;
			readonly asked: Plan;
			readonly plan: Plan;
	  } & SuccessionDue)
	/** It has taken over; the previous link is heard to its end. `next`: it is to be replaced in its turn. */
	| {
			readonly is: 'leaving';
			readonly link: OpenLink;
			readonly sinceMs: number;
			readonly progressMs: number;
			readonly endOfStreamMs: number | null;
			readonly next: SuccessionDue | null;
	  };

export const noSuccessor: Successor = { is: 'none' };

/** The link being prepared to take over; null = there is none. */
export function successorId({ successor }: Pick<State, 'successor'>): number | null {
	if (successor.is === 'ready') return successor.link.id;
	return successor.is === 'coming' ? idOf(successor.attempt) : null;
}

export function idOf(attempt: Attempt): number {
	return 'link' in attempt ? attempt.link.id : attempt.id;
}

/** The link in use, one being prepared beside it, or the previous one, which is still heard. */
export type Place = 'in-use' | 'beside' | 'former';

export function placeOf(state: State, id: number): Place {
	if (id === standbyId(state) || id === successorId(state)) return 'beside';
	return state.successor.is === 'leaving' && state.successor.link.id === id ? 'former' : 'in-use';
}

export interface Step {
	readonly state: State;
	readonly effects: readonly Effect[];
}

export const initialState: State = {
	muted: false,
	serial: 0,
	standby: noStandby,
	successor: noSuccessor,
	stage: { name: 'idle' },
};

/** Nothing happens. */
export function unchanged(state: State): Step {
	return { state, effects: [] };
}

export function to(state: State, stage: Stage, ...effects: readonly Effect[]): Step {
	return { state: { ...state, stage }, effects };
}

/** The same step with these effects first. */
export function after(effects: readonly Effect[], step: Step): Step {
	return { state: step.state, effects: [...effects, ...step.effects] };
}
