import type { Clock } from '#shared/lib/clock.ts';
import { createListeners } from '#shared/lib/listeners.ts';
import type { Logger } from '#shared/lib/log.ts';
import type { Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { createActivity } from '#shared/sound/activity.ts';
import type { AudioEngine } from './context.ts';
import type { Devices } from './devices.ts';
import { tapLevelLater } from './level-tap.ts';
import { createOriginal } from './original.ts';
import { createOutput, type OutputDevice } from './output.ts';
import { createVoice, type Voice } from './voice.ts';

/** Translated speech at 40 dB below full scale is breath; a voice stays "speaking" through its own pauses. */
const VOICE_ACTIVITY = { onDb: -50, offDb: -55, attackMs: 0, holdMs: 400 };

/**
 * Everything the user hears. A translated voice plays natively, one `<audio>` element per language and no further hop
 * in its path, because each costs 30 ms and more; the original goes through WebAudio so that it can be lowered while
 * the voice speaks. Tracks belong to the caller.
 *
 * Chromium plays all elements with WebRTC tracks on one output, the one that any of them was given last. So a voice
 * that is played apart goes through WebAudio as well, and its element is silent.
 */
export interface Mixer {
	/** The voice of a language came, was replaced, or (`null`) went. */
	setVoice(language: string, track: MediaStreamTrack | null): void;
	/** The one voice that is heard; `null` = none. May be named before its track comes. */
	selectVoice(language: string | null): void;
	setOriginal(track: MediaStreamTrack | null): void;
	/** Silences the voice now, mid-word, until `resumeVoice`. */
	cut(): void;
	resumeVoice(): void;
	/** 0 to 1. */
	setVoiceVolume(volume: number): void;
	/** 0 to 1; at 0 the original costs nothing. */
	setOriginalVolume(volume: number): void;
	setDucking(on: boolean): void;
	/**
	 * `null` = the system default. If the device is missing, plays on the default and switches when it comes. `apart`: an
	 * output different from that of the page's other mixers.
	 */
	setOutput(device: OutputDevice | null, apart?: boolean): Promise<Result<void, Problem>>;
	/** Returns an unsubscribe function. */
	listen(heard: (event: MixerEvent) => void): () => void;
	/** Drops every track; settings stay. */
	clear(): void;
	close(): Promise<void>;
}

export type MixerEvent =
	/** The selected voice speaks, or has stopped. */
	| { readonly type: 'voice-active'; readonly active: boolean }
	/** The chosen output went (or came back); names for people, empty = the system default. */
	| { readonly type: 'output-switched'; readonly from: string; readonly to: string }
	/** The browser refuses to play before a gesture of the user; it is tried again at the next one. */
	| { readonly type: 'blocked' };

export function createMixer(parts: {
	readonly engine: AudioEngine;
	readonly devices: Devices;
	readonly clock: Clock;
	readonly log: Logger;
	/** Where a user's gesture is seen; default `window`. */
	readonly gestures?: EventTarget;
}): Mixer {
	const listeners = createListeners<[event: MixerEvent]>();
	const voices = new Map<string, Voice>();
	const activity = createActivity(VOICE_ACTIVITY);
	const original = createOriginal(parts.engine);
	const voiceApart = createOriginal(parts.engine);
	voiceApart.setVolume(1);
	let isApart = false;
	let selected: string | null = null;
	let cutOff = false;
	let volume = 1;
	let ducking = true;
	let untap = () => {};

	function tell(event: MixerEvent): void {
		listeners.tell(event);
	}

	const output = createOutput({
		...parts,
		apply: async (id) => {
			const done = await Promise.all([
				...(isApart ? [] : [...voices.values()].map((voice) => voice.setSink(id))),
				parts.engine.setSink(id),
			]);
			return done.every((worked) => worked);
		},
		switched: (from, to) => tell({ type: 'output-switched', from, to }),
	});
	const unwatch = parts.devices.subscribe(() => {
		for (const voice of voices.values()) voice.retry();
	});

	function setActive(active: boolean): void {
		original.duck(active && ducking);
		tell({ type: 'voice-active', active });
	}

	/** Makes the elements and the tap follow the selection. */
	function settle(): void {
		for (const [language, voice] of voices) voice.setHeard(language === selected && !cutOff && !isApart);
		untap();
		const heard = selected === null ? undefined : voices.get(selected);
		voiceApart.setTrack(isApart && !cutOff ? (heard?.track ?? null) : null);
		if (activity.active && (!heard || cutOff)) setActive(false);
		if (!heard || cutOff) activity.reset();
		untap =
			heard && !cutOff
				? tapLevelLater(parts, heard.track, (level) => {
						const before = activity.active;
						const active = activity.push(level.rmsDb, parts.clock.now());
						if (active !== before) setActive(active);
					})
				: () => {};
	}

	function drop(language: string): void {
		voices.get(language)?.close();
		voices.delete(language);
	}

	function clear(): void {
		for (const language of [...voices.keys()]) drop(language);
		original.setTrack(null);
		cutOff = false;
		settle();
	}

	return {
		setVoice(language, track) {
			if (voices.get(language)?.track === track) return;
			drop(language);
			if (track) {
				const voice = createVoice(track, { ...parts, blocked: () => tell({ type: 'blocked' }) });
				voice.setVolume(volume);
				if (!isApart) void voice.setSink(output.id);
				voices.set(language, voice);
			}
			settle();
		},
		selectVoice(language) {
			if (language === selected) return;
			selected = language;
			settle();
		},
		setOriginal: original.setTrack,
		cut() {
			cutOff = true;
			settle();
		},
		resumeVoice() {
			cutOff = false;
			settle();
		},
		setVoiceVolume(next) {
			volume = clamp(next);
			for (const voice of voices.values()) voice.setVolume(volume);
			voiceApart.setVolume(volume);
		},
		setOriginalVolume: (next) => original.setVolume(clamp(next)),
		setDucking(on) {
			ducking = on;
			original.duck(on && activity.active);
		},
		setOutput(device, apart = false) {
			if (apart !== isApart) {
				isApart = apart;
				if (!apart) for (const voice of voices.values()) void voice.setSink(output.id);
				settle();
			}
			return output.choose(device);
		},
		listen: listeners.listen,
		clear,
		async close() {
			clear();
			selected = null;
			output.close();
			unwatch();
			listeners.clear();
		},
	};
}

function clamp(volume: number): number {
	return Math.min(1, Math.max(0, volume));
}
