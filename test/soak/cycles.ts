import type { Page } from 'playwright-core';
import { startSandbox } from '#sandbox/sandbox.ts';
import { button, until, untilPhase } from '#test/support/app-steps.ts';
import { ASKED_TO_END, launchWith } from './app.ts';
import { medianOf, type Sample, type SoakSummary, type Watch, watchApp } from './watch.ts';

export interface CycleOptions {
	readonly cycles: number;
	readonly say: (text: string) => void;
}

/** After this many cycles everything has been loaded once. */
const WARM_UP = 10;
/** P11: what 500 of them may cost. */
const GROWTH_MB = 5;
/** What is on the screen makes a difference of some dozens; one listener leaked per cycle exceeds this. */
const GROWTH_LISTENERS = 60;
const EVERY = 10;
/** Limit for one step; the machine may be busy. */
const LIMIT_MS = 120_000;

async function startAndStop(page: Page): Promise<void> {
	await button(page, 'Start').click();
	await untilPhase(page, 'Live', LIMIT_MS);
	await button(page, 'Stop').click();
	await button(page, 'Start').or(button(page, 'Stop now')).first().waitFor({ timeout: LIMIT_MS });
	// A second press cuts the tail, if there is one: checked and pressed in one step, because the button becomes Start.
	await page.evaluate(() => {
		const all = [...document.querySelectorAll('button')];
		all.find(({ textContent }) => textContent?.trim() === 'Stop now')?.click();
	});
	await button(page, 'Start').waitFor({ timeout: LIMIT_MS });
}

/** What is still open although everything was stopped; one context is kept for the meter of the next start. */
function leftIn(sample: Sample, done: number): readonly string[] {
	const most = { connections: 0, tracks: 0, contexts: 1 } as const;
	return (['connections', 'tracks', 'contexts'] as const)
		.filter((name) => sample[name] > most[name])
		.map((name) => `${sample[name]} ${name} after ${done} cycles`);
}

/** What went wrong and what the window said then. */
async function whyOf(failure: unknown, page: Page): Promise<string> {
	const shown = await page.evaluate(() => document.body.textContent.slice(0, 200)).catch(() => 'no page');
	const words = failure instanceof Error ? failure.message.split('\n').slice(0, 3).join(' ') : failure;
	return `${words}; shown: ${shown}`;
}

/** Start, live, Stop, again and again in the built app: no cycle leaves anything behind. */
export async function soakCycles({ cycles, say }: CycleOptions): Promise<SoakSummary> {
	const sandbox = await startSandbox();
	const app = await launchWith(sandbox).catch(async (failure) => {
		await sandbox.close();
		throw failure;
	});
	const samples: (Sample & { readonly cycle: number })[] = [];
	const findings: string[] = [];
	let done = 0;
	let watch: Watch | null = null;
	try {
		const { page } = app;
		watch = await watchApp(app, sandbox);
		await button(page, 'Start').waitFor({ timeout: LIMIT_MS });
		while (done < cycles && findings.length === 0) {
			await startAndStop(page);
			done += 1;
			if (done % EVERY !== 0 && done !== cycles) continue;
			await until(
				'no session in use',
				() => sandbox.openSessions().every(({ connected }) => !connected),
				30_000,
			);
			const sample = await watch.sample();
			samples.push({ ...sample, cycle: done });
			findings.push(...leftIn(sample, done), ...watch.troubles());
			if (done % 50 === 0 || done === cycles)
				say(`${done} cycles: ${sample.pssMb.toFixed(0)} MB, heap ${sample.heapMb.toFixed(2)} MB`);
		}
	} catch (failure) {
		const why = await whyOf(failure, app.page);
		findings.push(`broke off after ${done}: ${why}`, ...(watch?.troubles() ?? []));
	} finally {
		const status = await app.close();
		if (status !== 0 && status !== ASKED_TO_END) findings.push(`the app ended with status ${status}`);
		if (sandbox.openSessions().length > 0) findings.push(`${sandbox.openSessions().length} sessions left`);
		await sandbox.close();
	}
	const settled = samples.filter(({ cycle }) => cycle >= WARM_UP);
	const third = Math.max(1, Math.floor(settled.length / 3));
	const grown = (name: 'heapMb' | 'pssMb' | 'listeners') =>
		medianOf(settled.slice(-third).map((one) => one[name])) -
		medianOf(settled.slice(0, third).map((one) => one[name]));
	const [heapMb, pssMb, listeners] = [grown('heapMb'), grown('pssMb'), grown('listeners')];
	if (heapMb > GROWTH_MB) findings.push(`the heap grew by ${heapMb.toFixed(1)} MB`);
	if (listeners > GROWTH_LISTENERS) findings.push(`${listeners} more listeners than at the beginning`);
	const { created, deleted } = sandbox.counts();
	const last = samples.at(-1);
	return {
		findings,
		data: { done, created, deleted, heapMb, pssMb, listeners, samples },
		markdown: [
			`${done} times Start and Stop: ${created} sessions created, ${deleted} deleted.`,
			`Growth from the first third to the last: heap of the window ${heapMb.toFixed(2)} MB, all processes ${pssMb.toFixed(1)} MB.`,
			`At the end: ${last?.contexts} contexts, ${last?.connections} connections, ${last?.tracks} tracks, ${last?.nodes} nodes, ${last?.listeners} listeners.`,
		].join('\n'),
	};
}
