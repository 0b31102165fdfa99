/**
 * "Connected but silent": finds the stage of a live conversation that delivers nothing although the previous stage
 * does. Pure; times are monotonic ms. A stage is judged only by its input, so that a pause in speech, in which no
 * stage has input, never raises an alarm.
 *
 * ```
 * microphone ─► muted? ─► packets ─► interpreter ─► transcript ─► translation ─► voice ─► loudspeaker
 *   microphone   muted    packets             transcript                voice     output
 * ```
 */
export type SilentStage =
	| 'muted'
	| 'microphone'
	| 'speech'
	| 'packets'
	/** The connection is too slow for the voice, which is requested again once there is enough bandwidth. */
	| 'line'
	| 'transcript'
	| 'voice'
	| 'output'
	/** The connection is only poor: captions arrive as whole sentences; partial ones are not requested. */
	| 'captions';

/** Observations of one direction. Each time is that of the last occurrence; null = none since it went live. */
export interface Signs {
	/** A microphone should pick up a person; a computer's sound may be silent for any length of time. */
	readonly source: 'microphone' | 'system';
	/** Since when the direction is live and not paused; null = it is not, and no sound is expected. */
	readonly liveMs: number | null;
	readonly muted: boolean;
	/** Time of the last speech into the muted microphone. */
	readonly speechWhileMutedMs: number | null;
	/** Since when speech can reach the interpreter: live, unmuted, this device. */
	readonly openMs: number | null;
	/** `soundMs`: last sound above a working microphone's own noise; `watched` false = not measured. */
	readonly watched: boolean;
	readonly soundMs: number | null;
	readonly speechMs: number | null;
	/** Speech since the last transcript: when it began, and its length. */
	readonly unheardSinceMs: number | null;
	readonly unheardSpeechMs: number;
	/** When the count of outgoing packets last grew; null = none counted yet. */
	readonly sentMs: number | null;
	/** When counters were last read: old readings prove nothing. */
	readonly countedMs: number | null;
	readonly transcriptMs: number | null;
	/** Arrival of the oldest final translation that has not been spoken. */
	readonly unvoicedMs: number | null;
	/** Whether a voice is wanted at all; captions alone have none. */
	readonly wantsVoice: boolean;
	/** The connection is too slow for the voice. */
	readonly holdsVoice: boolean;
	/** The connection is too slow for partial captions too. */
	readonly onlyFinals: boolean;
	/** When the voice was last audible in the output. */
	readonly voiceMs: number | null;
	readonly speaking: boolean;
	/** Why the voice cannot be heard; null = it can be heard. */
	readonly outputOff: 'volume' | 'muted' | null;
	/** Since when the output is off; turning it off while live is deliberate. */
	readonly outputOffMs: number | null;
}

export const noSigns: Signs = {
	source: 'microphone',
	liveMs: null,
	muted: false,
	speechWhileMutedMs: null,
	openMs: null,
	watched: false,
	soundMs: null,
	speechMs: null,
	unheardSinceMs: null,
	unheardSpeechMs: 0,
	sentMs: null,
	countedMs: null,
	transcriptMs: null,
	unvoicedMs: null,
	wantsVoice: true,
	holdsVoice: false,
	onlyFinals: false,
	voiceMs: null,
	speaking: false,
	outputOff: null,
	outputOffMs: null,
};

/** A fault is reported within this time, ms; every limit below is shorter by one reading. */
export const NAMED_WITHIN_MS = 8000;
const LIMIT_MS = NAMED_WITHIN_MS - 1000;
/** Limit without partial texts: the longest sentence allowed, plus retransmission on a bad line. */
const FINALS_MS = 20_000;
/** The machine's watchdog acts after 5.5 s; faults that it misses are reported here. */
const PACKETS_MS = 6000;
/** Speech shorter than this may have been a cough. */
const ENOUGH_SPEECH_MS = 1500;
/** Noises further apart than this do not count as continuous speech. */
const COUGH_APART_MS = 3000;
/** Counters are read once a second; a sleeping page reads none. */
const COUNTED_WITHIN_MS = 2500;
/** How long the notice about a muted microphone is shown. */
const MUTED_MS = 8000;

/** The first silent stage in the direction of the sound; null = no known fault. */
export function silentStage(signs: Signs, nowMs: number): SilentStage | null {
	const { liveMs, openMs } = signs;
	if (liveMs === null) return null;
	const since = (ms: number | null) => nowMs - Math.max(ms ?? Number.NEGATIVE_INFINITY, liveMs);
	if (signs.muted) {
		const spoke = signs.speechWhileMutedMs;
		return spoke !== null && nowMs - spoke < MUTED_MS ? 'muted' : downstream(signs, nowMs, since);
	}
	const isMeasured = signs.watched && signs.source === 'microphone';
	const openForMs = openMs === null ? 0 : nowMs - Math.max(openMs, liveMs);
	const isSilent = signs.soundMs === null || nowMs - signs.soundMs >= LIMIT_MS;
	if (isMeasured && openForMs >= LIMIT_MS && isSilent) return 'microphone';
	const found = downstream(signs, nowMs, since);
	if (found) return found;
	const isQuiet = signs.speechMs === null && signs.transcriptMs === null;
	if (isMeasured && isQuiet && openForMs >= LIMIT_MS) return 'speech';
	return signs.onlyFinals ? 'captions' : null;
}

function downstream(signs: Signs, nowMs: number, since: (ms: number | null) => number): SilentStage | null {
	const isCounted = signs.countedMs !== null && nowMs - signs.countedMs <= COUNTED_WITHIN_MS;
	if (isCounted && since(signs.sentMs) >= PACKETS_MS) return 'packets';
	if (signs.wantsVoice && signs.holdsVoice) return 'line';
	const { unheardSinceMs, unvoicedMs } = signs;
	const spokeEnough = signs.unheardSpeechMs >= ENOUGH_SPEECH_MS;
	const wordsMs = signs.onlyFinals ? FINALS_MS : LIMIT_MS;
	if (spokeEnough && unheardSinceMs !== null && since(unheardSinceMs) >= wordsMs) return 'transcript';
	const waits = unvoicedMs !== null && since(unvoicedMs) >= LIMIT_MS;
	if (signs.wantsVoice && waits) return 'voice';
	const { outputOff, outputOffMs, liveMs, voiceMs } = signs;
	const offFromTheStart = (outputOffMs ?? 0) <= (liveMs ?? 0);
	return signs.wantsVoice && outputOff !== null && offFromTheStart && voiceMs !== null ? 'output' : null;
}

/** An event of one direction, from which the signs are derived. */
export type Sign =
	| { readonly type: 'live'; readonly live: boolean }
	| { readonly type: 'muted'; readonly muted: boolean }
	| { readonly type: 'spoke-while-muted' }
	/** A microphone was opened or replaced, or closed (`open` false). */
	| { readonly type: 'source'; readonly open: boolean }
	/** A reading of the microphone's level over the last `ms`. */
	| { readonly type: 'level'; readonly sound: boolean; readonly speech: boolean; readonly ms: number }
	| { readonly type: 'packets'; readonly sent: number; readonly before: number }
	| { readonly type: 'transcript' }
	/** A final translation in the language of the voice. */
	| { readonly type: 'translation' }
	| { readonly type: 'voice-active'; readonly active: boolean }
	| { readonly type: 'wants-voice'; readonly wants: boolean; readonly held: boolean }
	| { readonly type: 'only-finals'; readonly only: boolean }
	| { readonly type: 'output'; readonly off: Signs['outputOff'] };

/** A voice that spoke within this time before a text arrived spoke that text. */
const VOICE_BEFORE_MS = 5000;

/** Pure: the signs after `sign` at `nowMs`. */
export function sign(before: Signs, what: Sign, nowMs: number): Signs {
	switch (what.type) {
		case 'live': {
			if (what.live === (before.liveMs !== null)) return before;
			const { source, muted, wantsVoice, outputOff, outputOffMs, openMs, watched } = before;
			const kept = { ...noSigns, source, muted, wantsVoice, outputOff, outputOffMs, openMs, watched };
			return { ...kept, liveMs: what.live ? nowMs : null };
		}
		case 'muted':
			if (what.muted === before.muted) return before;
			return {
				...before,
				muted: what.muted,
				speechWhileMutedMs: null,
				openMs: what.muted ? null : nowMs,
				unheardSinceMs: null,
				unheardSpeechMs: 0,
			};
		case 'spoke-while-muted':
			return { ...before, speechWhileMutedMs: nowMs };
		case 'source':
			return { ...before, openMs: what.open && !before.muted ? nowMs : null, watched: false, soundMs: null };
		case 'level':
			return heard(before, what, nowMs);
		case 'packets': {
			const grew = what.sent > what.before;
			return { ...before, countedMs: nowMs, sentMs: grew ? nowMs : (before.sentMs ?? before.liveMs) };
		}
		case 'transcript':
			return { ...before, transcriptMs: nowMs, unheardSinceMs: null, unheardSpeechMs: 0 };
		case 'translation': {
			const isVoiced = before.voiceMs !== null && nowMs - before.voiceMs < VOICE_BEFORE_MS;
			return isVoiced ? before : { ...before, unvoicedMs: before.unvoicedMs ?? nowMs };
		}
		case 'voice-active':
			// When the voice stops, it was audible until now.
			return { ...before, voiceMs: nowMs, speaking: what.active, unvoicedMs: null };
		case 'wants-voice':
			return {
				...before,
				wantsVoice: what.wants,
				holdsVoice: what.held,
				// Translations that arrived while the voice was held back will never be spoken.
				unvoicedMs: what.held ? null : before.unvoicedMs,
			};
		case 'only-finals':
			return { ...before, onlyFinals: what.only };
		case 'output':
			if (what.off === before.outputOff) return before;
			return { ...before, outputOff: what.off, outputOffMs: what.off === null ? null : nowMs };
	}
}

function heard(before: Signs, { sound, speech, ms }: Sign & { type: 'level' }, nowMs: number): Signs {
	// The microphone may be kept closed while the voice speaks.
	const next = { ...before, watched: true, soundMs: sound || before.speaking ? nowMs : before.soundMs };
	if (!speech || before.muted || before.liveMs === null) return next;
	const quietMs = nowMs - (before.speechMs ?? nowMs);
	const wasCough = quietMs > COUGH_APART_MS && before.unheardSpeechMs < ENOUGH_SPEECH_MS;
	return {
		...next,
		speechMs: nowMs,
		unheardSinceMs: wasCough ? nowMs : (before.unheardSinceMs ?? nowMs),
		unheardSpeechMs: (wasCough ? 0 : before.unheardSpeechMs) + ms,
	};
}
