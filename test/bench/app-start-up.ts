import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { startSandbox } from '#sandbox/sandbox.ts';
import { builtSize, heaviest } from '#scripts/bundle/size.ts';
import { launch } from '#test/support/launch.ts';
import { createRandom } from '#test/support/random.ts';
import type { Bench, BenchOptions, BenchResult, Goal } from './bench.ts';
import { startBlank } from './blank-window.ts';
import { exactly, medianOf, ratioOf, verdict, written } from './statistics.ts';

const root = join(import.meta.dirname, '..', '..');
const ROUNDS = 6;
const LONG_ROUNDS = 20;

/** One start; ms after the process was spawned; `longTaskMs`: the longest task until the page is complete (0 = below 50). */
interface Opened {
	readonly arm: 'ours' | 'blank';
	readonly paintMs: number;
	readonly pressableMs: number;
	readonly usableMs: number;
	readonly longTaskMs: number;
}

/** Time from starting the process until Start can be pressed, and the size of the code. */
export const startUp: Bench = {
	name: 'start-up',
	title: 'Starting the app',
	about: `The built app and *blank*, a window with one button (\`test/bench/blank-app.ts\`), start in turns, each with a fresh profile. *Painted*:
first contentful paint. *Start can be pressed*: first frame with an enabled Start. *The whole window*: everything is built. Sizes:
\`gzip -9\`, with the longest interface language. *--help*: the command of an installed copy, until it has ended.`,
	run: measure,
};

/** Runs in the page and uses the browser's own entries, because polling from outside would see each moment late. */
function look(): Promise<Omit<Opened, 'arm'>> {
	return new Promise((done) => {
		let longTaskMs = 0;
		let shown: PerformanceEntry | undefined;
		new PerformanceObserver((list) => {
			for (const { duration } of list.getEntries()) longTaskMs = Math.max(longTaskMs, duration);
		}).observe({ type: 'longtask', buffered: true });
		new PerformanceObserver((list) => {
			shown ??= list.getEntries()[0];
		}).observe({ type: 'element', buffered: true });
		const ask = () => {
			const [usable] = performance.getEntriesByName('start-usable');
			const [paint] = performance.getEntriesByName('first-contentful-paint');
			if (!usable || !paint || !shown) return void requestAnimationFrame(ask);
			const usableMs = performance.timeOrigin + usable.startTime;
			const paintMs = performance.timeOrigin + paint.startTime;
			const pressableMs = performance.timeOrigin + shown.startTime;
			// What the window loads right after its first picture is part of the start.
			setTimeout(() => done({ paintMs, pressableMs, usableMs, longTaskMs }), 400);
		};
		ask();
	});
}

async function seen(page: Page, arm: Opened['arm'], askedMs: number): Promise<Opened> {
	const { paintMs, pressableMs, usableMs, longTaskMs } = await page.evaluate(look);
	const since = {
		paintMs: paintMs - askedMs,
		pressableMs: pressableMs - askedMs,
		usableMs: usableMs - askedMs,
	};
	return { arm, ...since, longTaskMs };
}

async function measure({ long, rounds, say }: BenchOptions): Promise<BenchResult> {
	const count = rounds ?? (long ? LONG_ROUNDS : ROUNDS);
	const sandbox = await startSandbox();
	const arms = {
		async ours() {
			const askedMs = Date.now();
			const app = await launch({
				probe: false,
				built: false,
				locale: 'en-US',
				service: sandbox,
				settings: { speak: 'en', hear: ['es'], voiceOf: 'es' },
			});
			return await seen(app.page, 'ours', askedMs).finally(() => app.close());
		},
		async blank() {
			const askedMs = Date.now();
			const blank = await startBlank();
			return await seen(blank.page, 'blank', askedMs).finally(() => blank.close());
		},
	};
	const opened: Opened[] = [];
	const random = createRandom(2);
	try {
		// The first of each fills the system's caches.
		await arms.blank();
		await arms.ours();
		for (let round = 1; round <= count; round++) {
			const order = random() < 0.5 ? (['ours', 'blank'] as const) : (['blank', 'ours'] as const);
			for (const arm of order) opened.push(await arms[arm]());
			say(`round ${round} of ${count}, load ${loadavg()[0]?.toFixed(1)}`);
		}
	} finally {
		await sandbox.close();
	}
	return report(opened, Array.from({ length: count }, helpMs));
}

/** ms that the installed command takes for `--help`. */
function helpMs(): number {
	const askedMs = performance.now();
	const { status } = spawnSync(process.execPath, [join(root, 'bin/dragoman.mjs'), '--help'], {
		stdio: 'ignore',
	});
	if (status !== 0) throw new Error('dragoman --help failed');
	return performance.now() - askedMs;
}

function report(opened: readonly Opened[], helps: readonly number[]): BenchResult {
	const of = (arm: Opened['arm'], what: Exclude<keyof Opened, 'arm'>) =>
		opened.filter((one) => one.arm === arm).map((one) => one[what]);
	const compared = (what: 'paintMs' | 'pressableMs' | 'usableMs') => {
		const [ours, blank] = [medianOf(of('ours', what)), medianOf(of('blank', what))];
		return { ratio: ratioOf(of('ours', what), of('blank', what)), ours, blank };
	};
	const painted = compared('paintMs');
	const pressable = compared('pressableMs');
	const usable = compared('usableMs');
	function asSoonAsBlank(what: string, seen: ReturnType<typeof compared>, because: string): Goal {
		const laterMs = seen.ours.value - seen.blank.value;
		return {
			id: 'P16',
			goal: `${what} ≤ blank + 250 ms and ≤ 1.3 × blank`,
			measured: `${laterMs.toFixed(0)} ms later, ${written(seen.ratio, 2)}`,
			...verdict(
				[
					{ seen: exactly(laterMs), most: 250 },
					{ seen: seen.ratio, most: 1.3 },
				],
				because,
			),
		};
	}
	const help = medianOf(helps);
	const longest = medianOf(of('ours', 'longTaskMs'));
	const { size, chunks } = builtSize(root);
	const kB = (bytes: number) => `${(bytes / 1000).toFixed(0)} kB`;
	const unpacked = bytesBelow(['out/main', 'out/preload', 'out/renderer', 'resources/icons']);
	const livekit = Math.max(
		...[...size.files].map(([file, bytes]) => (file.includes('livekit-parts') ? bytes : 0)),
	);
	const inTheWay = heaviest(chunks, size.first, 4).join(', ');
	const goals: Goal[] = [
		{
			id: 'P14',
			goal: 'longest task at start ≤ 80 ms',
			measured: `${written(longest, 0)} ms`,
			...verdict(
				[{ seen: longest, most: 80 }],
				'React builds the window in pieces, but running the code it is made of is one task, and putting it into the document with its layout another (by a trace of the page)',
			),
		},
		{
			id: 'P15',
			goal: 'code before Start ≤ 150 kB gzip, whole ≤ 400 kB',
			measured: `${kB(size.beforeStart)} and ${kB(size.whole)}`,
			reached: size.beforeStart <= 150_000 && size.whole <= 400_000,
			...(size.beforeStart <= 150_000 && size.whole <= 400_000
				? {}
				: {
						because: `LiveKit is ${kB(livekit)}, React 68 kB, zod 10 kB, one language 30 kB; before Start, unminified: ${inTheWay}`,
					}),
		},
		{
			id: 'P16',
			goal: 'painted ≤ 1.15 × blank',
			measured: `${written(painted.ratio, 2)}`,
			...verdict(
				[{ seen: painted.ratio, most: 1.15 }],
				'main reads its code first; the page’s requests are guarded',
			),
		},
		asSoonAsBlank(
			'Start can be pressed',
			pressable,
			'it comes with the first picture; before that main reads its own code (some 50 ms), and the page has a preload, a policy and 4 kB of styles (40 ms; by the times of single starts)',
		),
		asSoonAsBlank(
			'the whole window',
			usable,
			'excess: a fifth main, two fifths reading and running code, a quarter React, the rest layout and paint',
		),
	];
	goals.push({
		id: 'P16',
		goal: '`dragoman --help` ≤ 400 ms',
		measured: `${written(help, 0)} ms`,
		...verdict([{ seen: help, most: 400 }], 'Node alone takes some 40 ms, and reading the code the rest'),
	});
	const moments = [
		{ named: 'painted', seen: painted },
		{ named: 'Start can be pressed', seen: pressable },
		{ named: 'the whole window', seen: usable },
	];
	return {
		markdown: [
			'### From the process to Start',
			'',
			'| | Dragoman ÷ blank | Dragoman, ms | blank window, ms |',
			'| --- | --- | --- | --- |',
			...moments.map(
				({ named, seen: { ratio, ours, blank } }) =>
					`| ${named} | ${written(ratio, 2)} | ${written(ours, 0)} | ${written(blank, 0)} |`,
			),
			'',
			'### Code',
			'',
			'| | |',
			'| --- | --- |',
			`| parsed before Start, gzip | ${kB(size.beforeStart)} |`,
			`| everything one person loads, gzip | ${kB(size.whole)} |`,
			`| unpacked app without its shell | ${kB(unpacked)} |`,
		].join('\n'),
		data: { opened, helps, beforeStart: size.beforeStart, whole: size.whole, unpacked },
		goals,
	};
}

function bytesBelow(folders: readonly string[]): number {
	let bytes = 0;
	for (const folder of folders) {
		for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
			if (entry.isFile()) bytes += statSync(join(entry.parentPath, entry.name)).size;
	}
	return bytes;
}
