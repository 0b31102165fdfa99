import { expect, it } from 'vitest';
import { requests } from '#shared/host/contract.ts';
import type { Host } from './host.ts';
import { createWindowLog } from './window-log.ts';

/** A log, and what it asked of a host that checks it against the contract. */
function written() {
	const asked: unknown[] = [];
	const host = {
		ask: async (name: 'log.write', input: unknown) => {
			asked.push(requests[name].input.parse(input));
			return { ok: true, value: undefined };
		},
	} as unknown as Host;
	return { log: createWindowLog(host), asked };
}

it('sends every line in a form that the contract takes, whatever the facts are', () => {
	const { log, asked } = written();
	log.info('live', { afterMs: 12, cause: new Error('no route'), nested: { a: [1] }, nothing: undefined });
	log.warn('x'.repeat(2000));
	expect(asked).toEqual([
		{
			level: 'info',
			message: 'live',
			facts: [
				['afterMs', 12],
				['cause', 'no route'],
				['nested', '{"a":[1]}'],
				['nothing', ''],
			],
		},
		{ level: 'warn', message: 'x'.repeat(500) },
	]);
});

it('cuts a line to what the contract takes: 32 facts, names of 40 characters', () => {
	const { log, asked } = written();
	const names = Array.from({ length: 33 }, (_, n) => `${n}`.padStart(41, 'n'));
	log.info('many', Object.fromEntries(names.map((name) => [name, 'v'.repeat(501)])));
	expect(asked).toEqual([
		{
			level: 'info',
			message: 'many',
			facts: names.slice(0, 32).map((name) => [name.slice(0, 40), 'v'.repeat(500)]),
		},
	]);
});
