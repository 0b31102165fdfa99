import { createStore, type StoreApi } from 'zustand/vanilla';
import type { SettingsMirror } from '#renderer/settings/settings-mirror.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import { ECHO_PERIOD_MS, EchoLoop } from '#shared/sound/echo-detector.ts';
import type { LevelTap } from './meter.ts';
import type { Microphone, MicrophoneEvent } from './microphone.ts';
import { type Mixer, withSelectedVoice } from './mixer.ts';

/** `auto`: from the second echo on. */
export type GateWish = 'auto' | 'on' | 'off';

interface EchoView {
	/** The microphone hears the voice we play. */
	readonly heard: boolean;
	/** The microphone is off while the voice speaks, because of that. */
	readonly gated: boolean;
}

/**
 * Keeps the translation from being translated: it compares the voices that are played in the room with what the
 * microphone hears, reports when they match, and, when that goes on, switches the microphone off while a voice speaks.
 * It goes on listening behind the closed microphone, and leaves it on again once the voice is no longer heard.
 */
export interface EchoGuard {
	readonly store: StoreApi<EchoView>;
	/** How loud the microphone is, dBFS, each `ECHO_PERIOD_MS`, also while it is off. */
	heard(microphoneDb: number): void;
	/** The one microphone to be guarded. */
	guard(microphone: Microphone): Microphone;
	/** A mixer whose voices are heard in the room while `inRoom` says so. */
	hear(mixer: Mixer, inRoom: () => boolean): Mixer;
	/** The user has seen it. */
	dismiss(): void;
	/** `gate` of the settings changed. */
	apply(): void;
}

interface EchoGuardParts {
	readonly tap: LevelTap;
	readonly clock: Pick<Clock, 'after'>;
	readonly log: Logger;
	readonly gate: () => GateWish;
	/** False: another feature handles the echo (face-to-face mode does). */
	readonly wanted: () => boolean;
}

/** The room's own reverberation, after the voice has ended. */
const RELEASE_MS = 250;

export function createEchoGuard(parts: EchoGuardParts): EchoGuard {
	const { clock, log } = parts;
	const store = createStore<EchoView>()(() => ({ heard: false, gated: false }));
	const loop = new EchoLoop();
	/** Newest loudness of each voice in the room, dB. */
	const voices = new Map<Mixer, number>();
	const speaking = new Set<Mixer>();
	let muted = false;
	let inner: Pick<Microphone, 'setMuted'> | null = null;
	let releasing: Cancel | null = null;
	let shut = false;

	const isGateOn = () =>
		parts.wanted() && (parts.gate() === 'on' || (parts.gate() === 'auto' && loop.isLoop));

	function heard(microphoneDb: number): void {
		// Muted by the user, it sends nothing.
		if (!parts.wanted() || muted) return;
		let voiceDb = Number.NEGATIVE_INFINITY;
		for (const db of voices.values()) voiceDb = Math.max(voiceDb, db);
		const change = loop.push(voiceDb, microphoneDb, !shut);
		if (change === null) return;
		const { isLoop, wayMs } = loop;
		if (change === 'heard') log.warn('the microphone hears the voice', { delayMs: wayMs, isLoop });
		else log.info('the microphone hears the voice no more');
		const before = store.getState();
		store.setState({
			heard: change === 'heard',
			gated: isGateOn() && (change === 'heard' || before.gated),
		});
		settle();
	}

	/** The microphone is what the user wants and the gate allows. */
	function settle(): void {
		const shutNow = isGateOn() && speaking.size > 0;
		if (shut && !shutNow) {
			releasing ??= clock.after(RELEASE_MS + loop.wayMs, () => {
				releasing = null;
				shut = false;
				inner?.setMuted(muted);
			});
			return;
		}
		releasing?.();
		releasing = null;
		shut = shutNow;
		inner?.setMuted(muted || shut);
	}

	function forget(): void {
		loop.reset();
		store.setState({ heard: false, gated: isGateOn() });
		settle();
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
					return opened;
				},
				setMuted(next) {
					muted = next;
					settle();
				},
				listen: (tell) =>
					microphone.listen((event: MicrophoneEvent) => {
						if (event.type === 'replaced') forget();
						// Off by the gate is not muted by the user.
						if (event.type === 'speaking-while-muted' && shut && !muted) return;
						tell(event);
					}),
			};
		},
		hear(mixer, inRoom) {
			let untap: Cancel = () => {};
			let active = false;
			let volume = 1;
			const isHeard = () => volume > 0 && inRoom();
			function follow(): void {
				if (active && isHeard()) speaking.add(mixer);
				else speaking.delete(mixer);
				settle();
			}
			mixer.listen((event) => {
				if (event.type === 'output-switched') forget();
				if (event.type !== 'voice-active') return;
				active = event.active;
				follow();
			});
			const watched = withSelectedVoice(mixer, (track) => {
				untap();
				voices.delete(mixer);
				untap = track
					? parts.tap(
							track,
							({ rmsDb }) => voices.set(mixer, isHeard() ? rmsDb : Number.NEGATIVE_INFINITY),
							ECHO_PERIOD_MS,
						)
					: () => {};
			});
			return {
				...watched,
				setVoiceVolume(next) {
					volume = next;
					mixer.setVoiceVolume(next);
					follow();
				},
				setOutput(device, apart) {
					forget();
					return mixer.setOutput(device, apart);
				},
			};
		},
		dismiss: () => store.setState({ heard: false }),
		apply() {
			store.setState({ gated: isGateOn() && store.getState().gated });
			settle();
		},
	};
}

/** The settings of the echo guard. Face-to-face mode has its own rule for closing the microphone. */
export function echoSettings({
	store,
}: Pick<SettingsMirror, 'store'>): Pick<EchoGuardParts, 'gate' | 'wanted'> {
	return {
		gate: () => store.getState().values.gate,
		wanted: () => store.getState().values.mode !== 'face',
	};
}

/** Is our own voice heard in the room? In a meeting it is played into the call. */
export function inRoom({ store }: Pick<SettingsMirror, 'store'>): () => boolean {
	return () => store.getState().values.mode !== 'meeting';
}

/** Returns a function that ends it. */
export function followGate(guard: Pick<EchoGuard, 'apply'>, settings: Pick<SettingsMirror, 'store'>): Cancel {
	return settings.store.subscribe(({ values }, before) => {
		if (values.gate !== before.values.gate) guard.apply();
	});
}
