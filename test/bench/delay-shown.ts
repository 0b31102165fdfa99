import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Interpreter, InterpreterTransport } from '#sandbox/interpreter/transport.ts';
import { startSandbox } from '#sandbox/sandbox.ts';
import { wavOf } from '#shared/sound/wav.ts';
import { activity } from '#stand-in/drive/sound.ts';
import type { Bench, BenchOptions, BenchResult } from './bench.ts';
import { type EarSide, type EarTake, launchOurEars, pcmOf } from './sound-recorder.ts';
import { median, medianOf } from './statistics.ts';

const RATE = 48_000;
const PHRASE_S = 0.8;
/** Long enough that a phrase is heard before the next is spoken. */
const PERIOD_S = 5.5;
const DELAYS_MS = [2600, 3600] as const;
const PHRASES = { short: 9, long: 16 };
/** The first phrases of each delay show how the estimate settles, and do not count. */
const FINDING = 4;
/** The gauge changes once a second, so read it this long after the voice set in. */
const READ_AFTER_MS = 1300;
const MOST_MS = 150;
/** Client and room add less than this to the delay; more means that the machine is too busy to measure. */
const LINE_MS = 500;

/** One phrase, ms. */
interface Phrase {
	readonly serviceMs: number;
	/** Its number among the phrases of this delay. */
	readonly number: number;
	readonly measuredMs: number;
	readonly shownMs: number | null;
}

/** The delay the window shows against the delay there is. */
export const lag: Bench = {
	name: 'lag',
	title: 'The delay shown',
	about: `The sandbox's voice repeats what was said a fixed time later, first ${DELAYS_MS[0]} ms, then ${DELAYS_MS[1]} ms, while texts come at their usual times. The true delay
of each phrase is compared with what the window shows ${READ_AFTER_MS} ms after the voice set in.
The first ${FINDING} phrases of each delay are shown but not counted.`,
	run: measure,
};

async function measure({ long, rounds, say }: BenchOptions): Promise<BenchResult> {
	const count = FINDING + (rounds ?? (long ? PHRASES.long : PHRASES.short) - FINDING);
	const folder = mkdtempSync(join(tmpdir(), 'dragoman-lag-'));
	const microphone = join(folder, 'phrases.wav');
	writeFileSync(microphone, wavOf(phrases(2 * count + 2), RATE));
	let delayMs: number = DELAYS_MS[0];
	const sandbox = await startSandbox({
		faults: ['no-voice'],
		interpose: (interpreter, port) =>
			createDelayLine(interpreter, port, { language: 'es', delayMs: () => delayMs }),
	});
	const found: Phrase[] = [];
	let ours: Awaited<ReturnType<typeof launchOurEars>> | null = null;
	try {
		ours = await launchOurEars({ sandbox, microphone });
		const page = await ours.arm.begin();
		await page.evaluate(watchShown);
		const stepMs: number[] = [];
		for (const each of DELAYS_MS) {
			delayMs = each;
			stepMs.push(await page.evaluate<number>('performance.now()'));
			say(`${count} phrases at ${each} ms, load ${loadavg()[0]?.toFixed(1)}`);
			await page.waitForTimeout(count * PERIOD_S * 1000);
		}
		const shown = await page.evaluate<Shown[]>('window.__shown');
		const take = await page.evaluate<EarTake>('window.__ear.take()');
		await ours.arm.end();
		found.push(...compare(take, shown, stepMs));
	} finally {
		await ours?.close();
		await sandbox.close();
		rmSync(folder, { recursive: true, force: true });
	}
	return report(found);
}

/** Sweeps, each as long as a short phrase, because noise suppression does not take them for noise. */
function phrases(count: number): Int16Array {
	const period = Math.round(PERIOD_S * RATE);
	return Int16Array.from({ length: count * period }, (_, index) => {
		const s = (index % period) / RATE;
		if (s > PHRASE_S) return 0;
		const fade = Math.min(1, s / 0.01, (PHRASE_S - s) / 0.01);
		return 14_000 * fade * Math.sin(2 * Math.PI * (300 * s + 500 * s * s));
	});
}

interface Shown {
	readonly atMs: number;
	readonly text: string;
}

/** Runs in the page, and records every change of the gauge's text. */
function watchShown(): void {
	const seen: Shown[] = [];
	const look = () => {
		const gauge = document.querySelector('p[data-tooltip] > span:nth-of-type(2)');
		const text = gauge?.textContent ?? '';
		if (seen.at(-1)?.text !== text) seen.push({ atMs: performance.now(), text });
	};
	look();
	setInterval(look, 50);
	Object.assign(window, { __shown: seen });
}

function compare(take: EarTake, shown: readonly Shown[], stepMs: readonly number[]): readonly Phrase[] {
	const onsets = (side: EarSide) =>
		activity(pcmOf(side), { gapMs: 1500 }).map(({ fromMs }) => fromMs + side.originMs);
	const heard = onsets(take.heard);
	const numbers = DELAYS_MS.map(() => 0);
	return onsets(take.spoken).flatMap((saidMs) => {
		const which = stepMs.findLastIndex((from) => saidMs >= from);
		const heardMs = heard.find((atMs) => atMs > saidMs + 500 && atMs < saidMs + PERIOD_S * 1000);
		const serviceMs = DELAYS_MS[which];
		if (heardMs === undefined || serviceMs === undefined) return [];
		const number = (numbers[which] ?? 0) + 1;
		numbers[which] = number;
		const text = shown.findLast(({ atMs }) => atMs <= heardMs + READ_AFTER_MS)?.text ?? '';
		const shownMs = Number.parseFloat(text.replace(',', '.')) * 1000;
		const measuredMs = heardMs - saidMs;
		return [{ serviceMs, number, measuredMs, shownMs: Number.isNaN(shownMs) ? null : shownMs }];
	});
}

function report(found: readonly Phrase[]): BenchResult {
	const off = (phrases: readonly Phrase[]) =>
		phrases.map(({ shownMs, measuredMs }) =>
			shownMs === null ? Number.POSITIVE_INFINITY : shownMs - measuredMs,
		);
	const counted = found.filter(({ number }) => number > FINDING);
	const errors = off(counted);
	const worst = Math.max(...errors.map(Math.abs));
	const load = loadavg()[0] ?? 0;
	const held = worst <= MOST_MS;
	/** The sandbox's delay is known, so a voice that is much later was held up by the machine. */
	const late = counted.some(({ measuredMs, serviceMs }) => Math.abs(measuredMs - serviceMs) > LINE_MS);
	const busy = late || load > 2 * availableParallelism();
	const typical = medianOf(errors);
	return {
		markdown: [
			'| delay of the service, ms | phrase | measured, ms | shown, ms | off by, ms |',
			'| --- | --- | --- | --- | --- |',
			...found.map((phrase) => {
				const [error = Number.NaN] = off([phrase]);
				const { serviceMs, number, measuredMs, shownMs } = phrase;
				return `| ${serviceMs} | ${number} | ${measuredMs.toFixed(0)} | ${shownMs?.toFixed(0) ?? 'nothing'} | ${error.toFixed(0)} |`;
			}),
		].join('\n'),
		data: found,
		goals: [
			{
				id: 'P18',
				goal: `the delay shown within ±${MOST_MS} ms of the true delay, after ${FINDING} phrases`,
				measured:
					counted.length === 0
						? 'no phrase was found again'
						: `off by ${typical.value.toFixed(0)} ms (${typical.low.toFixed(0)} to ${typical.high.toFixed(0)}), at most ${worst.toFixed(0)}, ${counted.length} phrases; typically ${median(errors.map(Math.abs)).toFixed(0)}`,
				reached: counted.length === 0 || (!held && busy) ? null : held,
				...(!held && busy ? { because: `the machine was busy: load ${load.toFixed(1)}` } : {}),
			},
		],
	};
}

/** This long after the last loud packet still counts as speech. */
const HOLD_MS = 200;
const LOUD = 0.004;

/**
 * The sandbox's interpreter with its usual texts, but a voice that repeats the speaker after exactly
 * `delayMs`. The interpreter must have no voice (fault `no-voice`).
 */
function createDelayLine(
	interpreter: Interpreter,
	port: InterpreterTransport,
	parts: { readonly language: string; readonly delayMs: () => number },
): Interpreter {
	const waiting = new Set<NodeJS.Timeout>();
	let loudMs = Number.NEGATIVE_INFINITY;
	let at = 0;
	return {
		...interpreter,
		get task() {
			return interpreter.task ?? null;
		},
		hear(level, durationMs) {
			// An interpreter without a voice takes the track away whenever a task is applied.
			port.publish([parts.language]);
			if (level > LOUD) loudMs = performance.now();
			interpreter.hear(level, durationMs);
		},
		heardPacket(payload) {
			// Do not send pauses, so that the voice can catch up after a late timer.
			if (performance.now() - loudMs > HOLD_MS) return;
			const timer = setTimeout(() => {
				waiting.delete(timer);
				at += 1;
				port.speak(parts.language, { transcriptionId: 'line', partId: `${at}`, packets: [payload] });
			}, parts.delayMs());
			waiting.add(timer);
		},
		close() {
			for (const timer of waiting) clearTimeout(timer);
			interpreter.close();
		},
	};
}
