/**
 * What hostile inputs cost each reader, as JSON on the last line: processor time and memory. A program of its own,
 * because memory can only be measured on a heap that nothing else uses and that is not collected meanwhile:
 * `node --expose-gc --min-semi-space-size=256 --max-semi-space-size=256 test/fuzz/costs-child.ts`.
 */
import { bomb, hostileTo } from './hostile.ts';
import { targets } from './messages.ts';
import type { Target } from './target.ts';

export interface Cost {
	readonly target: string;
	readonly input: string;
	/** Processor time of the reading thread, the least of several measurements. */
	readonly ms: number;
	/** Heap allocated, the least of several measurements. */
	readonly bytes: number;
}

const GOOD_MS = 25;
const GOOD_BYTES = 8_000_000;
/** Other load on the machine only adds, so the least of many measurements is the cost. */
const READINGS = 12;

const taken = () => {
	const { heapUsed, external } = process.memoryUsage();
	return heapUsed + external;
};

async function measure(target: Target, text: string): Promise<Pick<Cost, 'ms' | 'bytes'>> {
	let [ms, bytes] = [Infinity, Infinity];
	// What is plainly cheap is measured once; a collection in between would hide allocations, and costs more than everything else.
	for (let reading = 0; reading < READINGS && (ms > GOOD_MS || bytes > GOOD_BYTES); reading += 1) {
		if (reading > 0) globalThis.gc?.();
		const [before, at] = [taken(), process.threadCpuUsage()];
		await target.feed(text);
		const { user, system } = process.threadCpuUsage(at);
		const took = taken() - before;
		if (took < 0) continue;
		ms = Math.min(ms, (user + system) / 1000);
		bytes = Math.min(bytes, took);
	}
	return { ms, bytes };
}

const costs: Cost[] = [];
for (const target of targets) {
	const inputs = target.kind ? hostileTo(target.kind) : [];
	const own =
		target.name === 'sound in messages' ? [...inputs, ['sound that inflates', bomb] as const] : inputs;
	if (own.length === 0) continue;
	// Warms up first, so that code is compiled before it is measured.
	for (const { text } of target.samples) for (let round = 0; round < 4; round += 1) await target.feed(text);
	for (const [input, given] of own) {
		// One piece of memory of its own, as it comes from outside.
		const text = Buffer.from(given).toString();
		costs.push({ target: target.name, input, ...(await measure(target, text)) });
	}
}
process.stdout.write(`${JSON.stringify(costs)}\n`);
