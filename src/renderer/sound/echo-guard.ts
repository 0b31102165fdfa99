import { createStore } from 'zustand/vanilla';
import type { SettingsMirror } from '#renderer/settings/settings-mirror.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import type { LevelTap } from './meter.ts';
import type { Microphone, MicrophoneEvent } from './microphone.ts';
import { type Mixer, withSelectedVoice } from './mixer.ts';

/** `auto`: the gate works from the second echo on. */
export type GateWish = 'auto' | 'on' | 'off';

interface EchoView {
	/** The microphone hears the voice we play. */
	readonly heard: boolean;
	/** Because of this echo, the microphone is off while the voice speaks. */
	readonly gated: boolean;
}

interface EchoGuardParts {
	readonly tap: LevelTap;
	readonly clock: Pick<Clock, 'after'>;
	readonly log: Logger;
	readonly gate: () => GateWish;
	/** False: another feature handles the echo (face-to-face mode does). */
	readonly wanted: () => boolean;
}

/** Time for the room's reverberation to fade after the voice has ended. */
const RELEASE_MS = 250;

export type EchoGuard = ReturnType<typeof createEchoGuard>;

/**
 * Prevents the translation from being translated again: compares the voices played in the room with the
 * microphone's sound, reports when they match, and from the second echo on switches the microphone off while a
 * voice speaks. It keeps listening while the microphone is off, and leaves the microphone on once the echo has
 * stopped.
 */
export function createEchoGuard(parts: EchoGuardParts) {
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
		// A microphone muted by the user sends nothing.
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

	/** Turns the microphone on or off, as the user wants and the gate allows. */
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
		/** Takes the loudness of the microphone, dBFS, every `ECHO_PERIOD_MS`, also while it is off. */
		heard,
		/** Wraps the one microphone to be guarded. */
		guard(microphone: Microphone): Microphone {
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
						// The gate turned the microphone off, not the user.
						if (event.type === 'speaking-while-muted' && shut && !muted) return;
						tell(event);
					}),
			};
		},
		/** Wraps a mixer whose voices are heard in the room while `inRoom` returns true. */
		hear(mixer: Mixer, inRoom: () => boolean): Mixer {
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
		dismiss: (): void => store.setState({ heard: false }),
		/** Call this when the `gate` setting has changed. */
		apply(): void {
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

/** Returns whether the user's translated voice is heard in the room; in a meeting it is played into the call. */
export function inRoom({ store }: Pick<SettingsMirror, 'store'>): () => boolean {
	return () => store.getState().values.mode !== 'meeting';
}

/** Applies changes of the `gate` setting. Returns a function that stops this. */
export function followGate(guard: Pick<EchoGuard, 'apply'>, settings: Pick<SettingsMirror, 'store'>): Cancel {
	return settings.store.subscribe(({ values }, before) => {
		if (values.gate !== before.values.gate) guard.apply();
	});
}

/** Interval of the loudness readings of microphone and voice, which are taken at the same moments. */
export const ECHO_PERIOD_MS = 40;

/** Length of the compared window, in readings: 4 s. */
const WINDOW = 100;
/** Number of delays tried, from loudspeaker to microphone with all buffers: 0 to 800 ms. */
const LAGS = 21;
/** All readings that a search needs, delays included. */
const SPAN = WINDOW + LAGS;
export const ECHO_WINDOW_MS = SPAN * ECHO_PERIOD_MS;
/** Readings between two comparisons: 400 ms. */
const EVERY = 10;
/**
 * Measured over hours of speech (`npm run bench -- echo`):
 * unrelated speech reaches this only for a moment, an echo stays above it.
 */
const ALIKE = 0.55;
/** Hits needed in a row, at the same delay, give or take 40 ms. */
const TIMES = 3;
const LAG_SLACK = 1;
/** Range of loudness that counts: quieter is noise, and louder makes no difference. */
const FLOOR_DB = -60;
const TOP_DB = -6;
/**
 * Changes of loudness are compared, not loudness itself, each limited to this: two people who take turns share long
 * stretches of sound and silence by chance, but not their syllables.
 */
const MOST_CHANGE_DB = 8;
/** A sound whose loudness does not change cannot be matched with anything. */
const LEAST_CHANGE_DB = 1;

export interface Echo {
	/** Delay from the loudspeaker to the microphone. */
	readonly delayMs: number;
	/** Correlation of voice and microphone, −1 to 1. */
	readonly likeness: number;
}

/** Finds the voice we play in what the microphone hears, at every delay an echo can have. Allocates nothing. */
export class EchoDetector {
	readonly #voice = new Changes();
	readonly #heard = new Changes();
	#filled = 0;
	#since = 0;
	#lag = -1;
	#times = 0;

	/**
	 * Takes the levels of voice and microphone at the same moment, dBFS.
	 * Returns an echo once, each time it becomes certain.
	 */
	push(voiceDb: number, heardDb: number): Echo | null {
		this.#voice.push(voiceDb);
		this.#heard.push(heardDb);
		this.#filled = Math.min(this.#filled + 1, 1 + SPAN);
		this.#since += 1;
		if (this.#filled < 1 + SPAN || this.#since < EVERY) return null;
		this.#since = 0;
		return this.#compare();
	}

	reset(): void {
		this.#filled = 0;
		this.#since = 0;
		this.#times = 0;
		this.#lag = -1;
	}

	#compare(): Echo | null {
		let best = 0;
		let at = -1;
		for (let lag = 0; lag < LAGS; lag += 1) {
			const likeness = this.#likeness(lag);
			if (likeness > best) [best, at] = [likeness, lag];
		}
		if (best < ALIKE) {
			this.#times = 0;
			return null;
		}
		this.#times = Math.abs(at - this.#lag) <= LAG_SLACK ? this.#times + 1 : 1;
		this.#lag = at;
		if (this.#times < TIMES) return null;
		this.#times = 0;
		return { delayMs: at * ECHO_PERIOD_MS, likeness: best };
	}

	/** Correlation of the microphone's newest window with the voice `lag` readings earlier; 0 where nothing changes. */
	#likeness(lag: number): number {
		const [voice, heard] = [this.#voice.values, this.#heard.values];
		let [vv, hh, vh] = [0, 0, 0];
		for (let i = LAGS; i < SPAN; i += 1) {
			const v = voice[i - lag] ?? 0;
			const h = heard[i] ?? 0;
			vv += v * v;
			hh += h * h;
			vh += v * h;
		}
		const least = WINDOW * LEAST_CHANGE_DB ** 2;
		return vv < least || hh < least ? 0 : vh / Math.sqrt(vv * hh);
	}
}

/** Change of loudness, dB, at each of the newest readings; newest last. */
class Changes {
	readonly values = new Float32Array(SPAN);
	#before = FLOOR_DB;

	push(db: number): void {
		const loud = Number.isFinite(db) ? within(db, FLOOR_DB, TOP_DB) : FLOOR_DB;
		this.values.copyWithin(0, 1);
		this.values[this.values.length - 1] = within(loud - this.#before, -MOST_CHANGE_DB, MOST_CHANGE_DB);
		this.#before = loud;
	}
}

function within(value: number, least: number, most: number): number {
	return Math.min(most, Math.max(least, value));
}

/** A second echo counts only this long after the first, so that the end of the first is not counted again. */
const APART_MS = 3000;
/** This many echoes make a loop. */
const LOOP = 2;
/** After this much voice without other speech or an echo, one echo is subtracted from the count. */
const UNHEARD_MS = 30_000;
/** A voice louder than this speaks; below is only the hum of a silent voice, dBFS. */
const SPEECH_DB = -50;
/** A level this far above the noise of the room counts as a sound, dB. */
const ABOVE_NOISE_DB = 6;
/** Rooms quieter than this count as silent, dBFS. */
const QUIETEST_DB = -60;
/** How much the noise estimate rises per reading, dB: slowly, so that words do not raise it. */
const NOISE_RISES_DB = ECHO_PERIOD_MS / 1000;

/**
 * Decides whether the echo of the voice makes a loop: an occasional echo does not, two within half a minute of
 * voice do. The loop ends after half a minute of voice without an echo, counted only while an echo could have
 * been found: during other speech the detector finds few echoes. Allocates nothing per reading.
 */
export class EchoLoop {
	readonly #detector = new EchoDetector();
	/** Number of echoes counted, at most `LOOP`. */
	#echoes = 0;
	#unheardMs = 0;
	#sinceEchoMs = APART_MS;
	#openMs = 0;
	#noiseDb = 0;
	#wayMs = 0;

	/** True if the echo makes a loop unless the microphone is closed while the voice speaks. */
	get isLoop(): boolean {
		return this.#echoes >= LOOP;
	}

	/** Last measured delay from the loudspeaker to the microphone, ms. */
	get wayMs(): number {
		return this.#wayMs;
	}

	/**
	 * Takes the loudness of voice and microphone at the same moment, dBFS, every `ECHO_PERIOD_MS`. `open`: the
	 * microphone's sound is translated; while the microphone is closed, its sound is not sent and shows only that
	 * there would be an echo. Returns `heard` for one more echo, `gone` for one fewer.
	 */
	push(voiceDb: number, microphoneDb: number, open: boolean): 'heard' | 'gone' | null {
		this.#openMs = open ? this.#openMs + ECHO_PERIOD_MS : 0;
		this.#sinceEchoMs += ECHO_PERIOD_MS;
		const quietest = Math.min(microphoneDb, this.#noiseDb + NOISE_RISES_DB);
		this.#noiseDb = quietest > QUIETEST_DB ? quietest : QUIETEST_DB;
		const echo = this.#detector.push(voiceDb, microphoneDb);
		if (echo) return this.#found(echo);
		const isAlone = voiceDb > SPEECH_DB && microphoneDb < this.#noiseDb + ABOVE_NOISE_DB;
		return this.#echoes > 0 && isAlone ? this.#missed() : null;
	}

	/** Call this for another microphone, loudspeaker or conversation. */
	reset(): void {
		this.#detector.reset();
		this.#echoes = 0;
		this.#unheardMs = 0;
		this.#sinceEchoMs = APART_MS;
		this.#openMs = 0;
	}

	#found({ delayMs }: Echo): 'heard' | null {
		this.#unheardMs = 0;
		this.#wayMs = delayMs;
		if (this.isLoop || this.#sinceEchoMs < APART_MS || this.#openMs < ECHO_WINDOW_MS) return null;
		this.#sinceEchoMs = 0;
		this.#echoes += 1;
		return 'heard';
	}

	#missed(): 'gone' | null {
		this.#unheardMs += ECHO_PERIOD_MS;
		if (this.#unheardMs < UNHEARD_MS) return null;
		this.#unheardMs = 0;
		this.#echoes -= 1;
		return 'gone';
	}
}
