import type { Problem } from '#shared/problem.ts';
import type { ServerMessage } from '#shared/protocol/server-message.ts';
import type { Effect, Event, Plan } from './events.ts';
import {
	type Attempt,
	type OpenLink,
	type Outage,
	type Run,
	type Stage,
	type State,
	type Step,
	to,
} from './state.ts';

/** A permission prompt may remain open for a while; a minute without an answer counts as a refusal. */
export const MICROPHONE_LIMIT_MS = 60_000;

export function beginRun(plan: Plan, microphoneId: number, nowMs: number): Run {
	return {
		plan,
		wanted: null,
		change: 'none',
		paused: false,
		asleep: false,
		microphone: { is: 'opening', id: microphoneId, sinceMs: nowMs },
		voiceActive: false,
		progressMs: nowMs,
		liveSinceMs: null,
		interpretedMs: 0,
		countingSinceMs: null,
		takenMs: null,
		givenUp: null,
		outage: null,
		route: plan.route,
		switched: null,
		connectingMs: null,
	};
}

export function runOf(stage: Stage): Run | null {
	return stage.name === 'idle' || stage.name === 'failed' ? null : stage.run;
}

/** The link in use, also while it is being restored; null = none. */
export function linkOf(stage: Stage): OpenLink | null {
	if (stage.name === 'live' || stage.name === 'ending') return stage.link;
	return stage.name === 'reconnecting' && 'link' in stage.how ? stage.how.link : null;
}

/** Uses another plan from now on, if the service refused this one. */
export function withPlan(run: Run, { plan }: { readonly plan?: Plan }): Run {
	return plan ? { ...run, plan } : run;
}

/** Starts or stops counting interpreted time. */
export function count(run: Run, on: boolean, nowMs: number): Run {
	const passed = run.countingSinceMs === null ? 0 : nowMs - run.countingSinceMs;
	return { ...run, interpretedMs: run.interpretedMs + passed, countingSinceMs: on ? nowMs : null };
}

/** Whether the message shows progress that the listener notices: text, queued speech, or the voice itself. */
export function isProgress(message: ServerMessage): boolean {
	if (message.type === 'transcript') return true;
	return message.type === 'queue-level' && [...message.levels.values()].some((level) => level.currentMs > 0);
}

/** Updates the run from the events that every running stage handles in the same way. */
export function observe(run: Run, event: Event, nowMs: number): Run {
	switch (event.type) {
		case 'voice-active':
			return { ...run, voiceActive: event.active, progressMs: nowMs };
		case 'message':
			return isProgress(event.message) ? { ...run, progressMs: nowMs } : run;
		case 'change':
			return { ...run, wanted: event.plan, change: 'waiting' };
		case 'cannot-change':
			return { ...run, change: 'refused' };
		default:
			return run;
	}
}

/** Closes the microphone first, then everything else that is open; then shows the problem. */
export function fail(state: State, problem: Problem, ...effects: readonly Effect[]): Step {
	return to(state, { name: 'failed', problem }, { do: 'close-microphone' }, ...effects);
}

/** Like `fail`, but without a problem. */
export function rest(state: State, ...effects: readonly Effect[]): Step {
	return to(state, { name: 'idle' }, { do: 'close-microphone' }, ...effects);
}

export function reopenMicrophone(
	state: State,
	run: Run,
	nowMs: number,
): { state: State; run: Run; effects: Effect[] } {
	if (run.microphone.is !== 'off') return { state, run, effects: [] };
	const id = state.serial + 1;
	return {
		state: { ...state, serial: id },
		run: { ...run, microphone: { is: 'opening', id, sinceMs: nowMs } },
		effects: [{ do: 'open-microphone', id }],
	};
}

export interface MicrophoneStep {
	readonly run: Run;
	/** The microphone was opened (again) and can be fed to the link. */
	readonly opened: boolean;
	/** The microphone could not be opened. */
	readonly problem: Problem | null;
}

/**
 * Handles events of the microphone in the same way in every stage; null when the event is about something else.
 */
export function stepMicrophone(run: Run, event: Event, nowMs: number): MicrophoneStep | null {
	const { microphone } = run;
	const opening = microphone.is === 'opening';
	const gone = (problem: Problem) => ({
		run: { ...run, microphone: { is: 'off' as const } },
		opened: false,
		problem,
	});
	switch (event.type) {
		case 'microphone-opened':
			if (!opening || microphone.id !== event.id) return null;
			return { run: { ...run, microphone: { is: 'on' } }, opened: true, problem: null };
		case 'microphone-failed':
			return opening && microphone.id === event.id ? gone(event.problem) : null;
		case 'microphone-lost':
			return microphone.is === 'on' ? gone(event.problem) : null;
		case 'tick':
			if (!opening || nowMs < microphone.sinceMs + MICROPHONE_LIMIT_MS) return null;
			return gone({ kind: 'timed-out', what: 'microphone', afterMs: MICROPHONE_LIMIT_MS });
		default:
			return null;
	}
}

export function microphoneDueMs({ microphone }: Run): number {
	return microphone.is === 'opening' ? microphone.sinceMs + MICROPHONE_LIMIT_MS : Infinity;
}

/** Continues the current outage, or begins a new one. */
export function nextOutage(run: Run, cause: string, nowMs: number): Outage {
	const { outage } = run;
	const alike = outage?.cause === cause ? { alike: (outage.alike ?? 1) + 1 } : {};
	return { sinceMs: outage?.sinceMs ?? nowMs, tries: (outage?.tries ?? 0) + 1, cause, ...alike };
}

/** The session request whose answer this attempt awaits; null when it awaits none. */
export function awaitedSession(attempt: Attempt): number | null {
	return attempt.at === 'session' ? attempt.id : null;
}

/** True if the route caused the failure and a socket may be tried instead. */
export function fallsBack(run: Run, { byRoute }: { readonly byRoute: boolean }): boolean {
	return byRoute && run.route === 'webrtc' && run.plan.mayFallBack;
}

/** Switches to a socket. Close the room's session first, because it counts against the plan's limit. */
export function byWebsocket(run: Run, cause: Problem, nowMs: number): Run {
	const switched = { sinceMs: nowMs, cause, done: false };
	return { ...run, route: 'websocket', switched, connectingMs: null };
}

/** Returns to a room at the person's request; if it fails again, the conversation falls back to the socket. */
export function byWebrtc(run: Run): Run {
	return { ...run, route: 'webrtc', switched: null, connectingMs: null };
}

/**
 * Remembers since when media is awaited, across sessions. A room that waits for the microphone does not count.
 */
export function connecting(run: Run, attempt: Attempt): Run {
	if (attempt.at === 'joined') return { ...run, connectingMs: null };
	if ((attempt.at !== 'link' && attempt.at !== 'task') || run.connectingMs !== null) return run;
	return { ...run, connectingMs: attempt.at === 'link' ? attempt.sinceMs : attempt.readiness.sinceMs };
}

const OF_THE_NETWORK: ReadonlySet<Problem['kind']> = new Set([
	'service-unreachable',
	'certificate-untrusted',
	'proxy-refused',
	'proxy-login',
	'not-the-service',
	'timed-out',
]);

/** The problem to show if neither route works. If the network stopped the second one, the first one says more. */
export function worstOf({ switched }: Run, problem: Problem): Problem {
	return switched && OF_THE_NETWORK.has(problem.kind) ? switched.cause : problem;
}
