import { deflateSync } from 'node:zlib';
import { encodeBase64 } from '#shared/lib/base64.ts';
import { targets } from './messages.ts';
import type { Target } from './mutate.ts';

/** The largest input that is read at all. */
const SIZE = 1_000_000;
const fill = (piece: string, size = SIZE) => piece.repeat(Math.floor(size / piece.length));
const list = (piece: string, size = SIZE) => `[${fill(`${piece},`, size)}0]`;
const fields = (name: (at: number) => string, count: number) =>
	`{${Array.from({ length: count }, (_, at) => `${JSON.stringify(name(at))}:0`).join()}}`;

type Kind = NonNullable<Target['kind']>;

/** The places where a message or an answer may hold a value: for any, and for a text alone. */
const places: Readonly<Record<Kind, { any: readonly Place[]; text: readonly Place[] }>> = {
	message: {
		any: [
			(value) => `{"message_type":"partial_transcription","data":{"transcription":{"segments":${value}}}}`,
			(value) => `{"message_type":"pipeline_timings","data":{"transcription_id":"t","timings":${value}}}`,
		],
		text: [(value) => `{"message_type":"error","data":{"code":"X","desc":${value}}}`],
	},
	answer: {
		any: [
			(value) => `{"data":${value},"next_page_token":""}`,
			(value) => `{"data":{"voice_id":"v","samples":${value}}}`,
		],
		text: [(value) => `{"errors":[{"detail":${value}}]}`],
	},
};
type Place = (value: string) => string;

const session = '{"id":"a.b.c","created_at":"2026-01-01T00:00:00Z","expires_at":"2026-01-01T00:10:00Z"}';
/** Texts that slow down vulnerable regular expressions. */
const bombs = ['<a', '< a="', '\t\n', 'eyJh.eyJ.', 'Bearer ', 'https://a.b/?key=', '/../', '\ud800'];

const anything: readonly (readonly [name: string, value: string])[] = [
	['empty objects', list('{}')],
	['as many lists as are read', list('[]', 149_000)],
	['as many objects as are read', list('{"a":0}', 199_000)],
	['numbers', list('0')],
	['short texts', list('"é"')],
	['many fields', fields((at) => `k${at}`, 80_000)],
	['as many fields as are read', fields((at) => `k${at}`, 24_990)],
	['numbered fields far apart', fields((at) => String(at * 40_000), 24_990)],
	['nested a hundred thousand deep', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
	['one long text', `"${fill('é', 900_000)}"`],
	['a list of sessions', `[${fill(`${session},`, 700_000)}${session}]`],
];

const texts = bombs.map(
	(piece) => [`text of ${JSON.stringify(piece)}`, JSON.stringify(fill(piece, 100_000))] as const,
);

/** Inputs made to be expensive, by name (faults 16, 118). */
function hostileTo(kind: Kind): readonly (readonly [name: string, text: string])[] {
	const { any, text } = places[kind];
	const all = [
		...anything.map((one) => [...one, any] as const),
		...texts.map((one) => [...one, text] as const),
	];
	return all.flatMap(([name, value, where]) =>
		where.map((place, at) => [`${name} (${at})`, place(value)] as const),
	);
}

/** Sixty megabytes in sixty kilobytes, as the text that a message carries. */
const bomb = JSON.stringify(encodeBase64(deflateSync(new Uint8Array(64_000_000))));

/**
 * What hostile inputs cost each reader, as JSON on the last line: processor time and memory. A program of its own,
 * because memory can only be measured on a heap that nothing else uses and that is not collected meanwhile:
 * `node --expose-gc --min-semi-space-size=256 --max-semi-space-size=256 test/fuzz/costs-child.ts`.
 */

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
