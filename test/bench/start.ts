import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSandbox } from '#sandbox/sandbox.ts';
import { writeWav } from '#stand-in/drive/wav.ts';
import type { Bench, BenchOptions, BenchResult } from './bench.ts';
import { type Arm, launchOurs } from './start-ours.ts';
import { report, type Start } from './start-report.ts';
import { launchVendor, VENDOR_LIBRARY } from './start-vendor.ts';
import { createRandom } from './statistics.ts';

const DELAYS_MS = [0, 50, 150, 400];
const RATE = 48_000;
/** Short bursts from the very beginning, so that what is measured is the start and not the speaker. */
const BURST_S = 0.5;
const PAUSE_S = 0.7;

/** From the press to the first audio packet and to the first translated sound. */
export const start: Bench = {
	name: 'start',
	title: 'Start',
	about: `Everything runs on one computer against the sandbox, which holds back its REST answers by the delay named.

- **warm**: the pointer rested on Start, so a session was made ahead; then a click.
- **cold**: Start by key, nothing made ahead.
- **vendor**: the service vendor's own JavaScript SDK in a page of its own, its library loaded
  (left out when it is not installed; \`test/integration/vendor-sdk.test.ts\` installs it).

The arms take turns in random order within each round; the first start of each is not counted. The first packet is
read from the browser's counters, which it renews every 50 ms. The first translated sound also waits for the echo
of a burst of half a second that repeats every 1.2 s, so it varies by more than Start does.`,
	run: measure,
};

async function measure({ long, rounds, say }: BenchOptions): Promise<BenchResult> {
	const count = rounds ?? (long ? 30 : 10);
	const wanted = existsSync(VENDOR_LIBRARY) ? ['cold', 'warm', 'vendor'] : ['cold', 'warm'];
	const folder = mkdtempSync(join(tmpdir(), 'dragoman-bench-'));
	const tone = Int16Array.from({ length: RATE * 60 }, (_, index) =>
		(index / RATE) % (BURST_S + PAUSE_S) < BURST_S
			? 12_000 * Math.sin((2 * Math.PI * 440 * index) / RATE)
			: 0,
	);
	const microphone = join(folder, 'tone.wav');
	writeFileSync(microphone, writeWav(RATE, tone));

	const sandbox = await startSandbox({ interpreter: 'echo' });
	const parts = { sandbox, microphone };
	const ours = await launchOurs(parts);
	const vendor = wanted.includes('vendor') ? await launchVendor(parts) : null;
	const arms: Record<string, Arm> = { ...ours.arms, ...vendor?.arms };
	const starts: Start[] = [];
	const random = createRandom(1);
	try {
		// The first ones fill caches; they are not counted.
		for (const arm of wanted) await arms[arm]?.(0);
		for (let round = 1; round <= count; round++) {
			for (const delayMs of shuffled(DELAYS_MS, random)) {
				sandbox.setFault(`slow:${delayMs}`, delayMs > 0);
				if (delayMs === 0) sandbox.setFault('slow', false);
				for (const name of shuffled(wanted, random)) {
					const seen = await arms[name]?.(delayMs);
					if (seen) starts.push({ arm: name, delayMs, ...seen });
				}
				sandbox.setFault('slow', false);
			}
			say(`round ${round} of ${count}, load ${loadavg()[0]?.toFixed(1)}`);
		}
	} finally {
		await ours.close();
		await vendor?.close();
		await sandbox.close();
		rmSync(folder, { recursive: true, force: true });
	}
	return { markdown: report(starts), data: starts, goals: [] };
}

function shuffled<Value>(list: readonly Value[], random: () => number): Value[] {
	return list
		.map((value) => ({ value, at: random() }))
		.sort((one, other) => one.at - other.at)
		.map(({ value }) => value);
}
