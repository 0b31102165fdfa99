import { createStore, type StoreApi } from 'zustand/vanilla';
import { ECHO_PERIOD_MS, type Echo, EchoDetector } from '#shared/audio/echo-detector.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import type { tapLevelLater } from './level-tap.ts';
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
	/** How loud the microphone is, dBFS, each `ECHO_PERIOD_MS`, also while it is off. */
	heard(microphoneDb: number): void;
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
	/** `tapLevelLater`, with its parts. */
	readonly tap: (
		track: MediaStreamTrack,
		heard: Parameters<typeof tapLevelLater>[2],
		periodMs: number,
	) => Cancel;
	readonly clock: Pick<Clock, 'now' | 'after'>;
	readonly log: Logger;
	readonly gate: () => GateWish;
	/** False: somebody else takes care of it (face to face does). */
	readonly wanted: () => boolean;
}

/** The room's own reverberation, after the voice has ended. */
const RELEASE_MS = 250;
/** A second echo counts when it is not the end of the first. */
const APART_MS = 3000;
/** So many make it a loop. */
const LOOP = 2;
/** The voice has spoken for so long and was not heard: one echo less. An echo is found within 4 to 10 s of voice. */
const UNHEARD_MS = 30_000;
/** Louder, it is speech and not the hum of a voice that is silent, dBFS. */
const SPEECH_DB = -50;

export function createEchoGuard(parts: EchoGuardParts): EchoGuard {
	const { clock, log } = parts;
	const store = createStore<EchoView>()(() => ({ heard: false, gated: false }));
	const detector = new EchoDetector();
	/** Newest loudness of each voice in the room, dB. */
	const voices = new Map<Mixer, number>();
	const speaking = new Set<Mixer>();
	/** No more than make a loop. */
	let echoes = 0;
	/** Of the voice, since the last echo or since one was forgotten. */
	let unheardMs = 0;
	/** From the loudspeaker to the microphone, as it was measured. */
	let wayMs = 0;
	let echoAtMs = Number.NEGATIVE_INFINITY;
	let muted = false;
	let inner: Pick<Microphone, 'setMuted'> | null = null;
	let releasing: Cancel = () => {};
	let shut = false;

	const isGateOn = () =>
		parts.wanted() && (parts.gate() === 'on' || (parts.gate() === 'auto' && echoes >= LOOP));

	function heard(microphoneDb: number): void {
		// What the user has muted goes nowhere.
		if (!parts.wanted() || muted) return;
		const voiceDb = Math.max(Number.NEGATIVE_INFINITY, ...voices.values());
		const echo = detector.push(voiceDb, microphoneDb);
		if (echo) found(echo);
		else if (echoes > 0 && voiceDb > SPEECH_DB) missed();
	}

	function found({ delayMs }: Echo): void {
		unheardMs = 0;
		const now = clock.now();
		if (now - echoAtMs < APART_MS) return;
		echoAtMs = now;
		echoes = Math.min(LOOP, echoes + 1);
		wayMs = delayMs;
		log.warn('the microphone hears the voice', { delayMs, times: echoes });
		store.setState({ heard: true, gated: isGateOn() });
		settle();
	}

	function missed(): void {
		unheardMs += ECHO_PERIOD_MS;
		if (unheardMs < UNHEARD_MS) return;
		unheardMs = 0;
		echoes -= 1;
		log.info('the microphone hears the voice no more', { times: echoes });
		store.setState({ heard: false, gated: isGateOn() && store.getState().gated });
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
		unheardMs = 0;
		echoAtMs = Number.NEGATIVE_INFINITY;
		store.setState({ heard: false, gated: isGateOn() });
	}

	return {
		store,
		heard,
		guard(microphone) {
			inner = microphone;
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
					return opened;
				},
				setMuted(next) {
					muted = next;
					settle();
				},
				listen: (tell) =>
					microphone.listen((event: MicrophoneEvent) => {
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
					? parts.tap(
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
