import type { Problem } from '#shared/problem.ts';
import type { ServiceErrorMessage } from '#shared/protocol/server-message.ts';
import { ERROR_CODE } from '#shared/protocol/vocabulary.ts';

/**
 * What an `error` message means to us (protocol 4.6):
 * - `missing`: no task (yet); normal while the pipeline boots
 * - `limited`: too fast; the command was not carried out. The actual code is not published.
 * - `ended`: the service stops this session (`SERVICE_TIMEOUT`: it heard nothing for 10 s)
 * - `odd`: without a usable code; treated as a warning
 * - `refused`: anything else, above all `VALIDATION_ERROR`
 */
export type ErrorMeaning = 'missing' | 'limited' | 'ended' | 'odd' | 'refused';

export function meaningOf(error: ServiceErrorMessage): ErrorMeaning {
	if (error.code === ERROR_CODE.notFound) return 'missing';
	if (/RATE_LIMIT|TOO_MANY/i.test(error.code)) return 'limited';
	if (error.code === ERROR_CODE.serviceTimeout) return 'ended';
	if (error.code === '' || error.code === ERROR_CODE.unknown) return 'odd';
	return 'refused';
}

export function refusal(error: ServiceErrorMessage): Problem {
	return { kind: 'task-refused', field: error.field, detail: error.text === '' ? error.code : error.text };
}
