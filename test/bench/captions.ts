import { loadavg } from 'node:os';
import type { CDPSession, Page } from 'playwright-core';
import { type Sandbox, startSandbox } from '#sandbox/sandbox.ts';
import { button, until, untilPhase } from '#test/support/app-steps.ts';
import { launch } from '#test/support/launch.ts';
import { createRandom } from '#test/support/random.ts';
import type { Bench, BenchOptions, BenchResult } from './bench.ts';
import { openBenchBrowser } from './bench-browser.ts';
import { correctUs } from './caption-corrections.ts';
import { BARE_TEXT, PLAIN_LIST } from './caption-peers.ts';
import { type Painted, reportCaptions, type StoreCost } from './caption-report.ts';
import { heapPerSegment, searchMs, updateUs } from './caption-store.ts';
import { installPaintProbe } from './paint-probe.ts';
import { createTalker, SENTENCE, type Talker } from './talker.ts';

const SIZES = [10, 1000, 10_000];
const UPDATES = { short: 150, long: 600 };
const QUIET_MS = 2000;
/** Rows between two checks whether they have arrived. */
const BATCH = 100;
/** Limit for one batch; it takes a moment, unless the machine is busy. */
const FILL_LIMIT_MS = 180_000;

/** From the message that brings a text to the frame that shows it. */
export const captions: Bench = {
	name: 'captions',
	title: 'Captions',
	about: `A room of the sandbox sends texts through its data channel, 17 to 50 a second, as partial texts of a row and every fifth as
a new row. Measured is the time from the entry of the data channel's callback to the frame that shows the text: the first animation frame
that finds it in the document, then a message of the page to itself, which comes after that frame. Before each
measurement the conversation has been filled, in the same way, to the given number of rows of two texts each.

- **Dragoman**: the built app in a conversation, everything else it does included.
- **plain list**: a page that keeps every row in the document and scrolls to the last.
- **bare text**: one \`textContent\`, the floor: half a frame of waiting, on average, is in it.

*Work* is the main thread's processor time for one update, less that of an equally long time without texts. The
store is measured alone, in Node; searching goes through the history, as its page does.`,
	run: measure,
};

interface Arm {
	fill(rows: number): Promise<void>;
	/** Shows `count` texts, the first with `mark`; resolves to ms until each was seen. */
	run(count: number, mark: number): Promise<readonly (number | null)[]>;
	readonly page: Page;
	readonly cdp: CDPSession;
}

async function measure({ long, rounds, say }: BenchOptions): Promise<BenchResult> {
	const count = rounds ?? (long ? UPDATES.long : UPDATES.short);
	const talker = createTalker();
	const sandbox = await startSandbox({ interpose: talker.interpose });
	const browser = await openBenchBrowser({
		microphone: null,
		pages: { list: PLAIN_LIST, text: BARE_TEXT },
	});
	const painted: Painted[] = [];
	let nodes = 0;
	try {
		const ours = await openOurs(sandbox, talker);
		try {
			const arms: Record<string, Arm> = { Dragoman: ours.arm };
			arms['plain list'] = await openPeer(await browser.open('list', installPaintProbe));
			arms['bare text'] = await openPeer(await browser.open('text', installPaintProbe));
			let mark = 1;
			for (const size of SIZES) {
				for (const [name, arm] of Object.entries(arms)) {
					await arm.page.bringToFront();
					await arm.fill(size);
					const idle = await taskTime(arm, () => arm.page.waitForTimeout(QUIET_MS));
					const busy = await taskTime(arm, async () => {
						painted.push(
							...(await arm.run(count, mark)).map((ms) => ({ arm: name, size, ms, workMs: null })),
						);
					});
					const workMs = (busy.taskMs - (idle.taskMs * busy.tookMs) / idle.tookMs) / count;
					painted.push({ arm: name, size, ms: null, workMs });
					mark += count;
					say(
						`${name}, ${size} rows: ${workMs.toFixed(2)} ms of work each, load ${loadavg()[0]?.toFixed(1)}`,
					);
				}
			}
			nodes = await ours.arm.page.evaluate(() => document.querySelectorAll('*').length);
		} finally {
			await ours.close();
		}
	} finally {
		await browser.close();
		await sandbox.close();
	}
	say('the store alone');
	const store: StoreCost = {
		updateUs: Object.fromEntries([100, 1000, 10_000, 50_000].map((size) => [size, updateUs(size)])),
		heapBytes: heapPerSegment(50_000),
		searchMs: await searchMs(10_000),
		nodes,
		correctUs: Object.fromEntries([0, 1, 1000, 5000].map((count) => [count, correctUs(count)])),
	};
	return reportCaptions(painted, store, SIZES);
}

async function taskTime(arm: Arm, during: () => Promise<unknown>) {
	const task = async () => {
		const { metrics } = await arm.cdp.send('Performance.getMetrics');
		return (metrics.find(({ name }) => name === 'ThreadTime')?.value ?? Number.NaN) * 1000;
	};
	const [before, startMs] = [await task(), performance.now()];
	await during();
	return { taskMs: (await task()) - before, tookMs: performance.now() - startMs };
}

async function withCdp(page: Page, arm: Omit<Arm, 'page' | 'cdp'>): Promise<Arm> {
	const cdp = await page.context().newCDPSession(page);
	await cdp.send('Performance.enable');
	return { ...arm, page, cdp };
}

async function openPeer(page: Page): Promise<Arm> {
	return await withCdp(page, {
		fill: (rows) => page.evaluate(`window.fill(${rows})`),
		run: (count, mark) => page.evaluate(`window.run(${count}, ${mark})`),
	});
}

/** The built app in a conversation whose captions the bench makes. */
async function openOurs(sandbox: Sandbox, talker: Talker) {
	const { api, key } = sandbox.addresses;
	const app = await launch({
		probe: false,
		env: { DRAGOMAN_API_URL: api, DRAGOMAN_API_KEY: key },
		settings: { speak: 'en', hear: ['es'], voiceOf: 'es', transport: 'webrtc' },
	});
	const { page } = app;
	await page.addInitScript(installPaintProbe);
	await page.reload();
	await until('the window', () =>
		page.evaluate(() => '__paint' in window && document.querySelector('main') !== null),
	);
	await untilPhase(page, 'Ready');
	await button(page, 'Start').click();
	await untilPhase(page, 'Live');
	await page.evaluate(() => window.__paint.in('#captions'));
	const random = createRandom(4);
	let row = 0;

	const arm = await withCdp(page, {
		async fill(rows) {
			while (row < rows) {
				for (const end = Math.min(rows, row + BATCH); row < end; row++)
					talker.say(row, `${SENTENCE} ${row}.`, true);
				const last = `${row - 1}.`;
				await until(
					`row ${last}`,
					() => page.evaluate((text) => window.__paint.shows(text), last),
					FILL_LIMIT_MS,
				);
			}
		},
		async run(count, mark) {
			for (let n = 0; n < count; n++) {
				if (n % 5 === 0) row += 1;
				talker.say(row, `${SENTENCE} #${mark + n}#`, false);
				await page.waitForTimeout(20 + 40 * random());
			}
			await page.waitForTimeout(300);
			// The next filling begins after what was said here.
			row += 1;
			return await page.evaluate(() => window.__paint.take());
		},
	});
	return { arm, close: () => app.close() };
}

declare global {
	interface Window {
		readonly __paint: {
			in(selector: string): void;
			shows(mark: string): boolean;
			take(): readonly (number | null)[];
		};
	}
}
