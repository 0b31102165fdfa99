/**
 * When the microphone is open: always, only while a key is held, or except while it is held. Pure.
 *
 * ```
 *                down, toggle                      up, toggle
 *   not pressed ──────────────► pressed ───────────────────────► trailing ──(250 ms)──► not pressed
 *        ▲                         │  let-go (blur, hide): holds end │ ▲
 *        └──── ended (stop, suspend): everything ends ◄─────────────┘ └── down: pressed again
 * ```
 *
 * A hold has a source (a key, a pointer) and ends when the source is released; a toggle lasts until the next
 * one. Neither keeps the microphone open after the conversation or during sleep; a hold also ends when the
 * window loses focus.
 */
export type TalkMode = 'open' | 'push-to-talk' | 'push-to-mute' | 'push-to-translate';

export interface TalkState {
	readonly mode: TalkMode;
	readonly running: boolean;
	/** The keys and buttons held down now. */
	readonly holds: readonly string[];
	readonly toggled: boolean;
	/** Released, but still open until this time, so that the last syllable is not cut off. */
	readonly trailingUntilMs: number | null;
}

export type TalkEvent =
	| { readonly type: 'down' | 'up'; readonly by: string }
	| { readonly type: 'toggle' }
	/** The window lost focus or is hidden, so releases go unnoticed, except for `HEARD_ANYWHERE`. */
	| { readonly type: 'let-go' }
	/** The computer goes to sleep or is locked. */
	| { readonly type: 'suspend' }
	| { readonly type: 'running'; readonly running: boolean }
	| { readonly type: 'mode'; readonly mode: TalkMode }
	| { readonly type: 'tick' };

/** Covers a last syllable and its delay in the microphone; a longer time would pass unintended speech. */
export const TRAIL_MS = 250;

/** Source name of a hold whose release main reports even while another program has focus. */
export const HEARD_ANYWHERE = 'anywhere';

export function initialTalk(mode: TalkMode): TalkState {
	return { mode, running: false, ...RELEASED };
}

const RELEASED = { holds: [], toggled: false, trailingUntilMs: null } as const;

/** An event that has no meaning in this state changes nothing. */
export function stepTalk(state: TalkState, event: TalkEvent, nowMs: number): TalkState {
	switch (event.type) {
		case 'down':
			if (!takesPresses(state) || state.holds.includes(event.by)) return state;
			return { ...state, holds: [...state.holds, event.by], trailingUntilMs: null };
		case 'up':
			if (!state.holds.includes(event.by)) return state;
			return released({ ...state, holds: state.holds.filter((one) => one !== event.by) }, nowMs);
		case 'toggle':
			if (!takesPresses(state)) return state;
			return released({ ...state, toggled: !state.toggled }, nowMs);
		case 'let-go':
			return letGo(state, nowMs);
		case 'suspend':
			// People who muted themselves stay muted: waking the machine must not unmute anybody.
			return state.mode === 'push-to-mute' ? { ...state, holds: [] } : { ...state, ...RELEASED };
		case 'running':
			return event.running === state.running ? state : { ...state, ...RELEASED, running: event.running };
		case 'mode':
			return event.mode === state.mode ? state : { ...state, ...RELEASED, mode: event.mode };
		case 'tick':
			return isTrailing(state, nowMs) ? state : { ...state, trailingUntilMs: null };
	}
}

function letGo(state: TalkState, nowMs: number): TalkState {
	const holds = state.holds.filter((by) => by === HEARD_ANYWHERE);
	return holds.length === state.holds.length ? state : released({ ...state, holds }, nowMs);
}

function takesPresses({ mode, running }: TalkState): boolean {
	return running && mode !== 'open';
}

/** Only opening keys have a trail; muting and unmuting are immediate. */
function released(state: TalkState, nowMs: number): TalkState {
	if (isHeldDown(state)) return { ...state, trailingUntilMs: null };
	return state.mode === 'push-to-mute' ? state : { ...state, trailingUntilMs: nowMs + TRAIL_MS };
}

function isTrailing({ trailingUntilMs }: TalkState, nowMs: number): boolean {
	// Stryker disable next-line ConditionalExpression: no time is before 0
	return trailingUntilMs !== null && nowMs < trailingUntilMs;
}

function isHeldDown({ holds, toggled }: TalkState): boolean {
	return holds.length > 0 || toggled;
}

/** Whether speech goes to the interpreter. */
export function isTalkOpen(state: TalkState): boolean {
	switch (state.mode) {
		case 'open':
			return true;
		case 'push-to-mute':
			return !isHeldDown(state);
		case 'push-to-talk':
		case 'push-to-translate':
			return isHeldDown(state) || state.trailingUntilMs !== null;
	}
}

/** Whether the others hear the untranslated voice in place of the translation, if they can be reached. */
export function passesRaw(state: TalkState): boolean {
	return state.running && state.mode === 'push-to-translate' && !isTalkOpen(state);
}

/** Whether the key or button to be shown is in effect: held, or toggled. */
export function pressedBy({ holds, toggled }: TalkState): 'no' | 'held' | 'toggled' {
	if (toggled) return 'toggled';
	return holds.length > 0 ? 'held' : 'no';
}

/** When the state next changes without an event; null: never. */
export function talkDueMs({ trailingUntilMs }: TalkState): number | null {
	return trailingUntilMs;
}
