/**
 * Whether the translated voice of one direction still speaks although its speaker has stopped, and when the turn is
 * the other side's. Pure; times in ms on any one clock.
 *
 * Nothing tells that a speaker has stopped but the text: a sentence that is still being heard changes, and becomes
 * final soon after the last word. Between two sentences of the voice there may be a pause in which the next one is
 * being translated or made; the turn ends only when none is to come.
 */
export interface BeaconState {
	/** Something can be said and heard now. */
	readonly live: boolean;
	/** The sentence being heard, as it is now; null = none. */
	readonly open: string | null;
	/** When it changed last; null = there is none, or it has stood still for too long. */
	readonly speechMs: number | null;
	/** The newest finished sentence that has no translation yet, and since when it is known. */
	readonly awaited: string | null;
	readonly awaitedMs: number;
	/** The newest sentence that has its translation, when that was known, and how many of them may not have been begun by the voice. */
	readonly translated: string | null;
	readonly translatedMs: number;
	readonly coming: number;
	/** The translated voice is heard, and when it fell silent last. */
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
	/** What is being heard. */
	readonly open: string | null;
	/** Ids of the newest finished sentence without a translation, and of the newest one with it. */
	readonly awaited: string | null;
	readonly translated: string | null;
}

/** Text that has not changed for so long is nobody speaking: its end was lost. */
export const SPEECH_MS = 4000;
/** The pauses between two sentences of the voice are shorter. */
export const SETTLE_MS = 1200;
/** A translation that has not come by then does not. */
export const AWAIT_MS = 6000;
/** From a finished translation, or from the sentence before it, to its voice. */
export const COMING_MS = 2500;
/** So long it is said whose turn it is. */
export const TURN_MS = 4000;

const LONG_AGO = Number.NEGATIVE_INFINITY;

export const noBeacon: BeaconState = {
	...{ live: false, open: null, speechMs: null, awaited: null, awaitedMs: LONG_AGO },
	...{ translated: null, translatedMs: LONG_AGO, coming: 0 },
	...{ voice: false, silentMs: LONG_AGO, sign: 'none', signMs: LONG_AGO },
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
	// What was taken to come has been waited for.
	return { ...state, sign, signMs: nowMs, coming: sign === 'turn' ? 0 : state.coming };
}

function signOf(state: BeaconState, nowMs: number): BeaconSign {
	if (!state.live || state.speechMs !== null) return 'none';
	if (state.voice) return 'still';
	if (state.sign === 'still') return nowMs >= endMs(state) ? 'turn' : 'still';
	return state.sign === 'turn' && nowMs < state.signMs + TURN_MS ? 'turn' : 'none';
}

/** When the voice that is silent now has had its say. */
function endMs({ silentMs, awaited, awaitedMs, translatedMs, coming }: BeaconState): number {
	const translationMs = awaited === null ? LONG_AGO : awaitedMs + AWAIT_MS;
	const voiceMs = coming > 0 ? Math.max(silentMs, translatedMs) + COMING_MS : silentMs + SETTLE_MS;
	return Math.max(translationMs, voiceMs);
}
