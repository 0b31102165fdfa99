import { expect, it } from 'vitest';
import { requests } from '#shared/host/contract.ts';
import type { Host } from './host.ts';
import { createWindowLog } from './window-log.ts';

it('sends every line in a form that the contract takes, whatever the facts are', () => {
	const asked: unknown[] = [];
	const host = {
		ask: async (name: 'log.write', input: unknown) => {
			asked.push(requests[name].input.parse(input));
			return { ok: true, value: undefined };
		},
	} as unknown as Host;
	const log = createWindowLog(host);
	log.info('live', { afterMs: 12, cause: new Error('no route'), nested: { a: [1] }, nothing: undefined });
	log.warn('x'.repeat(2000));
	expect(asked).toEqual([
		{
			level: 'info',
			message: 'live',
			facts: { afterMs: 12, cause: 'no route', nested: '{"a":[1]}', nothing: '' },
		},
		{ level: 'warn', message: 'x'.repeat(500) },
	]);
});
