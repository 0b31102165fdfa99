import { readdirSync, readFileSync, statSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import type { CDPSession, Page } from 'playwright-core';
import type { Sandbox } from '#sandbox/sandbox.ts';
import { memoryOf } from '#test/bench/process-tree.ts';
import type { Launched } from '#test/support/launch.ts';
import type { ResourceCount } from '#test/support/resource-count.ts';

/** What was held at one moment; bytes in MB. */
export interface Sample {
	readonly atS: number;
	/** Proportional memory of every process of the app. */
	readonly pssMb: number;
	/** Heap of the window, after a garbage collection. */
	readonly heapMb: number;
	readonly nodes: number;
	readonly listeners: number;
	readonly contexts: number;
	readonly connections: number;
	readonly tracks: number;
	readonly elements: number;
	readonly workers: number;
	/** Open at the service. */
	readonly sessions: number;
	readonly logMb: number;
	readonly rows: number;
}

export interface Watch {
	sample(): Promise<Sample>;
	/** What must never happen: uncaught errors in the page or in main, a secret in the log. */
	troubles(): readonly string[];
}

/** `resource-count.ts` as a script for the page: nothing in it is imported. */
function countingScript(): string {
	const path = join(import.meta.dirname, '..', 'support', 'resource-count.ts');
	const code = stripTypeScriptTypes(readFileSync(path, 'utf8')).replace(/^export /gm, '');
	return `(() => { ${code}\nglobalThis.__counts = countResources(); })()`;
}

function sizeOf(folder: string): number {
	try {
		return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
	} catch {
		return 0;
	}
}

function textsIn(folder: string): string {
	try {
		return readdirSync(folder)
			.map((name) => readFileSync(join(folder, name), 'utf8'))
			.join('\n');
	} catch {
		return '';
	}
}

/** Watches an app that was just launched; its window is reloaded, so that everything it creates is counted. */
export async function watchApp(app: Launched, sandbox: Sandbox): Promise<Watch> {
	const { page, main, userData } = app;
	const found: string[] = [];
	page.on('pageerror', (failure) => found.push(`uncaught in the page: ${failure.message.slice(0, 200)}`));
	page.on('crash', () => found.push('the page crashed'));
	await page.addInitScript(countingScript());
	await page.reload();
	await page.waitForFunction(() => 'dragoman' in window && '__counts' in window);
	const cdp = await page.context().newCDPSession(page);
	await cdp.send('Performance.enable');
	await cdp.send('HeapProfiler.enable');
	const begun = performance.now();

	return {
		async sample() {
			const counts = await countsOf(page, cdp);
			return {
				atS: (performance.now() - begun) / 1000,
				...counts,
				pssMb: memoryOf(main.pid ?? 0),
				workers: page.workers().length,
				sessions: sandbox.openSessions().length,
				logMb: sizeOf(join(userData, 'logs')) / 1e6,
			};
		},
		troubles() {
			const output = app.output();
			const logs = textsIn(join(userData, 'logs'));
			const unforeseen = /unhandled ?rejection|uncaught ?exception|^\s+at .*out\/main/im.exec(
				output + logs,
			)?.[0];
			const secrets = [sandbox.addresses.key, sandbox.addresses.voice_token].filter((one) =>
				logs.includes(one),
			);
			const jwt = /\beyJ[\w-]{10,}\.[\w-]{10,}\./.test(logs);
			return [
				...found,
				...(unforeseen ? [`in main: ${unforeseen.trim()}`] : []),
				...(secrets.length > 0 || jwt ? ['a secret in the log'] : []),
			];
		},
	};
}

async function countsOf(page: Page, cdp: CDPSession) {
	await cdp.send('HeapProfiler.collectGarbage');
	const { metrics } = await cdp.send('Performance.getMetrics');
	const metric = (name: string) => metrics.find((one) => one.name === name)?.value ?? 0;
	const open = await page.evaluate(() => {
		const counts = (globalThis as unknown as { __counts: ResourceCount }).__counts;
		return {
			contexts: counts.contexts(),
			connections: counts.connections(),
			tracks: counts.tracks(),
			elements: counts.elements(),
			rows: document.querySelectorAll('[role="row"], [data-row], li').length,
		};
	});
	return {
		...open,
		heapMb: metric('JSHeapUsedSize') / 1e6,
		nodes: metric('Nodes'),
		listeners: metric('JSEventListeners'),
	};
}

/** What a soak ends with. */
export interface SoakSummary {
	/** Empty: all is well. */
	readonly findings: readonly string[];
	readonly data: unknown;
	readonly markdown: string;
}

/** Slope of the straight line through points, by least squares; 0 for fewer than two. */
export function slopeOf(points: readonly (readonly [x: number, y: number])[]): number {
	if (points.length < 2) return 0;
	const mean = (at: 0 | 1) => points.reduce((sum, point) => sum + point[at], 0) / points.length;
	const [meanX, meanY] = [mean(0), mean(1)];
	const spread = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
	return spread === 0 ? 0 : points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0) / spread;
}
