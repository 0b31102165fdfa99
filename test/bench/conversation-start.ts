import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { SLIP_MS } from '#renderer/conversation/follow-conversation.ts';
import { type Sandbox, startSandbox } from '#sandbox/sandbox.ts';
import { wavOf } from '#shared/sound/wav.ts';
import { button, until, untilPhase } from '#test/support/app-steps.ts';
import { launch } from '#test/support/launch.ts';
import { type LivekitServer, startLivekitServer } from '#test/support/livekit-server.ts';
import { createRandom } from '#test/support/random.ts';
import type { Bench, BenchOptions, BenchResult, Goal } from './bench.ts';
import { openBenchBrowser, VENDOR_LIBRARY } from './browser.ts';
import { createMirror } from './interpreters.ts';
import { median, medianOf, ratioOf, shuffled, table, verdict, written } from './statistics.ts';

const DELAYS_MS = [0, 50, 150, 400];
/** The REST delay at which the goals apply. */
const GOAL_DELAY_MS = 150;
const RATE = 48_000;
const LONG_STARTS = 30;
const SHORT_STARTS = 10;
/** A short run begins no further round after this time, in each of the two rooms. */
const SHORT_MS = 180_000;

/** From the press to the first audio packet and to the first translated sound. */
export const start: Bench = {
	name: 'start',
	title: 'Start',
	about: `The sandbox delays its REST answers by the time given.

- **vendor**: the vendor's JavaScript SDK, loaded, in a page of its own (\`test/integration/vendor-sdk.test.ts\` installs it).
- **cold**: Start by key, with nothing prepared.
- **warm**: the pointer rested on Start, so a session was prepared; then a click.

Each arm's first start is not counted. A short run measures ${SHORT_STARTS} starts of each at ${GOAL_DELAY_MS} ms (the delay of the goals), at most three minutes for each room;
\`--long\` ${LONG_STARTS} at every delay.

**The first packet** goes to a real LiveKit server (v1.8.4) on the same computer, by the browser's counter of sent packets.
**The first sound** comes from the sandbox's room, which confirms a task at once and returns every packet. Starts without a packet
within 15 seconds are counted apart.`,
	run: measure,
};

async function measure(options: BenchOptions): Promise<BenchResult> {
	const folder = mkdtempSync(join(tmpdir(), 'dragoman-bench-'));
	const microphone = join(folder, 'murmur.wav');
	const murmur = (_: unknown, index: number) => 12_000 * Math.sin((2 * Math.PI * 440 * index) / RATE);
	writeFileSync(microphone, wavOf(Int16Array.from({ length: RATE * 60 }, murmur), RATE));
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
		// Do not count the first start of each arm, which fills caches.
		for (const name of ARMS) await arms[name]?.(0).catch(() => say(`${name}: the first start failed`));
		for (let round = 1; round <= count && performance.now() < endsAtMs; round++) {
			for (const delayMs of shuffled(delays, random))
				for await (const seen of oneOfEach(sandbox, arms, delayMs, random)) starts.push({ room, ...seen });
			say(`${room}: round ${round} of ${count}, load ${loadavg()[0]?.toFixed(1)}`);
		}
	} catch (failure) {
		// Keep the measurements from before the failure.
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

/** Times of one start. */
type Seen = Pick<Start, 'packetMs' | 'soundMs' | 'steps'>;

/** Holds one conversation, as short as possible. */
type Arm = (delayMs: number) => Promise<Seen>;

interface StartParts {
	readonly sandbox: Sandbox;
	/** WAV that is loud from its beginning to its end. */
	readonly microphone: string;
	/** True if the far side returns what it hears. */
	readonly echoes: boolean;
}

interface StartProgram {
	readonly arms: Readonly<Partial<Record<ArmName, Arm>>>;
	close(): Promise<unknown>;
}

const SEEN_LIMIT_MS = 15_000;
const READY_LIMIT_MS = 5000;
/** The tail is not measured. */
const SHORT_TAIL_MS = 2000;

/** Waits until the page has counted a packet (`echoes`: has heard a sound) or the time is up, and reads the page's times. */
async function seenBy(page: Page, echoes: boolean): Promise<Seen> {
	const ask = () => page.evaluate<StartSeen>('window.__start.seen()');
	const last = echoes ? 'soundMs' : 'packetMs';
	await until('the end of a start', async () => (await ask())[last] !== null, SEEN_LIMIT_MS).catch(() => {});
	const { pressedMs, packetMs, soundMs, steps } = await ask();
	const since = (at: number | null) => (at === null || pressedMs === null ? null : at - pressedMs);
	const known = Object.entries(steps).flatMap(([step, at]) => {
		const afterMs = since(at);
		return afterMs === null ? [] : [[step, afterMs]];
	});
	return { packetMs: since(packetMs), soundMs: since(soundMs), steps: Object.fromEntries(known) };
}

/**
 * The built app. `cold`: by key, with nothing made ahead. `warm`: by mouse, which lets it make a session.
 */
async function launchOurs({ sandbox, microphone, echoes }: StartParts): Promise<StartProgram> {
	const app = await launch({
		microphone,
		probe: false,
		service: sandbox,
		settings: { speak: 'en', hear: ['es'], voiceOf: 'es' },
	});
	const { page } = app;
	await page.addInitScript(installStartProbe);
	async function reload(): Promise<void> {
		await page.reload();
		// `waitForFunction` would evaluate code in the page, which its policy forbids.
		await until('the window', () =>
			page.evaluate<boolean>('Boolean(window.__start && document.querySelector("main"))'),
		);
	}
	await reload();
	const noSession = () => until('no session open', () => sandbox.openSessions().length === 0);

	async function ready(): Promise<void> {
		// After a failed start the window shows its problem instead.
		await untilPhase(page, 'Ready', READY_LIMIT_MS).catch(reload);
		await page.mouse.move(3, 3);
		await page.evaluate('document.activeElement?.blur?.()');
		await noSession();
		// Right after the end, the app takes a press for another press of Stop.
		await page.waitForTimeout(SLIP_MS);
		await page.evaluate('window.__start.arm()');
	}

	async function finish(): Promise<Seen> {
		const seen = await seenBy(page, echoes);
		// While the app is connecting, Stop would cancel the start instead of ending the conversation.
		await untilPhase(page, 'Live');
		await page.keyboard.press('Control+Enter');
		// Click the button, because the key would start another conversation if this one is already over.
		await untilPhase(page, 'Ready', SHORT_TAIL_MS).catch(() =>
			button(page, 'Stop now')
				.click({ timeout: SHORT_TAIL_MS })
				.catch(() => {}),
		);
		await untilPhase(page, 'Ready');
		await noSession();
		return seen;
	}

	return {
		arms: {
			async cold() {
				await ready();
				await page.keyboard.press('Control+Enter');
				return await finish();
			},
			async warm(delayMs) {
				await ready();
				await button(page, 'Start').hover();
				await until('a session made ahead', () => sandbox.openSessions().length === 1);
				// Wait for the answer and for the request that follows it.
				await page.waitForTimeout(300 + 3 * delayMs);
				await button(page, 'Start').click();
				return await finish();
			},
		},
		close: () => app.close(),
	};
}

const VENDOR_PAGE = `<button id="start">Start</button>
<script type="module">
import { PalabraClient } from '/lib.js';
let client;
window.prepare = (api, key) => {
  client = new PalabraClient({
    auth: { userToken: key }, apiBaseUrl: api, translateFrom: 'en', translateTo: 'es', intent: 'api',
    handleOriginalTrack: async () => (await navigator.mediaDevices.getUserMedia({ audio: true })).getAudioTracks()[0],
  });
};
document.getElementById('start').onclick = async () => {
  await client.startTranslation();
  await client.startPlayback();
  window.started = true;
};
window.end = () => client.stopTranslation();
window.ready = true;
</script>`;

/** Opens a page with the service vendor's own SDK, its library loaded and its defaults unchanged. */
async function launchVendor({ sandbox, microphone, echoes }: StartParts): Promise<StartProgram> {
	const browser = await openBenchBrowser({ microphone, pages: { vendor: VENDOR_PAGE } });
	const page = await browser.open('vendor', installStartProbe);
	const { api, key } = sandbox.addresses;

	return {
		arms: {
			async vendor() {
				await page.evaluate(
					`window.started = false; window.prepare(${JSON.stringify(api)}, ${JSON.stringify(key)}); window.__start.arm()`,
				);
				await page.locator('#start').click();
				const seen = await seenBy(page, echoes);
				await page.waitForFunction('window.started', null, { timeout: 20_000 }).catch(() => {});
				await page.evaluate('window.end()');
				await until('no session open', () => sandbox.openSessions().length === 0);
				return seen;
			},
		},
		close: () => browser.close(),
	};
}

/** In the order of the tables. The others are compared with the vendor's SDK. */
const ARMS = ['vendor', 'cold', 'warm'] as const;
type ArmName = (typeof ARMS)[number];

/** One start. Times are ms after the press; null: did not happen in time. */
interface Start {
	readonly arm: ArmName;
	/** A real LiveKit server, or the sandbox's own room. */
	readonly room: 'server' | 'sandbox';
	/** By how much the service's REST answers were delayed, ms. */
	readonly delayMs: number;
	readonly packetMs: number | null;
	readonly soundMs: number | null;
	/** The steps on the way to the packet, ms after the press; less than 0 = before it. */
	readonly steps: Readonly<Partial<Record<StartStep, number>>>;
}

type Measure = 'packetMs' | 'soundMs';
const measures: Readonly<Record<Measure, string>> = {
	packetMs: 'first audio packet',
	soundMs: 'first translated sound',
};

/** As a multiple of the vendor's SDK, in the same run (goal P6). */
const GOALS: Readonly<Record<Measure, Readonly<Partial<Record<ArmName, number>>>>> = {
	packetMs: { cold: 0.75, warm: 0.45 },
	soundMs: { cold: 0.8, warm: 0.65 },
};

const REASONS: Readonly<Record<Measure, string>> = {
	packetMs: 'see “where the time goes” below',
	soundMs: 'the sandbox’s handshake takes 140 ms',
};

const STEPS: readonly StartStep[] = [
	'microphone asked',
	'microphone there',
	'room asked',
	'room answered',
	'ICE connected',
	'media connected',
];

/** Ratios first: they carry over to other machines better than milliseconds do. */
function resultOf(starts: readonly Start[]): BenchResult {
	const missing = starts.filter(({ packetMs }) => packetMs === null);
	const missingOf = armsOf(missing).map(
		(name) => `${missing.filter(({ arm }) => arm === name).length} of ${name}`,
	);
	const parts = [
		...(Object.keys(measures) as Measure[]).map((measure) => tableOf(starts, measure)),
		stepsOf(starts),
		...(missing.length > 0 ? [`Starts without a packet, left out: ${missingOf.join(', ')}.`] : []),
	];
	return {
		markdown: parts.join('\n\n'),
		data: starts,
		goals: (Object.keys(measures) as Measure[]).flatMap((measure) => goalsOf(starts, measure)),
	};
}

/** Packets are measured in a real server's room where there is one, sound in the sandbox's. */
function roomOf(starts: readonly Start[], measure: Measure): Start['room'] {
	return measure === 'packetMs' && starts.some(({ room }) => room === 'server') ? 'server' : 'sandbox';
}

function valuesOf(all: readonly Start[], measure: Measure, arm: ArmName, delayMs: number): number[] {
	const here = roomOf(all, measure);
	return all
		.filter(({ room }) => room === here)
		.filter((start) => start.arm === arm && start.delayMs === delayMs)
		.flatMap((start) => start[measure] ?? []);
}

const armsOf = (starts: readonly Start[]) => ARMS.filter((name) => starts.some(({ arm }) => arm === name));
const delaysOf = (starts: readonly Start[]) =>
	[...new Set(starts.map(({ delayMs }) => delayMs))].sort((one, other) => one - other);

function tableOf(starts: readonly Start[], measure: Measure): string {
	const arms = armsOf(starts);
	const base = arms[0] ?? 'cold';
	const others = arms.filter((arm) => arm !== base);
	const of = (arm: ArmName, delayMs: number) => valuesOf(starts, measure, arm, delayMs);
	const head = [
		'REST delay',
		...others.map((arm) => `${arm} ÷ ${base}`),
		...arms.map((arm) => `${arm}, ms`),
		'starts',
	];
	const rows = delaysOf(starts).map((delayMs) => [
		`${delayMs} ms`,
		...others.map((arm) => written(ratioOf(of(arm, delayMs), of(base, delayMs)), 2)),
		...arms.map((arm) => written(medianOf(of(arm, delayMs)), 0)),
		arms.map((arm) => of(arm, delayMs).length).join(', '),
	]);
	return [`### From the press to the ${measures[measure]}`, '', table(head, rows)].join('\n');
}

/** Table of the medians of all steps. */
function stepsOf(starts: readonly Start[]): string {
	const at = delaysOf(starts).includes(GOAL_DELAY_MS) ? GOAL_DELAY_MS : (delaysOf(starts)[0] ?? 0);
	const rows = armsOf(starts).map((name) => {
		const mine = starts.filter(
			({ arm, room, delayMs }) => arm === name && room === roomOf(starts, 'packetMs') && delayMs === at,
		);
		const middle = (values: readonly number[]) =>
			values.length === 0 ? 'before' : median(values).toFixed(0);
		return [
			name,
			...STEPS.map((step) => middle(mine.flatMap(({ steps }) => steps[step] ?? []))),
			middle(mine.flatMap(({ packetMs }) => packetMs ?? [])),
		];
	});
	return [
		`### Where the time goes, ms after the press, REST answering after ${at} ms`,
		'',
		table(['', ...STEPS, 'first packet'], rows),
	].join('\n');
}

function goalsOf(starts: readonly Start[], measure: Measure): Goal[] {
	const vendor = valuesOf(starts, measure, 'vendor', GOAL_DELAY_MS);
	return Object.entries(GOALS[measure]).map(([arm, limit]) => {
		const own = valuesOf(starts, measure, arm as ArmName, GOAL_DELAY_MS);
		const goal = `${arm}: ${measures[measure]} ≤ ${limit.toFixed(2)} × vendor`;
		if (vendor.length === 0 || own.length === 0)
			return { id: 'P6', goal, measured: 'not measured: one of the two is missing', reached: null };
		const ratio = ratioOf(own, vendor);
		const measured = `${written(ratio, 2)}; ${median(own).toFixed(0)} against ${median(vendor).toFixed(0)} ms`;
		return {
			id: 'P6',
			goal,
			measured,
			...verdict([{ seen: ratio, most: limit }], REASONS[measure]),
		};
	});
}

/** What happened in a page after Start, ms of `performance.now()`. */
interface StartSeen {
	readonly pressedMs: number | null;
	/** The first audio packet left. */
	readonly packetMs: number | null;
	/** The first sound of a remote track that is not silence. */
	readonly soundMs: number | null;
	/** The first time of each step. */
	readonly steps: Readonly<Partial<Record<StartStep, number>>>;
}

/** In the order in which a cold start takes them. */
type StartStep =
	| 'microphone asked'
	| 'microphone there'
	| 'room asked'
	| 'room answered'
	| 'ICE connected'
	| 'media connected';

/**
 * Watches peer connections and presses, in the same way for every arm. Its source text runs in the page before any other
 * script, so it may use nothing from this module.
 */
function installStartProbe(): void {
	const LOUD = 0.02;
	/** Length of the sound in a packet. */
	const PACKET_MS = 20;
	const nothing = () => ({
		pressedMs: null as number | null,
		packetMs: null as number | null,
		soundMs: null as number | null,
		steps: {} as Partial<Record<StartStep, number>>,
	});
	let seen = nothing();
	let round = 0;

	function step(name: StartStep): void {
		seen.steps[name] ??= performance.now();
	}

	async function watchSent(peer: RTCPeerConnection, mine: number): Promise<void> {
		while (mine === round && seen.packetMs === null && peer.connectionState !== 'closed') {
			// Read counters only once there may be packets, because each reading takes the page some time.
			if (peer.iceConnectionState !== 'new') {
				for (const row of (await peer.getStats()).values()) {
					const { type, kind, timestamp, packetsSent } = row as {
						readonly type: string;
						readonly kind?: string;
						readonly timestamp: number;
						readonly packetsSent?: number;
					};
					if (type !== 'outbound-rtp' || kind !== 'audio' || !packetsSent || mine !== round) continue;
					// The browser renews its counters every 50 ms only; packets leave one after another.
					seen.packetMs ??= timestamp - performance.timeOrigin - (packetsSent - 1) * PACKET_MS;
				}
			}
			await new Promise((done) => setTimeout(done, 10));
		}
	}

	interface Sound {
		readonly numberOfFrames: number;
		copyTo(into: Float32Array, options: { planeIndex: number; format: string }): void;
		close(): void;
	}
	async function watchHeard(track: MediaStreamTrack, mine: number): Promise<void> {
		const Processor = (
			globalThis as unknown as {
				MediaStreamTrackProcessor: new (options: {
					track: MediaStreamTrack;
				}) => {
					readable: ReadableStream<Sound>;
				};
			}
		).MediaStreamTrackProcessor;
		const reader = new Processor({ track }).readable.getReader();
		for (;;) {
			const { done, value } = await reader.read();
			if (done || mine !== round) break;
			const samples = new Float32Array(value.numberOfFrames);
			value.copyTo(samples, { planeIndex: 0, format: 'f32-planar' });
			value.close();
			if (!samples.some((sample) => Math.abs(sample) > LOUD)) continue;
			seen.soundMs ??= performance.now();
			break;
		}
		await reader.cancel().catch(() => {});
	}

	const Native = window.RTCPeerConnection;
	window.RTCPeerConnection = class extends Native {
		constructor(configuration?: RTCConfiguration) {
			super(configuration);
			const mine = round;
			void watchSent(this, mine);
			this.addEventListener('track', ({ track }) => {
				if (track.kind === 'audio') void watchHeard(track, mine);
			});
			this.addEventListener('iceconnectionstatechange', () => {
				if (this.iceConnectionState === 'connected') step('ICE connected');
			});
			this.addEventListener('connectionstatechange', () => {
				if (this.connectionState === 'connected') step('media connected');
			});
		}
	};
	const NativeSocket = window.WebSocket;
	window.WebSocket = class extends NativeSocket {
		constructor(address: string | URL, protocols?: string | string[]) {
			super(address, protocols);
			step('room asked');
			this.addEventListener('message', () => step('room answered'), { once: true });
		}
	};
	const devices = navigator.mediaDevices;
	const open = devices.getUserMedia.bind(devices);
	devices.getUserMedia = async (constraints) => {
		step('microphone asked');
		const stream = await open(constraints);
		step('microphone there');
		return stream;
	};
	for (const kind of ['click', 'keydown']) {
		addEventListener(
			kind,
			(event) => {
				if (kind === 'keydown' && (event as KeyboardEvent).key !== 'Enter') return;
				seen.pressedMs ??= event.timeStamp;
			},
			true,
		);
	}
	Object.defineProperty(window, '__start', {
		value: {
			arm() {
				round += 1;
				seen = nothing();
			},
			seen: () => seen,
		},
	});
}
