import type { Clock } from '#shared/lib/clock.ts';
import { createListeners } from '#shared/lib/listeners.ts';
import type { Logger } from '#shared/lib/log.ts';
import type { AudioEngine } from './context.ts';
import { createVoice, type Mixer, type Voice } from './mixer.ts';
import { addWorklet } from './worklet.ts';
import url from './worklets/voice-hold.worklet.ts?worker&url';

/** A mixer whose voices can be made to wait, so that they do not speak into an open microphone. */
export interface HeldMixer {
	readonly mixer: Mixer;
	/** `true` holds the voices back; `false` releases them and first plays what arrived meanwhile. */
	hold(on: boolean): void;
	/** Calls `changed` with whether sound is waiting to be played. Returns an unsubscribe function. */
	watch(changed: (waiting: boolean) => void): () => void;
}

/** The language name under which the mixer below receives every voice. */
const ALL = 'every-voice';

/** While active, plays all voices through one graph; otherwise passes everything to `mixer`. */
export function createHeldMixer(parts: {
	readonly mixer: Mixer;
	readonly engine: AudioEngine;
	readonly clock: Clock;
	readonly log: Logger;
	/** Called when a voice appears; false = leaves the voice to `mixer`. */
	readonly active: () => boolean;
}): HeldMixer {
	const { mixer, engine, clock, log } = parts;
	const watchers = createListeners<[waiting: boolean]>();
	/** Chromium delivers the sound of a remote track only while an element plays it. */
	const inputs = new Map<string, Voice>();
	let selected: string | null = null;
	let held = false;
	let hold: VoiceHold | null = null;
	let leave: (() => void) | null = null;
	/** Connects the current voices to the graph, once it exists. */
	let connect = () => {};

	function tell(waiting: boolean): void {
		watchers.tell(waiting);
	}

	function build(context: AudioContext): () => void {
		const destination = context.createMediaStreamDestination();
		const sources = new Map<MediaStreamTrack, MediaStreamAudioSourceNode>();
		let gone = false;
		let own: VoiceHold | null = null;

		function follow(): void {
			const tracks = [...inputs.values()].map(({ track }) => track);
			for (const [track, source] of sources) {
				if (tracks.includes(track)) continue;
				source.disconnect();
				sources.delete(track);
			}
			for (const track of tracks) {
				if (sources.has(track)) continue;
				const source = context.createMediaStreamSource(new MediaStream([track]));
				// Without the worklet the voices pass through and cannot be held.
				source.connect(own?.node ?? destination);
				sources.set(track, source);
			}
		}

		void createVoiceHold(context, log, tell).then((made) => {
			if (gone) return made?.end();
			own = made;
			hold = made;
			made?.hold(held);
			made?.node.connect(destination);
			connect = follow;
			follow();
			const [track] = destination.stream.getAudioTracks();
			mixer.setVoice(ALL, track ?? null);
			mixer.selectVoice(ALL);
		});
		return () => {
			gone = true;
			own?.end();
			for (const source of sources.values()) source.disconnect();
			if (hold === own) hold = null;
			connect = () => {};
			mixer.setVoice(ALL, null);
			for (const track of destination.stream.getTracks()) track.stop();
			tell(false);
		};
	}

	/** The graph stays while voices come and go, because speech may wait in it; it goes with the last voice. */
	function settle(): void {
		if (inputs.size > 0) {
			leave ??= engine.use(build);
			connect();
			return;
		}
		leave?.();
		leave = null;
		mixer.selectVoice(selected);
	}

	function drop(language: string): boolean {
		inputs.get(language)?.close();
		return inputs.delete(language);
	}

	return {
		mixer: {
			...mixer,
			setVoice(language, track) {
				if (inputs.get(language)?.track === track) return;
				const had = drop(language);
				const takes = track !== null && parts.active();
				if (takes) inputs.set(language, createVoice(track, { clock, blocked: () => {} }));
				else mixer.setVoice(language, track);
				if (had || takes) settle();
			},
			selectVoice(language) {
				selected = language;
				if (inputs.size === 0) mixer.selectVoice(language);
			},
			cut() {
				hold?.flush();
				mixer.cut();
			},
			clear() {
				for (const language of [...inputs.keys()]) drop(language);
				if (leave) settle();
				mixer.clear();
			},
		},
		hold(on) {
			if (on === held) return;
			held = on;
			hold?.hold(on);
		},
		watch: watchers.listen,
	};
}

/** A node that can hold back the voice passing through it. */
export interface VoiceHold {
	readonly node: AudioWorkletNode;
	/** While on, nothing comes out; after the release, what arrived meanwhile is played first. */
	hold(on: boolean): void;
	/** Drops the waiting sound. */
	flush(): void;
	end(): void;
}

/** Creates a voice hold; null if the worklet cannot be loaded. Calls `waiting` with whether sound waits. */
export async function createVoiceHold(
	context: AudioContext,
	log: Logger,
	waiting: (waits: boolean) => void,
): Promise<VoiceHold | null> {
	try {
		await addWorklet(context, url);
		const node = new AudioWorkletNode(context, 'voice-hold', { outputChannelCount: [1] });
		node.port.onmessage = ({ data }) => waiting(data.type === 'waiting' && data.waits === true);
		return {
			node,
			hold: (on) => node.port.postMessage({ type: 'hold', on }),
			flush: () => node.port.postMessage({ type: 'flush' }),
			end() {
				node.port.postMessage({ type: 'end' });
				node.disconnect();
			},
		};
	} catch (failure) {
		log.warn('voice cannot be held', { failure: String(failure) });
		return null;
	}
}
