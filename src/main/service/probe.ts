import type { Clock } from '#shared/lib/clock.ts';
import { parseHttpDate } from '#shared/lib/http-dates.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { problemOfPage } from '#shared/protocol/envelope.ts';
import { checkRestBase } from '#shared/service-address.ts';
import { problemOfNetwork } from '#shared/unreachable.ts';
import { tryOnce } from './one-try.ts';

export interface ProbeAnswer {
	/** From asking to the first byte of the answer, ms. */
	readonly ms: number;
	/** The `Date` of the answer against this computer's clock, ms (positive: ours is behind); null without one. */
	readonly skewMs: number | null;
}

const LIMIT_MS = 8000;

/**
 * Does anything answer at this REST base? Asks once, without a key, so that a wrong key cannot get in the way and no
 * key leaks: any answer counts but a web page, which is not the service's.
 */
export async function probeService(
	{ fetch, clock }: { readonly fetch: typeof globalThis.fetch; readonly clock: Clock },
	base: string,
	signal: AbortSignal,
): Promise<Result<ProbeAnswer, Problem>> {
	const refusal = checkRestBase(base);
	if (refusal) return err(refusal);
	const started = clock.now();
	let answer: ProbeAnswer = { ms: 0, skewMs: null };
	const heardHead = ({ headers }: Response): void => {
		const date = Number(headers.get('age') ?? 0) > 0 ? null : parseHttpDate(headers.get('date') ?? '');
		// The header counts whole seconds: half of one is the best guess for the rest.
		const skewMs = date === null ? null : Math.round(date + 500 - clock.wall());
		answer = { ms: Math.round(clock.now() - started), skewMs };
	};
	const url = `${base.replace(/\/+$/, '')}/session-storage/sessions?page_size=1`;
	const init: RequestInit = { method: 'GET', credentials: 'omit', cache: 'no-store' };
	const limits = { firstMs: LIMIT_MS, overallMs: LIMIT_MS };
	const outcome = await tryOnce(url, init, { fetch, clock, ...limits, signal, heardHead });
	switch (outcome.type) {
		case 'answer': {
			const page =
				outcome.body.type === 'unreadable' ? problemOfPage(outcome.status, outcome.body.page ?? '') : null;
			return page ? err(page) : ok(answer);
		}
		case 'broken':
			return err(problemOfNetwork(outcome.failure.cause, outcome.url));
		case 'late':
			return err({ kind: 'timed-out', what: 'reach-service', afterMs: outcome.afterMs });
		case 'cancelled':
			return err({ kind: 'cancelled' });
	}
}
