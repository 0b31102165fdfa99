import { createListeners } from '#shared/lib/listeners.ts';
import type { Microphone, MicrophoneEvent } from './microphone.ts';
import type { Mixer } from './mixer.ts';

/** A microphone that is open only when its user wants to talk, and the way past it. */
export interface TalkGate {
	/** The given microphone, also silent while the gate is closed. */
	readonly microphone: Microphone;
	/** The given mixer; what it plays as the original need not be gated. */
	readonly mixer: Mixer;
	setOpen(open: boolean): void;
	/** The original is heard whether the gate is open or not; the user's own mute counts for it. */
	setPast(past: boolean): void;
}

export interface TalkGateParts {
	readonly microphone: Microphone;
	/** Plays the microphone as its original. */
	readonly mixer: Mixer;
	/** Somebody speaks before a closed gate. */
	readonly unheard: () => void;
}

export function createTalkGate({ microphone, mixer, unheard }: TalkGateParts): TalkGate {
	const listeners = createListeners<[event: MicrophoneEvent]>();
	let muted = false;
	let open = true;
	let isSilent = false;
	let past = false;
	/** What the mixer was given as the original. */
	let original: MediaStreamTrack | null = null;
	/** The same sound, not gated; ours to stop. */
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
		// Only the copy: the microphone itself may be another's meanwhile, as in face to face.
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
					// Being muted by the gate is not being muted by the user, and has another remedy.
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
