import type { BenchResult, Goal } from './bench.ts';
import type { EarCallSeen } from './ear-call.ts';
import { plotDots } from './plot.ts';
import { bootstrap, type Estimate, median, medianOf, ratioOf } from './statistics.ts';
import { written } from './table.ts';
import { type Bound, exactly, verdict } from './verdict.ts';

const NAMES: Readonly<Record<string, string>> = {
	ours: 'Dragoman',
	bare: 'bare page',
	vendor: 'vendor’s SDK',
	blocks: 'collected in blocks',
	blocked: 'Dragoman, blocked',
	wire: 'wire',
	loopback: 'loopback',
	socket: 'socket',
	'socket, blocked': 'socket, blocked',
};

/** Tables, goals and picture of the calls of one run. */
export function reportEars(parts: {
	readonly calls: readonly EarCallSeen[];
	/** The arm of each call that failed. */
	readonly failed: readonly string[];
	readonly livekit: boolean;
}): BenchResult {
	const { calls, failed, livekit } = parts;
	const of = (arm: string) => calls.filter((call) => call.arm === arm);
	const arms = Object.keys(NAMES).filter((arm) => of(arm).length > 0);
	const numbers = (arm: string, what: 'p50Ms' | 'p95Ms' | 'maxMs' | 'packetToSoundMs' | 'readyToSoundMs') =>
		of(arm).flatMap((call) => {
			const value = call[what];
			return value === null || Number.isNaN(value) ? [] : [value];
		});
	const share = (arm: string) => {
		const spoken = of(arm).reduce((sum, call) => sum + call.spoken, 0);
		return spoken === 0 ? 0 : 1 - of(arm).reduce((sum, call) => sum + call.lost, 0) / spoken;
	};
	const why = busy(numbers('wire', 'p50Ms'), numbers('loopback', 'p50Ms'));
	/** Gives a verdict only if the machine was quiet and the chirps were found again. */
	const judge = (names: readonly string[], bounds: readonly Bound[]): Pick<Goal, 'reached' | 'because'> => {
		if (why !== null) return { reached: null, because: why };
		const missing = names.find((arm) => of(arm).length < 2);
		if (missing) return { reached: null, because: `${NAMES[missing]}: fewer than two calls` };
		const thin = names.find((arm) => share(arm) < 0.95);
		if (thin && !thin.includes('blocked'))
			return { reached: null, because: `${NAMES[thin]}: only ${percent(share(thin))} of the chirps paired` };
		return verdict(bounds);
	};

	const ratios = ['bare', 'vendor', 'blocks'].filter((arm) => of(arm).length > 0);
	const ratio = (arm: string, what: 'p50Ms' | 'p95Ms') => ratioOf(numbers('ours', what), numbers(arm, what));
	const over = (what: 'p50Ms' | 'p95Ms') => difference(numbers('ours', what), numbers('bare', what));
	const table = [
		`Rooms on ${livekit ? 'a LiveKit server, packets given back undecoded by a participant' : 'the sandbox, no LiveKit server was there'}.${why === null ? '' : ` **This run proves nothing: ${why}.**`}`,
		'',
		'| | median of the calls | 95th percentile of a call |',
		'| --- | --- | --- |',
		...ratios.map(
			(arm) =>
				`| Dragoman ÷ ${NAMES[arm]} | ${written(ratio(arm, 'p50Ms'), 2)} | ${written(ratio(arm, 'p95Ms'), 2)} |`,
		),
		'',
		'| | p50, ms | p95, ms | longest, ms | in the jitter buffer, ms | made up | chirps lost | calls |',
		'| --- | --- | --- | --- | --- | --- | --- | --- |',
		...arms.map((arm) => {
			const buffers = of(arm).flatMap(({ buffer }) => buffer ?? []);
			const [waited, made] = [buffers.map((each) => each.delayMs), buffers.map((each) => each.concealed)];
			return `| ${[
				NAMES[arm],
				written(medianOf(numbers(arm, 'p50Ms')), 0),
				written(medianOf(numbers(arm, 'p95Ms')), 0),
				Math.max(...numbers(arm, 'maxMs')).toFixed(0),
				buffers.length > 0 ? median(waited).toFixed(0) : '',
				buffers.length > 0 ? percent(median(made)) : '',
				`${of(arm).reduce((sum, call) => sum + call.lost, 0)} of ${of(arm).reduce((sum, call) => sum + call.spoken, 0)}`,
				of(arm).length,
			].join(' | ')} |`;
		}),
		...(failed.length > 0 ? ['', `Calls that did not come about: ${failed.join(', ')}.`] : []),
	];

	const goals: Goal[] = [];
	if (ratios.includes('bare')) {
		const [p50, p95] = [ratio('bare', 'p50Ms'), ratio('bare', 'p95Ms')];
		const [more, more95] = [over('p50Ms'), over('p95Ms')];
		goals.push({
			id: 'P1',
			goal: 'mouth to ear over WebRTC at most 1.03 × a bare livekit-client page, and 5 ms more at most (p50 and p95)',
			measured: `p50 ${written(p50, 2)} ×, ${written(more, 1)} ms; p95 ${written(p95, 2)} ×, ${written(more95, 1)} ms`,
			...judge(
				['ours', 'bare'],
				[
					...[p50, p95].map((seen) => ({ seen, most: 1.03 })),
					...[more, more95].map((seen) => ({ seen, most: 5 })),
				],
			),
		});
	}
	if (ratios.includes('vendor')) {
		const against = ratio('vendor', 'p50Ms');
		goals.push({
			id: 'P1',
			goal: 'mouth to ear over WebRTC at most 0.65 × the vendor’s SDK',
			measured: `${written(against, 2)} ×`,
			...judge(['ours', 'vendor'], [{ seen: against, most: 0.65 }]),
		});
	}
	if (ratios.includes('blocks')) {
		const against = ratio('blocks', 'p50Ms');
		goals.push({
			id: 'P2',
			goal: 'mouth to ear over WebRTC at most 0.13 × a client that collects sound in blocks and plays them unscheduled',
			measured: `${written(against, 2)} ×`,
			...judge(['ours', 'blocks'], [{ seen: against, most: 0.13 }]),
		});
	}
	for (const [way, plain, blocked] of [
		['WebRTC', 'ours', 'blocked'],
		['the socket', 'socket', 'socket, blocked'],
	] as const) {
		const change = difference(numbers(blocked, 'p50Ms'), numbers(plain, 'p50Ms'));
		const lost = of(blocked).reduce((sum, call) => sum + call.lost, 0);
		const made = of(blocked).reduce((sum, call) => sum + (call.buffer?.concealments ?? 0), 0);
		goals.push({
			id: 'P5',
			goal: `page blocked for 400 ms of each second, over ${way}: no dropout, at most 5 ms more`,
			measured: `${written(change, 1)} ms; ${lost} chirps lost${way === 'WebRTC' ? `, ${made} times something made up` : ''}`,
			...judge(
				[plain, blocked],
				[
					{ seen: change, most: 5 },
					{ seen: exactly(lost), most: 0 },
					{ seen: exactly(made), most: 0 },
				],
			),
		});
	}
	for (const [what, most, words] of [
		['packetToSoundMs', 100, 'first packet of the voice → sound'],
		['readyToSoundMs', 200, 'ICE connected and the voice’s track there → sound'],
	] as const) {
		const seen = medianOf(numbers('ours', what));
		goals.push({
			id: 'P7',
			goal: `${words} at most ${most} ms`,
			measured: `${written(seen, 0)} ms (bare page ${written(medianOf(numbers('bare', what)), 0)} ms)`,
			...judge(['ours'], [{ seen, most }]),
		});
	}

	const plotted = arms.filter((arm) => arm !== 'wire');
	const bareMs = median(numbers('bare', 'p50Ms'));
	return {
		markdown: table.join('\n'),
		data: { calls, failed, livekit, rejected: why },
		goals,
		plots: {
			'mouth-to-ear': plotDots({
				title: 'Mouth to ear, each call',
				description: 'Delay from the microphone to what is played, a dot per call, for Dragoman and others.',
				unit: 'ms',
				rows: plotted.map((arm) => ({ name: NAMES[arm] ?? arm, values: numbers(arm, 'p50Ms') })),
				...(Number.isFinite(bareMs)
					? { mark: { value: 1.03 * bareMs, name: 'goal: 1.03 × bare page' } }
					: {}),
			}),
		},
	};
}

/** Why the machine was too busy to measure; null = it was not. */
function busy(wire: readonly number[], loopback: readonly number[]): string | null {
	if (wire.length === 0 || loopback.length === 0) return 'the anchors are missing';
	const [zero, around] = [median(wire), median(loopback)];
	if (!(Math.abs(zero) <= 1)) return `the wire was at ${zero.toFixed(1)} ms, not 0 ± 1`;
	if (!(around >= 35 && around <= 70))
		return `the loopback was at ${around.toFixed(0)} ms, not 35 to 70: the machine was busy`;
	return null;
}

function difference(values: readonly number[], base: readonly number[]): Estimate {
	return bootstrap([values, base], ([one = [], other = []]) => median(one) - median(other));
}

function percent(share: number): string {
	return `${(100 * share).toFixed(1)} %`;
}
