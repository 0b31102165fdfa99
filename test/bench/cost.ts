import { loadavg } from 'node:os';
import type { Page } from 'playwright-core';
import { startSandbox } from '#sandbox/sandbox.ts';
import { button, until, untilPhase } from '#test/support/app-steps.ts';
import { createRandom } from '#test/support/random.ts';
import type { Bench, BenchOptions, BenchResult } from './bench.ts';
import { startBlank } from './blank.ts';
import { type CostArm, countingWay, openBare, openOurs } from './cost-arms.ts';
import type { PageCost } from './cost-page.ts';
import { reportCost } from './cost-report.ts';
import { createMirror } from './mirror.ts';
import { memoryOf, watchCpu } from './process-tree.ts';
import { createTalker, SENTENCE } from './talker.ts';

const SETTLE_MS = 2000;
/** What a browser and V8 hold of memory for a busy program is given back within this time of rest. */
const REST_MS = 25_000;
const CAPTIONS_EVERY_MS = 100;
const ROWS = 10_000;
/** By then code is compiled and caches are filled. */
const FIRST_CYCLES = 10;
const SHORT = { rounds: 3, windowMs: 6000, cycles: 50, uplinkMs: 4000 };
const LONG = { rounds: 8, windowMs: 20_000, cycles: 500, uplinkMs: 15_000 };

/** Processor time, in % of a core. */
export interface CpuSeen {
	readonly arm: string;
	readonly percent: number;
}

export interface CostSeen {
	readonly cpu: readonly CpuSeen[];
	/** MB (PSS) by what was going on. */
	readonly memory: Readonly<Record<string, number>>;
	readonly cycles: number;
	readonly left: PageCost;
	/** Bytes a second. */
	readonly uplink: Readonly<Record<string, number>>;
	/** Long tasks in calls, after they had settled, and for how long that was watched. */
	readonly longTasks: { readonly tasks: readonly number[]; readonly watchedMs: number };
}

/** What the app costs: processor, memory, network. */
export const cost: Bench = {
	name: 'cost',
	title: 'Cost',
	about: `Processor time and memory of the whole process tree (Linux \`/proc\`: user and system time, PSS), for:

- **blank**: a program with one window and one button on the same shell, **idle**: the app in front of Start;
- **bare**: a page with livekit-client alone in a call, **webrtc** and **socket**: the app in a call;
- **captions**: the app in a call, ten texts a second; **hidden**: the app in a call, its page told that nobody sees it (the browser
  goes on drawing, as behind a window that covers only a part of it).

In every call the same speech goes to a room (or socket) of the sandbox, which returns it. The calls take turns
in random order within each round, each measured after it has settled; the app's tree includes its main process,
that of the bare page is only a browser. The browser counts what is sent, with 28 bytes of headers a packet; for the
socket a relay in between counts it. A cycle is Start and Stop. Memory at rest (blank, idle, after cycles) is read after ${REST_MS / 1000} s
in which nothing happens: what comes back by itself is not held.`,
	run: measure,
};

async function measure({ long, rounds, say }: BenchOptions): Promise<BenchResult> {
	const { windowMs, cycles, uplinkMs, ...count } = long ? LONG : SHORT;
	const talker = createTalker();
	const sandbox = await startSandbox({
		interpose: (interpreter, port) => talker.interpose(createMirror(interpreter, port, 'es'), port),
	});
	const way = await countingWay(sandbox.addresses.s2s);
	const cpu: CpuSeen[] = [];
	const memory: Record<string, number> = {};
	const tasks: number[] = [];
	let watchedMs = 0;
	const ends: (() => Promise<unknown>)[] = [async () => way.close(), () => sandbox.close()];
	const opened = async <Arm extends { close(): Promise<unknown> }>(making: Promise<Arm>): Promise<Arm> => {
		const arm = await making;
		ends.push(() => arm.close());
		return arm;
	};
	try {
		const blank = await opened(startBlank());
		const ours = await opened(openOurs(sandbox, 'webrtc', way.address));
		const socket = await opened(openOurs(sandbox, 'websocket', way.address));
		const bare = await opened(openBare(sandbox));
		const pause = (ms: number) => blank.page.waitForTimeout(ms);
		await pause(REST_MS);
		await collect(ours.page);
		memory['blank'] = memoryOf(blank.pid);
		memory['idle'] = memoryOf(ours.pid);

		async function watch(names: Readonly<Record<string, number>>): Promise<void> {
			const looks = Object.entries(names).map(([arm, pid]) => ({ arm, used: watchCpu(pid) }));
			await pause(windowMs);
			for (const { arm, used } of looks) cpu.push({ arm, percent: used() });
		}

		const calls: Record<string, () => Promise<void>> = {
			bare: () => during(bare, () => watch({ bare: bare.pid })),
			socket: () => during(socket, () => watch({ socket: socket.pid })),
			webrtc: () =>
				during(ours, async () => {
					await ours.cost();
					await watch({ webrtc: ours.pid });
					await hide(ours.page, true);
					await watch({ hidden: ours.pid }).finally(() => hide(ours.page, false));
					const stop = talk();
					await watch({ captions: ours.pid }).finally(stop);
					tasks.push(...(await ours.cost()).longTasks);
					watchedMs += 3 * windowMs;
				}),
		};
		async function during(arm: CostArm, look: () => Promise<void>): Promise<void> {
			await arm.page.bringToFront();
			await arm.begin();
			await pause(SETTLE_MS);
			await look();
			await arm.end();
		}
		let row = 0;
		function talk(): () => void {
			let said = 0;
			const timer = setInterval(() => {
				said += 1;
				talker.say(row, `${SENTENCE} ${said}`, said % 5 === 0);
				if (said % 5 === 0) row += 1;
			}, CAPTIONS_EVERY_MS);
			return () => clearInterval(timer);
		}

		const random = createRandom(5);
		for (let round = 1; round <= (rounds ?? count.rounds); round++) {
			await watch({ blank: blank.pid, idle: ours.pid });
			const order = Object.keys(calls).map((name) => ({ name, at: random() }));
			for (const { name } of order.sort((one, other) => one.at - other.at)) await calls[name]?.();
			say(`round ${round}, load ${loadavg()[0]?.toFixed(1)}`);
		}

		const uplink = await measureUplink({ ours, socket, bytes: way.bytes, pause, uplinkMs });
		say(`${cycles} cycles`);
		for (let cycle = 1; cycle <= cycles; cycle++) {
			await ours.begin();
			await ours.end();
			if (cycle !== FIRST_CYCLES && cycle !== cycles) continue;
			await pause(REST_MS);
			await collect(ours.page);
			memory[`after ${cycle} cycles`] = memoryOf(ours.pid);
		}
		const left = await ours.cost();

		say(`${ROWS} rows`);
		await ours.begin();
		await pause(SETTLE_MS);
		await collect(ours.page);
		memory['in a call'] = memoryOf(ours.pid);
		await fill(ours.page, (from, to) => {
			for (let n = from; n < to; n++) talker.say(row + n, `${SENTENCE} ${n}.`, true);
		});
		await collect(ours.page);
		memory['after 10,000 rows'] = memoryOf(ours.pid);
		await ours.end();
		return reportCost({ cpu, memory, cycles, left, uplink, longTasks: { tasks, watchedMs } });
	} finally {
		for (const end of ends.reverse()) await end().catch(() => {});
	}
}

interface UplinkParts {
	readonly ours: CostArm;
	readonly socket: CostArm;
	readonly bytes: () => number;
	readonly pause: (ms: number) => Promise<void>;
	readonly uplinkMs: number;
}

/** Bytes a second while somebody speaks, with the microphone muted, and paused. */
async function measureUplink({ ours, socket, bytes, pause, uplinkMs }: UplinkParts) {
	/** Measured from one change of the count to another: it grows by whole pieces, so a reading in between could be off by one. */
	const rate = async (count: () => number | Promise<number>): Promise<number> => {
		const from = await nextChange(count, pause);
		await pause(uplinkMs);
		const to = await nextChange(count, pause);
		return (to.bytes - from.bytes) / ((to.atMs - from.atMs) / 1000);
	};
	const seen: Record<string, number> = {};
	const arms = {
		webrtc: { arm: ours, count: async () => (await ours.cost()).sentBytes },
		socket: { arm: socket, count: bytes },
	};
	for (const [name, { arm, count }] of Object.entries(arms)) {
		await arm.begin();
		await pause(SETTLE_MS);
		seen[`${name}, speech`] = await rate(count);
		await button(arm.page, 'Mute microphone').click();
		await pause(SETTLE_MS);
		seen[`${name}, muted`] = await rate(count);
		await button(arm.page, 'Mute microphone').click();
		await button(arm.page, 'Pause').click();
		await untilPhase(arm.page, 'Paused');
		await pause(SETTLE_MS);
		seen[`${name}, paused`] = await rate(count);
		await arm.end();
	}
	return seen;
}

/** The count when it has just changed, or after half a second in which it did not. */
async function nextChange(count: () => number | Promise<number>, pause: (ms: number) => Promise<void>) {
	const before = await count();
	const untilMs = performance.now() + 500;
	let bytes = before;
	while (bytes === before && performance.now() < untilMs) {
		await pause(5);
		bytes = await count();
	}
	return { bytes, atMs: performance.now() };
}

async function fill(page: Page, say: (from: number, to: number) => void): Promise<void> {
	const BATCH = 100;
	for (let from = 0; from < ROWS; from += BATCH) {
		say(from, from + BATCH);
		const last = `${from + BATCH - 1}.`;
		const shown = () =>
			page.evaluate(
				(text) => document.querySelector('#captions')?.textContent?.includes(text) ?? false,
				last,
			);
		await until(`row ${last}`, shown, 180_000);
	}
}

/** What a window that is minimised or behind others tells its page. */
function hide(page: Page, hidden: boolean): Promise<void> {
	return page.evaluate((isHidden) => {
		Object.defineProperty(document, 'hidden', { configurable: true, value: isHidden });
		const state = isHidden ? 'hidden' : 'visible';
		Object.defineProperty(document, 'visibilityState', { configurable: true, value: state });
		document.dispatchEvent(new Event('visibilitychange'));
	}, hidden);
}

/** Collects garbage, which does not count as memory held. */
async function collect(page: Page): Promise<void> {
	const cdp = await page.context().newCDPSession(page);
	for (let time = 0; time < 3; time++) await cdp.send('HeapProfiler.collectGarbage');
	await cdp.detach();
}
