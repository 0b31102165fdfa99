import { loadavg } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { CLEAN, hardships, NARROW } from '#test/support/shaper/line.ts';
import { type Callers, openCallers } from './bad-line-calls.ts';
import type { Bench, BenchOptions, BenchResult, Goal } from './bench.ts';
import { installTextProbe, type TextSlot } from './forwarder.ts';
import {
	bootstrap,
	type Estimate,
	exactly,
	median,
	percentile,
	table,
	verdict,
	written,
} from './statistics.ts';

const CLEAN_MS = 30_000;
const LOSSY_MS = 75_000;
const NARROW_MS = 100_000;
/** Pause between two lines, until nothing from the one before is in flight. */
const PAUSE_MS = 10_000;
/** Long enough for the server's last retransmissions: its sixth attempt comes after 31 s. */
const STRAGGLERS_MS = 65_000;
/** A single run on a lossy line proves little; a single run on the narrow line is enough, and takes long. */
const ROUNDS = { short: { lossy: 3, narrow: 1 }, long: { lossy: 5, narrow: 4 } };

/** The task of a plain client: the same texts as Dragoman's own task at its default pace. */
const TASK = {
	message_type: 'set_task',
	data: {
		input_stream: { content_type: 'audio', source: { type: 'webrtc' } },
		output_stream: { content_type: 'audio', target: { type: 'webrtc' } },
		pipeline: {
			transcription: { source_language: 'en' },
			translations: [{ target_language: 'es', translate_partial_transcriptions: false }],
			allowed_message_types: ['partial_transcription', 'validated_transcription', 'translated_transcription'],
		},
	},
};

export const lineTexts: Bench = {
	name: 'line-texts',
	title: 'On a bad line: how late the texts are',
	about: `The same networks and clients, with an interpreter that sends texts as the service does: four unfinished ones a second during speech, and each
finished sentence with its translation.

Lateness counts from a text's arrival at the far end; every finished text counts, even if it never comes. **20 % loss** and **29 % in bursts** affect both at the same time, 20 ms each way. **20 kbit/s**, with
a modem's queue, has one call at a time and counts after half a minute. Intervals are over runs of ${LOSSY_MS / 1000} s.

[What Dragoman does](../../docs/decisions.md#bad-connections): from some 15 % loss on it sets a task without unfinished texts.`,
	run: measure,
};

async function measure({ long, rounds, say }: BenchOptions): Promise<BenchResult> {
	const usual = long ? ROUNDS.long : ROUNDS.short;
	const count = rounds === undefined ? usual : { lossy: rounds, narrow: rounds };
	const lossyMs = CLEAN_MS + 2 * (LOSSY_MS + STRAGGLERS_MS + PAUSE_MS);
	const narrowMs = 2 * (NARROW_MS + 30_000);
	const allS = (count.lossy * lossyMs + count.narrow * narrowMs) / 1000;
	const callers = await openCallers(Math.min(2400, 60 + allS), installTextProbe);
	if ('missing' in callers) {
		say(callers.missing);
		return { markdown: `Left out: ${callers.missing}.`, data: null, goals: [] };
	}
	const { line, ours, bare } = callers;
	const windows: TextWindow[] = [];
	const askBare = () => bare.page.evaluate((task) => window.say(task), TASK);
	try {
		await askBare();
		for (let round = 1; round <= count.lossy; round++) {
			await line.set(CLEAN);
			await wait(PAUSE_MS);
			windows.push(...(await look(callers, 'clean', CLEAN_MS)));
			for (const name of LOSSY) {
				await line.set(hardships[name], 1000 * round);
				windows.push(...(await look(callers, name, LOSSY_MS)));
				await line.set(CLEAN);
				await wait(PAUSE_MS);
				say(`round ${round} of ${count.lossy}, ${name}, load ${loadavg()[0]?.toFixed(1)}`);
			}
		}
		for (let round = 1; round <= count.narrow; round++) {
			for (const name of ['ours', 'bare'] as const) {
				const other = name === 'ours' ? bare : ours;
				await other.hangUp();
				await line.set(NARROW, 1000 * round);
				windows.push(...(await look(callers, '20 kbit/s', NARROW_MS, [name])));
				await line.set(CLEAN);
				await wait(PAUSE_MS);
				await other.callAgain();
				if (other === bare) await askBare();
				await wait(PAUSE_MS);
			}
			say(`round ${round} of ${count.narrow}, 20 kbit/s, load ${loadavg()[0]?.toFixed(1)}`);
		}
		return reportTexts(windows);
	} finally {
		await callers.close();
	}
}

/** Collects the texts sent during the next `lengthMs`, then waits on a clean line for those still in flight. */
async function look(
	{ line, ours, bare, said }: Callers,
	name: TextWindow['line'],
	lengthMs: number,
	arms: readonly TextWindow['arm'][] = ['ours', 'bare'],
): Promise<TextWindow[]> {
	const came = { ours: [] as TextSlot[], bare: [] as TextSlot[] };
	const take = async () => {
		for (const arm of arms)
			came[arm].push(...(await { ours, bare }[arm].page.evaluate(() => window.__texts())));
	};
	await Promise.all([take(), said()]);
	came.ours = [];
	came.bare = [];
	const fromMs = Date.now();
	await wait(lengthMs);
	const texts = await said();
	const toMs = Date.now();
	if (name !== 'clean') await line.set(CLEAN);
	const saidBy = (arm: TextWindow['arm']) => saidTo(texts, came[arm]);
	const isOver = () => arms.every((arm) => arrived(saidBy(arm), came[arm]));
	do {
		await wait(500);
		await take();
	} while (!isOver() && Date.now() < toMs + STRAGGLERS_MS);
	return arms.map((arm) => ({ line: name, arm, fromMs, toMs, said: saidBy(arm), came: came[arm] }));
}

const LOSSY = ['20 % loss', '29 % loss in bursts'] as const;
export type TextLine = 'clean' | (typeof LOSSY)[number] | '20 kbit/s';

/** The texts sent to one client during a window, and those that arrived. */
export interface TextWindow {
	readonly line: TextLine;
	readonly arm: 'ours' | 'bare';
	readonly fromMs: number;
	readonly toMs: number;
	/** Texts as they arrived at the far end. */
	readonly said: readonly TextSlot[];
	/** Texts that arrived at the near end, including those after `toMs`. */
	readonly came: readonly TextSlot[];
}

const ARMS = { ours: 'Dragoman', bare: 'bare page' } as const;
const SOON_S = 3;
/** Lateness is judged by nine of ten texts. */
const MOST = 0.9;
/** Fewer windows than this are not judged. */
const FEWEST = 3;
/** Downlink rate of `NARROW`, bytes a second. */
const NARROW_BYTES_PER_S = 2500;
const NARROW_SETTLED_MS = 30_000;
const NARROW_SHARE = 0.1;

/** Picks, from the texts of several rooms, those of the room that `came` belongs to. */
export function saidTo(said: readonly TextSlot[], came: readonly TextSlot[]): readonly TextSlot[] {
	const keys = new Set(came.filter(({ kind }) => kind !== 'other').map(({ key }) => key));
	const rooms = new Set(said.filter(({ key }) => keys.has(key)).map(({ connection }) => connection));
	return said.filter(({ connection }) => rooms.has(connection));
}

/** True if there were finished texts and all have arrived. */
export function arrived(said: readonly TextSlot[], came: readonly TextSlot[]): boolean {
	const finished = said.filter(({ kind }) => kind === 'finished');
	const keys = new Set(came.map(({ key }) => key));
	return finished.length > 0 && finished.every(({ key }) => keys.has(key));
}

/** Lateness of each finished text, by window, s; infinite if it never arrived. Duplicates are ignored. */
export function latenessOf(
	windows: readonly TextWindow[],
	line: TextLine,
	arm: TextWindow['arm'],
): readonly (readonly number[])[] {
	return windows
		.filter((window) => window.arm === arm && window.line === line)
		.map(({ said, came }) => {
			const firstMs = new Map([...came].reverse().map(({ key, atMs }) => [key, atMs]));
			const finished = new Map(said.filter(({ kind }) => kind === 'finished').map((one) => [one.key, one]));
			return [...finished.values()].map(
				({ key, atMs }) => ((firstMs.get(key) ?? Number.POSITIVE_INFINITY) - atMs) / 1000,
			);
		});
}

type Lateness = ReturnType<typeof latenessOf>;

/**
 * Resamples whole windows, the same of each list: a lost packet delays all texts after it, so the texts of one window are
 * not independent.
 */
function overWindows(lists: readonly Lateness[], measure: (drawn: readonly number[][]) => number): Estimate {
	const numbers = lists[0]?.map((_, at) => at) ?? [];
	return bootstrap([numbers], ([drawn = []]) =>
		measure(lists.map((list) => drawn.flatMap((at) => list[at] ?? []))),
	);
}

/** Bytes a second of one kind of text on the narrow line, not counting its first half minute. */
export function narrowRate(
	windows: readonly TextWindow[],
	arm: TextWindow['arm'],
	kind: TextSlot['kind'],
): number {
	const mine = windows.filter((window) => window.arm === arm && window.line === '20 kbit/s');
	let bytes = 0;
	let ms = 0;
	for (const { said, fromMs, toMs } of mine) {
		const since = fromMs + NARROW_SETTLED_MS;
		ms += toMs - since;
		for (const slot of said)
			if (slot.kind === kind && slot.atMs >= since && slot.atMs < toMs) bytes += slot.bytes;
	}
	return ms === 0 ? Number.NaN : (1000 * bytes) / ms;
}

/** Table, goals and picture. */
export function reportTexts(windows: readonly TextWindow[]): BenchResult {
	const arms = ['ours', 'bare'] as const;
	const lateness = (line: TextLine, arm: TextWindow['arm']) => latenessOf(windows, line, arm);
	const most = (list: Lateness): Estimate => overWindows([list], ([drawn = []]) => percentile(drawn, MOST));
	const percent = (share: number) => `${(100 * share).toFixed(0)} %`;
	const seconds = (value: number) => value.toFixed(1).replace('Infinity', '∞');
	const over = (values: readonly number[]) => values.filter((late) => late > SOON_S).length / values.length;
	const lines = [...LOSSY, '20 kbit/s'] as const;
	const late = table(
		[
			'line',
			'',
			'half of them, s',
			'nine of ten, s',
			'the latest, s',
			`more than ${SOON_S} s`,
			'finished texts',
		],
		lines.flatMap((line) =>
			arms.map((arm) => {
				const list = lateness(line, arm);
				const values = list.flat();
				return [
					line,
					ARMS[arm],
					seconds(median(values)),
					list.length > 1 ? written(most(list), 1) : seconds(percentile(values, MOST)),
					seconds(percentile(values, 1)),
					percent(over(values)),
					String(values.length),
				];
			}),
		),
	);
	const share = (arm: TextWindow['arm'], kind: TextSlot['kind']) =>
		narrowRate(windows, arm, kind) / NARROW_BYTES_PER_S;
	const narrow = table(
		['asked of a way down of 20 kbit/s', 'unfinished texts', 'finished texts', 'other messages'],
		arms.map((arm) => [
			ARMS[arm],
			...(['unfinished', 'finished', 'other'] as const).map((kind) => percent(share(arm, kind))),
		]),
	);
	const [fifth, bursts] = LOSSY;
	const soon = most(lateness(fifth, 'ours'));
	const ratio = overWindows(
		[lateness(bursts, 'ours'), lateness(bursts, 'bare')],
		([mine = [], theirs = []]) => percentile(mine, MOST) / percentile(theirs, MOST),
	);
	const latest = (arm: TextWindow['arm']) => seconds(percentile(lateness(bursts, arm).flat(), 1));
	const judged = (line: TextLine, seen: Estimate, limit: number, because: string) =>
		lateness(line, 'ours').length < FEWEST
			? {
					reached: null,
					because: `fewer than ${FEWEST} runs: in each, one packet lost again and again decides`,
				}
			: verdict([{ seen, most: limit }], because);
	const goals: Goal[] = [
		{
			id: 'P19',
			goal: `20 % loss: 90 % of finished texts ≤ ${SOON_S} s late`,
			measured: `${written(soon, 1)} s (bare page ${written(most(lateness(fifth, 'bare')), 1)} s)`,
			...judged(fifth, soon, SOON_S, 'retransmitted after 1, 3, 7 s'),
		},
		{
			id: 'P19',
			goal: '29 % in bursts: 90 % of finished texts ≤ 0.75 × bare page',
			measured: `${written(ratio, 2)} ×; the latest ${latest('ours')} against ${latest('bare')} s`,
			...judged(bursts, ratio, 0.75, 'retransmitted after 1, 3, 7, 15, 31 s'),
		},
		{
			id: 'P19',
			goal: `20 kbit/s: unfinished texts take ≤ ${percent(NARROW_SHARE)} of the downlink`,
			measured: `${percent(share('ours', 'unfinished'))} (bare page ${percent(share('bare', 'unfinished'))})`,
			...verdict([{ seen: exactly(share('ours', 'unfinished')), most: NARROW_SHARE }]),
		},
	];
	return {
		markdown: [late, '', narrow].join('\n'),
		data: windows,
		goals,
	};
}
