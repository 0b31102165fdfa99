import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ClosedNetwork } from '#test/support/closed-network.ts';
import { notRun } from '#test/support/not-run.ts';
import { CLEAN, CUT, type Line, type LineCondition, startLine } from '#test/support/shaper/line.ts';

const LIMIT_MS = 30_000;
const PROBE = join(import.meta.dirname, '../support/shaper/probe-child.ts');
const run = promisify(execFile);

let line: Line | null = null;
let echo: ChildProcess | null = null;

function within(network: ClosedNetwork, ...args: readonly string[]): [string, string[]] {
	const [program = '', ...rest] = [...network.wrap, process.execPath, PROBE, ...args];
	return [program, rest];
}

beforeAll(async () => {
	const started = await startLine({ seed: 1 });
	if ('missing' in started) return void notRun('a line between two networks', started.missing);
	line = started;
	const [program, args] = within(started.far, 'echo');
	const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
	echo = child;
	await new Promise<void>((done) => child.stdout.once('data', () => done()));
}, LIMIT_MS);
afterAll(async () => {
	echo?.kill('SIGKILL');
	await line?.stop();
});

async function probe(...args: readonly string[]): Promise<unknown> {
	if (!line) throw new Error('no line');
	const [program, words] = within(line.near, ...args);
	return JSON.parse((await run(program, words)).stdout);
}

const udp = (count: number, gapMs = 2, size = 100) =>
	probe('udp', String(count), String(gapMs), String(size)) as Promise<{ number: number; afterMs: number }[]>;

const up = (condition: LineCondition['up']): LineCondition => ({ ...(condition ? { up: condition } : {}) });

describe('a line between two networks', () => {
	it(
		'carries everything in order when it is clean, and nothing when it is cut',
		async ({ skip }) => {
			if (!line) return skip('no line here');
			await line.set(CLEAN);
			expect((await udp(100)).map(({ number }) => number)).toEqual(
				Array.from({ length: 100 }, (_, at) => at),
			);
			await line.set(CUT);
			expect(await udp(20)).toEqual([]);
			await line.set(CLEAN);
			expect(await udp(20)).toHaveLength(20);
		},
		LIMIT_MS,
	);

	it(
		'loses, doubles and overtakes as often as it is told',
		async ({ skip }) => {
			if (!line) return skip('no line here');
			await line.set(up({ lossRatio: 0.2 }));
			const lossy = await udp(500);
			expect(lossy.length).toBeGreaterThan(360);
			expect(lossy.length).toBeLessThan(440);
			// In bursts: the same share, but far fewer gaps than losses.
			await line.set(up({ burst: { enter: 0.05, leave: 0.2 } }));
			const numbers = (await udp(500)).map(({ number }) => number);
			const gaps = numbers.filter((number, at) => number !== (numbers[at - 1] ?? -1) + 1).length;
			expect(gaps).toBeGreaterThan(3);
			expect(500 - numbers.length).toBeGreaterThan(2.5 * gaps);
			await line.set(up({ duplicateRatio: 0.3 }));
			expect((await udp(200)).length).toBeGreaterThan(230);
			await line.set(up({ reorderRatio: 0.2, reorderMs: 40 }));
			const mixed = (await udp(200)).map(({ number }) => number);
			expect([...mixed].sort((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, at) => at));
			expect(mixed.filter((number, at) => number < (mixed[at - 1] ?? -1)).length).toBeGreaterThan(15);
		},
		LIMIT_MS,
	);

	it(
		'is as late as it is told, keeps the order, and lets no more through than its rate',
		async ({ skip }) => {
			if (!line) return skip('no line here');
			await line.set({ up: { delayMs: 60 }, down: { delayMs: 40, jitterMs: 15 } });
			const late = await udp(100, 10);
			// Both ways; the machine may add delay but never remove any.
			expect(Math.min(...late.map(({ afterMs }) => afterMs))).toBeGreaterThan(60);
			expect(late.toSorted((a, b) => a.afterMs - b.afterMs)[50]?.afterMs).toBeGreaterThan(95);
			expect(late.map(({ number }) => number)).toEqual(late.map((_, at) => at));
			// 100 datagrams of 528 bytes with their headers at once: the queue holds 20 of them, and 10 a second leave.
			await line.set(up({ bytesPerSecond: 5280, queueBytes: 20 * 528 }));
			const few = await udp(100, 0, 500);
			expect(few.length).toBeGreaterThan(10);
			expect(few.length).toBeLessThan(25);
			expect(few[9]?.afterMs).toBeGreaterThan(900);
		},
		LIMIT_MS,
	);

	it(
		'carries TCP, which makes up for what is lost',
		async ({ skip }) => {
			if (!line) return skip('no line here');
			await line.set({ up: { lossRatio: 0.02, delayMs: 5 }, down: { lossRatio: 0.02, delayMs: 5 } });
			expect(await probe('tcp', '200000')).toBeGreaterThan(20);
		},
		LIMIT_MS,
	);

	it(
		'goes on when its end has another address, and after it was unplugged',
		async ({ skip }) => {
			if (!line) return skip('no line here');
			await line.set(CLEAN);
			await line.changeAddress();
			expect(await udp(20)).toHaveLength(20);
			line.unplug();
			expect(await udp(5)).toEqual([]);
			line.plugIn();
			expect(await udp(20)).toHaveLength(20);
		},
		LIMIT_MS,
	);
});
