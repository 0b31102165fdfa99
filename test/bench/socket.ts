import { createRandom } from '#test/support/random.ts';
import type { Bench, BenchResult, Goal } from './bench.ts';
import { plotDots } from './plot.ts';
import { ourArm, plainArm, type SocketArm } from './socket-arms.ts';
import { median, percentile } from './statistics.ts';

/** Each way. */
const NETWORK_MS = 20;
const LENGTH_MS = 40_000;
const STEP_MS = 128 / 48;
const PERIOD_MS = 1000;
const BURST_MS = 60;
const DISTURBED_MS = 15_000;
const STALL_MS = 500;

/** When what was handed over at `atMs` arrives. */
type Way = (atMs: number) => number;
const plainWay: Way = (atMs) => atMs + NETWORK_MS;
const stalled: Way = (atMs) =>
	Math.max(
		plainWay(atMs),
		atMs >= DISTURBED_MS && atMs < DISTURBED_MS + STALL_MS ? DISTURBED_MS + STALL_MS + NETWORK_MS : 0,
	);

interface Course {
	readonly captured: Way;
	readonly up: Way;
	readonly down: Way;
}

function courses(): Record<string, Course> {
	const random = createRandom(7);
	const now: Way = (atMs) => atMs;
	const jitter: Way = (atMs) => {
		const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
		return plainWay(atMs) + Math.abs(normal) * 30;
	};
	const blocked: Way = (atMs) =>
		atMs >= DISTURBED_MS && atMs < DISTURBED_MS + STALL_MS ? DISTURBED_MS + STALL_MS : atMs;
	return {
		'nothing happens': { captured: now, up: plainWay, down: plainWay },
		'jitter, 30 ms': { captured: now, up: plainWay, down: jitter },
		'500 ms block of the capture': { captured: blocked, up: plainWay, down: plainWay },
		'500 ms stall of the way up': { captured: now, up: stalled, down: plainWay },
		'500 ms stall of the way down': { captured: now, up: plainWay, down: stalled },
	};
}

/** Speech without a pause: a murmur that is never silence, and a burst each second that can be found again. */
function speech(fromMs: number): Int16Array {
	return Int16Array.from({ length: 480 }, (_, index) => {
		const ms = fromMs + index / 24;
		const level = ms % PERIOD_MS < BURST_MS ? 16_000 : 700;
		return Math.round(level * Math.sin(2 * Math.PI * 0.3 * ms));
	});
}

/** In order, whatever the way does: a socket never overtakes itself. */
function line(way: Way) {
	const held: { readonly samples: Int16Array; readonly dueMs: number }[] = [];
	return {
		put(samples: Int16Array, atMs: number) {
			held.push({ samples, dueMs: Math.max(way(atMs), held.at(-1)?.dueMs ?? 0) });
		},
		take(nowMs: number): readonly Int16Array[] {
			const count = held.findIndex(({ dueMs }) => dueMs > nowMs);
			return held.splice(0, count < 0 ? held.length : count).map(({ samples }) => samples);
		},
	};
}

/** Delay of each burst, by when it was heard; ms. */
function talk(arm: SocketArm, course: Course) {
	const [microphone, up, down] = [line(course.captured), line(course.up), line(course.down)];
	const out = new Float32Array(128);
	const heard: { readonly atMs: number; readonly delayMs: number }[] = [];
	let capturedMs = 0;
	let quietMs = PERIOD_MS;
	for (let nowMs = 0; nowMs < LENGTH_MS; nowMs += STEP_MS) {
		for (; capturedMs + 20 <= nowMs; capturedMs += 20) microphone.put(speech(capturedMs), capturedMs + 20);
		for (const samples of microphone.take(nowMs)) arm.capture(samples, nowMs);
		for (let chunk = arm.leaving(nowMs); chunk; chunk = arm.leaving(nowMs)) up.put(chunk, nowMs);
		for (const chunk of up.take(nowMs)) down.put(chunk, nowMs);
		for (const chunk of down.take(nowMs)) arm.arrived(chunk, nowMs);
		arm.play(out, nowMs);
		for (const [index, sample] of out.entries()) {
			const isBurst = Math.abs(sample) > 0.1;
			const atMs = nowMs + index / 48;
			if (isBurst && quietMs > 200) heard.push({ atMs, delayMs: atMs % PERIOD_MS });
			quietMs = isBurst ? 0 : quietMs + 1 / 48;
		}
	}
	return heard;
}

const between = (heard: ReturnType<typeof talk>, fromMs: number, toMs: number) =>
	heard.filter(({ atMs }) => atMs >= fromMs && atMs < toMs).map(({ delayMs }) => delayMs);

const arms: Record<string, () => SocketArm> = {
	'ours, 20 ms chunks': () => ourArm(20),
	'ours, 40 ms': () => ourArm(40),
	'ours, 100 ms (fast)': () => ourArm(100),
	'ours, 320 ms (default)': () => ourArm(320),
	'plain client, 320 ms': () => plainArm(320),
};

/** Mouth to ear over a socket, and what a disturbance leaves behind. */
export const socket: Bench = {
	name: 'socket',
	title: 'Over a socket: mouth to ear, and what a disturbance leaves behind',
	about: `The parts that ship (pacer, voice queue, time-stretch) are driven by counted frames over a pretended network to an
echo and back, so the figures are the same on a busy machine. Not in them: the
sound devices, the browser's own buffers, the socket's library, and the interpreter. The plain client sends
320 ms at once and plays what comes as it comes, with no policy.

The speech is without a pause for 40 s, which is the worst case: there is no silence to leave out. The disturbance
is at 15 s and lasts 500 ms. Times are read at the first sound of a burst each second.

- Pieces in real time that are just in time need a few ms in hand. They are taken at the first underrun of a
  sentence, and kept: one underrun instead of one at every piece. The service itself sends bursts faster than real
  time, which need none of it.
- What could not be captured in time leaves as soon as it is there, a second of it at most: the stream is then where
  real time is, never ahead of it. The rest is the listener's: what came late is played 1.15 times as fast at most.
- Jitter: the voice waits for the worst of the last four seconds, stalls left out. To never run dry it would have to
  wait for the worst that is still to come.`,
	run: async () => measure(),
};

/** No minus before a nought. */
const whole = (ms: number) => String(Math.round(ms) + 0);

function measure(): BenchResult {
	const rows = Object.entries(arms).flatMap(([arm, make]) =>
		Object.keys(courses()).map((name) => {
			const course = courses()[name];
			if (!course) throw new Error(name);
			const made = make();
			const heard = talk(made, course);
			const before = between(heard, 5000, DISTURBED_MS);
			const floorMs = made.chunkMs + 2 * NETWORK_MS;
			const mostMs = DISTURBED_MS + STALL_MS;
			return {
				arm,
				course: name,
				underruns: made.underruns(),
				floorMs,
				beforeMs: before,
				p50Ms: median(before),
				p95Ms: percentile(before, 0.95),
				overFloorMs: median(before) - floorMs,
				ratchet5Ms: median(between(heard, mostMs + 5000, mostMs + 8000)) - median(before),
				ratchet15Ms: median(between(heard, mostMs + 15_000, mostMs + 24_000)) - median(before),
			};
		}),
	);

	const text = [
		`Network ${NETWORK_MS} ms each way; floor = chunk + network. Ratchet: what is later than before, 5 s and 15 s after.`,
		'',
		'| Client | Course | p50, ms | p95, ms | above the floor, ms | ratchet 5 s, ms | ratchet 15 s, ms | underruns |',
		'| --- | --- | --- | --- | --- | --- | --- | --- |',
		...rows.map(
			(row) =>
				`| ${row.arm} | ${row.course} | ${whole(row.p50Ms)} | ${whole(row.p95Ms)} | ${whole(row.overFloorMs)} | ${whole(row.ratchet5Ms)} | ${whole(row.ratchet15Ms)} | ${row.underruns} |`,
		),
	].join('\n');
	return { markdown: text, data: rows, goals: goalsOf(rows), plots: plotsOf(rows) };
}

interface Row {
	readonly arm: string;
	readonly course: string;
	readonly underruns: number;
	readonly floorMs: number;
	readonly beforeMs: readonly number[];
	readonly p50Ms: number;
	readonly p95Ms: number;
	readonly overFloorMs: number;
	readonly ratchet5Ms: number;
}

const QUIET = 'nothing happens';
const JITTER = 'jitter, 30 ms';
const isOurs = ({ arm }: Row) => arm.startsWith('ours');

function goalsOf(rows: readonly Row[]): Goal[] {
	const quiet = rows.filter(({ course }) => course === QUIET);
	const short = quiet.filter((row) => isOurs(row) && row.floorMs - 2 * NETWORK_MS <= 40);
	const plain = quiet.find((row) => !isOurs(row))?.p50Ms ?? Number.NaN;
	const standard = quiet.find((row) => isOurs(row) && row.floorMs - 2 * NETWORK_MS === 320);
	const over = (row: Row) => [row.overFloorMs, row.p95Ms - row.floorMs] as const;
	const ratchets = rows.filter((row) => isOurs(row) && row.course !== QUIET && row.course !== JITTER);
	const worst = Math.max(...ratchets.map(({ ratchet5Ms }) => ratchet5Ms));
	const jitter = rows.filter((row) => isOurs(row) && row.course === JITTER);
	const share = ((short.at(-1)?.p50Ms ?? Number.NaN) - 2 * NETWORK_MS) / (plain - 2 * NETWORK_MS);
	const chunkOf = (row: Row) => `${row.floorMs - 2 * NETWORK_MS} ms`;
	const judged = (goal: Omit<Goal, 'because'>, because: string): Goal =>
		goal.reached ? goal : { ...goal, because };
	return [
		judged(
			{
				id: 'P3',
				goal: 'mouth to ear over a socket, pieces of 20 to 40 ms: chunk and network + 12 ms (p50), + 25 ms (p95)',
				measured: short
					.map((row) => `${chunkOf(row)}: + ${over(row).map(whole).join(' and + ')} ms`)
					.join('; '),
				reached: short.every((row) => over(row)[0] <= 12 && over(row)[1] <= 25),
			},
			'pieces that are just in time need some in hand, those of 20 ms a second one; the rest is the steps of 2.7 ms in which the pretended network is looked at',
		),
		judged(
			{
				id: 'P3b',
				goal: 'pieces of 320 ms: the client adds at most 15 ms',
				measured: standard ? `+ ${whole(standard.overFloorMs)} ms` : 'not measured',
				reached: standard ? standard.overFloorMs <= 15 : null,
			},
			'as for P3',
		),
		{
			id: 'P3',
			goal: 'pieces of 40 ms against a client with 320 ms: at most 0.15 ×, network left out',
			measured: `${share.toFixed(3)} ×`,
			reached: share <= 0.15,
			because: 'the chunk alone is 0.125 of it',
		},
		judged(
			{
				id: 'P4',
				goal: 'at most 10 ms later than before, five seconds after 500 ms of block or stall, in unbroken speech',
				measured: `at most ${whole(worst)} ms, over ${ratchets.length} courses`,
				reached: worst <= 10,
			},
			'see the table: at the given course the voice had to run dry again',
		),
		judged(
			{
				id: 'P13',
				goal: 'jitter of 30 ms: no underrun in 40 s of unbroken speech, with at most 90 ms added',
				measured: jitter
					.map((row) => `${chunkOf(row)}: ${row.underruns}, + ${whole(row.overFloorMs)} ms`)
					.join('; '),
				reached: jitter.every((row) => row.underruns === 0 && row.overFloorMs <= 90),
			},
			'one piece in four hundred is later than 90 ms there, and nothing tells which before it is',
		),
	];
}

function plotsOf(rows: readonly Row[]): Record<string, string> {
	return {
		'socket-delay': plotDots({
			title: 'Over a socket: mouth to ear, above chunk and network',
			description: 'One dot for each burst; first an even network, then one with jitter.',
			unit: 'ms',
			mark: { value: 12, name: 'goal' },
			rows: [QUIET, JITTER].flatMap((course) =>
				rows
					.filter((row) => row.course === course)
					.map((row) => ({
						name: row.arm,
						group: course,
						values: row.beforeMs.map((ms) => ms - row.floorMs),
					})),
			),
		}),
		'socket-ratchet': plotDots({
			title: 'What 500 ms of trouble leave behind after five seconds',
			description: 'Later than before, in speech without a pause.',
			unit: 'ms',
			mark: { value: 10, name: 'goal' },
			rows: rows
				.filter(({ course }) => course !== QUIET && course !== JITTER)
				.toSorted((one, other) => one.course.localeCompare(other.course))
				.map((row) => ({ name: row.arm, group: row.course, values: [row.ratchet5Ms] })),
		}),
	};
}
