import type { Clock } from '#shared/lib/clock.ts';
import { createListeners } from '#shared/lib/listeners.ts';
import type { Logger } from '#shared/lib/log.ts';
import type { AudioEngine } from './context.ts';
import type { Mixer } from './mixer.ts';
import { createVoice, type Voice } from './voice.ts';
import { createVoiceHold, type VoiceHold } from './voice-hold.ts';

/** A mixer whose voices can be made to wait, so that they do not speak into an open microphone. */
export interface HeldMixer {
	readonly mixer: Mixer;
	/** They are silent until released; then what came meanwhile is played first. */
	hold(on: boolean): void;
	/** Called with whether anything waits to be heard. Returns an unsubscribe function. */
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

/** The one language under which the mixer below gets all of them. */
const ALL = 'every-voice';

/**
 * While active, every voice goes through one graph and is heard, whichever is selected: only one person speaks
 * at a time, so only one voice does. Otherwise it is the mixer below, untouched.
 */
export function createHeldMixer(parts: HeldMixerParts): HeldMixer {
	const { mixer, engine, clock, log } = parts;
	const watchers = createListeners<[waiting: boolean]>();
	/** Chromium delivers the sound of a remote track only while an element plays it. */
	const inputs = new Map<string, Voice>();
	let selected: string | null = null;
	let held = false;
	let hold: VoiceHold | null = null;
	let leave: (() => void) | null = null;

	function tell(waiting: boolean): void {
		watchers.tell(waiting);
	}

	function build(context: AudioContext): () => void {
		const destination = context.createMediaStreamDestination();
		const sources = [...inputs.values()].map(({ track }) =>
			context.createMediaStreamSource(new MediaStream([track])),
		);
		let gone = false;
		let own: VoiceHold | null = null;
		void createVoiceHold(context, log, tell).then((made) => {
			if (gone) return;
			own = made;
			hold = made;
			made?.hold(held);
			made?.node.connect(destination);
			// Without the worklet the voices pass through and cannot be held.
			for (const source of sources) source.connect(made?.node ?? destination);
			const [track] = destination.stream.getAudioTracks();
			mixer.setVoice(ALL, track ?? null);
			mixer.selectVoice(ALL);
		});
		return () => {
			gone = true;
			own?.end();
			for (const source of sources) source.disconnect();
			if (hold === own) hold = null;
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
				hold?.flush();
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
			hold?.hold(on);
		},
		watch: watchers.listen,
	};
}
