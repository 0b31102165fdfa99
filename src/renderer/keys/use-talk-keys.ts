import { useEffect } from 'react';
import { isDialogOpen } from '#renderer/shell/dialog-open.ts';
import { useParts } from '#renderer/shell/parts.ts';
import { HEARD_ANYWHERE } from '#shared/conversation/talk.ts';
import { assignedBy, commandOf } from '#shared/keys/assigned.ts';
import { listenForHeldKeys } from './held-keys.ts';
import { keepsLetters } from './key-place.ts';

/** The talk key: opens the microphone while held, seen by the focused window or reported by main. */
export function useTalkKeys(): void {
	const { host, talk, settings, info, navigation } = useParts();
	useEffect(() => {
		const mac = info.platform === 'darwin';
		/** Keys held down for it, by their place on the keyboard: `key` changes with Shift. */
		const down = new Set<string>();

		function pressed(event: KeyboardEvent): void {
			if (event.defaultPrevented || talk.store.getState().mode === 'open') return;
			const command = commandOf(event, {
				mac,
				typing: keepsLetters(event, navigation.store.getState().page),
				assigned: assignedBy(settings.store.getState().values.shortcuts),
			});
			if (command !== 'talk' || isDialogOpen()) return;
			event.preventDefault();
			if (event.repeat) return;
			down.add(event.code);
			talk.down(event.code);
		}
		function released(event: KeyboardEvent): void {
			// macOS sends no keyup for a letter released while Cmd is down, only for Cmd.
			const ended = event.key === 'Meta' ? [...down] : [event.code];
			for (const code of ended) if (down.delete(code)) talk.up(code);
		}
		function letGo(): void {
			down.clear();
			talk.letGo();
		}

		const unlisten = host.listen('talk.held', ({ down: isDown }) => {
			if (isDown) talk.down(HEARD_ANYWHERE);
			else talk.up(HEARD_ANYWHERE);
		});
		const unlistenKeys = listenForHeldKeys({ down: pressed, up: released, letGo });
		return () => {
			unlisten();
			unlistenKeys();
		};
	}, [host, talk, settings, info, navigation]);
}
