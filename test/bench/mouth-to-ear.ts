import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { startSandbox } from '#sandbox/sandbox.ts';
import { wavOf } from '#shared/sound/wav.ts';
import { until } from '#test/support/app-steps.ts';
import { startLivekitServer } from '#test/support/livekit-server.ts';
import { createRandom } from '#test/support/random.ts';
import type { Bench, BenchOptions, BenchResult, Goal } from './bench.ts';
import { BARE_PAGE, openBenchBrowser, sessionForPage, VENDOR_LIBRARY } from './browser.ts';
import { CHIRP_HZ, chirpSound, compareChirps, summary } from './chirps.ts';
import { openForwarder } from './forwarder.ts';
import { createMirror } from './interpreters.ts';
import {
	type EarArm,
	type EarBuffer,
	type EarParts,
	type EarSide,
	type EarTake,
	hears,
	installEarTap,
	launchOurEars,
	pcmOf,
} from './sound-recorder.ts';
import {
	type Bound,
	bootstrap,
	type Estimate,
	exactly,
	mean,
	meanOf,
	median,
	medianOf,
	ratioOf,
	shuffled,
	verdict,
	written,
} from './statistics.ts';

/** From the first sound of the WAV to the end of the longest call. */
const SOUND_S = 60;
const LENGTH_MS = { short: 5500, long: 10_500 };
const ROUNDS = { short: 10, long: 16 };

/** Delay from the microphone to what is played, without an interpreter. */
export const mouthToEar: Bench = {
	name: 'mouth-to-ear',
	title: 'Mouth to ear',
	about: `Chirps of 30 ms at the microphone are found again by a matched filter in what the page plays, by one clock on one computer. A
participant of a real LiveKit server (else the sandbox's room) returns every packet undecoded.

- **Dragoman**: the built app with its defaults.
- **bare page**: livekit-client alone: microphone, publish (no DTX, no RED, 32 kbit/s), \`attach()\`.
- **vendor**: the vendor's SDK, heard at the end of its AudioContext.
- **collected in blocks**: as another interpreter does it: unscheduled blocks of 4096 samples at 24 kHz, and 200 ms of buffer.
- **blocked**: Dragoman, its main thread busy for 400 ms of each second.
- **loopback**: a bare peer connection. Outside 20 to 70 ms the run proves nothing.

**A call is one sample**, the median of its chirps after 2.5 s.
**Steps taken out**: less its own wait in the jitter buffer, plus the mean wait of both arms; the waits are compared apart. The socket
arms send pieces of 100 ms to the sandbox and back.`,
	run: measure,
};

async function measure({ long, rounds, say }: BenchOptions): Promise<BenchResult> {
	const lengthMs = long ? LENGTH_MS.long : LENGTH_MS.short;
	const count = rounds ?? (long ? ROUNDS.long : ROUNDS.short);
	const vendor = existsSync(VENDOR_LIBRARY);
	const folder = mkdtempSync(join(tmpdir(), 'dragoman-ears-'));
	const microphone = join(folder, 'chirps.wav');
	writeFileSync(microphone, wavOf(chirpSound(SOUND_S), CHIRP_HZ));
	const random = createRandom(3);
	const calls: EarCallSeen[] = [];
	const ends: (() => Promise<unknown>)[] = [];
	const failed: string[] = [];

	/** Reports a failed call and goes on, because the other calls are still useful. */
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
			// The loopback shows whether the machine was quiet: at the beginning, at the end, and now and then.
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

/** Makes calls over a socket to the sandbox's mirror, in rounds, with and without a blocked page. */
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

/** One call. Every figure has one value for each call. */
interface EarCallSeen {
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
	/** Connection up and track there (whichever came later) → first sound. */
	readonly readyToSoundMs: number | null;
}

/** The browser's jitter buffer starts long and settles in about this time, ms. */
const SETTLE_MS = 2500;

/** A greater spread of the blocks' times means that sound is missing. */
const MOST_SPREAD_MS = 20;

/** Calls, listens for `lengthMs` and hangs up. `meanwhile` runs in the page once the voice plays. */
async function call(
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
	/** Sound since `mark`. */
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
async function block(page: Page): Promise<() => Promise<unknown>> {
	await page.evaluate(() => {
		const timer = setInterval(() => {
			const until = performance.now() + 400;
			while (performance.now() < until);
		}, 1000);
		Object.assign(window, { __unblock: () => clearInterval(timer) });
	});
	return () => page.evaluate('window.__unblock()');
}

interface EarArms {
	readonly arms: Readonly<Record<string, EarArm>>;
	close(): Promise<unknown>;
}

const VENDOR = `<script type="module">
import { PalabraClient } from '/lib.js';
let client;
let track;
window.begin = async (api, key) => {
  // The SDK would make the same, but not at the recorder's sample rate.
  const context = new AudioContext({ sampleRate: 48000 });
  await window.__ear.arm(context);
  client = new PalabraClient({
    auth: { userToken: key }, apiBaseUrl: api, translateFrom: 'en', translateTo: 'es', intent: 'api', audioContext: context,
    handleOriginalTrack: async () => {
      track = (await navigator.mediaDevices.getUserMedia({ audio: true })).getAudioTracks()[0];
      return track;
    },
  });
  await client.startTranslation();
  await client.startPlayback();
};
window.end = async () => {
  await client.stopTranslation();
  track?.stop();
};
window.ready = true;
</script>`;

const ANCHORS = `<script type="module">
const open = async () => (await navigator.mediaDevices.getUserMedia({ audio: true })).getAudioTracks()[0];
let end = () => {};
window.loopback = async () => {
  await window.__ear.arm();
  const track = await open();
  const [from, to] = [new RTCPeerConnection(), new RTCPeerConnection()];
  from.onicecandidate = ({ candidate }) => to.addIceCandidate(candidate);
  to.onicecandidate = ({ candidate }) => from.addIceCandidate(candidate);
  const element = new Audio();
  to.ontrack = ({ track: voice }) => { element.srcObject = new MediaStream([voice]); void element.play(); };
  from.addTrack(track, new MediaStream([track]));
  await from.setLocalDescription();
  await to.setRemoteDescription(from.localDescription);
  await to.setLocalDescription();
  await from.setRemoteDescription(to.localDescription);
  end = () => { track.stop(); from.close(); to.close(); element.srcObject = null; };
};
window.end = () => end();
window.ready = true;
</script>`;

/** Opens the pages that the app is compared with; `vendor` only if its SDK is installed. */
async function openOtherEars({ sandbox, microphone }: EarParts, vendor: boolean): Promise<EarArms> {
	const pages = { bare: BARE_PAGE, blocks: BLOCKS, anchors: ANCHORS, ...(vendor ? { vendor: VENDOR } : {}) };
	const browser = await openBenchBrowser({ microphone, pages });
	const { api, key } = sandbox.addresses;
	const open = async (name: string) => await browser.open(name, installEarTap);
	const [anchors, bare, blocks] = [await open('anchors'), await open('bare'), await open('blocks')];
	const vendorPage = vendor ? await open('vendor') : null;

	function inPage(page: Page, begin: string | (() => Promise<string>), after = async () => {}): EarArm {
		return {
			async begin() {
				// Chromium plays and captures only for the page in front.
				await page.bringToFront();
				await page.evaluate(typeof begin === 'string' ? begin : await begin());
				await hears(page);
				return page;
			},
			async end() {
				await page.evaluate('window.end()');
				await after();
				await until('no session open', () => sandbox.openSessions().length === 0);
			},
		};
	}

	/** An arm that joins a session made for its page. */
	function inSession(page: Page): EarArm {
		let leave = async () => {};
		const join = async () => {
			const session = await sessionForPage({ api, key });
			leave = session.end;
			return session.begin;
		};
		return inPage(page, join, () => leave());
	}
	return {
		arms: {
			loopback: inPage(anchors, 'window.loopback()'),
			bare: inSession(bare),
			blocks: inSession(blocks),
			...(vendorPage
				? { vendor: inPage(vendorPage, `window.begin(${JSON.stringify(api)}, ${JSON.stringify(key)})`) }
				: {}),
		},
		close: () => browser.close(),
	};
}

const NAMES: Readonly<Record<string, string>> = {
	ours: 'Dragoman',
	bare: 'bare page',
	vendor: 'vendor’s SDK',
	blocks: 'collected in blocks',
	blocked: 'Dragoman, blocked',
	loopback: 'loopback',
	socket: 'socket',
	'socket, blocked': 'socket, blocked',
};

/** Tables, goals and picture of the calls of one run. */
function reportEars(parts: {
	readonly calls: readonly EarCallSeen[];
	/** The arm of each call that failed. */
	readonly failed: readonly string[];
	readonly livekit: boolean;
}): BenchResult {
	const { calls, failed, livekit } = parts;
	const of = (arm: string) => calls.filter((call) => call.arm === arm);
	const arms = Object.keys(NAMES).filter((arm) => of(arm).length > 0);
	const numbers = (arm: string, what: 'p50Ms' | 'p95Ms' | 'maxMs' | 'packetToSoundMs' | 'readyToSoundMs') =>
		of(arm).flatMap((call) => {
			const value = call[what];
			return value === null || Number.isNaN(value) ? [] : [value];
		});
	const share = (arm: string) => {
		const spoken = of(arm).reduce((sum, call) => sum + call.spoken, 0);
		return spoken === 0 ? 0 : 1 - of(arm).reduce((sum, call) => sum + call.lost, 0) / spoken;
	};
	const why = busy(numbers('loopback', 'p50Ms'));
	/** Judges only if the machine was quiet and enough chirps were found again. */
	const judge = (names: readonly string[], bounds: readonly Bound[]): Pick<Goal, 'reached' | 'because'> => {
		if (why !== null) return { reached: null, because: why };
		const missing = names.find((arm) => of(arm).length < 2);
		if (missing) return { reached: null, because: `${NAMES[missing]}: fewer than two calls` };
		const thin = names.find((arm) => share(arm) < 0.95);
		if (thin && !thin.includes('blocked'))
			return { reached: null, because: `${NAMES[thin]}: only ${percent(share(thin))} of the chirps paired` };
		return verdict(bounds);
	};

	const ratios = ['bare', 'vendor', 'blocks'].filter((arm) => of(arm).length > 0);
	const ratio = (arm: string, what: 'p50Ms' | 'p95Ms') => ratioOf(numbers('ours', what), numbers(arm, what));
	/** Calls over WebRTC in which chirps were heard. */
	const counted = (arm: string) =>
		of(arm).flatMap(({ buffer, p50Ms, p95Ms }) =>
			buffer && Number.isFinite(p50Ms) ? [{ p50Ms, p95Ms, waitedMs: buffer.delayMs }] : [],
		);
	/** Mean time in the jitter buffer, of each call, ms. */
	const waited = (arm: string) => counted(arm).map(({ waitedMs }) => waitedMs);
	const inBuffer = (one: string, other: string) =>
		bootstrap([waited(one), waited(other)], ([ones = [], others = []]) => mean(ones) - mean(others));
	/** Delay outside the jitter buffer, of each call. Between calls the buffer changes in steps of 10 ms, but this hardly does. */
	const rests = (arm: string, what: 'p50Ms' | 'p95Ms') =>
		counted(arm).map((call) => call[what] - call.waitedMs);
	/** Compares two arms as if both had the mean time in the buffer, as a ratio and in ms. */
	function steady(one: string, other: string, what: 'p50Ms' | 'p95Ms') {
		const both = mean([...waited(one), ...waited(other)]);
		const samples = [rests(one, what), rests(other, what)];
		return {
			ratio: bootstrap(samples, ([ones = [], others = []]) => (mean(ones) + both) / (mean(others) + both)),
			more: bootstrap(samples, ([ones = [], others = []]) => mean(ones) - mean(others)),
		};
	}
	const table = [
		`Rooms on ${livekit ? 'a LiveKit server, packets given back undecoded by a participant' : 'the sandbox, no LiveKit server was there'}.${why === null ? '' : ` **This run proves nothing: ${why}.**`}`,
		'',
		'| | median of the calls | 95th percentile of a call | steps taken out | in the buffer, ms more |',
		'| --- | --- | --- | --- | --- |',
		...ratios.map(
			(arm) =>
				`| Dragoman ÷ ${NAMES[arm]} | ${written(ratio(arm, 'p50Ms'), 2)} | ${written(ratio(arm, 'p95Ms'), 2)} | ${written(steady('ours', arm, 'p50Ms').ratio, 2)} | ${written(inBuffer('ours', arm), 1)} |`,
		),
		'',
		'| | p50, ms | p95, ms | longest, ms | in the jitter buffer, ms | the rest, ms | made up | chirps lost | calls |',
		'| --- | --- | --- | --- | --- | --- | --- | --- | --- |',
		...arms.map((arm) => {
			const made = of(arm).flatMap(({ buffer }) => buffer?.concealed ?? []);
			const rest = rests(arm, 'p50Ms');
			return `| ${[
				NAMES[arm],
				written(medianOf(numbers(arm, 'p50Ms')), 0),
				written(medianOf(numbers(arm, 'p95Ms')), 0),
				Math.max(...numbers(arm, 'maxMs')).toFixed(0),
				rest.length > 0 ? mean(waited(arm)).toFixed(0) : '',
				rest.length > 0 ? written(meanOf(rest), 0) : '',
				rest.length > 0 ? percent(median(made)) : '',
				`${of(arm).reduce((sum, call) => sum + call.lost, 0)} of ${of(arm).reduce((sum, call) => sum + call.spoken, 0)}`,
				of(arm).length,
			].join(' | ')} |`;
		}),
		...(failed.length > 0 ? ['', `Calls that did not come about: ${failed.join(', ')}.`] : []),
	];

	const goals: Goal[] = [];
	if (ratios.includes('bare')) {
		const [p50, p95] = [steady('ours', 'bare', 'p50Ms'), steady('ours', 'bare', 'p95Ms')];
		const longer = inBuffer('ours', 'bare');
		goals.push({
			id: 'P1',
			goal: 'WebRTC, steps taken out: ≤ 1.03 × bare page and + 5 ms (p50, p95); buffer ≤ + 5 ms',
			measured: `p50 ${written(p50.ratio, 2)} ×, ${written(p50.more, 1)} ms; p95 ${written(p95.ratio, 2)} ×, ${written(p95.more, 1)} ms; buffer ${written(longer, 1)} ms`,
			...judge(
				['ours', 'bare'],
				[
					...[p50, p95].map((seen) => ({ seen: seen.ratio, most: 1.03 })),
					...[p50.more, p95.more, longer].map((seen) => ({ seen, most: 5 })),
				],
			),
		});
	}
	if (ratios.includes('vendor')) {
		const against = steady('ours', 'vendor', 'p50Ms').ratio;
		const longer = inBuffer('ours', 'vendor');
		goals.push({
			id: 'P1',
			goal: 'WebRTC, steps taken out: ≤ 0.65 × vendor; buffer ≤ + 5 ms',
			measured: `${written(against, 2)} ×; buffer ${written(longer, 1)} ms`,
			...judge(
				['ours', 'vendor'],
				[
					{ seen: against, most: 0.65 },
					{ seen: longer, most: 5 },
				],
			),
		});
	}
	if (ratios.includes('blocks')) {
		const against = ratio('blocks', 'p50Ms');
		goals.push({
			id: 'P2',
			goal: 'WebRTC: ≤ 0.13 × collected in blocks',
			measured: `${written(against, 2)} ×`,
			...judge(['ours', 'blocks'], [{ seen: against, most: 0.13 }]),
		});
	}
	for (const [way, plain, blocked] of [
		['WebRTC', 'ours', 'blocked'],
		['the socket', 'socket', 'socket, blocked'],
	] as const) {
		const isRoom = way === 'WebRTC';
		const change = isRoom
			? steady(blocked, plain, 'p50Ms').more
			: difference(numbers(blocked, 'p50Ms'), numbers(plain, 'p50Ms'));
		const longer = isRoom ? inBuffer(blocked, plain) : exactly(0);
		const lost = of(blocked).reduce((sum, call) => sum + call.lost, 0);
		const made = of(blocked).reduce((sum, call) => sum + (call.buffer?.concealments ?? 0), 0);
		goals.push({
			id: 'P5',
			goal: `page blocked, over ${way}: no dropout, ≤ + 5 ms${isRoom ? ', buffer too' : ''}`,
			measured: `${written(change, 1)} ms${isRoom ? `, buffer ${written(longer, 1)} ms` : ''}; ${lost} chirps lost${isRoom ? `, ${made} made up` : ''}`,
			...judge(
				[plain, blocked],
				[
					{ seen: change, most: 5 },
					{ seen: longer, most: 5 },
					{ seen: exactly(lost), most: 0 },
					{ seen: exactly(made), most: 0 },
				],
			),
		});
	}
	for (const [what, most, words] of [
		['packetToSoundMs', 100, 'first packet → sound'],
		['readyToSoundMs', 200, 'ICE and track there → sound'],
	] as const) {
		const seen = medianOf(numbers('ours', what));
		goals.push({
			id: 'P7',
			goal: `${words} ≤ ${most} ms`,
			measured: `${written(seen, 0)} ms (bare page ${written(medianOf(numbers('bare', what)), 0)} ms)`,
			...judge(['ours'], [{ seen, most }]),
		});
	}

	return {
		markdown: table.join('\n'),
		data: { calls, failed, livekit, rejected: why },
		goals,
	};
}

/** Says why the machine was too busy to measure; null: it was not. */
function busy(loopback: readonly number[]): string | null {
	if (loopback.length === 0) return 'the loopback is missing';
	const around = median(loopback);
	if (!(around >= 20 && around <= 70))
		return `the loopback was at ${around.toFixed(0)} ms, not 20 to 70: the machine was busy`;
	return null;
}

function difference(values: readonly number[], base: readonly number[]): Estimate {
	return bootstrap([values, base], ([one = [], other = []]) => median(one) - median(other));
}

function percent(share: number): string {
	return `${(100 * share).toFixed(1)} %`;
}

/**
 * Emulates the structure of another interpreter for the same service: samples are collected in blocks
 * of 4096, each block is started in a 24 kHz graph as it comes, and the output is published. The voice is
 * taken out of the room in a 24 kHz graph, buffered for 200 ms, and played from a ring buffer through an element.
 */
const BLOCKS = `<script type="module">
import { Room } from '/livekit.mjs';
const add = (context, body) =>
  context.audioWorklet.addModule(URL.createObjectURL(new Blob([body], { type: 'text/javascript' })));
const COLLECT = \`registerProcessor('collect', class extends AudioWorkletProcessor {
  block = new Float32Array(4096); at = 0;
  process([[channel]]) {
    if (!channel) return true;
    this.block.set(channel, this.at);
    this.at += channel.length;
    if (this.at === 4096) {
      this.port.postMessage(Int16Array.from(this.block, (value) => Math.max(-1, Math.min(1, value)) * 32767));
      this.at = 0;
    }
    return true;
  }
});\`;
const PASS = \`registerProcessor('pass', class extends AudioWorkletProcessor {
  process([[channel]]) { if (channel) this.port.postMessage(channel.slice()); return true; }
});\`;
const RING = \`registerProcessor('ring', class extends AudioWorkletProcessor {
  ring = new Float32Array(24000 * 120); from = 0; to = 0;
  constructor() {
    super();
    this.port.onmessage = ({ data }) => { for (const value of data) this.ring[this.to++ % this.ring.length] = value; };
  }
  process(inputs, [[channel]]) {
    for (let at = 0; at < channel.length && this.from < this.to; at++) channel[at] = this.ring[this.from++ % this.ring.length];
    return true;
  }
});\`;
let room, track, contexts, timer;
async function play(remote) {
  const [from, to] = [new AudioContext({ sampleRate: 24000 }), new AudioContext({ sampleRate: 24000 })];
  contexts.push(from, to);
  await Promise.all([add(from, PASS), add(to, RING)]);
  // Chromium feeds remote sound into a graph only while an element plays it, too; this element is not heard.
  const puller = new Audio();
  puller.muted = true;
  puller.dataset.unheard = '';
  puller.srcObject = new MediaStream([remote]);
  void puller.play();
  const ring = new AudioWorkletNode(to, 'ring', { numberOfInputs: 0, outputChannelCount: [1] });
  const output = to.createMediaStreamDestination();
  ring.connect(output);
  let collected = [], count = 0;
  const flush = () => {
    for (const piece of collected) ring.port.postMessage(piece);
    collected = [];
    count = 0;
  };
  const pass = new AudioWorkletNode(from, 'pass');
  pass.port.onmessage = ({ data }) => {
    collected.push(data);
    count += data.length;
    clearTimeout(timer);
    if (count >= 4800) flush();
    else timer = setTimeout(flush, 100);
  };
  from.createMediaStreamSource(new MediaStream([remote])).connect(pass);
  const element = new Audio();
  element.srcObject = output.stream;
  document.body.append(element, puller);
  await element.play();
}
window.begin = async (url, token) => {
  await window.__ear.arm();
  contexts = [new AudioContext({ sampleRate: 48000 }), new AudioContext({ sampleRate: 24000 })];
  const [capture, sender] = contexts;
  await add(capture, COLLECT);
  track = (await navigator.mediaDevices.getUserMedia({ audio: true })).getAudioTracks()[0];
  const output = sender.createMediaStreamDestination();
  const collect = new AudioWorkletNode(capture, 'collect');
  collect.port.onmessage = ({ data }) => {
    const buffer = sender.createBuffer(1, data.length / 2, 24000);
    const into = buffer.getChannelData(0);
    for (let at = 0; at < into.length; at++) into[at] = (data[2 * at] + data[2 * at + 1]) / 65534;
    const source = sender.createBufferSource();
    source.buffer = buffer;
    source.connect(output);
    source.start();
  };
  capture.createMediaStreamSource(new MediaStream([track])).connect(collect);
  room = new Room();
  room.on('trackSubscribed', (voice) => void play(voice.mediaStreamTrack));
  await room.connect(url, token);
  await room.localParticipant.publishTrack(output.stream.getAudioTracks()[0], {
    source: 'microphone', dtx: false, red: false, audioPreset: { maxBitrate: 32000 },
  });
};
window.end = async () => {
  await room.disconnect();
  track.stop();
  clearTimeout(timer);
  await Promise.all(contexts.map((context) => context.close()));
  document.body.replaceChildren();
};
window.ready = true;
</script>`;
