import { type BackoffPlan, backoffDelay, type Clock } from '#shared/lib/clock.ts';
import { createListeners } from '#shared/lib/listeners.ts';
import type { Logger } from '#shared/lib/log.ts';
import type { Result } from '#shared/lib/result.ts';
import { createScope } from '#shared/lib/scope.ts';
import type { Problem } from '#shared/problem.ts';
import { createActivity } from '#shared/sound/activity.ts';
import type { AudioEngine } from './context.ts';
import type { Devices } from './device-list.ts';
import { tapLevelLater } from './meter.ts';
import { createOutput, type OutputDevice } from './output.ts';

/** Breath, at about -40 dBFS, counts as speaking too; the hold bridges the voice's own pauses. */
const VOICE_ACTIVITY = { onDb: -50, offDb: -55, attackMs: 0, holdMs: 400 };

/**
 * Everything the user hears. A translated voice plays natively, one `<audio>` element per language and no further
 * hop in its path, because each hop costs 30 ms or more; the original goes through WebAudio so that it can be
 * lowered while the voice speaks. Tracks belong to the caller.
 *
 * Chromium plays all elements with WebRTC tracks on one output: the last one set on any of them. So a voice with
 * an output of its own (`apart`) goes through WebAudio as well, and its element is silent.
 */
export interface Mixer {
	/** Sets, replaces or (`null`) removes the voice of a language. */
	setVoice(language: string, track: MediaStreamTrack | null): void;
	/** Selects the one voice that is heard; `null` = none. Its track may arrive later. */
	selectVoice(language: string | null): void;
	/** All voices by language, heard or not. */
	voices(): ReadonlyMap<string, Pick<Voice, 'track'>>;
	setOriginal(track: MediaStreamTrack | null): void;
	/** Silences the voice now, mid-word, until `resumeVoice`. */
	cut(): void;
	resumeVoice(): void;
	/** 0 to 1. */
	setVoiceVolume(volume: number): void;
	/** 0 to 1; at 0 the original costs nothing. */
	setOriginalVolume(volume: number): void;
	setDucking(on: boolean): void;
	/** `null` = the system default, also used while the device is missing. `apart`: other mixers play elsewhere. */
	setOutput(device: OutputDevice | null, apart?: boolean): Promise<Result<void, Problem>>;
	listen(heard: (event: MixerEvent) => void): () => void;
	/** Drops every track; settings stay. */
	clear(): void;
	close(): Promise<void>;
}

export type MixerEvent =
	/** The selected voice has started or stopped speaking. */
	| { readonly type: 'voice-active'; readonly active: boolean }
	/** Voices came or went, or another one was selected. */
	| { readonly type: 'voices' }
	/** The chosen output disappeared or came back; display names, empty = the system default. */
	| { readonly type: 'output-switched'; readonly from: string; readonly to: string }
	/** The browser refuses to play before a user gesture; the mixer tries again at the next gesture. */
	| { readonly type: 'blocked' };

export function createMixer(parts: {
	readonly engine: AudioEngine;
	readonly devices: Devices;
	readonly clock: Clock;
	readonly log: Logger;
	/** Where to listen for user gestures; default `window`. */
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
		tell({ type: 'voices' });
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
		voices: () => voices,
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

const GESTURES = ['pointerdown', 'keydown'] as const;
/** If the browser's audio process dies, the element is silent until its track is set again (faults 96). */
const ANEW: BackoffPlan = { baseMs: 200, capMs: 2000, tries: 6 };
/** Wait before playing again: the elements share one output, and all of them must release it first. */
const LET_GO_MS = 50;
/** An element that has played for this long counts as recovered. */
const MENDED_MS = 10_000;

export type Voice = ReturnType<typeof createVoice>;

/** One translated voice on its own `<audio>` element, the only thing that plays it. */
export function createVoice(
	track: MediaStreamTrack,
	parts: {
		readonly clock: Clock;
		readonly gestures?: EventTarget;
		readonly blocked: () => void;
	},
) {
	const scope = createScope(parts.clock);
	const gestures = parts.gestures ?? window;
	const element = new Audio();
	element.autoplay = true;
	element.muted = true;
	element.srcObject = new MediaStream([track]);
	scope.add(() => {
		element.pause();
		element.srcObject = null;
	});
	let unwait = () => {};
	let failures = 0;
	let failedMs = Number.NEGATIVE_INFINITY;
	let hasGivenUp = false;

	/** Tries to play a few times, then gives up until the devices change or a new track comes. */
	function playAnew(): void {
		const now = parts.clock.now();
		failures = now - failedMs > MENDED_MS ? 1 : failures + 1;
		failedMs = now;
		const delayMs = backoffDelay(ANEW, failures, Math.random);
		element.srcObject = null;
		hasGivenUp = delayMs === null;
		if (delayMs !== null) scope.after(LET_GO_MS + delayMs, begin);
	}

	function begin(): void {
		element.srcObject = new MediaStream([track]);
		play();
	}

	function play(): void {
		unwait();
		element.play().catch((failure: unknown) => {
			// Report only a refusal: `AbortError`, for example, merely follows a close or a new source.
			if (scope.closed || !(failure instanceof DOMException) || failure.name !== 'NotAllowedError') return;
			for (const gesture of GESTURES) gestures.addEventListener(gesture, play);
			unwait = scope.add(() => {
				for (const gesture of GESTURES) gestures.removeEventListener(gesture, play);
			});
			parts.blocked();
		});
	}

	element.addEventListener('error', playAnew);
	scope.add(() => element.removeEventListener('error', playAnew));
	play();
	return {
		track,
		/** A voice that is not heard keeps playing muted, so that it can be measured and switched to without a gap. */
		setHeard(heard: boolean): void {
			if (element.muted !== heard) return;
			element.muted = !heard;
			// A muted element may play without a gesture; the browser may pause it when it is unmuted.
			if (heard) play();
		},
		setVolume(volume: number): void {
			element.volume = volume;
		},
		/** False = the device refused, and the element keeps its output. */
		async setSink(deviceId: string): Promise<boolean> {
			if (element.sinkId === deviceId) return true;
			try {
				await element.setSinkId(deviceId);
				return true;
			} catch {
				return false;
			}
		},
		/** Call this when the devices changed: a voice that had given up plays again. */
		retry(): void {
			if (!hasGivenUp) return;
			hasGivenUp = false;
			failures = 0;
			begin();
		},
		close: (): void => scope.close(),
	};
}

/** Gain of the original under a speaking voice: about 14 dB down, still loud enough to follow. */
const DUCKED_GAIN = 0.2;
/** Time constants: down within a syllable, back within about 400 ms (three time constants reach 95 %). */
const ATTACK_S = 0.015;
const RELEASE_S = 0.4 / 3;

export type Original = ReturnType<typeof createOriginal>;

/** The original speech, played beside its translation. Silent until it has a track and a volume. */
export function createOriginal(engine: AudioEngine) {
	let track: MediaStreamTrack | null = null;
	let volume = 0;
	let ducked = false;
	let gain: GainNode | null = null;
	let leave: (() => void) | null = null;

	function target(): number {
		return volume * (ducked ? DUCKED_GAIN : 1);
	}

	function glide(timeConstantS: number): void {
		gain?.gain.setTargetAtTime(target(), gain.context.currentTime, timeConstantS);
	}

	function build(context: AudioContext, from: MediaStreamTrack): () => void {
		const source = context.createMediaStreamSource(new MediaStream([from]));
		const node = context.createGain();
		node.gain.value = target();
		source.connect(node).connect(context.destination);
		gain = node;
		return () => {
			source.disconnect();
			node.disconnect();
			if (gain === node) gain = null;
		};
	}

	function settle(): void {
		const from = track;
		const wanted = from !== null && volume > 0;
		if (wanted && !leave) leave = engine.use((context) => build(context, from));
		if (!wanted && leave) {
			leave();
			leave = null;
		}
	}

	return {
		setTrack(next: MediaStreamTrack | null): void {
			if (next === track) return;
			leave?.();
			leave = null;
			track = next;
			settle();
		},
		/** 0 to 1. */
		setVolume(next: number): void {
			volume = next;
			settle();
			glide(ATTACK_S);
		},
		duck(on: boolean): void {
			if (on === ducked) return;
			ducked = on;
			glide(on ? ATTACK_S : RELEASE_S);
		},
	};
}

/**
 * Wraps a mixer to report the voice it plays: `changed` gets the track of the selected language, or null, and
 * that language, each time the track changes. `changed` is called after the mixer has the track, except at
 * `clear`, where it comes first.
 */
export function withSelectedVoice(
	mixer: Mixer,
	changed: (track: MediaStreamTrack | null, language: string | null) => void,
): Mixer {
	const tracks = new Map<string, MediaStreamTrack>();
	let selected: string | null = null;
	let told: MediaStreamTrack | null = null;
	function tell(): void {
		const track = (selected === null ? null : tracks.get(selected)) ?? null;
		if (track === told) return;
		told = track;
		changed(track, selected);
	}
	return {
		...mixer,
		setVoice(language, track) {
			if (track) tracks.set(language, track);
			else tracks.delete(language);
			mixer.setVoice(language, track);
			tell();
		},
		selectVoice(language) {
			selected = language;
			mixer.selectVoice(language);
			tell();
		},
		clear() {
			tracks.clear();
			tell();
			mixer.clear();
		},
	};
}

interface MutableMixer {
	readonly mixer: Mixer;
	/** Silences the mixer's voices regardless of their volume; they keep running. */
	mute(muted: boolean): void;
}

/** A mixer whose voices can be muted independently of their volume. */
export function withMute(mixer: Mixer): MutableMixer {
	let muted = false;
	let volume = 1;
	const apply = () => mixer.setVoiceVolume(muted ? 0 : volume);
	return {
		mixer: {
			...mixer,
			setVoiceVolume(next) {
				volume = next;
				apply();
			},
		},
		mute(next) {
			muted = next;
			apply();
		},
	};
}
