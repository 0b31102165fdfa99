import type { BenchResult, Goal } from './bench.ts';
import type { EarCallSeen } from './ear-call.ts';
import { plotDots } from './plot.ts';
import { bootstrap, type Estimate, mean, meanOf, median, medianOf, ratioOf } from './statistics.ts';
import { written } from './table.ts';
import { type Bound, exactly, verdict } from './verdict.ts';

const NAMES: Readonly<Record<string, string>> = {
	ours: 'Dragoman',
	bare: 'bare page',
	vendor: 'vendor’s SDK',
	blocks: 'collected in blocks',
	blocked: 'Dragoman, blocked',
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
	const why = busy(numbers('loopback', 'p50Ms'));
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
	/** Calls over WebRTC in which chirps were heard. */
	const counted = (arm: string) =>
		of(arm).flatMap(({ buffer, p50Ms, p95Ms }) =>
			buffer && Number.isFinite(p50Ms) ? [{ p50Ms, p95Ms, waitedMs: buffer.delayMs }] : [],
		);
	/** Mean time in the jitter buffer, of each call, ms. */
	const waited = (arm: string) => counted(arm).map(({ waitedMs }) => waitedMs);
	const inBuffer = (one: string, other: string) =>
		bootstrap([waited(one), waited(other)], ([ones = [], others = []]) => mean(ones) - mean(others));
	/** The rest of the way, of each call: the buffer changes between calls in steps of 10 ms, this hardly. */
	const rests = (arm: string, what: 'p50Ms' | 'p95Ms') =>
		counted(arm).map((call) => call[what] - call.waitedMs);
	/** How two arms compare if their buffers had the mean of both, as a ratio and in ms. */
	function steady(one: string, other: string, what: 'p50Ms' | 'p95Ms') {
		const both = mean([...waited(one), ...waited(other)]);
		const samples = [rests(one, what), rests(other, what)];
		return {
			ratio: bootstrap(samples, ([ones = [], others = []]) => (mean(ones) + both) / (mean(others) + both)),
			more: bootstrap(samples, ([ones = [], others = []]) => mean(ones) - mean(others)),
		};
	}
	const table = [
		`Rooms on ${livekit ? 'a LiveKit server, packets given back undecoded by a participant' : 'the sandbox, no LiveKit server was there'}.${why === null ? '' : ` **This run proves nothing: ${why}.**`}`,
		'',
		'| | median of the calls | 95th percentile of a call | steps taken out | in the buffer, ms more |',
		'| --- | --- | --- | --- | --- |',
		...ratios.map(
			(arm) =>
				`| Dragoman ÷ ${NAMES[arm]} | ${written(ratio(arm, 'p50Ms'), 2)} | ${written(ratio(arm, 'p95Ms'), 2)} | ${written(steady('ours', arm, 'p50Ms').ratio, 2)} | ${written(inBuffer('ours', arm), 1)} |`,
		),
		'',
		'| | p50, ms | p95, ms | longest, ms | in the jitter buffer, ms | the rest, ms | made up | chirps lost | calls |',
		'| --- | --- | --- | --- | --- | --- | --- | --- | --- |',
		...arms.map((arm) => {
			const made = of(arm).flatMap(({ buffer }) => buffer?.concealed ?? []);
			const rest = rests(arm, 'p50Ms');
			return `| ${[
				NAMES[arm],
				written(medianOf(numbers(arm, 'p50Ms')), 0),
				written(medianOf(numbers(arm, 'p95Ms')), 0),
				Math.max(...numbers(arm, 'maxMs')).toFixed(0),
				rest.length > 0 ? mean(waited(arm)).toFixed(0) : '',
				rest.length > 0 ? written(meanOf(rest), 0) : '',
				rest.length > 0 ? percent(median(made)) : '',
				`${of(arm).reduce((sum, call) => sum + call.lost, 0)} of ${of(arm).reduce((sum, call) => sum + call.spoken, 0)}`,
				of(arm).length,
			].join(' | ')} |`;
		}),
		...(failed.length > 0 ? ['', `Calls that did not come about: ${failed.join(', ')}.`] : []),
	];

	const goals: Goal[] = [];
	if (ratios.includes('bare')) {
		const [p50, p95] = [steady('ours', 'bare', 'p50Ms'), steady('ours', 'bare', 'p95Ms')];
		const longer = inBuffer('ours', 'bare');
		goals.push({
			id: 'P1',
			goal: 'mouth to ear over WebRTC at most 1.03 × a bare livekit-client page, and 5 ms more at most (p50 and p95), the buffer’s steps taken out; in the buffer 5 ms more at most',
			measured: `p50 ${written(p50.ratio, 2)} ×, ${written(p50.more, 1)} ms; p95 ${written(p95.ratio, 2)} ×, ${written(p95.more, 1)} ms; in the buffer ${written(longer, 1)} ms`,
			...judge(
				['ours', 'bare'],
				[
					...[p50, p95].map((seen) => ({ seen: seen.ratio, most: 1.03 })),
					...[p50.more, p95.more, longer].map((seen) => ({ seen, most: 5 })),
				],
			),
		});
	}
	if (ratios.includes('vendor')) {
		const against = steady('ours', 'vendor', 'p50Ms').ratio;
		const longer = inBuffer('ours', 'vendor');
		goals.push({
			id: 'P1',
			goal: 'mouth to ear over WebRTC at most 0.65 × the vendor’s SDK, the buffer’s steps taken out; in the buffer 5 ms more at most',
			measured: `${written(against, 2)} ×; in the buffer ${written(longer, 1)} ms`,
			...judge(
				['ours', 'vendor'],
				[
					{ seen: against, most: 0.65 },
					{ seen: longer, most: 5 },
				],
			),
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
		const isRoom = way === 'WebRTC';
		const change = isRoom
			? steady(blocked, plain, 'p50Ms').more
			: difference(numbers(blocked, 'p50Ms'), numbers(plain, 'p50Ms'));
		const longer = isRoom ? inBuffer(blocked, plain) : exactly(0);
		const lost = of(blocked).reduce((sum, call) => sum + call.lost, 0);
		const made = of(blocked).reduce((sum, call) => sum + (call.buffer?.concealments ?? 0), 0);
		goals.push({
			id: 'P5',
			goal: `page blocked for 400 ms of each second, over ${way}: no dropout, at most 5 ms more${isRoom ? ', and as many in the buffer' : ''}`,
			measured: `${written(change, 1)} ms${isRoom ? `, in the buffer ${written(longer, 1)} ms` : ''}; ${lost} chirps lost${isRoom ? `, ${made} times something made up` : ''}`,
			...judge(
				[plain, blocked],
				[
					{ seen: change, most: 5 },
					{ seen: longer, most: 5 },
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
				rows: arms.map((arm) => ({ name: NAMES[arm] ?? arm, values: numbers(arm, 'p50Ms') })),
				...(Number.isFinite(bareMs)
					? { mark: { value: 1.03 * bareMs, name: 'goal: 1.03 × bare page' } }
					: {}),
			}),
		},
	};
}

/** Why the machine was too busy to measure; null = it was not. */
function busy(loopback: readonly number[]): string | null {
	if (loopback.length === 0) return 'the loopback is missing';
	const around = median(loopback);
	if (!(around >= 20 && around <= 70))
		return `the loopback was at ${around.toFixed(0)} ms, not 20 to 70: the machine was busy`;
	return null;
}

function difference(values: readonly number[], base: readonly number[]): Estimate {
	return bootstrap([values, base], ([one = [], other = []]) => median(one) - median(other));
}

function percent(share: number): string {
	return `${(100 * share).toFixed(1)} %`;
}
