import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSandbox } from '#sandbox/sandbox.ts';
import { writeWav } from '#stand-in/drive/wav.ts';
import { startLivekitServer } from '#test/support/livekit-server.ts';
import { createRandom } from '#test/support/random.ts';
import type { Bench, BenchOptions, BenchResult } from './bench.ts';
import { CHIRP_HZ, chirpSound } from './chirps.ts';
import { type EarArm, launchOurEars, openOtherEars } from './ear-arms.ts';
import { block, call, type EarCallSeen } from './ear-call.ts';
import { reportEars } from './ear-report.ts';
import { openForwarder } from './forwarder.ts';
import { createMirror } from './mirror.ts';
import { VENDOR_LIBRARY } from './start-vendor.ts';
import { shuffled } from './statistics.ts';

/** From the first sound of the WAV to the end of the longest call. */
const SOUND_S = 60;
const LENGTH_MS = { short: 5500, long: 10_500 };
const ROUNDS = { short: 10, long: 16 };

/** From the microphone to what is played: the client's own part. */
export const mouthToEar: Bench = {
	name: 'mouth-to-ear',
	title: 'Mouth to ear',
	about: `Chirps of 30 ms at the microphone, found again by a matched filter in what the page plays: the delay of the client, the room
and the network between, without an interpreter. Everything runs on one computer. The rooms are on a real LiveKit server, and
a participant there returns every packet undecoded (without such a server: the sandbox's own room). Both taps, the
microphone's track and what is played, say of each frame when it was captured or taken for playing, by one clock; nothing is
inserted into the path.

- **Dragoman**: the built app, as it is, with its defaults.
- **bare page**: livekit-client alone: microphone, publish (no DTX, no RED, 32 kbit/s), \`attach()\`.
- **vendor**: the service vendor's own JavaScript SDK, its own playback (left out when it is not installed). It plays
  through an AudioContext and is heard at that context's end. What the device adds is counted for nobody.
- **collected in blocks**: emulates the structure of another interpreter for the same service: blocks of 4096 samples go
  unscheduled through a 24 kHz graph into a track, and the voice is buffered for 200 ms before it is played.
- **blocked**: Dragoman with the page's main thread busy for 400 ms of each second.
- **loopback**: a bare peer connection within a page. It must take 20 to 70 ms; otherwise the machine was busy, and the run proves
  nothing.

The arms take turns in random order within each round, Dragoman and the bare page twice. Within a call the delay hardly changes; between
calls it jumps by 10 ms. So **a call is one sample**, its value the median of its chirps. The jumps are the browser's jitter buffer:
it counts how long a sample waited there. **Steps taken out**: each call less its own wait, plus the mean wait of both arms that are compared;
their waits are compared apart. The first 2.5 s of a call, in which the buffer settles, are not counted. In the socket arms sound goes in pieces of 100 ms (the preset *fast*)
to the sandbox's mirror and back.`,
	run: measure,
};

async function measure({ long, rounds, say }: BenchOptions): Promise<BenchResult> {
	const lengthMs = long ? LENGTH_MS.long : LENGTH_MS.short;
	const count = rounds ?? (long ? ROUNDS.long : ROUNDS.short);
	const vendor = existsSync(VENDOR_LIBRARY);
	const folder = mkdtempSync(join(tmpdir(), 'dragoman-ears-'));
	const microphone = join(folder, 'chirps.wav');
	writeFileSync(microphone, writeWav(CHIRP_HZ, chirpSound(SOUND_S)));
	const random = createRandom(3);
	const calls: EarCallSeen[] = [];
	const ends: (() => Promise<unknown>)[] = [];
	const failed: string[] = [];

	/** A failed call is reported and left out; the others are still useful. */
	async function add(name: string, ...args: [Parameters<typeof call>[1], number, typeof block?]) {
		try {
			calls.push(await call(name, ...args));
		} catch (failure) {
			failed.push(name);
			say(`${name}: ${String(failure).slice(0, 300)}`);
		}
	}

	const found = await startLivekitServer('v1.13.5');
	const server = 'missing' in found ? null : found;
	if ('missing' in found) say(found.missing);
	try {
		if (server) ends.push(server.stop);
		const sandbox = await startSandbox(
			server
				? { liveKit: server, faults: ['no-voice'] }
				: { interpose: (interpreter, port) => createMirror(interpreter, port, 'es') },
		);
		ends.push(sandbox.close);
		if (server) ends.push((await openForwarder(server)).close);
		const others = await openOtherEars({ sandbox, microphone }, vendor);
		ends.push(others.close);
		const ours = await launchOurEars({ sandbox, microphone });
		ends.push(ours.close);
		const names = ['ours', 'bare', 'ours', 'bare', 'blocks', ...(vendor ? ['vendor'] : []), 'blocked'];
		for (let round = 1; round <= count; round++) {
			// It is there to judge the machine: at the beginning, at the end, and now and then.
			const anchor = round === 1 || round === count || round % 4 === 0 ? ['loopback'] : [];
			for (const name of shuffled([...names, ...anchor], random)) {
				const arm = others.arms[name] ?? ours.arm;
				await add(name, arm, lengthMs, name === 'blocked' ? block : undefined);
			}
			say(`round ${round} of ${count}, load ${loadavg()[0]?.toFixed(1)}`);
		}
		await ours.close();
		await overSocket(microphone, Math.max(2, count / 3), async (name, arm) => {
			await add(name, arm, lengthMs, name === 'socket' ? undefined : block);
		});
	} finally {
		for (const end of ends.reverse())
			await end().catch((failure) => say(`not ended: ${String(failure).slice(0, 200)}`));
		rmSync(folder, { recursive: true, force: true });
	}
	return reportEars({ calls, failed, livekit: server !== null });
}

/** Calls of both kinds over a socket, in rounds, with a mirror at its other end. */
async function overSocket(
	microphone: string,
	rounds: number,
	listen: (name: string, arm: EarArm) => Promise<void>,
): Promise<void> {
	const random = createRandom(5);
	const sandbox = await startSandbox({
		interpose: (interpreter, port) => createMirror(interpreter, port, 'es'),
	});
	try {
		const settings = { transport: 'websocket', preset: 'fast' };
		const ours = await launchOurEars({ sandbox, microphone }, settings);
		try {
			for (let round = 1; round <= rounds; round++)
				for (const name of shuffled(['socket', 'socket, blocked'], random)) await listen(name, ours.arm);
		} finally {
			await ours.close();
		}
	} finally {
		await sandbox.close();
	}
}
