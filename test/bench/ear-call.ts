import type { Page } from 'playwright-core';
import { CHIRP_HZ, compareChirps, summary } from './chirps.ts';
import type { EarArm } from './ear-arms.ts';
import { type EarBuffer, type EarSide, type EarTake, pcmOf } from './ear-tap.ts';

/** One call: the sample of every figure. */
export interface EarCallSeen {
	readonly arm: string;
	readonly p50Ms: number;
	readonly p95Ms: number;
	readonly maxMs: number;
	/** Chirps. */
	readonly spoken: number;
	readonly lost: number;
	readonly delaysMs: readonly number[];
	readonly buffer: EarBuffer | null;
	/** First packet of the voice → first sound; null where there are no packets. */
	readonly packetToSoundMs: number | null;
	/** The connection up and the track there, whichever came later → first sound. */
	readonly readyToSoundMs: number | null;
}

/** The browser's jitter buffer starts long and settles in about this time, ms. */
const SETTLE_MS = 2500;

/** Of either side: what a busy machine does to the times of blocks. */
const MOST_SPREAD_MS = 20;

/** Calls, listens for `lengthMs` and hangs up. `meanwhile` runs in the page once the voice plays. */
export async function call(
	name: string,
	arm: EarArm,
	lengthMs: number,
	meanwhile?: (page: Page) => Promise<() => Promise<unknown>>,
): Promise<EarCallSeen> {
	let take: EarTake;
	try {
		const page = await arm.begin();
		const end = await meanwhile?.(page);
		await page.waitForTimeout(SETTLE_MS);
		await page.evaluate('window.__ear.mark()');
		await page.waitForTimeout(lengthMs);
		await end?.();
		take = await page.evaluate<EarTake>('window.__ear.take()');
	} finally {
		await arm.end();
	}
	return seenIn(name, take);
}

function seenIn(arm: string, take: EarTake): EarCallSeen {
	const { spoken, heard, buffer, soundMs } = take;
	/** From the mark on. */
	function read(side: EarSide) {
		const pcm = pcmOf(side).subarray(side.markedAt);
		const fromMs = side.originMs + (side.markedAt / CHIRP_HZ) * 1000;
		return { sound: Float32Array.from(pcm, (value) => value / 32_768), fromMs };
	}
	const [said, played] = [read(spoken), read(heard)];
	const seen = compareChirps(said.sound, played.sound, played.fromMs - said.fromMs);
	if (seen.spoken === 0) throw new Error('no chirp was heard at the microphone');
	const spreadMs = Math.max(spoken.spreadMs, heard.spreadMs);
	if (!(spreadMs <= MOST_SPREAD_MS))
		throw new Error(`sound is missing: blocks lie ${spreadMs.toFixed(0)} ms apart`);
	const since = (atMs: number | null) => (soundMs === null || atMs === null ? null : soundMs - atMs);
	const readyMs = take.trackMs === null ? null : Math.max(take.trackMs, take.connectedMs ?? 0);
	return {
		arm,
		...summary(seen),
		...seen,
		buffer,
		packetToSoundMs: since(take.packetMs),
		readyToSoundMs: since(readyMs),
	};
}

/** Keeps the page's main thread busy for 400 ms of each second, until the returned end. */
export async function block(page: Page): Promise<() => Promise<unknown>> {
	await page.evaluate(() => {
		const timer = setInterval(() => {
			const until = performance.now() + 400;
			while (performance.now() < until);
		}, 1000);
		Object.assign(window, { __unblock: () => clearInterval(timer) });
	});
	return () => page.evaluate('window.__unblock()');
}
