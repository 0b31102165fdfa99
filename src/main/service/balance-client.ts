import type { Balance } from '#shared/host/contract.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { problemOfOdd } from '#shared/protocol/envelope.ts';
import { field } from '#shared/protocol/json.ts';
import { createHttp, type HttpParts, isUnknownThere } from './http.ts';

/** Asks for the credit of the account; `balance-unavailable` if the service does not report it. */
export async function readBalance(
	parts: HttpParts & {
		readonly baseUrl: () => string;
		readonly key: () => string | null;
	},
	signal?: AbortSignal,
): Promise<Result<Balance, Problem>> {
	const what = 'read-balance';
	const to = { base: parts.baseUrl().replace(/\/+$/, ''), key: parts.key() ?? '' };
	const path = '/payments/v2/balance';
	const call = { method: 'GET', path, what, repeat: 'safe', expects: 'json', signal } as const;
	const answer = await createHttp(parts).request(to, call);
	if (!answer.ok)
		return err(isUnknownThere(answer.error) ? { kind: 'balance-unavailable' } : answer.error.problem);
	const { body } = answer.value;
	const data = field(body, 'data') ?? body;
	const [credits, usd] = [numberIn(field(data, 'credits')), numberIn(field(data, 'usd_equivalent'))];
	if (field(body, 'ok') === false || (credits === null && usd === null)) return err(problemOfOdd(what, body));
	return ok({ credits, usd });
}

/** Some services write sums of money as text. */
function numberIn(value: unknown): number | null {
	const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
	return typeof number === 'number' && Number.isFinite(number) ? number : null;
}
