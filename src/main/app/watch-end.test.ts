import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { silentLogger } from '#shared/lib/log.ts';
import { watchEnd } from './watch-end.ts';

test.each([
	['SIGINT', 130],
	['SIGTERM', 143],
	['SIGHUP', 1],
	['uncaughtException', 1],
	['unhandledRejection', 1],
])('%s ends the program by the way that deletes sessions, with status %i', (event, status) => {
	const program = new EventEmitter();
	const begun: unknown[] = [];
	const errors: unknown[] = [];
	const log = { ...silentLogger, error: (...said: unknown[]) => void errors.push(said) };
	watchEnd(program, { begin: async (...given) => void begun.push(given) }, log);
	const failure = new Error('a bug of ours');
	program.emit(event, event.startsWith('SIG') ? event : failure);
	expect(begun).toEqual([['quit', status]]);
	expect(JSON.stringify(errors).includes('a bug of ours')).toBe(!event.startsWith('SIG'));
});
