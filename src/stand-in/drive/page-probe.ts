/**
 * Listens to the page as its user would: everything that plays in a media element (with its volume, mute and
 * pause) or ends in an AudioContext's destination is "heard", everything a microphone gives is "spoken". Both
 * are recorded in passing, at 48 kHz on one time axis. Its `toString()` runs in the page before any page
 * script, so it may use nothing from outside.
 */
export function installProbe(): void {
	const RATE = 48_000;
	/** The newest ten minutes are kept: 115 MB. */
	const MAX_SAMPLES = RATE * 60 * 10;
	const nativeConnect = AudioNode.prototype.connect as (node: AudioNode) => AudioNode;

	interface Track {
		readonly chunks: Float32Array[];
		/** Number of samples received in all. */
		samples: number;
		/** How many of them have been dropped. */
		dropped: number;
		/** performance.now() of sample 0, the best estimate so far. */
		originMs: number;
		readonly input: GainNode;
	}

	let context: AudioContext | null = null;
	const tracks = new Map<string, Track>();
	let lastPressMs = 0;

	function ensureContext(): AudioContext {
		context ??= new AudioContext({ sampleRate: RATE, latencyHint: 'interactive' });
		void context.resume();
		return context;
	}

	function track(name: string): Track {
		const known = tracks.get(name);
		if (known) return known;
		const own = ensureContext();
		const output = own.createMediaStreamDestination();
		const input = own.createGain();
		// One channel, and a source that never ends, so that silence is recorded too.
		input.channelCount = 1;
		input.channelCountMode = 'explicit';
		nativeConnect.call(input, output);
		const silence = own.createConstantSource();
		silence.offset.value = 0;
		nativeConnect.call(silence, input);
		silence.start();
		const made: Track = { chunks: [], samples: 0, dropped: 0, originMs: Number.POSITIVE_INFINITY, input };
		tracks.set(name, made);
		const [sound] = output.stream.getAudioTracks();
		if (sound) void record(sound, made);
		return made;
	}

	async function record(sound: MediaStreamTrack, into: Track): Promise<void> {
		const Processor = (globalThis as unknown as { MediaStreamTrackProcessor: ProcessorMaker })
			.MediaStreamTrackProcessor;
		const reader = new Processor({ track: sound, maxBufferSize: 3000 }).readable.getReader();
		for (;;) {
			const { done, value } = await reader.read();
			if (done) return;
			const chunk = new Float32Array(value.numberOfFrames);
			value.copyTo(chunk, { planeIndex: 0, format: 'f32-planar' });
			value.close();
			into.chunks.push(chunk);
			into.samples += chunk.length;
			while (into.samples - into.dropped > MAX_SAMPLES) into.dropped += into.chunks.shift()?.length ?? 0;
			// The least delayed arrival is the best sign of when the recording began.
			into.originMs = Math.min(into.originMs, performance.now() - (into.samples / RATE) * 1000);
		}
	}

	interface AudioDataLike {
		readonly numberOfFrames: number;
		copyTo(into: Float32Array, options: { planeIndex: number; format: string }): void;
		close(): void;
	}
	type ProcessorMaker = new (options: {
		track: MediaStreamTrack;
		maxBufferSize: number;
	}) => { readable: ReadableStream<AudioDataLike> };

	function tapStream(stream: MediaStream, name: string): GainNode {
		const into = track(name);
		const own = ensureContext();
		const source = own.createMediaStreamSource(stream);
		const gain = own.createGain();
		nativeConnect.call(source, gain);
		nativeConnect.call(gain, into.input);
		return gain;
	}

	// Records media elements that play a stream.
	const taps = new WeakMap<HTMLMediaElement, { stream: MediaStream; gain: GainNode }>();
	const elements = new Set<HTMLMediaElement>();
	const srcObject = Object.getOwnPropertyDescriptor(HTMLMediaElement.prototype, 'srcObject');
	function follow(element: HTMLMediaElement): void {
		const stream = element.srcObject;
		const tap = taps.get(element);
		if (tap && tap.stream !== stream) {
			tap.gain.disconnect();
			taps.delete(element);
		}
		if (!(stream instanceof MediaStream)) {
			elements.delete(element);
			return;
		}
		if (!taps.has(element) && stream.getAudioTracks().length > 0) {
			taps.set(element, { stream, gain: tapStream(stream, 'heard') });
		}
		elements.add(element);
		adjust(element);
	}
	function adjust(element: HTMLMediaElement): void {
		const tap = taps.get(element);
		if (tap) tap.gain.gain.value = element.muted || element.paused ? 0 : element.volume;
	}
	if (srcObject?.set && srcObject.get) {
		const { get, set } = srcObject;
		Object.defineProperty(HTMLMediaElement.prototype, 'srcObject', {
			...srcObject,
			get,
			set(this: HTMLMediaElement, value: MediaProvider | null) {
				set.call(this, value);
				for (const event of ['volumechange', 'play', 'playing', 'pause']) {
					this.addEventListener(event, () => adjust(this));
				}
				follow(this);
			},
		});
	}
	// Tracks may be added to a stream that is already playing.
	setInterval(() => {
		for (const element of elements) follow(element);
	}, 100);

	// Records everything that ends in a destination.
	const doubles = new WeakMap<BaseAudioContext, MediaStreamAudioDestinationNode>();
	AudioNode.prototype.connect = function connect(this: AudioNode, ...args: unknown[]) {
		const [target] = args;
		const result = (nativeConnect as (...all: unknown[]) => unknown).apply(this, args);
		if (
			target instanceof AudioDestinationNode &&
			target.context instanceof AudioContext &&
			target.context !== context
		) {
			let double = doubles.get(target.context);
			if (!double) {
				double = target.context.createMediaStreamDestination();
				doubles.set(target.context, double);
				tapStream(double.stream, 'heard');
			}
			nativeConnect.call(this, double);
		}
		return result;
	} as typeof AudioNode.prototype.connect;
	const nativeDisconnect = AudioNode.prototype.disconnect as (...all: unknown[]) => void;
	AudioNode.prototype.disconnect = function disconnect(this: AudioNode, ...args: unknown[]) {
		nativeDisconnect.apply(this, args);
		const double = args[0] instanceof AudioDestinationNode ? doubles.get(args[0].context) : undefined;
		if (double) nativeDisconnect.call(this, double);
	} as typeof AudioNode.prototype.disconnect;

	// Record the microphone. The stream belongs to the caller: stopping it stops this too.
	const media = navigator.mediaDevices;
	const nativeGet = media.getUserMedia.bind(media);
	media.getUserMedia = async (constraints) => {
		const stream = await nativeGet(constraints);
		const [device] = stream.getAudioTracks();
		if (!device) return stream;
		const given = mouth ? beforeMouth(stream, device, mouth) : stream;
		tapStream(given, 'spoken');
		return given;
	};

	/** A simulated speaker in front of the microphone; null = none. */
	let mouth: GainNode | null = null;
	/** Mixes the speaker's sound into the device's own, under the device's name. */
	function beforeMouth(stream: MediaStream, device: MediaStreamTrack, voice: GainNode): MediaStream {
		const own = ensureContext();
		const output = own.createMediaStreamDestination();
		output.channelCount = 1;
		nativeConnect.call(own.createMediaStreamSource(stream), output);
		nativeConnect.call(voice, output);
		const [mixed] = output.stream.getAudioTracks();
		if (!mixed) return stream;
		const nativeStop = mixed.stop.bind(mixed);
		Object.defineProperties(mixed, {
			label: { get: () => device.label },
			getSettings: { value: () => device.getSettings() },
			stop: {
				value() {
					nativeStop();
					device.stop();
				},
			},
		});
		device.addEventListener('ended', () => {
			nativeStop();
			mixed.dispatchEvent(new Event('ended'));
		});
		return output.stream;
	}

	let words: AudioBuffer | null = null;
	/** Prepares the sound of `speak`: `base64` is s16le mono at `rate`. */
	function learn(base64: string, rate: number): void {
		const bytes = atob(base64);
		words = ensureContext().createBuffer(1, bytes.length / 2, rate);
		const samples = words.getChannelData(0);
		for (let index = 0; index < samples.length; index++) {
			const value = bytes.charCodeAt(index * 2) | (bytes.charCodeAt(index * 2 + 1) << 8);
			samples[index] = (value < 32_768 ? value : value - 65_536) / 32_768;
		}
	}

	/** Speaks into the microphone at once; returns performance.now() of the first sample. */
	function speak(): number {
		const source = ensureContext().createBufferSource();
		source.buffer = words;
		if (mouth) nativeConnect.call(source, mouth);
		source.start();
		return performance.now();
	}

	// When the first sound was sent. The native objects are not changed; we only notice their creation.
	let firstPacketMs: number | null = null;
	const NativePeer = window.RTCPeerConnection;
	async function watchPeer(peer: RTCPeerConnection): Promise<void> {
		while (firstPacketMs === null && peer.connectionState !== 'closed') {
			for (const row of (await peer.getStats()).values()) {
				const { type, kind, packetsSent } = row as { type: string; kind?: string; packetsSent?: number };
				if (type === 'outbound-rtp' && kind === 'audio' && (packetsSent ?? 0) > 0)
					firstPacketMs ??= performance.now();
			}
			await new Promise((done) => setTimeout(done, 50));
		}
	}
	window.RTCPeerConnection = class extends NativePeer {
		constructor(configuration?: RTCConfiguration) {
			super(configuration);
			void watchPeer(this);
		}
	};

	for (const kind of ['click', 'keydown']) {
		addEventListener(
			kind,
			(event) => {
				lastPressMs = event.timeStamp;
			},
			true,
		);
	}

	/** Recorded samples from `fromMs` on, as s16le in base64; gaps in the recording are silent. */
	function take(name: string, fromMs: number): string {
		const { chunks, samples, dropped, originMs } = track(name);
		if (samples === 0) return '';
		const shift = Math.round(((originMs - fromMs) / 1000) * RATE);
		const pcm = new Int16Array(Math.max(0, shift + samples));
		let at = shift + dropped;
		for (const chunk of chunks) {
			if (at + chunk.length <= 0) {
				at += chunk.length;
				continue;
			}
			for (const value of chunk) {
				if (at >= 0) pcm[at] = Math.max(-32_768, Math.min(32_767, Math.round(value * 32_767)));
				at++;
			}
		}
		const bytes = new Uint8Array(pcm.buffer);
		let text = '';
		for (let from = 0; from < bytes.length; from += 32_768) {
			text += String.fromCharCode(...bytes.subarray(from, from + 32_768));
		}
		return btoa(text);
	}

	/** Loudest sample of the last `windowMs`, 0 to 1. */
	function level(name: string, windowMs: number): number {
		const { chunks } = track(name);
		let wanted = (windowMs / 1000) * RATE;
		let loudest = 0;
		for (let index = chunks.length - 1; index >= 0 && wanted > 0; index--) {
			const chunk = chunks[index] ?? new Float32Array();
			for (const value of chunk) loudest = Math.max(loudest, Math.abs(value));
			wanted -= chunk.length;
		}
		return loudest;
	}

	Object.defineProperty(window, '__probe', {
		value: {
			take,
			level,
			now: () => performance.now(),
			lastPressMs: () => lastPressMs,
			firstPacketMs: () => firstPacketMs,
			async begin({ speaker = false } = {}) {
				track('heard');
				track('spoken');
				await ensureContext().resume();
				if (speaker) mouth ??= ensureContext().createGain();
			},
			learn,
			speak,
		},
	});
}

/** The interface that `installProbe` puts on the page's window. */
export interface PageProbe {
	take(name: 'heard' | 'spoken', fromMs: number): string;
	level(name: 'heard' | 'spoken', windowMs: number): number;
	now(): number;
	lastPressMs(): number;
	/** When the first audio packet was seen to be sent; null before. */
	firstPacketMs(): number | null;
	/**
	 * Starts both recordings, so that they include the silence before the first sound. With `speaker`,
	 * microphones opened from now on also receive the sound of `speak`.
	 */
	begin(options?: { readonly speaker?: boolean }): Promise<void>;
	learn(base64: string, rate: number): void;
	speak(): number;
}
