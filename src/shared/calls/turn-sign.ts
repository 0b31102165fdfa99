/**
 * Whether the translated voice of one direction still speaks although its speaker has stopped, and when the turn is the
 * other side's. Pure; times in ms on any one clock.
 *
 * Only the text shows that a speaker has stopped: a sentence under way keeps changing, and becomes final soon after the
 * last word. The voice may pause between two sentences while the next one is translated or synthesised; the turn ends
 * only when none is to come.
 */
export interface BeaconState {
	/** Something can be said and heard now. */
	readonly live: boolean;
	/** The sentence being spoken, as it is now; null = none. */
	readonly open: string | null;
	/** When it last changed; null = there is none, or it has not changed for too long. */
	readonly speechMs: number | null;
	/** The newest final sentence without a translation, and since when. */
	readonly awaited: string | null;
	readonly awaitedMs: number;
	/**
	 * The newest translated sentence, when its translation came, and how many translated ones the voice may not have begun
	 * yet.
	 */
	readonly translated: string | null;
	readonly translatedMs: number;
	readonly coming: number;
	/** Whether the translated voice is heard, and when it last fell silent. */
	readonly voice: boolean;
	readonly silentMs: number;
	readonly sign: BeaconSign;
	/** When the sign was set. */
	readonly signMs: number;
}

/** `still`: the voice speaks, and its speaker does not. `turn`: it has just ended. */
export type BeaconSign = 'none' | 'still' | 'turn';

export type BeaconEvent =
	| { readonly type: 'live'; readonly live: boolean }
	/** The captions of the direction changed. */
	| ({ readonly type: 'said' } & Said)
	| { readonly type: 'voice'; readonly active: boolean }
	| { readonly type: 'tick' };

export interface Said {
	/** The sentence being spoken. */
	readonly open: string | null;
	/** Ids of the newest final sentence without a translation, and of the newest with one. */
	readonly awaited: string | null;
	readonly translated: string | null;
}

/** A text that has not changed for this long is not being spoken: its end was lost. */
export const SPEECH_MS = 4000;
/** Longer than the pauses between two sentences of the voice. */
export const SETTLE_MS = 1200;
/** A translation that has not come by then will not come. */
export const AWAIT_MS = 6000;
/** From a finished translation, or from the sentence before it, to its voice. */
export const COMING_MS = 2500;
/** How long the turn sign is shown. */
export const TURN_MS = 4000;

const LONG_AGO = Number.NEGATIVE_INFINITY;

export const noBeacon: BeaconState = {
	live: false,
	open: null,
	speechMs: null,
	awaited: null,
	awaitedMs: LONG_AGO,
	translated: null,
	translatedMs: LONG_AGO,
	coming: 0,
	voice: false,
	silentMs: LONG_AGO,
	sign: 'none',
	signMs: LONG_AGO,
};

export function stepBeacon(state: BeaconState, event: BeaconEvent, nowMs: number): BeaconState {
	return settle(taken(state, event, nowMs), nowMs);
}

/** When time alone changes something; null = never. */
export function beaconDueMs(state: BeaconState): number | null {
	if (!state.live) return null;
	if (state.speechMs !== null) return state.speechMs + SPEECH_MS;
	if (state.sign === 'turn') return state.signMs + TURN_MS;
	return state.sign === 'still' && !state.voice ? endMs(state) : null;
}

function taken(state: BeaconState, event: BeaconEvent, nowMs: number): BeaconState {
	switch (event.type) {
		case 'live':
			return event.live ? { ...state, live: true } : { ...noBeacon, voice: state.voice };
		case 'said':
			return said(state, event, nowMs);
		case 'voice':
			if (event.active === state.voice) return state;
			return event.active
				? { ...state, voice: true, coming: Math.max(0, state.coming - 1) }
				: { ...state, voice: false, silentMs: nowMs };
		case 'tick':
			return state;
	}
}

function said(state: BeaconState, { open, awaited, translated }: Said, nowMs: number): BeaconState {
	const isNew = translated !== null && translated !== state.translated;
	return {
		...state,
		open,
		speechMs: open === null ? null : open === state.open ? state.speechMs : nowMs,
		awaited,
		awaitedMs: awaited === state.awaited ? state.awaitedMs : nowMs,
		translated,
		translatedMs: isNew ? nowMs : state.translatedMs,
		coming: isNew ? state.coming + 1 : state.coming,
	};
}

function settle(before: BeaconState, nowMs: number): BeaconState {
	const isOver = before.speechMs !== null && nowMs >= before.speechMs + SPEECH_MS;
	const state = isOver ? { ...before, speechMs: null } : before;
	const sign = signOf(state, nowMs);
	if (sign === state.sign) return state;
	// The wait for expected sentences is over.
	return { ...state, sign, signMs: nowMs, coming: sign === 'turn' ? 0 : state.coming };
}

function signOf(state: BeaconState, nowMs: number): BeaconSign {
	if (!state.live || state.speechMs !== null) return 'none';
	if (state.voice) return 'still';
	if (state.sign === 'still') return nowMs >= endMs(state) ? 'turn' : 'still';
	return state.sign === 'turn' && nowMs < state.signMs + TURN_MS ? 'turn' : 'none';
}

/** When the voice, silent now, will count as finished. */
function endMs({ silentMs, awaited, awaitedMs, translatedMs, coming }: BeaconState): number {
	const translationMs = awaited === null ? LONG_AGO : awaitedMs + AWAIT_MS;
	const voiceMs = coming > 0 ? Math.max(silentMs, translatedMs) + COMING_MS : silentMs + SETTLE_MS;
	return Math.max(translationMs, voiceMs);
}
