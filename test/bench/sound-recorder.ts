import type { Page } from 'playwright-core';
import type { Sandbox } from '#sandbox/sandbox.ts';
import { button, until, untilPhase } from '#test/support/app-steps.ts';
import { launch } from '#test/support/launch.ts';

/** One side of a recording: what the microphone took in, or what the page played. */
export interface EarSide {
	/** base64 of 48 kHz mono s16. */
	readonly sound: string;
	/** Frames before `mark`. */
	readonly markedAt: number;
	/** When its first frame was captured or played, ms of `performance.now()`: the median over its blocks since `mark`. */
	readonly originMs: number;
	/** From the 5th to the 95th percentile of the same, ms. More than the length of two blocks means that sound is missing. */
	readonly spreadMs: number;
}

/** The samples of a side. */
export function pcmOf({ sound }: EarSide): Int16Array {
	const bytes = Buffer.from(sound, 'base64');
	return new Int16Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >> 1);
}

/** A recording since `arm`. Times are ms of `performance.now()`; null: did not happen. */
export interface EarTake {
	readonly spoken: EarSide;
	readonly heard: EarSide;
	/** The first sound that was played. */
	readonly soundMs: number | null;
	/** ICE of the connection that carries the voice was up, and the voice's track was there. */
	readonly connectedMs: number | null;
	readonly trackMs: number | null;
	/** First packet of the voice, computed back from the newest one. */
	readonly packetMs: number | null;
	/** The browser's own counters of the voice since `mark`; null without a peer connection. */
	readonly buffer: EarBuffer | null;
}

export interface EarBuffer {
	/** Mean time a sample waited in the jitter buffer, ms. */
	readonly delayMs: number;
	/** Concealed share of what was played, pauses not counted. */
	readonly concealed: number;
	/** How often the browser had to conceal a gap. */
	readonly concealments: number;
}

/** `__ear` of a page in which `installEarTap` ran. */
interface Ear {
	/** Begins a new recording. `context`: the AudioContext through which the page plays, if it does. */
	arm(context?: AudioContext): Promise<void>;
	/** True when something plays that could be recorded. */
	hears(): boolean;
	/** The measurement begins here. */
	mark(): Promise<void>;
	take(): Promise<EarTake>;
}

/**
 * Records the microphone's track as the page gets it and what the page plays, on one clock. It reads frames with the time of
 * their capture or playing, because an audio graph would delay them differently in each call. It inserts nothing into the
 * page's own path. Its source text runs in the page before any other script, so it may use nothing from this module.
 */
export function installEarTap(): void {
	const RATE = 48_000;
	const nativeConnect = AudioNode.prototype.connect as (...all: unknown[]) => unknown;

	interface AudioDataLike {
		readonly numberOfFrames: number;
		readonly sampleRate: number;
		/** µs. */
		readonly timestamp: number;
		copyTo(into: Float32Array, options: { planeIndex: number; format: string }): void;
		close(): void;
	}
	type ProcessorMaker = new (options: {
		track: MediaStreamTrack;
		maxBufferSize: number;
	}) => { readable: ReadableStream<AudioDataLike> };

	interface Counters {
		readonly jitterBufferDelay: number;
		readonly jitterBufferEmittedCount: number;
		readonly concealedSamples: number;
		readonly silentConcealedSamples: number;
		readonly concealmentEvents: number;
		readonly totalSamplesReceived: number;
	}
	async function counters(receiver: RTCRtpReceiver | null): Promise<Counters | null> {
		const rows = receiver ? [...(await receiver.getStats()).values()] : [];
		return (rows.find(({ type }) => type === 'inbound-rtp') as unknown as Counters | undefined) ?? null;
	}
	function difference(before: Counters | null, after: Counters | null): EarBuffer | null {
		if (!before || !after) return null;
		const since = (name: keyof Counters) => after[name] - before[name];
		const emitted = since('jitterBufferEmittedCount');
		const made = since('concealedSamples') - since('silentConcealedSamples');
		if (emitted === 0) return null;
		return {
			delayMs: (1000 * since('jitterBufferDelay')) / emitted,
			concealed: made / Math.max(1, since('totalSamplesReceived')),
			concealments: since('concealmentEvents'),
		};
	}

	interface Source {
		/** Hz. A track may begin at another rate before its first packet; frames of another rate are another source. */
		readonly rate: number;
		readonly chunks: { readonly pcm: Float32Array; readonly atMs: number }[];
		samples: number;
		markedAt: number;
	}
	interface Recording {
		/** Sources of each side; the loudest counts. */
		readonly sources: readonly [Source[], Source[]];
		/** Where a page that plays through its AudioContext is heard. */
		readonly output: MediaStreamAudioDestinationNode | null;
		/** `performance.now()` less the frames' clock, by the least delayed arrival. */
		clockMs: number;
		connectedMs: number | null;
		trackMs: number | null;
		packetMs: number | null;
		plays: boolean;
		receiver: RTCRtpReceiver | null;
		before: Counters | null;
	}
	let recording: Recording | null = null;

	function begin(context?: AudioContext): Recording {
		return {
			sources: [[], []],
			output: context ? new MediaStreamAudioDestinationNode(context, { channelCount: 1 }) : null,
			clockMs: Number.POSITIVE_INFINITY,
			connectedMs: null,
			trackMs: null,
			packetMs: null,
			plays: false,
			receiver: null,
			before: null,
		};
	}

	async function record(track: MediaStreamTrack, side: 0 | 1, into: Recording): Promise<void> {
		let source: Source | null = null;
		const Processor = (globalThis as unknown as { MediaStreamTrackProcessor: ProcessorMaker })
			.MediaStreamTrackProcessor;
		// Frames wait here while the page is blocked.
		const reader = new Processor({ track, maxBufferSize: 5000 }).readable.getReader();
		for (;;) {
			const { done, value } = await reader.read();
			if (done || into !== recording) {
				value?.close();
				await reader.cancel();
				return;
			}
			if (source === null || value.sampleRate !== source.rate) {
				source = { rate: value.sampleRate, chunks: [], samples: 0, markedAt: 0 };
				into.sources[side].push(source);
			}
			const pcm = new Float32Array(value.numberOfFrames);
			value.copyTo(pcm, { planeIndex: 0, format: 'f32-planar' });
			const atMs = value.timestamp / 1000;
			value.close();
			source.chunks.push({ pcm, atMs });
			source.samples += pcm.length;
			into.clockMs = Math.min(into.clockMs, performance.now() - atMs);
		}
	}

	function tap(track: MediaStreamTrack, side: 0 | 1): void {
		if (!recording) return;
		void record(track, side, recording);
		if (side === 1) recording.plays = true;
	}

	/** Of all samples since `mark`. */
	function energy({ chunks, markedAt }: Source): number {
		let [at, sum] = [0, 0];
		for (const { pcm } of chunks) {
			if (at >= markedAt) for (const value of pcm) sum += value * value;
			at += pcm.length;
		}
		return sum;
	}

	function loudest(sources: readonly Source[]): Source {
		const [first, ...others] = sources;
		if (!first) throw new Error('nothing was recorded');
		return others.reduce((best, one) => (energy(one) > energy(best) ? one : best), first);
	}

	/**
	 * The time of the first frame, as computed from each block. Of blocks made together only the first counts, because the
	 * others waited for it.
	 */
	function originsOf({ rate, chunks, markedAt }: Source): number[] {
		const origins: number[] = [];
		let at = 0;
		let lastMs = Number.NEGATIVE_INFINITY;
		for (const { pcm, atMs } of chunks) {
			const isOfLast = atMs - lastMs < (pcm.length / rate) * 500;
			if (at >= markedAt && !isOfLast) origins.push(atMs - (at / rate) * 1000);
			lastMs = atMs;
			at += pcm.length;
		}
		return origins.sort((one, other) => one - other);
	}

	/** All samples, at `RATE`. */
	async function soundOf({ rate, chunks, samples }: Source): Promise<Float32Array> {
		const pcm = new Float32Array(samples);
		let at = 0;
		for (const chunk of chunks) {
			pcm.set(chunk.pcm, at);
			at += chunk.pcm.length;
		}
		if (rate === RATE) return pcm;
		const context = new OfflineAudioContext(1, Math.ceil((samples * RATE) / rate), RATE);
		const buffer = context.createBuffer(1, samples, rate);
		buffer.copyToChannel(pcm, 0);
		const player = new AudioBufferSourceNode(context, { buffer });
		nativeConnect.call(player, context.destination);
		player.start();
		return (await context.startRendering()).getChannelData(0);
	}

	async function sideOf(source: Source, clockMs: number): Promise<EarSide> {
		const pcm = Int16Array.from(await soundOf(source), (value) =>
			Math.round(Math.max(-1, Math.min(1, value)) * 32_767),
		);
		const blob = new Blob([pcm]);
		const sound = await new Promise<string>((done) => {
			const reader = new FileReader();
			reader.onload = () => done(String(reader.result).split(',')[1] ?? '');
			reader.readAsDataURL(blob);
		});
		const origins = originsOf(source);
		const share = (part: number) => origins[Math.floor(part * (origins.length - 1))] ?? Number.NaN;
		return {
			sound,
			markedAt: Math.round((source.markedAt * RATE) / source.rate),
			originMs: share(0.5) + clockMs,
			spreadMs: share(0.95) - share(0.05),
		};
	}

	function firstSound({ rate, chunks }: Source, clockMs: number): number | null {
		for (const { pcm, atMs } of chunks) {
			const index = pcm.findIndex((value) => value !== 0);
			if (index >= 0) return atMs + clockMs + (index / rate) * 1000;
		}
		return null;
	}

	const media = navigator.mediaDevices;
	const nativeGet = media.getUserMedia.bind(media);
	media.getUserMedia = async (constraints) => {
		const stream = await nativeGet(constraints);
		const [track] = stream.getAudioTracks();
		if (track) tap(track, 0);
		return stream;
	};

	const srcObject = Object.getOwnPropertyDescriptor(HTMLMediaElement.prototype, 'srcObject');
	if (srcObject?.set) {
		const { set } = srcObject;
		Object.defineProperty(HTMLMediaElement.prototype, 'srcObject', {
			...srcObject,
			set(this: HTMLMediaElement, value: MediaProvider | null) {
				set.call(this, value);
				const track = value instanceof MediaStream ? value.getAudioTracks()[0] : undefined;
				const isHeard = this.dataset.unheard === undefined;
				if (track && recording && !recording.output && isHeard) tap(track, 1);
			},
		});
	}
	AudioNode.prototype.connect = function connect(this: AudioNode, ...args: unknown[]) {
		const result = nativeConnect.apply(this, args);
		if (recording?.output && args[0] === recording.output.context.destination) {
			nativeConnect.call(this, recording.output);
			const [track] = recording.output.stream.getAudioTracks();
			if (track && !recording.plays) tap(track, 1);
		}
		return result;
	} as typeof AudioNode.prototype.connect;

	/** Packets come every 20 ms, so the first is computed from the newest and their number. */
	async function watchPackets(receiver: RTCRtpReceiver, mine: Recording): Promise<void> {
		while (mine === recording && mine.packetMs === null && receiver.track.readyState === 'live') {
			for (const row of (await receiver.getStats()).values()) {
				const { type, packetsReceived, lastPacketReceivedTimestamp } = row as {
					type: string;
					packetsReceived?: number;
					lastPacketReceivedTimestamp?: number;
				};
				if (type !== 'inbound-rtp' || !packetsReceived || !lastPacketReceivedTimestamp) continue;
				mine.packetMs = lastPacketReceivedTimestamp - performance.timeOrigin - (packetsReceived - 1) * 20;
			}
			await new Promise((done) => setTimeout(done, 60));
		}
	}

	const Native = window.RTCPeerConnection;
	window.RTCPeerConnection = class extends Native {
		constructor(configuration?: RTCConfiguration) {
			super(configuration);
			let upMs: number | null = null;
			this.addEventListener('iceconnectionstatechange', () => {
				if (this.iceConnectionState === 'connected') upMs ??= performance.now();
			});
			this.addEventListener('track', ({ track, receiver }) => {
				if (track.kind !== 'audio' || !recording || recording.trackMs !== null) return;
				const mine = recording;
				mine.trackMs = performance.now();
				mine.connectedMs = upMs;
				mine.receiver = receiver;
				void watchPackets(receiver, mine);
			});
		}
	};

	const ear: Ear = {
		async arm(context) {
			recording = begin(context);
		},
		hears: () => recording?.plays ?? false,
		async mark() {
			if (!recording) throw new Error('not armed');
			recording.before = await counters(recording.receiver);
			for (const source of recording.sources.flat()) source.markedAt = source.samples;
		},
		async take() {
			const taken = recording;
			recording = null;
			if (!taken) throw new Error('not armed');
			const buffer = difference(taken.before, await counters(taken.receiver));
			const { connectedMs, trackMs, packetMs, sources, clockMs } = taken;
			const [said, played] = [loudest(sources[0]), loudest(sources[1])];
			const [spoken, heard] = [await sideOf(said, clockMs), await sideOf(played, clockMs)];
			const soundMs = firstSound(played, clockMs);
			return { spoken, heard, soundMs, connectedMs, trackMs, packetMs, buffer };
		},
	};
	Object.defineProperty(window, '__ear', { value: ear });
}

/** A client that can make a call. */
export interface EarArm {
	/** Begins a call and its recording; resolves when the voice plays. */
	begin(): Promise<Page>;
	end(): Promise<void>;
}

export interface EarParts {
	readonly sandbox: Sandbox;
	/** WAV of chirps. */
	readonly microphone: string;
}

const LIMIT_MS = 60_000;

/** Resolves when the page plays a voice. */
export async function hears(page: Page): Promise<void> {
	await until('a voice that plays', () => page.evaluate<boolean>('window.__ear.hears()'), LIMIT_MS);
}

/** Opens the built app with its defaults; calls begin by mouse. */
export async function launchOurEars(
	{ sandbox, microphone }: EarParts,
	settings: Readonly<Record<string, unknown>> = {},
): Promise<{ readonly arm: EarArm; close(): Promise<unknown> }> {
	const { s2s } = sandbox.addresses;
	const app = await launch({
		microphone,
		probe: false,
		service: sandbox,
		env: { DRAGOMAN_S2S_URL: s2s },
		settings: { speak: 'en', hear: ['es'], voiceOf: 'es', ...settings },
	});
	const { page } = app;
	await page.addInitScript(installEarTap);
	await page.reload();
	// Poll from outside: Playwright's own polling evaluates code in the page, which its policy forbids.
	const there = () => page.evaluate<boolean>('Boolean(window.__ear && document.querySelector("main"))');
	await until('the app and its taps', there, LIMIT_MS).catch(async (failure: unknown) => {
		await app.close();
		throw failure;
	});
	return {
		arm: {
			async begin() {
				await untilPhase(page, 'Ready');
				await page.evaluate('window.__ear.arm()');
				await button(page, 'Start').click();
				await hears(page);
				return page;
			},
			async end() {
				await page.keyboard.press('Control+Enter');
				// Do not wait for the last sentences.
				await page.keyboard.press('Control+Enter');
				await untilPhase(page, 'Ready');
				await page.mouse.move(3, 3);
				await page.evaluate('document.activeElement?.blur?.()');
				await until('no session open', () => sandbox.openSessions().length === 0);
			},
		},
		close: () => app.close(),
	};
}
