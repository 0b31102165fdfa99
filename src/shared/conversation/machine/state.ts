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
 * In every stage but idle, failed and resting a time limit runs (`dueMs`); live always has its watchdog.
 * A link that must be replaced while it still works gets a `successor`; the conversation remains live.
 * If a room cannot be reached, or fails for good, opening and reconnecting continue by a socket (`run.route`).
 * Muting is independent of the stage and survives every change.
 */
export interface State {
	readonly muted: boolean;
	/** The last number assigned to a microphone, session or link request. */
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

/** Everything is closed; the problem remains on screen. */
export interface Failed {
	readonly name: 'failed';
	readonly problem: Problem;
	/** The state to resume from when the conversation is started again; absent: it never was live. */
	readonly lived?: Pick<Run, 'liveSinceMs' | 'interpretedMs'>;
}

/** Start was pressed: opens the microphone in parallel with session and room, then sends the task. */
export interface Opening {
	readonly name: 'opening';
	readonly run: Run;
	readonly attempt: Attempt;
	/** New sessions requested because the first was refused or silent; at most one. */
	readonly renewals: number;
}

export interface Live {
	readonly name: 'live';
	readonly run: Run;
	readonly link: OpenLink;
	readonly work: Work;
	readonly watch: Watch;
	/** Start of the current live stage; a loss soon afterwards counts as the same outage. */
	readonly sinceMs: number;
}

export interface Reconnecting {
	readonly name: 'reconnecting';
	readonly run: Run;
	readonly outage: Outage;
	readonly how: Recovery;
}

/** After a long sleep, or a socket lost in a pause: no session, no microphone; waits for the person. */
export interface Resting {
	readonly name: 'resting';
	readonly run: Run;
}

/** Stop was pressed: the microphone is off, and the rest of the translation is still played. */
export interface Ending {
	readonly name: 'ending';
	readonly run: Run;
	readonly link: OpenLink;
	readonly sinceMs: number;
	readonly progressMs: number;
	/** When the service announced the end of its stream. */
	readonly endOfStreamMs: number | null;
}

/** State that lasts for the whole conversation, across sessions. */
export interface Run {
	/** The plan in force; before the first confirmation, the one being tried. */
	readonly plan: Plan;
	/** A requested change that is not in force yet. */
	readonly wanted: Plan | null;
	readonly change: 'none' | 'waiting' | 'applied' | 'refused';
	readonly paused: boolean;
	/** Paused because the computer went to sleep, not by the person. */
	readonly asleep: boolean;
	readonly microphone: MicrophoneUse;
	readonly voiceActive: boolean;
	/** Time of the last progress that the listener noticed: text, queued speech, voice. */
	readonly progressMs: number;
	readonly liveSinceMs: number | null;
	/** Time interpreted before `countingSinceMs`, ms. */
	readonly interpretedMs: number;
	readonly countingSinceMs: number | null;
	/** When another client last took over the session. */
	readonly takenMs: number | null;
	/** The last session that was given up: the room may report its end before main reports who ended it. */
	readonly givenUp: string | null;
	/** Cleared only after the conversation was live for a while, so that back-off continues until then. */
	readonly outage: Outage | null;
	/** The route in use, or the next one. */
	readonly route: Route;
	/** Set after a fall back to a socket. */
	readonly switched: Switched | null;
	/** When joining a room began, across sessions; the time until the switch to a socket counts from here. */
	readonly connectingMs: number | null;
}

export interface Switched {
	readonly sinceMs: number;
	readonly cause: Problem;
	/** The conversation has since been live on the socket. */
	readonly done: boolean;
}

export type MicrophoneUse =
	| { readonly is: 'off' }
	| { readonly is: 'opening'; readonly id: number; readonly sinceMs: number }
	| { readonly is: 'on' };

/** Since when the conversation has not been live, and the number of recoveries tried. */
export interface Outage {
	readonly sinceMs: number;
	/** 1 = the first. */
	readonly tries: number;
	readonly cause: string;
	/** How many of the last attempts in a row had this cause; undefined = one. */
	readonly alike?: number;
}

/** A session that is being prepared to go live. */
export type Attempt =
	| { readonly at: 'session'; readonly id: number; readonly sinceMs: number }
	/** Waits for the microphone before opening a socket: without audio the service would close it again. */
	| { readonly at: 'held'; readonly id: number; readonly handle: null }
	| { readonly at: 'link'; readonly id: number; readonly handle: string | null; readonly sinceMs: number }
	/** In the room, waiting for the microphone; a task would only cost credit until then. */
	| { readonly at: 'joined'; readonly link: OpenLink }
	| {
			readonly at: 'task';
			readonly link: OpenLink;
			readonly readiness: Readiness;
			readonly confirmed: boolean;
			readonly packets: boolean;
	  };

/** A joined room, or an open socket. */
export interface OpenLink {
	readonly id: number;
	/** Handle of the room's session; a socket has none. */
	readonly handle: string | null;
	readonly route: Route;
	readonly outbox: Outbox;
	/** The service sent a `task_status`: it is the current generation (protocol 4.4). */
	readonly acknowledges: boolean;
	/** The connection is too slow for partial texts, so no task requests them. */
	readonly onlyFinals: boolean;
	/** The newest source sentence without a translation; null = none. */
	readonly untranslated: string | null;
	/** Until when the task requests a short queue, so that the voice catches up; null = it does not. */
	readonly shortQueueUntilMs: number | null;
}

/** The state of the interpreter's task, as far as we know. */
export type Work =
	| { readonly is: 'running' }
	/** This plan's `set_task` was sent: for a resume, a change, or a lost task. */
	| { readonly is: 'confirming'; readonly readiness: Readiness; readonly sent: Plan }
	/** `pause_task` was sent, not confirmed yet. */
	| { readonly is: 'pausing'; readonly sinceMs: number; readonly tries: number; readonly askMs: number }
	| { readonly is: 'paused' };

export type Recovery =
	/**
	 * The transport is restoring the link, or we wait for the connection to return; the time limit is ours.
	 * `received`: packets so far, null before the first count; `heardMs`: when this number last grew or a
	 * message arrived. `path`: answers to the path's checks when we found the connection cut before the
	 * transport noticed; null = the transport noticed. `refusals`: the transport's attempts that were refused
	 * at once; `quietLooks`: consecutive packet counts without new packets.
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
	/** The link is back; whether the task is still running is being checked. */
	| {
			readonly by: 'checking';
			readonly link: OpenLink;
			readonly readiness: Readiness;
			readonly way: ConnectionKind;
	  }
	| { readonly by: 'waiting'; readonly untilMs: number }
	| { readonly by: 'joining'; readonly attempt: Attempt };

/**
 * A socket opened while we still try to restore the room, so that there is no wait when the room is given up.
 * If the socket opens, the network works and only the room is unreachable, which no timer can tell. It has no
 * task before it takes over, and is closed without notice when the room is heard again.
 */
export type Standby =
	| { readonly is: 'none'; readonly notBeforeMs: number }
	| { readonly is: 'opening'; readonly id: number }
	| { readonly is: 'open'; readonly link: OpenLink; readonly sinceMs: number }
	/**
	 * The plan allows no socket beside the room's session: the socket is opened once that session is closed.
	 */
	| { readonly is: 'refused'; readonly sinceMs: number }
	/** The socket could not be opened: recovery of the room continues unchanged. */
	| { readonly is: 'failed' };

export const noStandby: Standby = { is: 'none', notBeforeMs: Number.NEGATIVE_INFINITY };

/** The standby link; null = none. */
export function standbyId({ standby }: Pick<State, 'standby'>): number | null {
	if (standby.is === 'opening') return standby.id;
	return standby.is === 'open' ? standby.link.id : null;
}

/** Why a working link must be replaced: its session expires, or its server asks clients to leave. */
export type Succession = 'expiring' | 'leaving';

/** A replacement of a link that is due from `fromMs` on. */
export interface SuccessionDue {
	readonly why: Succession;
	/** The link to be replaced. */
	readonly of: number;
	readonly fromMs: number;
	/** Failed successors so far. */
	readonly tries: number;
}

/** A second session that takes over while the first works: fed silence until the speaker pauses. */
export type Successor =
	| { readonly is: 'none' }
	| ({ readonly is: 'due' } & SuccessionDue)
	/** `asked`: the plan requested; `plan`: the reduced plan that the service accepted. */
	| ({
			readonly is: 'coming';
			readonly attempt: Attempt;
			readonly route: Route;
			readonly asked: Plan;
			readonly plan: Plan;
	  } & SuccessionDue)
	/** Its task is running (`tasked`), or there is nothing to interpret now. */
	| ({
			readonly is: 'ready';
			readonly link: OpenLink;
			readonly tasked: boolean;
			readonly sinceMs: number;
			readonly route: Route;
			readonly asked: Plan;
			readonly plan: Plan;
	  } & SuccessionDue)
	/** It has taken over; the previous link is played to its end. `next`: its own replacement, if due. */
	| {
			readonly is: 'leaving';
			readonly link: OpenLink;
			readonly sinceMs: number;
			readonly progressMs: number;
			readonly endOfStreamMs: number | null;
			readonly next: SuccessionDue | null;
	  };

export const noSuccessor: Successor = { is: 'none' };

/** The link being prepared to take over; null = none. */
export function successorId({ successor }: Pick<State, 'successor'>): number | null {
	if (successor.is === 'ready') return successor.link.id;
	return successor.is === 'coming' ? idOf(successor.attempt) : null;
}

export function idOf(attempt: Attempt): number {
	return 'link' in attempt ? attempt.link.id : attempt.id;
}

/** The link in use, the link being prepared beside it, or the previous link, whose output is still played. */
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

/** A step that changes nothing. */
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
