import { createListeners } from '#shared/lib/listeners.ts';
import type { Microphone, MicrophoneEvent } from './microphone.ts';

/**
 * Whichever microphone is chosen when it is opened; it stays that one until it is closed. Mute is passed to it, and its
 * events are passed on.
 */
export function createChosenMicrophone(choose: () => Microphone): Microphone {
	const listeners = createListeners<[event: MicrophoneEvent]>();
	let held: Microphone | null = null;
	let unlisten = () => {};
	let muted = false;
	const now = () => held ?? choose();

	function hold(next: Microphone): Microphone {
		if (held === next) return next;
		unlisten();
		held = next;
		unlisten = next.listen((event) => {
			listeners.tell(event);
		});
		next.setMuted(muted);
		return next;
	}

	return {
		open: () => hold(held ?? choose()).open(),
		setMuted(next) {
			muted = next;
			held?.setMuted(next);
		},
		close() {
			held?.close();
			unlisten();
			unlisten = () => {};
			held = null;
		},
		listen: listeners.listen,
		get device() {
			return now().device;
		},
		apply: () => now().apply(),
	};
}
