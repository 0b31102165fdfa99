import { createStore, type StoreApi } from 'zustand/vanilla';
import {
	initialTalk,
	isTalkOpen,
	passesRaw,
	pressedBy,
	stepTalk,
	type TalkEvent,
	type TalkMode,
	talkDueMs,
} from '#shared/conversation/talk.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import { createScope } from '#shared/lib/scope.ts';

/** Whether the person is heard now, in modes where they hold something down to talk. */
export interface Talk {
	readonly store: StoreApi<TalkView>;
	/** A source, known by its own name, goes down or up. */
	down(by: string): void;
	up(by: string): void;
	/** Stays until the next one. */
	toggle(): void;
	/** The window lost the keyboard, or is hidden: what is held is let go. */
	letGo(): void;
	/** Somebody speaks while it is closed: shows a notice for a moment. */
	unheard(): void;
	close: Cancel;
}

export interface TalkView {
	readonly mode: TalkMode;
	/** Speech goes to the interpreter. */
	readonly open: boolean;
	readonly pressed: 'no' | 'held' | 'toggled';
	/** Somebody speaks, and is not heard. */
	readonly unheard: boolean;
}

/** Long enough to be read. */
const UNHEARD_MS = 5000;

/** Carries the state of the key to the microphone; decides nothing. */
export function createTalk(parts: {
	readonly clock: Clock;
	readonly mode: () => TalkMode;
	readonly isRunning: () => boolean;
	/** Calls back when what is asked above may have changed. */
	readonly listen: (changed: () => void) => Cancel;
	/** The machine goes to sleep, or is locked. */
	readonly listenSuspend: (suspended: () => void) => Cancel;
	readonly setOpen: (open: boolean) => void;
	/** The others now hear the untranslated voice. */
	readonly setRaw: (raw: boolean) => void;
}): Talk {
	const { clock } = parts;
	const scope = createScope(clock);
	let state = initialTalk(parts.mode());
	let told = false;
	let cancelTick: Cancel = () => {};
	let cancelTold: Cancel = () => {};
	const store = createStore<TalkView>()(() => viewNow());

	function viewNow(): TalkView {
		return { mode: state.mode, open: isTalkOpen(state), pressed: pressedBy(state), unheard: told };
	}

	function show(): void {
		const view = viewNow();
		if (JSON.stringify(view) !== JSON.stringify(store.getState())) store.setState(view, true);
	}

	function setTold(next: boolean): void {
		cancelTold();
		told = next;
		if (next) cancelTold = scope.after(UNHEARD_MS, () => setTold(false));
		show();
	}

	function take(event: TalkEvent): void {
		state = stepTalk(state, event, clock.now());
		const isOpen = isTalkOpen(state);
		// Ordered so that the others never hear both.
		parts.setRaw(passesRaw(state));
		parts.setOpen(isOpen);
		cancelTick();
		const dueMs = talkDueMs(state);
		cancelTick =
			dueMs === null ? () => {} : scope.after(Math.max(0, dueMs - clock.now()), () => take({ type: 'tick' }));
		if (told && isOpen) setTold(false);
		else show();
	}

	function follow(): void {
		const mode = parts.mode();
		if (mode !== state.mode) take({ type: 'mode', mode });
		const running = parts.isRunning();
		if (running !== state.running) take({ type: 'running', running });
	}

	scope.add(parts.listen(follow));
	scope.add(parts.listenSuspend(() => take({ type: 'suspend' })));
	take({ type: 'tick' });
	follow();

	return {
		store,
		down: (by) => take({ type: 'down', by }),
		up: (by) => take({ type: 'up', by }),
		toggle: () => take({ type: 'toggle' }),
		letGo: () => take({ type: 'let-go' }),
		unheard: () => setTold(true),
		close: () => scope.close(),
	};
}
