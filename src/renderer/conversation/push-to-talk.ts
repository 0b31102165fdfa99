import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Host } from '#renderer/host.ts';
import type { SettingsMirror } from '#renderer/settings/settings-mirror.ts';
import type { Microphone, MicrophoneEvent } from '#renderer/sound/microphone.ts';
import type { Mixer } from '#renderer/sound/mixer.ts';
import {
	initialTalk,
	isTalkOpen,
	passesRaw,
	pressedBy,
	stepTalk,
	type TalkEvent,
	type TalkMode,
	talkDueMs,
} from '#shared/conversation/push-to-talk.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import { createListeners } from '#shared/lib/listeners.ts';
import { createScope } from '#shared/lib/scope.ts';
import type { Settings } from '#shared/settings/schema.ts';
import type { Conversation } from './conversation.ts';
import { isRunning } from './live-changes.ts';

/** Whether the user is heard now, in modes where they hold something down to talk. */
export interface Talk {
	readonly store: StoreApi<TalkView>;
	/** A key or button, identified by its name, goes down or up. */
	down(by: string): void;
	up(by: string): void;
	/** Toggles; the state remains until the next call. */
	toggle(): void;
	/** Releases everything held down, because the window lost the keyboard or is hidden. */
	letGo(): void;
	/** Shows a notice for a moment, because the user speaks while the microphone is closed. */
	unheard(): void;
	close: Cancel;
}

export interface TalkView {
	readonly mode: TalkMode;
	/** True while speech goes to the interpreter. */
	readonly open: boolean;
	readonly pressed: 'no' | 'held' | 'toggled';
	/** True while a notice shows that speech is not heard. */
	readonly unheard: boolean;
}

/** Long enough to be read. */
const UNHEARD_MS = 5000;

/** Opens and closes the microphone as the talk key demands, by the rules of `shared/conversation/push-to-talk.ts`. */
export function createTalk(parts: {
	readonly clock: Clock;
	readonly mode: () => TalkMode;
	readonly isRunning: () => boolean;
	/** Calls back when the results of the functions above may have changed. */
	readonly listen: (changed: () => void) => Cancel;
	/** Calls back when the machine goes to sleep or is locked. */
	readonly listenSuspend: (suspended: () => void) => Cancel;
	readonly setOpen: (open: boolean) => void;
	/** Sets whether the others hear the untranslated voice. */
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
		// In this order, the others never hear the original and its translation at once.
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

interface TalkMaking {
	readonly settings: Pick<SettingsMirror, 'store'>;
	readonly clock: Clock;
	readonly host: Pick<Host, 'listen'>;
	readonly microphone: Microphone;
	/** The mixer of the outgoing direction. */
	readonly mixer: Mixer;
}

/** Face-to-face mode has its own buttons; modes in which the user does not speak need none. */
function modeOf({ mode, talk }: Settings): TalkMode {
	return mode === 'solo' || mode === 'meeting' || mode === 'captions' ? talk : 'open';
}

export type TalkWay = ReturnType<typeof createTalkWay>;

/** Push to talk, between the real microphone and the outgoing direction. */
export function createTalkWay({ settings, clock, host, microphone, mixer }: TalkMaking) {
	const values = () => settings.store.getState().values;
	const listeners = createListeners<[]>();
	let raw = false;
	let talk: Talk | null = null;
	const gate = createTalkGate({ microphone, mixer, unheard: () => talk?.unheard() });

	return {
		microphone: gate.microphone,
		mixer: gate.mixer,
		/** True while the call hears the untranslated voice. */
		raw: (): boolean => raw,
		listenRaw: listeners.listen,
		follow(conversation: Pick<Conversation, 'store'>): Talk {
			talk = createTalk({
				clock,
				mode: () => modeOf(values()),
				isRunning: () => isRunning(conversation.store.getState().phase),
				listen(changed) {
					const ends = [settings.store.subscribe(changed), conversation.store.subscribe(changed)];
					return () => {
						for (const end of ends) end();
					};
				},
				listenSuspend: (suspended) =>
					host.listen('power.changed', ({ event }) => {
						if (event === 'suspend' || event === 'lock') suspended();
					}),
				setOpen: gate.setOpen,
				setRaw(next) {
					// Without a call there is no listener for the untranslated voice, so in solo mode the key acts as push to talk.
					const isMeeting = values().mode === 'meeting';
					gate.setPast(isMeeting && modeOf(values()) === 'push-to-translate');
					if (raw === (next && isMeeting)) return;
					raw = next && isMeeting;
					listeners.tell();
				},
			});
			return talk;
		},
	};
}

/** A microphone that is open only when the user wants to talk, and a bypass for the original sound. */
interface TalkGate {
	/** The given microphone, also silent while the gate is closed. */
	readonly microphone: Microphone;
	/** The given mixer, whose original can bypass the gate. */
	readonly mixer: Mixer;
	setOpen(open: boolean): void;
	/** Plays the original whether the gate is open or not; the user's own mute still applies. */
	setPast(past: boolean): void;
}

export function createTalkGate({
	microphone,
	mixer,
	unheard,
}: {
	readonly microphone: Microphone;
	/** Plays the microphone as its original. */
	readonly mixer: Mixer;
	/** The user speaks while the gate is closed. */
	readonly unheard: () => void;
}): TalkGate {
	const listeners = createListeners<[event: MicrophoneEvent]>();
	let muted = false;
	let open = true;
	let isSilent = false;
	let past = false;
	/** The track that the mixer plays as the original. */
	let original: MediaStreamTrack | null = null;
	/** An ungated copy of `original`; this gate stops the copy. */
	let copy: MediaStreamTrack | null = null;

	function apply(): void {
		const wasSilent = isSilent;
		isSilent = muted || !open;
		microphone.setMuted(isSilent);
		if (isSilent && !wasSilent) listeners.tell({ type: 'muted' });
		if (copy) copy.enabled = !muted;
	}

	function play(): void {
		const before = copy;
		copy = past && original ? original.clone() : null;
		// Change only the copy: others may be using the microphone itself, as in face-to-face mode.
		if (copy) copy.enabled = !muted;
		mixer.setOriginal(copy ?? original);
		before?.stop();
	}

	return {
		microphone: {
			...microphone,
			get device() {
				return microphone.device;
			},
			setMuted(next) {
				muted = next;
				apply();
			},
			listen(heard) {
				const unlisten = listeners.listen(heard);
				const end = microphone.listen((event) => {
					// A mute by the gate differs from a mute by the user, and has another remedy.
					if (event.type === 'speaking-while-muted' && !muted && !open) unheard();
					else heard(event);
				});
				return () => {
					unlisten();
					end();
				};
			},
		},
		mixer: {
			...mixer,
			setOriginal(track) {
				if (track === original) return;
				original = track;
				play();
			},
			clear() {
				original = null;
				copy?.stop();
				copy = null;
				mixer.clear();
			},
		},
		setOpen(next) {
			if (next === open) return;
			open = next;
			apply();
		},
		setPast(next) {
			if (next === past) return;
			past = next;
			play();
		},
	};
}
