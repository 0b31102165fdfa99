import type { Problem } from '#shared/problem.ts';
import type { Attempt, Run } from './state.ts';

/** The way is to blame, and there is another one. */
export function fallsBack(run: Run, { byRoute }: { readonly byRoute: boolean }): boolean {
	return byRoute && run.route === 'webrtc' && run.plan.mayFallBack;
}

/** From here on by a socket. The session of the room was closed before (the plan's limit). */
export function byWebsocket(run: Run, cause: Problem, nowMs: number): Run {
	const switched = { sinceMs: nowMs, cause, done: false };
	return { ...run, route: 'websocket', switched, connectingMs: null };
}

/** Back to a room, by the person's wish; if it fails again, the socket is there again. */
export function byWebrtc(run: Run): Run {
	return { ...run, route: 'webrtc', switched: null, connectingMs: null };
}

/**
 * Remembers since when media is waited for, whichever session it belongs to. A room that waits for the
 * microphone is not to blame.
 */
export function connecting(run: Run, attempt: Attempt): Run {
	if (attempt.at === 'joined') return { ...run, connectingMs: null };
	if ((attempt.at !== 'link' && attempt.at !== 'task') || run.connectingMs !== null) return run;
	return { ...run, connectingMs: attempt.at === 'link' ? attempt.sinceMs : attempt.readiness.sinceMs };
}

const OF_THE_NETWORK: ReadonlySet<Problem['kind']> = new Set([
	'service-unreachable',
	'certificate-untrusted',
	'timed-out',
]);

/** Neither way leads anywhere: what was wrong first says more. */
export function worstOf({ switched }: Run, problem: Problem): Problem {
	return switched && OF_THE_NETWORK.has(problem.kind) ? switched.cause : problem;
}
