// Runs in the page: types are stripped and the text is served as it is, so it imports only types.
import type * as Livekit from 'livekit-client';

export interface JoinOptions {
	readonly singlePeerConnection?: boolean;
	/** Limit for the socket and for the peer connections, ms; default the client's own 15 s. */
	readonly limitMs?: number;
	/** Publish options of the microphone. */
	readonly publish?: Livekit.TrackPublishOptions;
}

/** The sound of a voice at this moment. */
export interface Sound {
	readonly name: string;
	/** RMS of the loudest 50 ms while listening. */
	readonly rms: number;
	/** Strongest frequency at that moment. */
	readonly hz: number;
	/** Share of 50 ms windows with sound in them, 0..1. */
	readonly share: number;
}

export interface ClientApi {
	/** Resolves when the microphone was published. */
	join(url: string, token: string, options?: JoinOptions): Promise<void>;
	/** Names of the room's events so far, in order, without repeats of the noisy ones. */
	events(): readonly string[];
	/** Resolves when the event has been seen since the join. */
	saw(event: string): Promise<void>;
	voices(): readonly string[];
	/** Listens to every voice for `ms`. */
	listen(ms: number): Promise<readonly Sound[]>;
	send(text: string, reliable?: boolean): Promise<void>;
	received(): readonly { text: string; from: string }[];
	participants(): readonly string[];
	scenario(name: string): Promise<void>;
	mute(muted: boolean): Promise<void>;
	unpublish(): Promise<void>;
	/** Packets the microphone has sent, by the browser's own count. */
	packetsSent(): Promise<number>;
	state(): string;
	/** Why the room ended, as LiveKit names it; '' while it has not, or without a reason. */
	disconnectReason(): string;
	leave(): Promise<void>;
	/** 20 ms Opus packets of a sine tone, as arrays of bytes. */
	tone(hz: number, ms: number): Promise<readonly number[][]>;
	/** Concealed and received samples of every voice: what an ear would notice. */
	playback(): Promise<readonly { concealed: number; total: number }[]>;
	/** Resolves when every voice has played all packets that have arrived by now, and `more` further ones of 20 ms each. */
	playOut(more: number): Promise<void>;
}

const NOISY = new Set([
	'activeSpeakersChanged',
	'connectionQualityChanged',
	'dataReceived',
	'dcBufferStatusChanged',
]);

/** The page's elements share one output; all must release it before it is opened again. */
const LET_GO_MS = 250;

export function createClient(livekit: typeof Livekit): ClientApi {
	const events: string[] = [];
	const waiting: { event: string; done: () => void }[] = [];
	const received: { text: string; from: string }[] = [];
	const voices = new Map<string, { name: string; analyser: AnalyserNode; track: Livekit.RemoteTrack }>();
	let room: Livekit.Room | null = null;
	let disconnectReason = '';
	let context: AudioContext | null = null;
	let microphone: MediaStreamTrack | null = null;

	function note(event: string): void {
		if (NOISY.has(event) && events.includes(event)) return;
		events.push(event);
		for (const one of waiting) if (one.event === event) one.done();
	}

	function current(): Livekit.Room {
		if (!room) throw new Error('not joined');
		return room;
	}

	/** The samples that arrived for a voice, and those that left its jitter buffer. */
	async function buffered(track: Livekit.RemoteTrack): Promise<{ arrived: number; played: number }> {
		for (const report of (await track.receiver?.getStats())?.values() ?? []) {
			if (report.type === 'inbound-rtp')
				return { arrived: report.packetsReceived * 960, played: report.jitterBufferEmittedCount };
		}
		throw new Error('a voice without a count of its packets');
	}

	function hear(track: Livekit.RemoteTrack, publication: Livekit.RemoteTrackPublication): void {
		context ??= new AudioContext({ sampleRate: 48_000 });
		// Chromium feeds WebAudio from a remote track only while an element plays it.
		const element = track.attach();
		element.muted = true;
		// The browser may fail to open its output, especially if several pages do so at once: a client tries again (faults 96).
		element.addEventListener('error', () => {
			element.srcObject = null;
			setTimeout(() => {
				element.srcObject = new MediaStream([track.mediaStreamTrack]);
				element.play().catch(() => {});
			}, LET_GO_MS);
		});
		const analyser = tap(context, track);
		voices.set(publication.trackSid, { name: publication.trackName, analyser, track });
	}

	function tap(into: AudioContext, { mediaStreamTrack }: Livekit.RemoteTrack): AnalyserNode {
		const analyser = new AnalyserNode(into, { fftSize: 2048, smoothingTimeConstant: 0 });
		into.createMediaStreamSource(new MediaStream([mediaStreamTrack])).connect(analyser);
		return analyser;
	}

	/** A context whose output has failed may stand still for ever: a client makes another (faults 88). */
	function listenAnew(still: AudioContext): void {
		const made = new AudioContext({ sampleRate: 48_000 });
		context = made;
		for (const [sid, voice] of voices) voices.set(sid, { ...voice, analyser: tap(made, voice.track) });
		void still.close().catch(() => {});
	}

	return {
		async join(url, token, options = {}) {
			const { singlePeerConnection, publish, limitMs = 15_000 } = options;
			events.length = 0;
			room = new livekit.Room(singlePeerConnection === undefined ? {} : { singlePeerConnection });
			for (const event of Object.values(livekit.RoomEvent)) room.on(event, () => note(event));
			room.on(livekit.RoomEvent.TrackSubscribed, hear);
			room.on(livekit.RoomEvent.TrackUnsubscribed, (track, publication) => {
				track.detach();
				voices.delete(publication.trackSid);
			});
			room.on(livekit.RoomEvent.Disconnected, (reason) => {
				disconnectReason = reason === undefined ? '' : (livekit.DisconnectReason[reason] ?? '');
			});
			room.on(livekit.RoomEvent.DataReceived, (payload, participant) => {
				received.push({ text: new TextDecoder().decode(payload), from: participant?.identity ?? '' });
			});
			await room.connect(url, token, { websocketTimeout: limitMs, peerConnectionTimeout: limitMs });
			const audio = {
				echoCancellation: false,
				noiseSuppression: false,
				autoGainControl: false,
				channelCount: 1,
			};
			const stream = await navigator.mediaDevices.getUserMedia({ audio });
			microphone = stream.getAudioTracks()[0] ?? null;
			if (!microphone) throw new Error('no microphone');
			const source = livekit.Track.Source.Microphone;
			await room.localParticipant.publishTrack(microphone, { source, ...publish });
		},
		events: () => [...events],
		saw: (event) =>
			new Promise((done) => {
				if (events.includes(event)) done();
				else waiting.push({ event, done });
			}),
		voices: () => [...voices.values()].map(({ name }) => name),
		async listen(ms) {
			// An output that fails to open leaves this pending: what is heard then is silence, and the caller listens again.
			await Promise.race([context?.resume(), new Promise((done) => setTimeout(done, LET_GO_MS))]);
			const best = new Map<string, { name: string; rms: number; hz: number; looks: number; loud: number }>();
			const [clock, from] = [context, context?.currentTime];
			const samples = new Float32Array(2048);
			const bins = new Float32Array(1024);
			const until = performance.now() + ms;
			while (performance.now() < until) {
				for (const [sid, { name, analyser }] of voices) {
					const seen = best.get(sid) ?? { name, rms: 0, hz: 0, looks: 0, loud: 0 };
					analyser.getFloatTimeDomainData(samples);
					const rms = Math.sqrt(samples.reduce((sum, value) => sum + value * value, 0) / samples.length);
					seen.looks += 1;
					if (rms > 0.01) seen.loud += 1;
					if (rms > seen.rms) {
						analyser.getFloatFrequencyData(bins);
						seen.rms = rms;
						seen.hz = (bins.indexOf(bins.reduce((a, b) => Math.max(a, b))) * 48_000) / 2048;
					}
					best.set(sid, seen);
				}
				await new Promise((next) => setTimeout(next, 50));
			}
			if (clock && clock === context && clock.currentTime === from) listenAnew(clock);
			return [...best.values()].map(({ looks, loud, ...sound }) => ({ ...sound, share: loud / looks }));
		},
		send: (text, reliable = true) =>
			current().localParticipant.publishData(new TextEncoder().encode(text), { reliable }),
		received: () => [...received],
		participants: () => [...current().remoteParticipants.values()].map(({ identity }) => identity),
		scenario: (name) => current().simulateScenario(name as Livekit.SimulationScenario),
		async mute(muted) {
			for (const { track } of current().localParticipant.trackPublications.values()) {
				await (muted ? track?.mute() : track?.unmute());
			}
		},
		async unpublish() {
			if (microphone) await current().localParticipant.unpublishTrack(microphone);
		},
		async packetsSent() {
			let packets = 0;
			for (const { track } of current().localParticipant.trackPublications.values()) {
				const stats = await track?.sender?.getStats();
				for (const report of stats?.values() ?? [])
					if (report.type === 'outbound-rtp') packets += report.packetsSent;
			}
			return packets;
		},
		state: () => current().state,
		disconnectReason: () => disconnectReason,
		leave: () => current().disconnect(),
		async tone(hz, ms) {
			const packets: number[][] = [];
			const encoder = new AudioEncoder({
				output(chunk) {
					const bytes = new Uint8Array(chunk.byteLength);
					chunk.copyTo(bytes);
					packets.push([...bytes]);
				},
				error(failure) {
					throw failure;
				},
			});
			encoder.configure({ codec: 'opus', sampleRate: 48_000, numberOfChannels: 1, bitrate: 32_000 });
			for (let start = 0; start < ms; start += 20) {
				const data = Float32Array.from(
					{ length: 960 },
					(_, index) => 0.3 * Math.sin((2 * Math.PI * hz * (start * 48 + index)) / 48_000),
				);
				const frame = new AudioData({
					format: 'f32',
					sampleRate: 48_000,
					numberOfFrames: 960,
					numberOfChannels: 1,
					timestamp: start * 1000,
					data,
				});
				encoder.encode(frame);
				frame.close();
			}
			await encoder.flush();
			encoder.close();
			return packets;
		},
		async playback() {
			const all: { concealed: number; total: number }[] = [];
			for (const { track } of voices.values()) {
				const stats = await track.receiver?.getStats();
				for (const report of stats?.values() ?? []) {
					if (report.type === 'inbound-rtp')
						all.push({ concealed: report.concealedSamples, total: report.totalSamplesReceived });
				}
			}
			return all;
		},
		async playOut(more) {
			await Promise.all(
				[...voices.values()].map(async ({ track }) => {
					// By the browser's own counters, because how much it buffers and how fast it plays vary with its load.
					const { arrived } = await buffered(track);
					while ((await buffered(track)).played < arrived + more * 960)
						await new Promise((next) => setTimeout(next, 20));
				}),
			);
		},
	};
}
