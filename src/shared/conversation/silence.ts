/**
 * "Connected but silent": finds the stage of a live conversation that delivers nothing although the one before it
 * does. Pure; times are monotonic ms. A stage is judged only by what reached it, so that a pause in
 * speech, in which nothing reaches anything, is never an alarm.
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
	/** The line is too narrow for the voice, which is not requested until it is wider. */
	| 'line'
	| 'transcript'
	| 'voice'
	| 'output'
	/** Only the line is bad: captions come sentence by sentence, partial ones are not requested. */
	| 'captions';

/** Observations of one leg. Times are those of the last occurrence; null = none since it became live. */
export interface Signs {
	/** A microphone should pick up a person; a computer's sound may be silent for any time. */
	readonly source: 'microphone' | 'system';
	/** Since when it is live and not paused; null = it is not, and nothing is expected. */
	readonly liveMs: number | null;
	readonly muted: boolean;
	/** Time of the last speech into the muted microphone. */
	readonly speechWhileMutedMs: number | null;
	/** Since when sound could be heard: live, unmuted, this device. */
	readonly openMs: number | null;
	/** `soundMs`: anything above a working microphone's own noise; `watched` false = not measured. */
	readonly watched: boolean;
	readonly soundMs: number | null;
	readonly speechMs: number | null;
	/** Speech since the last transcript: when it began, and how much of it there was. */
	readonly unheardSinceMs: number | null;
	readonly unheardSpeechMs: number;
	/** Outgoing packets last grew; null = none counted yet. */
	readonly sentMs: number | null;
	/** When counters were last read: old ones say nothing. */
	readonly countedMs: number | null;
	readonly transcriptMs: number | null;
	/** The oldest final translation that no voice has followed. */
	readonly unvoicedMs: number | null;
	/** A voice is wanted at all: captions alone have none. */
	readonly wantsVoice: boolean;
	/** The line has no room for the voice. */
	readonly holdsVoice: boolean;
	/** The line has no room for partial captions either. */
	readonly onlyFinals: boolean;
	/** The voice was last audible in what is played. */
	readonly voiceMs: number | null;
	readonly speaking: boolean;
	/** Why the voice cannot be heard; null = it can. */
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

/** A fault is named within this time, ms; every limit below is shorter by one reading. */
export const NAMED_WITHIN_MS = 8000;
const LIMIT_MS = NAMED_WITHIN_MS - 1000;
/** Without partial texts: the longest sentence the service allows, plus retransmission on a bad line. */
const FINALS_MS = 20_000;
/** The machine's watchdog acts after 5.5 s; what it misses is reported here. */
const PACKETS_MS = 6000;
/** Less speech than this may have been a cough. */
const ENOUGH_SPEECH_MS = 1500;
/** Little noises further apart than this are not one speech. */
const COUGH_APART_MS = 3000;
/** Counters are read once a second; a page asleep reads none. */
const COUNTED_WITHIN_MS = 2500;
/** How long the notice about a muted microphone stays. */
const MUTED_MS = 8000;

/** The first silent stage in the direction of the sound; null = nothing is known to be wrong. */
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

/** An event of a leg, from which the signs are derived. */
export type Sign =
	| { readonly type: 'live'; readonly live: boolean }
	| { readonly type: 'muted'; readonly muted: boolean }
	| { readonly type: 'spoke-while-muted' }
	/** A microphone was opened or replaced, or (`open` false) closed. */
	| { readonly type: 'source'; readonly open: boolean }
	/** A reading of its level over the last `ms`. */
	| { readonly type: 'level'; readonly sound: boolean; readonly speech: boolean; readonly ms: number }
	| { readonly type: 'packets'; readonly sent: number; readonly before: number }
	| { readonly type: 'transcript' }
	/** A final translation in the language whose voice is heard. */
	| { readonly type: 'translation' }
	| { readonly type: 'voice-active'; readonly active: boolean }
	| { readonly type: 'wants-voice'; readonly wants: boolean; readonly held: boolean }
	| { readonly type: 'only-finals'; readonly only: boolean }
	| { readonly type: 'output'; readonly off: Signs['outputOff'] };

/** A voice that spoke within this time before a text came spoke that text. */
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
			// When it stops, it has been speaking until now.
			return { ...before, voiceMs: nowMs, speaking: what.active, unvoicedMs: null };
		case 'wants-voice':
			return {
				...before,
				wantsVoice: what.wants,
				holdsVoice: what.held,
				// Translations that came while the voice was held back will never be voiced.
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
	// A microphone may be kept shut while the voice speaks.
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
