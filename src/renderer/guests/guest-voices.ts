import type { Host } from '#renderer/host.ts';
import { type AudioEngine, createAudioEngine } from '#renderer/sound/context.ts';
import type { Mixer } from '#renderer/sound/mixer.ts';
import { addWorklet } from '#renderer/sound/worklet.ts';
import url from '#renderer/sound/worklets/guest-voice.worklet.ts?worker&url';
import { expectPorts, type StreamPortsReceiver } from '#renderer/transport/stream-ports.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import { readersTag } from '#shared/protocol/languages.ts';
import { VOICE_BLOCK } from '#shared/sound/voice-block.ts';
import type { GuestsMirror } from './guests-mirror.ts';

/** While captions are shared: reports voices to main, and sends those that guests listen to. */
export function sendVoices(parts: {
	readonly host: Pick<Host, 'ask'>;
	readonly receiver: StreamPortsReceiver;
	readonly clock: Clock;
	readonly log: Logger;
	readonly guests: Pick<GuestsMirror, 'store'>;
	readonly mixers: readonly Pick<Mixer, 'voices' | 'listen'>[];
}): Cancel {
	const { host, receiver, clock, log, guests, mixers } = parts;
	let engine: AudioEngine | null = null;
	const taps = new Map<string, Tap>();
	let told = '';

	interface Tap {
		follow(tracks: readonly MediaStreamTrack[]): void;
		end(): void;
	}

	function tap(language: string): Tap {
		let tracks: readonly MediaStreamTrack[] = [];
		let connect: () => void = () => {};

		/** Each context sends on ports of its own. Returns a function that dismantles the graph. */
		function build(context: AudioContext): () => void {
			const sources = new Map<MediaStreamTrack, MediaStreamAudioSourceNode>();
			const stream = crypto.randomUUID();
			const toCome = expectPorts({ receiver, clock }, stream);
			let node: AudioWorkletNode | null = null;
			let control: MessagePort | null = null;
			let gone = false;

			async function begin(): Promise<void> {
				await addWorklet(context, url);
				const begun = gone ? null : await host.ask('guests.speak', { stream, language });
				const ports = begun?.ok ? await toCome.wait() : null;
				if (gone || !ports) return toCome.refuse();
				ports.voice.close();
				control = ports.control;
				node = new AudioWorkletNode(context, 'guest-voice', {
					channelCount: 1,
					channelCountMode: 'explicit',
				});
				// A node that is not connected is not run; its output is silence.
				node.connect(context.destination);
				node.port.postMessage('to', [ports.capture]);
				connect();
			}

			connect = () => {
				if (!node) return;
				for (const [track, source] of sources) {
					if (tracks.includes(track)) continue;
					source.disconnect();
					sources.delete(track);
				}
				for (const track of tracks) {
					if (sources.has(track)) continue;
					const source = context.createMediaStreamSource(new MediaStream([track]));
					source.connect(node);
					sources.set(track, source);
				}
			};
			begin().catch((failure: unknown) => log.warn('no voice for guests', { failure: String(failure) }));
			return () => {
				gone = true;
				toCome.refuse();
				control?.close();
				for (const source of sources.values()) source.disconnect();
				node?.disconnect();
				node?.port.postMessage('end');
			};
		}

		// A separate engine at the rate of the blocks, so that the browser resamples.
		engine ??= createAudioEngine({
			clock,
			log,
			createContext: () => new AudioContext({ sampleRate: VOICE_BLOCK.rateHz, latencyHint: 'interactive' }),
		});
		const unuse = engine.use(build);
		return {
			follow(next) {
				tracks = next;
				connect();
			},
			end: unuse,
		};
	}

	function settle(): void {
		const { sharing, listening } = guests.store.getState();
		const spoken = new Map<string, MediaStreamTrack[]>();
		for (const [language, { track }] of sharing ? mixers.flatMap((mixer) => [...mixer.voices()]) : []) {
			const tag = readersTag(language);
			spoken.set(tag, [...(spoken.get(tag) ?? []), track]);
		}
		const languages = [...spoken.keys()].sort();
		if (sharing && languages.join() !== told) void host.ask('guests.voices', { languages });
		told = sharing ? languages.join() : '';
		for (const [language, one] of taps) {
			if (spoken.has(language) && listening.includes(language)) continue;
			taps.delete(language);
			one.end();
		}
		for (const [language, tracks] of spoken) {
			if (!listening.includes(language)) continue;
			const one = taps.get(language) ?? tap(language);
			taps.set(language, one);
			one.follow(tracks);
		}
	}

	settle();
	const leave = [guests.store.subscribe(settle), ...mixers.map((mixer) => mixer.listen(settle))];
	return () => {
		for (const stop of leave) stop();
		for (const one of taps.values()) one.end();
		void engine?.close();
	};
}
