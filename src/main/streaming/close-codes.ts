import type { Problem } from '#shared/problem.ts';
import type { ServiceErrorMessage } from '#shared/protocol/server-message.ts';
import { saidInMessage } from '#shared/protocol/service-error.ts';
import { ERROR_CODE } from '#shared/protocol/vocabulary.ts';

/** How a connection ended, when we did not end it. */
export type SocketEnd =
	/** A close frame, or none (1005, 1006). `reason` is plain text, at most 123 bytes. */
	| { readonly by: 'peer'; readonly code: number; readonly reason: string }
	/** No answer to a ping: the path is half open. */
	| { readonly by: 'silence' }
	/** Broken by the network or by a frame that cannot be read. */
	| { readonly by: 'failure'; readonly cause: string };

export type CloseRule =
	/** A fresh connection after the usual back-off. */
	| 'again'
	/** One more try, a minute later. */
	| 'wait'
	/** The service ended it; trying again unasked would be rude. */
	| 'over'
	/** We and the service do not understand each other; trying again changes nothing. */
	| 'stop'
	/** The credential was refused. */
	| 'auth';

/**
 * What a close code means (protocol 5.1.4 and 4.7, faults 68; RFC 6455 7.4 for the numbers). Codes that
 * are not here are tried again, bounded as everything is.
 */
const RULES: Readonly<Record<number, CloseRule>> = {
	1000: 'over',
	1001: 'again',
	1002: 'stop',
	1003: 'stop',
	1006: 'again',
	1007: 'stop',
	/** Too many connections, or the end of an `error` (see `ruleOf`). */
	1008: 'wait',
	1009: 'stop',
	1010: 'stop',
	1011: 'again',
	1012: 'again',
	1013: 'again',
	/** Unauthorized and forbidden, by the custom of services that number closes after HTTP. */
	4001: 'auth',
	4003: 'auth',
	4401: 'auth',
	4403: 'auth',
};

/** A close belongs to the error before it for this long, ms (protocol 5.1.4). */
export const ERROR_BEFORE_CLOSE_MS = 10_000;
/** What a bare 1008 costs: connections are limited by the minute (protocol 5.1.4). */
export const CONNECTION_LIMIT_WAIT_MS = 60_000;

/** `error` is the last one the service sent, if that was within `ERROR_BEFORE_CLOSE_MS`. */
export function ruleOf(end: SocketEnd, error: ServiceErrorMessage | null): CloseRule {
	if (end.by !== 'peer') return 'again';
	if (end.code === 1008 && error !== null) return ruleOfError(error);
	return RULES[end.code] ?? 'again';
}

function ruleOfError({ code }: ServiceErrorMessage): CloseRule {
	if (code === ERROR_CODE.validation || code === ERROR_CODE.badRequest) return 'stop';
	if (/UNAUTHORIZED|FORBIDDEN/.test(code)) return 'auth';
	if (/RATE_LIMIT|TOO_MANY/.test(code)) return 'wait';
	// SERVICE_TIMEOUT among them: it heard nothing for 10 s, as after a sleep of this computer.
	return 'again';
}

/** The problem shown to a person when it is not tried again. */
export function problemOfEnd(end: SocketEnd, error: ServiceErrorMessage | null): Problem {
	const rule = ruleOf(end, error);
	const said = error === null ? {} : saidInMessage(error);
	if (rule === 'auth') return { kind: 'api-key-rejected', status: 403, ...said };
	if (rule === 'over') return { kind: 'session-lost', cause: 'closed by the service' };
	if (rule === 'wait') return { kind: 'rate-limited', retryAfterMs: CONNECTION_LIMIT_WAIT_MS, ...said };
	if (error?.code === ERROR_CODE.validation)
		return { kind: 'task-refused', field: error.field, detail: error.text };
	const reason = error ? error.code : causeOf(end);
	return { kind: 'connection-lost', reason, ...(rule === 'stop' && { final: true }) };
}

/** A word for logs and for `connection-lost`; never what the peer wrote. */
export function causeOf(end: SocketEnd): string {
	if (end.by === 'peer') return `closed ${end.code}`;
	return end.by === 'silence' ? 'no answer to a ping' : end.cause;
}
