import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { button, longMicrophone, until, untilPhase } from '#test/support/app-steps.ts';
import type { FarService } from '#test/support/shaper/far-service.ts';
import type { Line } from '#test/support/shaper/line.ts';
import { startLineApp } from '#test/support/shaper/line-app.ts';
import { BARE_PAGE, openBenchBrowser } from './browser.ts';
import type { TextSlot } from './forwarder.ts';

/** A client in a call, at the near end of the line. */
export interface Caller {
	readonly page: Page;
	/** What was heard since the last call. */
	heard(): Promise<readonly HeardSlot[]>;
	/** True when the client has given up reconnecting. */
	isOut(): Promise<boolean>;
	/** Does what a person would then do: presses Start, or reloads the page and calls in a new session. */
	callAgain(): Promise<void>;
	/** Leaves the call. Dragoman also deletes its session. */
	hangUp(): Promise<void>;
}

/** Dragoman and the bare page, each in a call of its own over the same line at the same time. */
export interface Callers {
	readonly line: Line;
	readonly service: FarService;
	readonly ours: Caller;
	readonly bare: Caller;
	/** Dragoman's log so far. */
	log(): string;
	/** Makes the participant that sends the voice leave the rooms, or lets it enter them again. */
	setVoicePresent(there: boolean): Promise<void>;
	/** Texts sent in their rooms since the last call, as they arrived at the far end. */
	said(): Promise<readonly TextSlot[]>;
	close(): Promise<void>;
}

const LIMIT_MS = 60_000;
const LIVEKIT = 'v1.8.4';

/**
 * Resolves once both hear the voice, or to what this computer lacks for a simulated line. `probes` run in both pages before
 * any other script.
 */
export async function openCallers(
	speechS: number,
	...probes: readonly (() => void)[]
): Promise<Callers | { readonly missing: string }> {
	const ends: (() => Promise<unknown>)[] = [];
	const close = async () => {
		for (const end of ends.splice(0).reverse()) await end().catch(() => {});
	};
	const far = await startLineApp({
		livekit: LIVEKIT,
		faults: ['no-voice'],
		settings: { transport: 'webrtc', speak: 'en', hear: ['es'], voiceOf: 'es' },
		probe: false,
	});
	if ('missing' in far) return far;
	ends.push(far.stop);
	const { line, service, app } = far;
	try {
		const { livekit, api, key } = service.places;
		if (!livekit) throw new Error('no LiveKit server at the far end');
		const voice = await startForwarder(line, livekit);
		ends.push(voice.close);

		const browser = await openBenchBrowser({
			microphone: longMicrophone(speechS),
			pages: { bare: BARE_PAGE },
			wrap: line.near.wrap,
			env: { HOME: service.places.home },
		});
		ends.push(browser.close);
		const page = await browser.open('bare', installHearing, ...probes);
		const callBare = () =>
			page.evaluate(
				async ([base, bearer]) => {
					const answer = await fetch(`${base}/session-storage/session`, {
						method: 'POST',
						headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
						body: JSON.stringify({ data: { subscriber_count: 0, intent: 'api' } }),
					});
					const { data } = await answer.json();
					const { begin } = window as unknown as { begin(url: string, token: string): Promise<void> };
					await begin(data.webrtc_url, data.publisher);
				},
				[api, key] as const,
			);
		await callBare();

		for (const probe of [installHearing, ...probes]) await app.page.addInitScript(probe);
		await app.page.reload();
		await until(
			'the app and its counters',
			() => app.page.evaluate<boolean>('Boolean(window.__hearing && document.querySelector("main"))'),
			LIMIT_MS,
		);
		await untilPhase(app.page, 'Ready');
		await button(app.page, 'Start').click();
		await untilPhase(app.page, 'Live', LIMIT_MS);
		const callers: Callers = {
			line,
			service,
			ours: {
				...caller(app.page),
				isOut: () => button(app.page, 'Start').isVisible(),
				callAgain: () => button(app.page, 'Start').click(),
				async hangUp() {
					await app.page.keyboard.press('Control+Enter');
					if (await button(app.page, 'Stop now').isVisible()) await app.page.keyboard.press('Control+Enter');
					await untilPhase(app.page, 'Ready', LIMIT_MS);
				},
			},
			bare: {
				...caller(page),
				isOut: () => page.evaluate<boolean>('window.isOut()'),
				async callAgain() {
					await page.reload();
					await page.waitForFunction('window.ready');
					await callBare();
				},
				hangUp: () => page.evaluate('window.end()'),
			},
			log: app.log,
			setVoicePresent: voice.setPresent,
			said: voice.texts,
			close,
		};
		await Promise.all([callers.ours, callers.bare].map(untilHeard));
		return callers;
	} catch (failure) {
		await close();
		throw failure;
	}
}

function caller(page: Page): Pick<Caller, 'page' | 'heard'> {
	return { page, heard: () => page.evaluate(() => window.__hearing()) };
}

async function untilHeard({ page, heard }: Pick<Caller, 'page' | 'heard'>): Promise<void> {
	await until(
		`the voice is heard in ${page.url()}`,
		async () => (await heard()).some(({ samples, concealed }) => samples - concealed > 0),
		LIMIT_MS,
	);
}

/** Starts the forwarder in a separate process at the far end, because this process cannot reach that network. */
async function startForwarder(
	line: Line,
	server: { readonly url: string; readonly key: string; readonly secret: string },
): Promise<{
	setPresent(there: boolean): Promise<void>;
	texts(): Promise<readonly TextSlot[]>;
	close(): Promise<void>;
}> {
	const script = join(import.meta.dirname, 'forwarder-child.ts');
	const [program = '', ...args] = [...line.far.wrap, process.execPath, script, JSON.stringify(server)];
	const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
	const exited = new Promise<void>((done) => child.once('exit', () => done()));
	const says = (word: string) =>
		Promise.race([
			new Promise<void>((done) => child.on('message', (said) => said === word && done())),
			exited.then(() => Promise.reject(new Error('whoever gives the voice ended'))),
		]);
	await says('ready');
	return {
		async setPresent(there) {
			const word = there ? 'back' : 'away';
			const answered = says(word);
			child.send(word);
			await answered;
		},
		async texts() {
			const answered = new Promise<readonly TextSlot[]>((done) => {
				const hear = (said: unknown) => {
					if (typeof said !== 'object' || said === null || !('texts' in said)) return;
					child.off('message', hear);
					done(said.texts as readonly TextSlot[]);
				};
				child.on('message', hear);
			});
			child.send('texts');
			return Promise.race([answered, exited.then(() => [])]);
		},
		async close() {
			if (child.connected) child.disconnect();
			const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
			await exited;
			clearTimeout(timer);
		},
	};
}

/** How much of the voice arrived in about a quarter of a second, by the browser's own counters (samples at 48 kHz). */
export interface HeardSlot {
	/** Its end, ms since 1970, so that two pages of one computer can be compared. */
	readonly atMs: number;
	readonly lengthMs: number;
	/** Samples that were due to be played. */
	readonly samples: number;
	/** How many of these were concealed, and how many of those were silent. */
	readonly concealed: number;
	readonly silent: number;
	/** How often concealment began. */
	readonly events: number;
}

declare global {
	interface Window {
		/** The slots since the last call. */
		readonly __hearing: () => HeardSlot[];
		/** Sends a signalling message to the room's server, in place of the page's library. */
		readonly __signal: (bytes: readonly number[]) => boolean;
	}
}

/**
 * Reads the counters of every voice that comes over a peer connection, and keeps those of the clearest. Its source text runs
 * in the page before any other script, so it may use nothing from this module.
 */
function installHearing(): void {
	const EVERY_MS = 250;
	interface Counters {
		totalSamplesReceived: number;
		concealedSamples: number;
		silentConcealedSamples: number;
		concealmentEvents: number;
	}
	const none: Counters = {
		totalSamplesReceived: 0,
		concealedSamples: 0,
		silentConcealedSamples: 0,
		concealmentEvents: 0,
	};
	const voices = new Map<RTCRtpReceiver, Counters>();
	let slots: HeardSlot[] = [];
	let beganMs = Date.now();

	const Connection = window.RTCPeerConnection;
	window.RTCPeerConnection = class extends Connection {
		constructor(configuration?: RTCConfiguration) {
			super(configuration);
			this.addEventListener('track', ({ track, receiver }) => {
				if (track.kind === 'audio' && !voices.has(receiver)) voices.set(receiver, none);
			});
			this.addEventListener('connectionstatechange', () => {
				if (this.connectionState !== 'closed') return;
				for (const receiver of this.getReceivers()) voices.delete(receiver);
			});
		}
	};
	const Socket = window.WebSocket;
	let signal: WebSocket | null = null;
	window.WebSocket = class extends Socket {
		constructor(address: string | URL, protocols?: string | string[]) {
			super(address, protocols);
			if (String(address).includes('/rtc')) signal = this;
		}
	};

	async function since(receiver: RTCRtpReceiver, before: Counters): Promise<Counters> {
		const rows = [...(await receiver.getStats()).values()];
		const now = rows.find(({ type }) => type === 'inbound-rtp') as unknown as Counters | undefined;
		if (!now) return none;
		voices.set(receiver, now);
		return Object.fromEntries(
			(Object.keys(none) as (keyof Counters)[]).map((name) => [
				name,
				Math.max(0, (now[name] ?? 0) - (before[name] ?? 0)),
			]),
		) as unknown as Counters;
	}

	async function look(): Promise<void> {
		const heard = await Promise.all(
			[...voices].map(([receiver, before]) => since(receiver, before).catch(() => none)),
		);
		const atMs = Date.now();
		const clear = (each: Counters) => each.totalSamplesReceived - each.concealedSamples;
		const best = heard.reduce((one, other) => (clear(other) > clear(one) ? other : one), heard[0] ?? none);
		slots.push({
			atMs,
			lengthMs: atMs - beganMs,
			samples: best.totalSamplesReceived,
			concealed: best.concealedSamples,
			silent: best.silentConcealedSamples,
			events: best.concealmentEvents,
		});
		beganMs = atMs;
	}
	void (async () => {
		for (;;) {
			await new Promise((done) => setTimeout(done, EVERY_MS));
			await look();
		}
	})();
	Object.defineProperty(window, '__hearing', {
		value: () => {
			const taken = slots;
			slots = [];
			return taken;
		},
	});
	Object.defineProperty(window, '__signal', {
		value: (bytes: readonly number[]) => {
			if (signal?.readyState !== WebSocket.OPEN) return false;
			signal.send(new Uint8Array(bytes));
			return true;
		},
	});
}
