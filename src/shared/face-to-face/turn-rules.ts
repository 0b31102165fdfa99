/**
 * Decides who may speak when two people and the translated voice share one room. Pure.
 *
 * ```
 *            down / speech                    somebody still holds
 *   free ───────────────────► person ◄──────────────────────────────┐
 *    ▲ │                        │ up / pause / too long             │
 *    │ └── voice comes ──┐      │ and the voice waits               │
 *    │                   ▼      ▼                                   │
 *    └───────────────── voice (quiet for a moment) ─────────────────┘
 * ```
 *
 * With half duplex a microphone is open only while the voice is held back, so that the voice is never translated
 * again and nobody is cut off in mid-sentence: the voice waits for the person, then people wait for the voice.
 */

/** The owner of a half of the screen in face-to-face mode. */
export type FaceSide = 'me' | 'partner';
export const sides: readonly FaceSide[] = ['me', 'partner'];

export interface TurnRules {
	/** Each side holds a button, or anybody who speaks is interpreted. */
	readonly talk: 'hold' | 'automatic';
	/** The microphone is off while the voice plays. */
	readonly halfDuplex: boolean;
}

export type Floor =
	/** Nobody has the floor. `turn`: the side last spoken to. `expectedMs`: since when a translation is due. */
	| { readonly at: 'free'; readonly turn: FaceSide | null; readonly expectedMs: number | null }
	/** `side` is null while the speaker is unknown (automatic). */
	| { readonly at: 'person'; readonly side: FaceSide | null; readonly sinceMs: number }
	/** `quietMs`: since when the voice is silent. */
	| { readonly at: 'voice'; readonly quietMs: number | null };

export interface TurnState {
	readonly rules: TurnRules;
	/** Speech can be interpreted now. */
	readonly live: boolean;
	/** Pressed buttons, in the order in which they were pressed. */
	readonly presses: readonly Press[];
	/** `audible`: the translated voice is playing; `waiting`: it waits to be played. */
	readonly audible: boolean;
	readonly waiting: boolean;
	/** When the voice was last audible, also while a microphone was open; null: never. */
	readonly heardMs: number | null;
	/** True during speech into the open microphone (automatic mode). */
	readonly speech: boolean;
	/** The side that spoke last. */
	readonly spoke: FaceSide | null;
	readonly floor: Floor;
}

interface Press {
	readonly side: FaceSide;
	readonly downMs: number;
	/** Remains pressed without being held, because the button was tapped. */
	readonly latched: boolean;
}

export type TurnEvent =
	| { readonly type: 'down' | 'up'; readonly side: FaceSide }
	/** A release could not be detected: the window lost focus, or the finger left the button. */
	| { readonly type: 'let-go' }
	| { readonly type: 'voice'; readonly audible: boolean; readonly waiting: boolean }
	| { readonly type: 'speech'; readonly speaking: boolean }
	/** A caption shows which side spoke (automatic). */
	| { readonly type: 'spoke'; readonly side: FaceSide }
	| { readonly type: 'live'; readonly live: boolean }
	| { readonly type: 'rules'; readonly rules: TurnRules }
	| { readonly type: 'tick' };

export type Cue = 'off' | 'ready' | 'speak' | 'wait-voice' | 'wait-other' | 'translating' | 'your-turn';

/** A shorter press is a tap, for people who cannot hold a button. */
export const TAP_MS = 350;
/** Covers the room's echo and the pauses between two sentences of the voice. */
export const SETTLE_MS = 450;
/** The longest time that a person can keep the voice waiting; then the voice speaks, and the person waits. */
export const LONGEST_VOICE_WAIT_MS = 60_000;
/** The same limit in automatic mode: a noisy room never falls silent. */
export const LONGEST_VOICE_WAIT_AUTOMATIC_MS = 10_000;
/** How long to expect a translation after speech. */
export const EXPECT_MS = 6000;

const FREE: Floor = { at: 'free', turn: null, expectedMs: null };

export function initialTurns(rules: TurnRules): TurnState {
	return {
		rules,
		live: false,
		presses: [],
		audible: false,
		waiting: false,
		heardMs: null,
		speech: false,
		spoke: null,
		floor: FREE,
	};
}

/** An event that has no meaning in this state changes nothing. */
export function stepTurns(state: TurnState, event: TurnEvent, nowMs: number): TurnState {
	return settle(taken(state, event, nowMs), nowMs);
}

function taken(state: TurnState, event: TurnEvent, nowMs: number): TurnState {
	switch (event.type) {
		case 'down':
			return { ...state, presses: pressed(state, event.side, nowMs) };
		case 'up':
			return { ...state, presses: state.presses.flatMap((press) => lifted(press, event.side, nowMs)) };
		case 'let-go':
			return { ...state, presses: state.presses.filter(({ latched }) => latched) };
		case 'voice':
			return {
				...state,
				audible: event.audible,
				waiting: event.waiting,
				heardMs: state.audible ? nowMs : state.heardMs,
			};
		case 'speech':
			return { ...state, speech: event.speaking };
		case 'spoke':
			return { ...state, spoke: event.side };
		case 'live':
			if (event.live) return { ...state, live: true };
			return { ...initialTurns(state.rules), audible: state.audible, heardMs: state.heardMs };
		case 'rules':
			return { ...state, rules: event.rules, presses: [], floor: state.live ? state.floor : FREE };
		case 'tick':
			return state;
	}
}

/** A second tap releases a tapped press; a new press replaces the other side's tapped press. */
function pressed({ presses, live }: TurnState, side: FaceSide, nowMs: number): readonly Press[] {
	if (!live) return presses;
	const own = presses.find((press) => press.side === side);
	if (own) return own.latched ? presses.filter((press) => press !== own) : presses;
	return [...presses.filter(({ latched }) => !latched), { side, downMs: nowMs, latched: false }];
}

function lifted(press: Press, side: FaceSide, nowMs: number): readonly Press[] {
	if (press.side !== side || press.latched) return [press];
	return nowMs - press.downMs < TAP_MS ? [{ ...press, latched: true }] : [];
}

/** Gives the floor to the side whose turn it is. */
function settle(state: TurnState, nowMs: number): TurnState {
	const floor = state.live ? floorOf(state, nowMs) : FREE;
	if (floor === state.floor) return state;
	// Stryker disable next-line ConditionalExpression: no other floor has a side
	const side = floor.at === 'person' ? floor.side : null;
	return { ...state, floor, spoke: side ?? state.spoke };
}

function floorOf(state: TurnState, nowMs: number): Floor {
	const { floor } = state;
	if (floor.at === 'voice') return afterVoice(state, floor, nowMs);
	if (floor.at === 'person' && isSpeaking(state, floor)) return whileSpeaking(state, floor, nowMs);
	if (hasVoice(state) && (state.rules.halfDuplex || !isWanted(state))) return { at: 'voice', quietMs: null };
	// The voice played during speech, or before the connection was ready, and may still echo in the room.
	if (state.rules.halfDuplex && state.heardMs !== null && nowMs - state.heardMs < SETTLE_MS)
		return { at: 'voice', quietMs: state.heardMs };
	const next = person(state, nowMs);
	if (next) return next;
	if (floor.at === 'person') return { at: 'free', turn: null, expectedMs: nowMs };
	const isOverdue = floor.expectedMs !== null && nowMs - floor.expectedMs >= EXPECT_MS;
	return isOverdue ? { ...floor, expectedMs: null } : floor;
}

function afterVoice(state: TurnState, floor: Floor & { at: 'voice' }, nowMs: number): Floor {
	// With headphones no side needs to wait.
	if (!state.rules.halfDuplex && isWanted(state)) return person(state, nowMs) ?? floor;
	if (hasVoice(state)) return floor.quietMs === null ? floor : { at: 'voice', quietMs: null };
	if (floor.quietMs === null) return { at: 'voice', quietMs: nowMs };
	if (nowMs - floor.quietMs < SETTLE_MS) return floor;
	return person(state, nowMs) ?? { at: 'free', turn: other(state.spoke), expectedMs: null };
}

function whileSpeaking(state: TurnState, floor: Floor & { at: 'person' }, nowMs: number): Floor {
	const isLong = nowMs - floor.sinceMs >= longestMs(state);
	return isLong && state.rules.halfDuplex && hasVoice(state) ? { at: 'voice', quietMs: null } : floor;
}

function longestMs({ rules }: TurnState): number {
	return rules.talk === 'hold' ? LONGEST_VOICE_WAIT_MS : LONGEST_VOICE_WAIT_AUTOMATIC_MS;
}

function hasVoice({ audible, waiting }: TurnState): boolean {
	return audible || waiting;
}

/** Whether the person with the floor is still speaking. */
function isSpeaking({ rules, presses, speech }: TurnState, { side }: Floor & { at: 'person' }): boolean {
	return rules.talk === 'hold' ? presses.some((press) => press.side === side) : speech;
}

function isWanted({ rules, presses, speech }: TurnState): boolean {
	return rules.talk === 'hold' ? presses.length > 0 : speech;
}

function person(state: TurnState, nowMs: number): Floor | null {
	const [first] = state.presses;
	if (state.rules.talk === 'hold') return first ? { at: 'person', side: first.side, sinceMs: nowMs } : null;
	return state.speech ? { at: 'person', side: null, sinceMs: nowMs } : null;
}

export function other(side: FaceSide | null): FaceSide | null {
	if (side === null) return null;
	return side === 'me' ? 'partner' : 'me';
}

/** The sides whose speech is sent; in automatic mode both use one microphone. */
export function openGates({ rules, live, floor }: TurnState): { readonly [One in FaceSide]: boolean } {
	const all = (open: boolean) => ({ me: open, partner: open });
	if (!live) return all(false);
	if (rules.talk === 'automatic') return all(!rules.halfDuplex || floor.at !== 'voice');
	// Stryker disable next-line ConditionalExpression: no other floor has a side
	if (floor.at !== 'person') return all(false);
	return { me: floor.side === 'me', partner: floor.side === 'partner' };
}

/** The voice must wait, so that no open microphone picks it up. */
export function isVoiceHeld(state: TurnState): boolean {
	const { me, partner } = openGates(state);
	return state.rules.halfDuplex && (me || partner);
}

export function cueOf(state: TurnState, side: FaceSide): Cue {
	const { live, floor, rules, presses } = state;
	if (!live) return 'off';
	if (floor.at === 'voice') return 'wait-voice';
	if (floor.at === 'person') return personCue(state, floor, side);
	if (floor.turn === side) return 'your-turn';
	if (floor.expectedMs !== null && presses.length === 0) return 'translating';
	return rules.talk === 'automatic' ? 'speak' : 'ready';
}

/** In automatic mode the speaker is not known yet: both sides are cued. */
function personCue({ rules }: TurnState, { side: speaker }: Floor & { at: 'person' }, side: FaceSide): Cue {
	if (rules.talk === 'automatic' || speaker === side) return 'speak';
	return 'wait-other';
}

/** When the state next changes without an event; null: never. */
export function turnDueMs(state: TurnState): number | null {
	const { floor } = state;
	if (floor.at === 'voice') return floor.quietMs === null ? null : floor.quietMs + SETTLE_MS;
	if (floor.at === 'free') return floor.expectedMs === null ? null : floor.expectedMs + EXPECT_MS;
	return state.rules.halfDuplex && hasVoice(state) ? floor.sinceMs + longestMs(state) : null;
}
