import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Sandbox, startSandbox } from '#sandbox/sandbox.ts';
import { writeWav } from '#stand-in/drive/wav.ts';
import { type LivekitServer, startLivekitServer } from '#test/support/livekit-server.ts';
import { createRandom } from '#test/support/random.ts';
import type { Bench, BenchOptions, BenchResult } from './bench.ts';
import { createMirror } from './mirror.ts';
import { launchOurs, type StartProgram } from './start-ours.ts';
import { ARMS, GOAL_DELAY_MS, resultOf, type Start } from './start-report.ts';
import { launchVendor, VENDOR_LIBRARY } from './start-vendor.ts';
import { shuffled } from './statistics.ts';

const DELAYS_MS = [0, 50, 150, 400];
const RATE = 48_000;
const LONG_STARTS = 30;
const SHORT_STARTS = 10;
/** A short run goes on with whole rounds until then, in each of the two rooms. */
const SHORT_MS = 180_000;

/** From the press to the first audio packet and to the first translated sound. */
export const start: Bench = {
	name: 'start',
	title: 'Start',
	about: `Everything runs on one computer; the sandbox delays its REST answers by the time given.

- **vendor**: the service vendor's own JavaScript SDK in a page of its own, its library loaded
  (left out when it is not installed; \`test/integration/vendor-sdk.test.ts\` installs it).
- **cold**: Start by key, nothing made ahead.
- **warm**: the pointer rested on Start, so a session was made ahead; then a click.
- **joined**: as warm, with the setting that joins a room before Start: no microphone, no task until the press.

The arms take turns in random order within each round; the first start of each is not counted. A short run measures
${SHORT_STARTS} starts of each at ${GOAL_DELAY_MS} ms, as many as fit into three minutes for each room; \`--long\` ${LONG_STARTS} at every delay.

**The first packet** goes to a room of a real LiveKit server (v1.8.4), where there is one, on the same computer. When it left is reckoned
back from the browser's counter of sent packets and the time at which that was read (packets are 20 ms long). A session is
answered without waiting for the interpreter to join: in *vendor* and *cold* it joins at the same time.

**The first sound** is measured in the sandbox's own room, whose far side returns every packet as it comes, on a voice that is there from the
start, and confirms a task at once: so it measures the client and not an interpreter. That room encrypts in JavaScript: slower
than a real server, but the same for all arms. The microphone murmurs without a pause. In a room joined ahead the voice is
subscribed to at the press (otherwise it would fill a jitter buffer that nobody empties), and that is part of the first sound
of *joined*.

A start in which no packet was counted is in no table: the arm did not get as far as the press, nothing was sent within 15
seconds, or the conversation did not begin or end as it should, for example on a busy machine. Their number, by arm, is given
below the tables.`,
	run: measure,
};

async function measure(options: BenchOptions): Promise<BenchResult> {
	const folder = mkdtempSync(join(tmpdir(), 'dragoman-bench-'));
	const microphone = join(folder, 'murmur.wav');
	const murmur = (_: unknown, index: number) => 12_000 * Math.sin((2 * Math.PI * 440 * index) / RATE);
	writeFileSync(microphone, writeWav(RATE, Int16Array.from({ length: RATE * 60 }, murmur)));
	try {
		const server = await startLivekitServer('v1.8.4');
		if ('missing' in server) {
			options.say(server.missing);
			return resultOf(await startsIn(null, microphone, options));
		}
		const onServer = await startsIn(server, microphone, options).finally(server.stop);
		return resultOf([...onServer, ...(await startsIn(null, microphone, options))]);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

/** The starts of all arms, in rooms of this server; null = in the sandbox's. */
async function startsIn(
	server: LivekitServer | null,
	microphone: string,
	{ long, rounds, say }: BenchOptions,
): Promise<readonly Start[]> {
	const room = server ? 'server' : 'sandbox';
	const isShort = !long && rounds === undefined;
	const count = rounds ?? (long ? LONG_STARTS : SHORT_STARTS);
	const delays = long ? DELAYS_MS : [GOAL_DELAY_MS];
	const endsAtMs = isShort ? performance.now() + SHORT_MS : Number.POSITIVE_INFINITY;
	const ends: (() => unknown)[] = [];
	const starts: Start[] = [];
	const random = createRandom(1);
	try {
		const sandbox = await startSandbox({
			interpreter: 'echo',
			faults: ['slow-task:0'],
			...(server
				? { liveKit: { ...server, joinsLater: true } }
				: { interpose: (interpreter, port) => createMirror(interpreter, port, 'es') }),
		});
		ends.push(() => sandbox.close());
		const parts = { sandbox, microphone, echoes: !server };
		const ours = await launchOurs(parts);
		ends.push(ours.close);
		const vendor = existsSync(VENDOR_LIBRARY) ? await launchVendor(parts) : null;
		if (vendor) ends.push(vendor.close);
		const arms = { ...ours.arms, ...vendor?.arms };
		// The first ones fill caches; they are not counted.
		for (const name of ARMS) await arms[name]?.(0).catch(() => say(`${name}: the first start failed`));
		for (let round = 1; round <= count && performance.now() < endsAtMs; round++) {
			for (const delayMs of shuffled(delays, random))
				for await (const seen of oneOfEach(sandbox, arms, delayMs, random)) starts.push({ room, ...seen });
			say(`${room}: round ${round} of ${count}, load ${loadavg()[0]?.toFixed(1)}`);
		}
	} catch (failure) {
		// Measurements made before the failure are kept.
		if (starts.length === 0) throw failure;
		say(`given up after ${starts.length} starts: ${String(failure)}`);
	} finally {
		for (const end of ends.reverse()) await end();
	}
	return starts;
}

async function* oneOfEach(
	sandbox: Sandbox,
	arms: StartProgram['arms'],
	delayMs: number,
	random: () => number,
): AsyncGenerator<Omit<Start, 'room'>> {
	if (delayMs > 0) sandbox.setFault(`slow:${delayMs}`, true);
	for (const arm of shuffled(ARMS, random)) {
		// A start that fails, for example on a machine too busy to start at all, counts as missing, and the run goes on.
		const seen = await arms[arm]?.(delayMs).catch(() => ({ packetMs: null, soundMs: null, steps: {} }));
		if (seen) yield { arm, delayMs, ...seen };
	}
	sandbox.setFault('slow', false);
}
