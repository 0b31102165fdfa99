import type { StoreApi } from 'zustand/vanilla';
import type { CaptionsView } from '#renderer/captions/caption-view.ts';
import type { Leg, Legs } from '#renderer/conversation/legs.ts';
import type { CaptionRow } from '#shared/captions/segment.ts';
import { type LegName, legNames } from '#shared/leg-name.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';

/** Only the newest rows are watched; older rows no longer wait for a translation. */
const ROWS_WATCHED = 8;

/** For each direction: whether its voice is still speaking, or has just ended. */
export type TurnSigns = StoreApi<{ readonly [Name in LegName]: TurnSign }>;

/** Follows both directions as long as the window is open; decides nothing. */
export function followTurns({
	legs,
	turnSigns,
	clock,
	applies,
}: {
	readonly legs: Pick<Legs, LegName>;
	readonly turnSigns: TurnSigns;
	readonly clock: Clock;
	/** Whether turns are shown at all now: only in a meeting. */
	readonly applies: () => boolean;
}): void {
	for (const name of legNames)
		follow(legs[name], clock, applies, (sign) => {
			if (turnSigns.getState()[name] !== sign) turnSigns.setState({ [name]: sign });
		});
}

function follow(
	{ conversation, voice }: Leg,
	clock: Clock,
	applies: () => boolean,
	show: (sign: TurnSign) => void,
): void {
	let state = noSign;
	let cancel: Cancel = () => {};

	function take(event: SignEvent): void {
		state = stepSign(state, event, clock.now());
		show(state.sign);
		cancel();
		const dueMs = signDueMs(state);
		cancel =
			dueMs === null ? () => {} : clock.after(Math.max(0, dueMs - clock.now()), () => take({ type: 'tick' }));
	}

	function look(): void {
		const { phase, paused, voiceActive } = conversation.store.getState();
		// A muted voice needs no sign: the others do not wait for it.
		const live = applies() && phase === 'live' && !paused && !voice.getState().muted;
		if (voiceActive !== state.voice) take({ type: 'voice', active: voiceActive });
		if (live === state.live) return;
		take({ type: 'live', live });
		hear();
	}

	function hear(): void {
		if (state.live) take({ type: 'said', ...saidIn(conversation.captions) });
	}

	conversation.store.subscribe(look);
	voice.subscribe(look);
	conversation.captions.store.subscribe(hear);
	look();
}

/** Typed texts do not count: they were not spoken here. */
function saidIn(captions: CaptionsView): Said {
	const { rows } = captions.store.getState();
	let open: string | null = null;
	let awaited: string | null = null;
	let translated: string | null = null;
	for (let index = Math.max(0, rows - ROWS_WATCHED); index < rows; index++) {
		const row = captions.row(index);
		if (row && isTranslated(row)) translated = row.transcriptionId;
		if (!row?.source || row.typed || row.source.cutOff) continue;
		if (!row.source.final) open = `${row.source.key} ${row.source.text}`;
		else if (!isTranslated(row)) awaited = row.transcriptionId;
	}
	return { open, awaited, translated };
}

function isTranslated({ translations }: CaptionRow): boolean {
	return translations.some(({ final, cutOff }) => final || cutOff);
}

/**
 * Whether the translated voice of one direction still speaks although its speaker has stopped, and when the
 * other side may speak. Pure; times in ms on any one clock.
 *
 * Only the text shows that a speaker has stopped: an open sentence keeps changing, and becomes final soon after
 * the last word. The voice may pause between two sentences while the next one is translated or synthesised; the
 * turn ends only when no further sentence is expected.
 */
export interface SignState {
	/** Whether the direction is live: speech is interpreted and the voice is played. */
	readonly live: boolean;
	/** The sentence being spoken, as recognised so far; null = none. */
	readonly open: string | null;
	/** When `open` last changed; null = no sentence is open, or it has not changed for too long. */
	readonly speechMs: number | null;
	/** The newest final sentence without a translation, and since when. */
	readonly awaited: string | null;
	readonly awaitedMs: number;
	/** The newest translated sentence, when it arrived, and how many the voice may not have started. */
	readonly translated: string | null;
	readonly translatedMs: number;
	readonly coming: number;
	/** Whether the translated voice is playing, and when it last fell silent. */
	readonly voice: boolean;
	/** When the voice fell silent. */
	readonly silentMs: number;
	readonly sign: TurnSign;
	/** When the sign was set. */
	readonly signMs: number;
}

/** `still`: the voice is speaking although its speaker has stopped. `turn`: the voice has just finished. */
type TurnSign = 'none' | 'still' | 'turn';

export type SignEvent =
	| { readonly type: 'live'; readonly live: boolean }
	/** The captions of the direction changed. */
	| ({ readonly type: 'said' } & Said)
	| { readonly type: 'voice'; readonly active: boolean }
	| { readonly type: 'tick' };

interface Said {
	/** The sentence being spoken. */
	readonly open: string | null;
	/** Ids of the newest final sentence without a translation, and of the newest sentence with one. */
	readonly awaited: string | null;
	readonly translated: string | null;
}

/** A text that has not changed for this long is no longer being spoken: its final version was lost. */
export const SPEECH_MS = 4000;
/** Longer than the pauses between two sentences of the voice. */
export const SETTLE_MS = 1200;
/** A translation that takes longer than this is no longer expected. */
export const AWAIT_MS = 6000;
/** Longest expected delay of the voice after a translation, or after the previous sentence of the voice. */
export const COMING_MS = 2500;
export const TURN_MS = 4000;

const LONG_AGO = Number.NEGATIVE_INFINITY;

export const noSign: SignState = {
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

export function stepSign(state: SignState, event: SignEvent, nowMs: number): SignState {
	return settle(taken(state, event, nowMs), nowMs);
}

/** When the state next changes without an event; null = never. */
export function signDueMs(state: SignState): number | null {
	if (!state.live) return null;
	if (state.speechMs !== null) return state.speechMs + SPEECH_MS;
	if (state.sign === 'turn') return state.signMs + TURN_MS;
	return state.sign === 'still' && !state.voice ? endMs(state) : null;
}

function taken(state: SignState, event: SignEvent, nowMs: number): SignState {
	switch (event.type) {
		case 'live':
			return event.live ? { ...state, live: true } : { ...noSign, voice: state.voice };
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

function said(state: SignState, { open, awaited, translated }: Said, nowMs: number): SignState {
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

function settle(before: SignState, nowMs: number): SignState {
	const isOver = before.speechMs !== null && nowMs >= before.speechMs + SPEECH_MS;
	const state = isOver ? { ...before, speechMs: null } : before;
	const sign = signOf(state, nowMs);
	if (sign === state.sign) return state;
	// Once the turn sign is set, no further sentences are expected.
	return { ...state, sign, signMs: nowMs, coming: sign === 'turn' ? 0 : state.coming };
}

function signOf(state: SignState, nowMs: number): TurnSign {
	if (!state.live || state.speechMs !== null) return 'none';
	if (state.voice) return 'still';
	if (state.sign === 'still') return nowMs >= endMs(state) ? 'turn' : 'still';
	return state.sign === 'turn' && nowMs < state.signMs + TURN_MS ? 'turn' : 'none';
}

/** When the voice, which is silent now, counts as finished. */
function endMs({ silentMs, awaited, awaitedMs, translatedMs, coming }: SignState): number {
	const translationMs = awaited === null ? LONG_AGO : awaitedMs + AWAIT_MS;
	const voiceMs = coming > 0 ? Math.max(silentMs, translatedMs) + COMING_MS : silentMs + SETTLE_MS;
	return Math.max(translationMs, voiceMs);
}
