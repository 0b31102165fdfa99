import type { Clock } from '#shared/lib/clock.ts';
import { createListeners } from '#shared/lib/listeners.ts';
import type { Logger } from '#shared/lib/log.ts';
import type { AudioEngine } from './context.ts';
import type { Mixer } from './mixer.ts';
import { createVoice, type Voice } from './voice.ts';
import { addWorklet } from './worklet-module.ts';
import url from './worklets/voice-hold.worklet.ts?worker&url';

/** A mixer whose voices can be made to wait, so that they do not speak into an open microphone. */
export interface HeldMixer {
	readonly mixer: Mixer;
	/** Nothing of them is heard until they are let go; then what came meanwhile comes first. */
	hold(on: boolean): void;
	/** Called with whether anything waits to be heard. Returns its removal. */
	watch(changed: (waiting: boolean) => void): () => void;
}

export interface HeldMixerParts {
	readonly mixer: Mixer;
	readonly engine: AudioEngine;
	readonly clock: Clock;
	readonly log: Logger;
	/** Asked when a voice comes: whether it is to go through here at all. */
	readonly active: () => boolean;
}

/** What the mixer below knows of all of them together. */
const ALL = 'every-voice';

/**
 * While active, every voice goes through one graph and is heard, whichever is selected: only one person speaks
 * at a time, so only one voice does. Otherwise it is the mixer below, untouched.
 */
export function createHeldMixer(parts: HeldMixerParts): HeldMixer {
	const { mixer, engine, clock, log } = parts;
	const watchers = createListeners<[waiting: boolean]>();
	/** Chromium gives sound of a remote track only while an element plays it. */
	const inputs = new Map<string, Voice>();
	let selected: string | null = null;
	let held = false;
	let node: AudioWorkletNode | null = null;
	let leave: (() => void) | null = null;

	function tell(waiting: boolean): void {
		watchers.tell(waiting);
	}

	/** Between the tracks and what the mixer plays; without the worklet they pass and cannot be held. */
	async function link(context: AudioContext): Promise<AudioWorkletNode | null> {
		try {
			await addWorklet(context, url);
			return new AudioWorkletNode(context, 'voice-hold', { outputChannelCount: [1] });
		} catch (failure) {
			log.warn('voice cannot be held', { failure: String(failure) });
			return null;
		}
	}

	function build(context: AudioContext): () => void {
		const destination = context.createMediaStreamDestination();
		const sources = [...inputs.values()].map(({ track }) =>
			context.createMediaStreamSource(new MediaStream([track])),
		);
		let gone = false;
		let own: AudioWorkletNode | null = null;
		void link(context).then((made) => {
			if (gone) return;
			own = made;
			node = made;
			if (made) {
				made.port.onmessage = ({ data }) => tell(data.type === 'waiting' && data.waits === true);
				made.port.postMessage({ type: 'hold', on: held });
				made.connect(destination);
			}
			for (const source of sources) source.connect(made ?? destination);
			const [track] = destination.stream.getAudioTracks();
			mixer.setVoice(ALL, track ?? null);
			mixer.selectVoice(ALL);
		});
		return () => {
			gone = true;
			own?.port.postMessage({ type: 'end' });
			own?.disconnect();
			for (const source of sources) source.disconnect();
			if (node === own) node = null;
			mixer.setVoice(ALL, null);
			for (const track of destination.stream.getTracks()) track.stop();
			tell(false);
		};
	}

	function rebuild(): void {
		leave?.();
		leave = inputs.size > 0 ? engine.use(build) : null;
		if (!leave) mixer.selectVoice(selected);
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
				if (had || takes) rebuild();
			},
			selectVoice(language) {
				selected = language;
				if (inputs.size === 0) mixer.selectVoice(language);
			},
			cut() {
				node?.port.postMessage({ type: 'flush' });
				mixer.cut();
			},
			clear() {
				for (const language of [...inputs.keys()]) drop(language);
				if (leave) rebuild();
				mixer.clear();
			},
		},
		hold(on) {
			if (on === held) return;
			held = on;
			node?.port.postMessage({ type: 'hold', on });
		},
		watch: watchers.listen,
	};
}
