import type { Problem } from '#shared/problem.ts';
import type { Attempt, Run } from './state.ts';

/** The route is to blame, and there is another one. */
export function fallsBack(run: Run, { byRoute }: { readonly byRoute: boolean }): boolean {
	return byRoute && run.route === 'webrtc' && run.plan.mayFallBack;
}

/** Switches to a socket. The room's session was closed before (the plan's limit). */
export function byWebsocket(run: Run, cause: Problem, nowMs: number): Run {
	const switched = { sinceMs: nowMs, cause, done: false };
	return { ...run, route: 'websocket', switched, connectingMs: null };
}

/** Back to a room, at the person's request; if that fails again, it falls back to the socket again. */
export function byWebrtc(run: Run): Run {
	return { ...run, route: 'webrtc', switched: null, connectingMs: null };
}

/** Remembers since when media is awaited, across sessions. A room that waits for the microphone is not to blame. */
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

/** Neither route works: the first problem says more. */
export function worstOf({ switched }: Run, problem: Problem): Problem {
	return switched && OF_THE_NETWORK.has(problem.kind) ? switched.cause : problem;
}
