import { expect, test } from 'vitest';
import { mainChecks } from '#shared/diagnosis/checks.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { type DiagnosisParts, mainChecksOf, serviceChecks } from './checks.ts';

test('the command line checks in the order in which the window shows', () => {
	expect(mainChecksOf({} as DiagnosisParts).map(({ name }) => name)).toEqual([...mainChecks]);
});

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
