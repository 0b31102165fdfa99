import type { Problem, ProblemKind } from './problem.ts';

/** Exit statuses of our programs. Never change them: scripts depend on them. */
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

const statuses: Partial<Readonly<Record<string, ExitStatus>>> = {
	'api-key-missing': EXIT.credential,
	'key-elsewhere': EXIT.credential,
	'api-key-rejected': EXIT.credential,
	'key-characters': EXIT.credential,
	forbidden: EXIT.credential,
	'not-found': EXIT.notFound,
	'session-limit': EXIT.limit,
	'no-credit': EXIT.limit,
	'rate-limited': EXIT.limit,
	'service-unreachable': EXIT.network,
	'certificate-untrusted': EXIT.network,
	'proxy-refused': EXIT.network,
	'proxy-login': EXIT.network,
	'not-the-service': EXIT.network,
	'timed-out': EXIT.network,
	'room-unreachable': EXIT.network,
	'connection-lost': EXIT.network,
	'file-unreadable': EXIT.badInput,
	'voice-token-rejected': EXIT.credential,
	'voice-invalid': EXIT.usage,
	'history-unreadable': EXIT.badInput,
	'glossaries-unavailable': EXIT.notFound,
	'balance-unavailable': EXIT.notFound,
	'table-invalid': EXIT.badInput,
	'models-missing': EXIT.notFound,
	'model-altered': EXIT.badInput,
	'disk-full': EXIT.limit,
	cancelled: EXIT.interrupted,
} satisfies Partial<Record<ProblemKind, ExitStatus>>;

/** For a problem known only by its kind, as the window shows it; `status` = 0 if there is none. */
export function exitStatusOfKind(kind: string, status: number): ExitStatus {
	// A service that answers only with failures counts as unreachable.
	if (kind === 'service-failed' && status >= 500) return EXIT.network;
	return (Object.hasOwn(statuses, kind) ? statuses[kind] : undefined) ?? EXIT.failed;
}

export function exitStatusOf(problem: Problem): ExitStatus {
	return exitStatusOfKind(problem.kind, 'status' in problem ? problem.status : 0);
}
