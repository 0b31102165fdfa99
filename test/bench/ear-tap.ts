/** What was recorded in a page since `arm`, base64 of 48 kHz stereo s16: left what was spoken, right what is played. */
export interface EarTake {
	readonly sound: string;
	/** ms of `performance.now()`, null = did not happen. */
	readonly startedMs: number | null;
	/** ICE of the connection that carries the voice was up, and the voice's track was there. */
	readonly connectedMs: number | null;
	readonly trackMs: number | null;
	/** First packet of the voice, computed back from the newest one. */
	readonly packetMs: number | null;
	/** Frames before `mark`. */
	readonly markedAt: number;
	/** What the browser's own counters of the voice say since `mark`; null without a peer connection. */
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
export interface Ear {
	/** Begins anew. `node`: the page plays through its AudioContext, which is `context`. */
	arm(context?: AudioContext): Promise<void>;
	/** Whether anything is playing that could be recorded. */
	hears(): boolean;
	/** Plays one track into both sides, to measure what the taps themselves add. */
	wire(track: MediaStreamTrack): void;
	/** The measurement begins here. */
	mark(): Promise<void>;
	take(): Promise<EarTake>;
}

/**
 * Two taps on one clock: the microphone's track as the page gets it, and what it plays, joined in one graph and
 * recorded from there. Both ways into the graph are alike, so what they add cancels. Nothing lies in the page's
 * own path. `toString()` of it runs in the page before any page script, so it may use nothing from outside.
 */
export function installEarTap(): void {
	const RATE = 48_000;
	const nativeConnect = AudioNode.prototype.connect as (...all: unknown[]) => unknown;

	interface AudioDataLike {
		readonly numberOfFrames: number;
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
		return {
			delayMs: emitted === 0 ? 0 : (1000 * since('jitterBufferDelay')) / emitted,
			concealed: made / Math.max(1, since('totalSamplesReceived')),
			concealments: since('concealmentEvents'),
		};
	}

	interface Recording {
		readonly context: AudioContext;
		readonly sides: readonly [GainNode, GainNode];
		readonly chunks: [Float32Array, Float32Array][];
		readonly given: boolean;
		samples: number;
		originMs: number;
		connectedMs: number | null;
		trackMs: number | null;
		packetMs: number | null;
		plays: boolean;
		markedAt: number;
		receiver: RTCRtpReceiver | null;
		before: Counters | null;
		end(): Promise<void>;
	}
	let recording: Recording | null = null;

	function begin(given?: AudioContext): Recording {
		const context = given ?? new AudioContext({ sampleRate: RATE, latencyHint: 'interactive' });
		void context.resume();
		const output = context.createMediaStreamDestination();
		output.channelCount = 2;
		const merger = context.createChannelMerger(2);
		nativeConnect.call(merger, output);
		const sides = [0, 1].map((side) => {
			const gain = context.createGain();
			gain.channelCount = 1;
			gain.channelCountMode = 'explicit';
			nativeConnect.call(gain, merger, 0, side);
			return gain;
		});
		// A source that never ends, so that silence is recorded too.
		const silence = context.createConstantSource();
		silence.offset.value = 0;
		silence.start();
		for (const side of sides) nativeConnect.call(silence, side);
		const made: Recording = {
			context,
			sides: sides as unknown as Recording['sides'],
			chunks: [],
			given: given !== undefined,
			samples: 0,
			originMs: Number.POSITIVE_INFINITY,
			connectedMs: null,
			trackMs: null,
			packetMs: null,
			plays: false,
			markedAt: 0,
			receiver: null,
			before: null,
			async end() {
				for (const track of output.stream.getTracks()) track.stop();
				merger.disconnect();
				if (!given) await context.close();
			},
		};
		const [sound] = output.stream.getAudioTracks();
		if (sound) void record(sound, made);
		return made;
	}

	async function record(sound: MediaStreamTrack, into: Recording): Promise<void> {
		const Processor = (globalThis as unknown as { MediaStreamTrackProcessor: ProcessorMaker })
			.MediaStreamTrackProcessor;
		// Long enough for a blocked page: frames that are not read yet wait here.
		const reader = new Processor({ track: sound, maxBufferSize: 5000 }).readable.getReader();
		for (;;) {
			const { done, value } = await reader.read();
			if (done) return;
			const count = value.numberOfFrames;
			const pair: [Float32Array, Float32Array] = [new Float32Array(count), new Float32Array(count)];
			for (const planeIndex of [0, 1]) {
				const plane = pair[planeIndex];
				if (plane) value.copyTo(plane, { planeIndex, format: 'f32-planar' });
			}
			value.close();
			into.chunks.push(pair);
			into.samples += count;
			// The least delayed arrival tells best when the recording began.
			into.originMs = Math.min(into.originMs, performance.now() - (into.samples / RATE) * 1000);
		}
	}

	function tap(track: MediaStreamTrack, side: 0 | 1): void {
		if (!recording) return;
		const source = recording.context.createMediaStreamSource(new MediaStream([track]));
		nativeConnect.call(source, recording.sides[side]);
		if (side === 1) recording.plays = true;
	}

	const media = navigator.mediaDevices;
	const nativeGet = media.getUserMedia.bind(media);
	media.getUserMedia = async (wish) => {
		const stream = await nativeGet(wish);
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
				if (track && recording && !recording.given && isHeard) tap(track, 1);
			},
		});
	}
	AudioNode.prototype.connect = function connect(this: AudioNode, ...args: unknown[]) {
		const result = nativeConnect.apply(this, args);
		if (recording?.given && args[0] === recording.context.destination) {
			nativeConnect.call(this, recording.sides[1]);
			recording.plays = true;
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
			await recording?.end();
			recording = begin(context);
		},
		hears: () => recording?.plays ?? false,
		wire: (track) => tap(track, 1),
		async mark() {
			if (!recording) throw new Error('not armed');
			recording.before = await counters(recording.receiver);
			recording.markedAt = recording.samples;
		},
		async take() {
			const taken = recording;
			recording = null;
			if (!taken) throw new Error('not armed');
			const buffer = difference(taken.before, await counters(taken.receiver));
			await taken.end();
			const pcm = new Int16Array(taken.samples * 2);
			let at = 0;
			for (const [left, right] of taken.chunks) {
				for (let index = 0; index < left.length; index++) {
					for (const side of [left, right])
						pcm[at++] = Math.round(Math.max(-1, Math.min(1, side[index] ?? 0)) * 32_767);
				}
			}
			const blob = new Blob([pcm]);
			const sound = await new Promise<string>((done) => {
				const reader = new FileReader();
				reader.onload = () => done(String(reader.result).split(',')[1] ?? '');
				reader.readAsDataURL(blob);
			});
			const { connectedMs, trackMs, packetMs, originMs, markedAt } = taken;
			const startedMs = Number.isFinite(originMs) ? originMs : null;
			return { sound, startedMs, connectedMs, trackMs, packetMs, markedAt, buffer };
		},
	};
	Object.defineProperty(window, '__ear', { value: ear });
}
