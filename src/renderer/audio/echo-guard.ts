import { createStore, type StoreApi } from 'zustand/vanilla';
import { ECHO_PERIOD_MS, EchoDetector } from '#shared/audio/echo-detector.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import type { AudioEngine } from './context.ts';
import { tapLevelLater } from './level-tap.ts';
import type { Microphone, MicrophoneEvent } from './microphone.ts';
import type { Mixer } from './mixer.ts';
import { withSelectedVoice } from './selected-voice.ts';

/** `auto`: from the second echo on. */
export type GateWish = 'auto' | 'on' | 'off';

export interface EchoView {
	/** The microphone hears the voice we play. */
	readonly heard: boolean;
	/** The microphone is off while the voice speaks, because of that. */
	readonly gated: boolean;
}

/**
 * Keeps the microphone from translating the translation: it knows the voices that are heard in the room, compares
 * them with what the microphone hears, says when they are the same, and, when that goes on, has the microphone off
 * while a voice speaks.
 */
export interface EchoGuard {
	readonly store: StoreApi<EchoView>;
	/** The microphone to be guarded; one. */
	guard(microphone: Microphone): Microphone;
	/** A mixer whose voices are heard in the room while `inRoom` says so. */
	hear(mixer: Mixer, inRoom: () => boolean): Mixer;
	/** The user has seen it. */
	dismiss(): void;
	/** `gate` of the settings changed. */
	apply(): void;
}

export interface EchoGuardParts {
	readonly engine: AudioEngine;
	readonly clock: Clock;
	readonly log: Logger;
	readonly gate: () => GateWish;
	/** False: somebody else takes care of it (face to face does). */
	readonly wanted: () => boolean;
}

/** The room's own reverberation, after the voice has ended. */
const RELEASE_MS = 250;
/** A second echo counts when it is not the end of the first. */
const APART_MS = 3000;

export function createEchoGuard(parts: EchoGuardParts): EchoGuard {
	const { clock, log } = parts;
	const store = createStore<EchoView>()(() => ({ heard: false, gated: false }));
	const detector = new EchoDetector();
	/** Newest loudness of each voice in the room, dB. */
	const voices = new Map<Mixer, number>();
	const speaking = new Set<Mixer>();
	let echoes = 0;
	/** From the loudspeaker to the microphone, as it was measured. */
	let wayMs = 0;
	let echoAtMs = Number.NEGATIVE_INFINITY;
	let muted = false;
	let inner: Pick<Microphone, 'setMuted'> | null = null;
	let releasing: Cancel = () => {};
	let shut = false;

	const isGateOn = () =>
		parts.wanted() && (parts.gate() === 'on' || (parts.gate() === 'auto' && echoes >= 2));

	function hear(microphoneDb: number): void {
		if (!parts.wanted()) return;
		const voiceDb = Math.max(Number.NEGATIVE_INFINITY, ...voices.values());
		const echo = detector.push(voiceDb, microphoneDb);
		const now = clock.now();
		if (!echo || now - echoAtMs < APART_MS) return;
		echoAtMs = now;
		echoes += 1;
		wayMs = echo.delayMs;
		log.warn('the microphone hears the voice', { delayMs: echo.delayMs, times: echoes });
		store.setState({ heard: true, gated: isGateOn() });
		settle();
	}

	/** The microphone is what the user wants and the gate allows. */
	function settle(): void {
		const shutNow = isGateOn() && speaking.size > 0;
		releasing();
		releasing = () => {};
		if (shut && !shutNow) {
			releasing = clock.after(RELEASE_MS + wayMs, () => {
				shut = false;
				inner?.setMuted(muted);
			});
			return;
		}
		shut = shutNow;
		inner?.setMuted(muted || shut);
	}

	function forget(): void {
		detector.reset();
		echoes = 0;
		echoAtMs = Number.NEGATIVE_INFINITY;
		store.setState({ heard: false, gated: isGateOn() });
	}

	return {
		store,
		guard(microphone) {
			inner = microphone;
			let untap: Cancel = () => {};
			function tap(track: MediaStreamTrack): void {
				untap();
				untap = tapLevelLater(parts, track, ({ rmsDb }) => hear(rmsDb), ECHO_PERIOD_MS);
			}
			return {
				...microphone,
				get device() {
					return microphone.device;
				},
				async open() {
					const opened = await microphone.open();
					if (!opened.ok) return opened;
					forget();
					settle();
					tap(opened.value);
					return opened;
				},
				setMuted(next) {
					muted = next;
					settle();
				},
				close() {
					untap();
					untap = () => {};
					microphone.close();
				},
				listen: (tell) =>
					microphone.listen((event: MicrophoneEvent) => {
						if (event.type === 'replaced') tap(event.track);
						// Off by the gate is not muted by the user.
						if (event.type === 'speaking-while-muted' && shut && !muted) return;
						tell(event);
					}),
			};
		},
		hear(mixer, inRoom) {
			let untap: Cancel = () => {};
			mixer.listen((event) => {
				if (event.type !== 'voice-active') return;
				if (event.active && inRoom()) speaking.add(mixer);
				else speaking.delete(mixer);
				settle();
			});
			return withSelectedVoice(mixer, (track) => {
				untap();
				voices.delete(mixer);
				untap = track
					? tapLevelLater(
							parts,
							track,
							({ rmsDb }) => voices.set(mixer, inRoom() ? rmsDb : Number.NEGATIVE_INFINITY),
							ECHO_PERIOD_MS,
						)
					: () => {};
			});
		},
		dismiss: () => store.setState({ heard: false }),
		apply() {
			store.setState({ gated: isGateOn() && store.getState().gated });
			settle();
		},
	};
}
