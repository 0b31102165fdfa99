import { expect, test } from 'vitest';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import type { DiagnosisParts } from './parts.ts';
import { serviceChecks } from './service-checks.ts';

test('a certificate waits for a service that is away, and no longer once it answers', async () => {
	const away = err<Problem>({ kind: 'service-unreachable', cause: 'ENOTFOUND' });
	let answer: Result<{ ms: number; skewMs: number | null }, Problem> = away;
	const checks = serviceChecks({
		clock: createManualClock(),
		// Nobody listens there.
		base: () => 'https://localhost:1',
		proxyOf: async () => '',
		probe: async () => answer,
	} as Partial<DiagnosisParts> as DiagnosisParts);
	const run = (name: string) =>
		checks.find((check) => check.name === name)?.run(new AbortController().signal);
	expect((await run('service'))?.state).toBe('failed');
	expect((await run('certificate'))?.says).toBe('waitsFor');
	answer = ok({ ms: 5, skewMs: 0 });
	expect((await run('service'))?.state).toBe('ok');
	expect((await run('certificate'))?.says).not.toBe('waitsFor');
});
