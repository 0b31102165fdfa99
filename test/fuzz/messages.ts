import { setImmediate as nextTurn } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createDice } from '#test/support/random.ts';
import { innerTargets } from './inner-targets.ts';
import { mutate, type Target } from './mutate.ts';
import { wireTargets } from './wire-targets.ts';

export const targets: readonly Target[] = [...wireTargets, ...innerTargets];

/** No input may hold up its reader for longer (faults 16, 118). */
const LIMIT_MS = 50;
/** Looked at in pieces, so that time, growth and progress are seen without costing much. */
const PIECE = 2000;

export interface Finding {
	readonly target: string;
	readonly input: string;
	readonly what: string;
}

export interface FuzzReport {
	readonly seed: number;
	readonly inputs: number;
	readonly perTarget: Readonly<Record<string, number>>;
	readonly seconds: number;
	/** Processor time of the most expensive input, ms. */
	readonly worstMs: number;
	/** What the heap, and what it holds outside, grew between a tenth of the way and the end, after collections; null = not measured. */
	readonly grownBytes: number | null;
	readonly findings: readonly Finding[];
}

export interface FuzzOptions {
	readonly inputs: number;
	readonly seed: number;
	/** After each tenth. */
	readonly say?: (text: string) => void;
}

const inherited = Object.getOwnPropertyNames(Object.prototype).join();
const isPolluted = () =>
	'polluted' in {} || Object.getOwnPropertyNames(Object.prototype).join() !== inherited;

/** Processor time of one reading, ms: what else runs on the machine does not count. The least of three. */
async function costOf(target: Target, text: string): Promise<number> {
	const costs: number[] = [];
	for (let round = 0; round < 3; round += 1) {
		const before = process.threadCpuUsage();
		await target.feed(text);
		const { user, system } = process.threadCpuUsage(before);
		costs.push((user + system) / 1000);
	}
	return Math.min(...costs);
}

/**
 * Collects and looks, where the program was started with `--expose-gc`. What Node holds outside the heap is freed a
 * turn of the loop after its object was collected.
 */
async function heapBytes(): Promise<number | null> {
	if (typeof globalThis.gc !== 'function') return null;
	for (let round = 0; round < 3; round += 1) {
		globalThis.gc();
		await nextTurn();
	}
	const { heapUsed, external } = process.memoryUsage();
	return heapUsed + external;
}

/** Targets in turn, by weight: drawing one at random for each input would cost more than it gains. */
function schedule(all: readonly Target[]): readonly Target[] {
	return all.flatMap((target) =>
		Array.from({ length: Math.max(1, (target.weight ?? 1) * 20) }, () => target),
	);
}

/**
 * Corrupts valid texts of everything that comes from outside and reads them, one after the other. Stops at the tenth
 * finding: an exception, a promise that was not kept, an inherited property, or more than 50 ms of the processor.
 */
export async function fuzzMessages({ inputs, seed, say }: FuzzOptions): Promise<FuzzReport> {
	const dice = createDice(seed);
	const turns = schedule(targets);
	const perTarget: Record<string, number> = Object.fromEntries(targets.map(({ name }) => [name, 0]));
	const findings: Finding[] = [];
	const begun = performance.now();
	let worstMs = 0;
	// Most inputs make JSON.parse throw, and a trace costs more than all the rest; nobody reads it.
	const { stackTraceLimit } = Error;
	Error.stackTraceLimit = 0;
	let early: number | null = null;

	async function read(target: Target, text: string): Promise<void> {
		const at = performance.now();
		const answered = target.feed(text);
		if (answered) await answered;
		const tookMs = performance.now() - at;
		// Time on the wall is never less than the processor's: only what seems slow is looked at closely.
		if (tookMs <= Math.max(worstMs, LIMIT_MS / 5)) return;
		const costMs = await costOf(target, text);
		worstMs = Math.max(worstMs, costMs);
		if (costMs > LIMIT_MS) throw new Error(`took ${costMs.toFixed(0)} ms of the processor`);
	}

	let done = 0;
	const isOver = () => done >= inputs || findings.length >= 10;
	for (let piece = 0; !isOver(); piece += 1) {
		for (; !isOver() && done < (piece + 1) * PIECE; done += 1) {
			const target = turns[(done * 7919) % turns.length] as Target;
			const text = mutate(target.samples, dice);
			perTarget[target.name] = (perTarget[target.name] ?? 0) + 1;
			try {
				await read(target, text);
			} catch (thrown) {
				findings.push({ target: target.name, input: text.slice(0, 2000), what: String(thrown) });
			}
			if ('polluted' in {})
				findings.push({ target: target.name, input: text, what: 'an inherited property' });
		}
		// As in the app, where each message has a turn of its own. Without one nothing that Node holds outside the heap is
		// ever freed: 17 kB for each sound that could not be inflated (Node 24, `inflateSync`).
		await nextTurn();
		if (isPolluted()) findings.push({ target: 'any', input: '', what: 'Object.prototype was changed' });
		const tenth = Math.max(PIECE, Math.floor(inputs / 10 / PIECE) * PIECE);
		if (done % tenth >= PIECE) continue;
		early ??= await heapBytes();
		const seconds = (performance.now() - begun) / 1000;
		say?.(`${done} inputs, ${Math.round(done / seconds)} a second, ${findings.length} findings`);
	}
	Error.stackTraceLimit = stackTraceLimit;
	for (const target of targets) target.close?.();
	const late = await heapBytes();
	return {
		seed,
		inputs: done,
		perTarget,
		worstMs,
		findings,
		seconds: (performance.now() - begun) / 1000,
		grownBytes: early === null || late === null ? null : late - early,
	};
}

// One worker of `npm run fuzz -- --messages N`: its own seed, its own share, its report on the last line.
if (import.meta.main) {
	const { values } = parseArgs({
		options: { inputs: { type: 'string' }, seed: { type: 'string' }, quiet: { type: 'boolean' } },
	});
	const report = await fuzzMessages({
		inputs: Number(values.inputs ?? 100_000),
		seed: Number(values.seed ?? 1),
		...(values.quiet ? {} : { say: (text: string) => console.log(text) }),
	});
	process.stdout.write(`${JSON.stringify(report)}\n`);
}
