import nodeFs, { writeSync } from 'node:fs';
import nodeFiles from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { Socket } from 'node:net';
import { devNull } from 'node:os';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Clock } from '#shared/lib/clock.ts';

type AnyFunction = (...args: unknown[]) => unknown;

export interface Steps {
	/** So far. */
	count(): number;
	/** The same clock, whose timers count as steps, too. */
	clock(clock: Clock): Clock;
	/** Writes a line to the parent; not a step. */
	say(line: unknown): void;
}

/**
 * Counts every step by which this process touches the world outside it: each call of the file system, of SQLite and
 * of the network, and each timer, once before it is done and once before its outcome is handled. At the step
 * numbered `fatal` the process dies by `kill -9`. Between two steps nothing outside changes, so dying at any
 * `await` between them is the same as dying at one of them; and a new call in the code is counted without a change here.
 */
export async function countSteps(fatal: number): Promise<Steps> {
	let steps = 0;
	const write = writeSync;

	function step(): void {
		if (++steps === fatal) process.kill(process.pid, 'SIGKILL');
	}

	function counted(run: AnyFunction): AnyFunction {
		function counting(this: unknown, ...args: unknown[]): unknown {
			step();
			const outcome = Reflect.apply(run, this, args);
			if (!(outcome instanceof Promise)) {
				step();
				return outcome;
			}
			return outcome.finally(step);
		}
		// Such as `realpathSync.native`, and what `promisify` looks for.
		for (const name of Reflect.ownKeys(run)) {
			if (name in counting) continue;
			Object.defineProperty(counting, name, Object.getOwnPropertyDescriptor(run, name) ?? {});
		}
		return counting;
	}

	function countAll(holder: object, names: readonly string[] = Object.getOwnPropertyNames(holder)): void {
		for (const name of names) {
			const { value, writable } = Object.getOwnPropertyDescriptor(holder, name) ?? {};
			// Classes begin with a capital; what begins with an underscore is Node's own.
			if (typeof value !== 'function' || !writable || !/^[a-z]/.test(name) || name === 'constructor')
				continue;
			Object.defineProperty(holder, name, { value: counted(value), writable: true, configurable: true });
		}
	}

	const file = await nodeFiles.open(devNull);
	const fileHandle: object = Object.getPrototypeOf(file);
	await file.close();
	countAll(fileHandle, [
		'read',
		'readFile',
		'write',
		'writeFile',
		'appendFile',
		'sync',
		'datasync',
		'truncate',
		'close',
	]);
	countAll(nodeFs);
	countAll(nodeFiles);
	syncBuiltinESMExports();
	countAll(DatabaseSync.prototype, ['exec', 'prepare', 'close']);
	countAll(StatementSync.prototype, ['run', 'get', 'all']);
	countAll(Socket.prototype, ['connect', 'write', 'end']);
	countAll(globalThis, ['fetch']);
	countAll(ReadableStreamDefaultReader.prototype, ['read']);

	return {
		count: () => steps,
		say: (line) => void write(1, `${JSON.stringify(line)}\n`),
		clock(clock) {
			const timed = (run: () => void) => () => {
				step();
				run();
			};
			return {
				...clock,
				after: (delayMs, run) => clock.after(delayMs, timed(run)),
				every: (periodMs, run) => clock.every(periodMs, timed(run)),
			};
		},
	};
}
