import { expect, test } from 'vitest';
import { EXIT, exitStatusOf, exitStatusOfKind } from './exit-status.ts';
import type { Problem } from './problem.ts';

test('a script can tell a refused key, a used-up limit and a service that is not there', () => {
	const cases: readonly (readonly [Problem, number])[] = [
		[{ kind: 'api-key-rejected', status: 401 }, EXIT.credential],
		[{ kind: 'session-limit', detail: '' }, EXIT.limit],
		[{ kind: 'service-unreachable', cause: 'ECONNREFUSED' }, EXIT.network],
		[{ kind: 'service-failed', status: 502, detail: '' }, EXIT.network],
		[{ kind: 'service-failed', status: 409, detail: '' }, EXIT.failed],
		[{ kind: 'microphone-denied' }, EXIT.failed],
	];
	for (const [problem, status] of cases) expect(exitStatusOf(problem), problem.kind).toBe(status);
});

test('a kind nobody knows is a failure, whatever its name', () => {
	for (const kind of ['', 'toString', '__proto__']) expect(exitStatusOfKind(kind, 0)).toBe(EXIT.failed);
});
