import type { Problem, ProblemKind } from '#shared/problem.ts';

/** What a script can tell from the exit status (interfaces.md 3). */
export const EXIT = {
	done: 0,
	failed: 1,
	usage: 2,
	credential: 3,
	notFound: 4,
	limit: 5,
	network: 6,
	badInput: 7,
	interrupted: 130,
} as const;
export type ExitStatus = (typeof EXIT)[keyof typeof EXIT];

const statuses: Partial<Readonly<Record<ProblemKind, ExitStatus>>> = {
	'api-key-missing': EXIT.credential,
	'api-key-rejected': EXIT.credential,
	forbidden: EXIT.credential,
	'not-found': EXIT.notFound,
	'session-limit': EXIT.limit,
	'no-credit': EXIT.limit,
	'rate-limited': EXIT.limit,
	'service-unreachable': EXIT.network,
	'timed-out': EXIT.network,
	'room-unreachable': EXIT.network,
	'connection-lost': EXIT.network,
	'file-unreadable': EXIT.badInput,
	cancelled: EXIT.interrupted,
};

export function exitStatusOf(problem: Problem): ExitStatus {
	// A service that answers nothing but failures is as good as not there.
	if (problem.kind === 'service-failed' && problem.status >= 500) return EXIT.network;
	return statuses[problem.kind] ?? EXIT.failed;
}
