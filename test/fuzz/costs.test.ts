import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import type { Cost } from './costs-child.ts';

const root = join(import.meta.dirname, '..', '..');
/** Processor time for one input (faults 16, 118). */
const LIMIT_MS = 50;
const LIMIT_BYTES = 16_000_000;

test('no input costs more than 50 ms of the processor and 16 MB: too large, too deep, too many, expressions, bombs', {
	timeout: 240_000,
}, async () => {
	// Compiles synchronously: on a busy machine background compilation is late, and the interpreter would be measured.
	const heap = ['--expose-gc', '--min-semi-space-size=128', '--max-semi-space-size=128'].concat(
		'--no-concurrent-recompilation',
	);
	const { stdout } = await promisify(execFile)(process.execPath, [...heap, 'test/fuzz/costs-child.ts'], {
		cwd: root,
		maxBuffer: 16_000_000,
	});
	const costs = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as readonly Cost[];
	expect(costs.length).toBeGreaterThan(100);
	const dear = costs.filter(({ ms, bytes }) => ms > LIMIT_MS || bytes > LIMIT_BYTES);
	expect(dear).toEqual([]);
});
