import { expect, test } from 'vitest';
import { meaningOf, refusal } from './readiness.ts';

const error = (code: string, text = '', field = '') => ({ type: 'error', code, text, field }) as const;

test.each([
	['NOT_FOUND', 'missing'],
	['RATE_LIMIT_EXCEEDED', 'limited'],
	['rate_limited', 'limited'],
	['ERR_TOO_MANY_REQUESTS', 'limited'],
	['SERVICE_TIMEOUT', 'ended'],
	['', 'odd'],
	['UNKNOWN_ERROR', 'odd'],
	['VALIDATION_ERROR', 'refused'],
	['something new', 'refused'],
])('an error of the code “%s” means: %s', (code, meaning) => {
	expect(meaningOf(error(code))).toBe(meaning);
});

test('a refusal says what the service said of it, and its code where it said nothing', () => {
	expect(refusal(error('VALIDATION_ERROR', 'no such voice', 'pipeline.x'))).toEqual({
		kind: 'task-refused',
		field: 'pipeline.x',
		detail: 'no such voice',
	});
	expect(refusal(error('VALIDATION_ERROR'))).toEqual({
		kind: 'task-refused',
		field: '',
		detail: 'VALIDATION_ERROR',
	});
});
