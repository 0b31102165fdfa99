import { loadavg } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { CLEAN, type ProfileName, profiles } from '#test/support/shaper/profiles.ts';
import type { Bench, BenchOptions, BenchResult } from './bench.ts';
import { openCallers } from './callers.ts';
import { type LineWindow, reportLine } from './line-report.ts';

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
	about: `Two networks of this computer and a line between them that loses and delays IP packets as it is told. At the near end the built
app and a bare page (livekit-client alone: microphone, publish, \`attach()\`) are **in calls of their own at the same
time**; at the far end the sandbox, a LiveKit server (1.8.4) and a participant that gives every packet back
undecoded. What happens to the n-th packet of one call happens to the n-th of the other: each audio stream has the same
random sequence, from a seed. Losses occur both ways.

The figures are the browser's own (\`inbound-rtp\`): samples that were concealed ("made up") because nothing was there to
play, silent ones left out of both sums, and without the first 6 s of a profile. Slices of 5 s, each with both calls' sums, are the samples
for the interval. Most of what is lost is sent again and comes in time; the rest is a
handful of moments a minute, so the interval is wide after one round: \`--rounds 5\` tells more.

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
