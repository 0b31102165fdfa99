import { type Estimate, medianOf, ratioOf } from './statistics.ts';

/** One start, in ms after the press; null = did not come in time. */
export interface Start {
	readonly arm: string;
	/** By how much the service's REST answers were held back, ms. */
	readonly delayMs: number;
	readonly packetMs: number | null;
	readonly soundMs: number | null;
}

const measures = { packetMs: 'first audio packet', soundMs: 'first translated sound' } as const;

/** Ratios first: they carry over to other machines better than milliseconds do. */
export function report(starts: readonly Start[]): string {
	const delays = [...new Set(starts.map(({ delayMs }) => delayMs))].sort((one, other) => one - other);
	const arms = [...new Set(starts.map(({ arm }) => arm))];
	const lines: string[] = [];
	for (const [measure, words] of Object.entries(measures)) {
		const of = (arm: string, delayMs: number) =>
			starts
				.filter((start) => start.arm === arm && start.delayMs === delayMs)
				.flatMap((start) => start[measure as keyof typeof measures] ?? []);
		const others = arms.filter((arm) => arm !== 'warm');
		const head = [
			'REST delay',
			...others.map((arm) => `${arm} ÷ warm`),
			...arms.map((arm) => `${arm}, ms`),
			'starts',
		];
		lines.push('', `### From the press to the ${words}`, '', row(head), row(head.map(() => '---')));
		for (const delayMs of delays) {
			const warm = of('warm', delayMs);
			lines.push(
				row([
					`${delayMs} ms`,
					...others.map((arm) => written(ratioOf(of(arm, delayMs), warm), 2)),
					...arms.map((arm) => written(medianOf(of(arm, delayMs)), 0)),
					arms.map((arm) => of(arm, delayMs).length).join(', '),
				]),
			);
		}
	}
	const missing = starts.filter(({ packetMs }) => packetMs === null).length;
	if (missing > 0) lines.push('', `Starts without a packet, left out: ${missing}.`);
	return lines.join('\n');
}

function written({ value, low, high }: Estimate, digits: number): string {
	if (Number.isNaN(value)) return 'none';
	return `${value.toFixed(digits)} (${low.toFixed(digits)} to ${high.toFixed(digits)})`;
}

function row(cells: readonly string[]): string {
	return `| ${cells.join(' | ')} |`;
}
