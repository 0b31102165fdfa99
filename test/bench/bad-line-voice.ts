import { loadavg } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { CLEAN, type ProfileName, profiles } from '#test/support/shaper/line.ts';
import { type HeardSlot, openCallers } from './bad-line-calls.ts';
import type { Bench, BenchOptions, BenchResult, Goal } from './bench.ts';
import { bootstrap, type Estimate, table, verdict, written } from './statistics.ts';

/** Measured under each profile, s; the hand-overs come every 30 s from the 30th on. */
const LENGTH_S: Readonly<Record<ProfileName, number>> = {
	clean: 20,
	'home Wi-Fi': 40,
	'bad Wi-Fi': 60,
	'4G with hand-overs': 60,
};
/** Between two profiles, and until both jitter buffers have settled on the next. */
const PAUSE_MS = 2000;
const SETTLE_MS = 6000;
const ROUNDS = { short: 1, long: 8 };

export const line: Bench = {
	name: 'line',
	title: 'On a bad line: how much of the voice is made up',
	about: `Between two network namespaces a line loses and delays IP packets. At one end the built app and a bare page (livekit-client alone)
are **in calls at the same time**; at the other the sandbox, a LiveKit server (1.8.4) and a participant that returns every
packet undecoded. Both calls lose the same packets, both ways, by a seed.

Counted are the samples that the browser concealed (\`inbound-rtp\`), without silent ones and the first 6 s. The
interval is over slices of 5 s: \`--rounds 5\` narrows it.

- **home Wi-Fi**: 5 ± 5 ms, 0.5 % lost. **bad Wi-Fi**: 30 ± 15 ms, 3 % lost in bursts of 2 to 5.
- **4G with hand-overs**: 80 ± 60 ms, and for 1 s in every 30 nothing passes.

It takes Linux, root and \`/dev/net/tun\`.`,
	run: measure,
};

async function measure({ long, rounds, say }: BenchOptions): Promise<BenchResult> {
	const count = rounds ?? (long ? ROUNDS.long : ROUNDS.short);
	const seconds = Object.values(LENGTH_S).reduce((sum, each) => sum + each, 0);
	const callers = await openCallers(Math.min(1200, count * (seconds + 60) + 60));
	if ('missing' in callers) {
		say(callers.missing);
		return { markdown: `Left out: ${callers.missing}.`, data: null, goals: [] };
	}
	const windows: LineWindow[] = [];
	try {
		for (let round = 1; round <= count; round++) {
			for (const profile of Object.keys(profiles) as ProfileName[]) {
				await callers.line.set(CLEAN);
				await wait(PAUSE_MS);
				await callers.line.set(profiles[profile], 1000 * round + windows.length);
				await wait(SETTLE_MS);
				await Promise.all([callers.ours.heard(), callers.bare.heard()]);
				await wait(1000 * LENGTH_S[profile]);
				const [ours, bare] = await Promise.all([callers.ours.heard(), callers.bare.heard()]);
				windows.push({ profile, ours, bare });
				say(`round ${round} of ${count}, ${profile}, load ${loadavg()[0]?.toFixed(1)}`);
			}
		}
		return reportLine(windows);
	} finally {
		await callers.close();
	}
}

/** What both clients heard under one profile, at the same time. */
interface LineWindow {
	readonly profile: ProfileName;
	readonly ours: readonly HeardSlot[];
	readonly bare: readonly HeardSlot[];
}

/** Sums of a stretch of time. */
interface HeardSum {
	/** Samples played, silent ones left out. */
	readonly samples: number;
	/** How many of these were concealed. */
	readonly concealed: number;
	readonly events: number;
	readonly lengthMs: number;
	/** Time in which there was nothing to play, because no voice had arrived. */
	readonly absentMs: number;
}

const SLICE_MS = 5000;
const SAMPLES_PER_MS = 48;
const MOST = 1.05;
/** With fewer concealments than this in the bare page, do not judge. */
const FEW = 10;

export function sumOf(slots: readonly HeardSlot[]): HeardSum {
	const add = (read: (slot: HeardSlot) => number) => slots.reduce((sum, slot) => sum + read(slot), 0);
	const silent = add((slot) => slot.silent);
	return {
		samples: add((slot) => slot.samples) - silent,
		concealed: add((slot) => slot.concealed) - silent,
		events: add((slot) => slot.events),
		lengthMs: add((slot) => slot.lengthMs),
		absentMs: add((slot) => Math.max(0, slot.lengthMs - slot.samples / SAMPLES_PER_MS)),
	};
}

/** Concealed share of what was played; 0 if nothing was played. */
export function ratioOf({ samples, concealed }: HeardSum): number {
	return samples === 0 ? 0 : concealed / samples;
}

/** Both calls, cut at the same times. */
export function slicesOf({ ours, bare }: LineWindow): readonly (readonly [HeardSum, HeardSum])[] {
	const beganMs = Math.min(...[...ours, ...bare].map(({ atMs, lengthMs }) => atMs - lengthMs));
	const endMs = Math.max(...[...ours, ...bare].map(({ atMs }) => atMs));
	const count = Math.max(1, Math.round((endMs - beganMs) / SLICE_MS));
	const within = (slots: readonly HeardSlot[], index: number) =>
		slots.filter(({ atMs }) => Math.min(count - 1, Math.floor((atMs - beganMs) / SLICE_MS)) === index);
	return Array.from({ length: count }, (_, index) => [
		sumOf(within(ours, index)),
		sumOf(within(bare, index)),
	]);
}

/** How many times as much was concealed in ours as in the bare page; the slices are resampled in pairs. */
export function againstBare(pairs: readonly (readonly [HeardSum, HeardSum])[]): Estimate {
	const add = (sums: readonly HeardSum[]): HeardSum => ({
		samples: sums.reduce((sum, each) => sum + each.samples, 0),
		concealed: sums.reduce((sum, each) => sum + each.concealed, 0),
		events: 0,
		lengthMs: 0,
		absentMs: 0,
	});
	return bootstrap([pairs.map((_, index) => index)], ([drawn = []]) => {
		const taken = drawn.flatMap((index) => pairs[index] ?? []);
		const side = (which: 0 | 1) => ratioOf(add(taken.filter((_, index) => index % 2 === which)));
		return side(0) / side(1);
	});
}

/** Table, goals and picture. */
export function reportLine(windows: readonly LineWindow[]): BenchResult {
	const names = [...new Set(windows.map(({ profile }) => profile))];
	const rows = names.map((profile) => {
		const mine = windows.filter((window) => window.profile === profile);
		const pairs = mine.flatMap(slicesOf);
		return {
			profile,
			pairs,
			ours: sumOf(mine.flatMap(({ ours }) => ours)),
			bare: sumOf(mine.flatMap(({ bare }) => bare)),
			ratio: againstBare(pairs),
		};
	});
	const perMinute = ({ events, lengthMs }: HeardSum) => ((60_000 * events) / lengthMs).toFixed(1);
	const seconds = (ms: number) => (ms / 1000).toFixed(1);
	const percent = (sum: HeardSum) => `${(100 * ratioOf(sum)).toFixed(2)} %`;
	const markdown = table(
		[
			'line',
			'Dragoman ÷ bare page',
			'made up, Dragoman',
			'bare page',
			'times a minute, Dragoman',
			'bare page',
			'no voice at all, Dragoman',
			'bare page',
			'measured',
		],
		rows.map(({ profile, ours, bare, ratio }) => [
			profile,
			bare.events >= FEW ? written(ratio, 2) : '',
			percent(ours),
			percent(bare),
			perMinute(ours),
			perMinute(bare),
			`${seconds(ours.absentMs)} s`,
			`${seconds(bare.absentMs)} s`,
			`${seconds(ours.lengthMs)} s`,
		]),
	);
	const goals = rows.map(({ profile, ours, bare, ratio }): Goal => {
		if (profile === 'clean') {
			return {
				id: 'P13',
				goal: 'WebRTC, clean line: nothing made up',
				measured: `${ours.events} times in ${seconds(ours.lengthMs)} s (bare page ${bare.events})`,
				// If the bare page had concealments too, blame the machine.
				reached: ours.events === 0 ? true : bare.events > 0 ? null : false,
				...(ours.events > 0 && bare.events > 0
					? { because: 'the bare page had it too: the machine was busy' }
					: {}),
			};
		}
		const few = bare.events < FEW;
		return {
			id: 'P13',
			goal: `WebRTC, ${profile}: made up ≤ ${MOST} × bare page`,
			measured: `${few ? '' : `${written(ratio, 2)} ×; `}${percent(ours)} against ${percent(bare)}`,
			...(few ? { reached: null, because: 'too little lost' } : verdict([{ seen: ratio, most: MOST }])),
		};
	});
	return {
		markdown,
		data: windows,
		goals,
	};
}
