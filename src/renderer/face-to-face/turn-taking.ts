import { createStore, type StoreApi } from 'zustand/vanilla';
import {
	type Cue,
	cueOf,
	type FaceSide,
	initialTurns,
	isVoiceHeld,
	openGates,
	stepTurns,
	type TurnEvent,
	type TurnRules,
	turnDueMs,
} from '#shared/face-to-face/turn-rules.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import { createScope } from '#shared/lib/scope.ts';

/** Who may speak now, for two people at one machine. */
export interface TurnTaking {
	readonly store: StoreApi<TurnView>;
	/** A side's button goes down or up; after a tap it stays down until the next tap. */
	down(side: FaceSide): void;
	up(side: FaceSide): void;
	/** The release of a button cannot be seen any more: release whatever is held. */
	letGo(): void;
	close: Cancel;
}

export interface TurnView {
	readonly cues: { readonly [One in FaceSide]: Cue };
	/** Whether each side's button is down, and how. */
	readonly pressed: { readonly [One in FaceSide]: 'no' | 'held' | 'tapped' };
}

export interface TurnParts {
	readonly clock: Clock;
	/** The rules, which also define whether turns are taken at all. */
	readonly rules: () => TurnRules;
	readonly isLive: () => boolean;
	/** The speaker of the newest row; null: no row yet, or unknown. */
	readonly speaker: () => FaceSide | null;
	/** Each calls back when the results of the functions above may have changed. */
	readonly listen: (changed: () => void) => Cancel;
	readonly listenVoice: (
		heard: (voice: { readonly audible: boolean; readonly waiting: boolean }) => void,
	) => Cancel;
	/** Calls back when speech into an open microphone begins or ends. */
	readonly listenSpeech: (heard: (speaking: boolean) => void) => Cancel;
	readonly setGates: (open: { readonly [One in FaceSide]: boolean }) => void;
	readonly holdVoice: (on: boolean) => void;
}

/** Applies the state of the turns to microphone and voice; decides nothing. */
export function createTurnTaking(parts: TurnParts): TurnTaking {
	const { clock } = parts;
	const scope = createScope(clock);
	let state = initialTurns(parts.rules());
	let cancelTick: Cancel = () => {};
	const store = createStore<TurnView>()(() => viewNow());

	function pressOf(side: FaceSide): 'no' | 'held' | 'tapped' {
		const press = state.presses.find((one) => one.side === side);
		if (!press) return 'no';
		return press.latched ? 'tapped' : 'held';
	}

	function viewNow(): TurnView {
		const each = <Value>(of: (side: FaceSide) => Value) => ({ me: of('me'), partner: of('partner') });
		return {
			cues: each((side) => cueOf(state, side)),
			pressed: each(pressOf),
		};
	}

	function take(event: TurnEvent): void {
		state = stepTurns(state, event, clock.now());
		const gates = openGates(state);
		const opens = gates.me || gates.partner;
		// In this order, microphone and voice are never open together.
		if (opens) parts.holdVoice(isVoiceHeld(state));
		parts.setGates(gates);
		if (!opens) parts.holdVoice(false);
		const view = viewNow();
		if (JSON.stringify(view) !== JSON.stringify(store.getState())) store.setState(view, true);
		cancelTick();
		const dueMs = turnDueMs(state);
		cancelTick = dueMs === null ? () => {} : scope.after(Math.max(0, dueMs - clock.now()), tick);
	}

	function tick(): void {
		take({ type: 'tick' });
	}

	function follow(): void {
		const rules = parts.rules();
		if (JSON.stringify(rules) !== JSON.stringify(state.rules)) take({ type: 'rules', rules });
		const live = parts.isLive();
		if (live !== state.live) take({ type: 'live', live });
		const side = parts.speaker();
		if (rules.talk === 'automatic' && side && side !== state.spoke) take({ type: 'spoke', side });
	}

	scope.add(parts.listen(follow));
	scope.add(parts.listenVoice((voice) => take({ type: 'voice', ...voice })));
	scope.add(parts.listenSpeech((speaking) => take({ type: 'speech', speaking })));
	follow();

	return {
		store,
		down: (side) => take({ type: 'down', side }),
		up: (side) => take({ type: 'up', side }),
		letGo: () => take({ type: 'let-go' }),
		close: () => scope.close(),
	};
}
