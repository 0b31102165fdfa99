import { useEffect } from 'react';
import { isRunning } from '#renderer/conversation/live-changes.ts';
import { listenForHeldKeys } from '#renderer/keys/held-keys.ts';
import { keepsLetters } from '#renderer/keys/key-place.ts';
import { isDialogOpen } from '#renderer/shell/dialog-open.ts';
import { useParts } from '#renderer/shell/parts.ts';
import { assignedBy, commandOf } from '#shared/keys/assigned.ts';

/** A key that is down for longer is held. */
const HOLD_MS = 400;

/** The key of "What did they say?": pressed it plays the last sentence again, held it shows the last minute. */
export function useReplayKey(): void {
	const { replay, settings, info, navigation, conversation, clock } = useParts();
	useEffect(() => {
		const mac = info.platform === 'darwin';
		/** The key held down for it, by its place on the keyboard. */
		let down: string | null = null;
		let cancel = () => {};

		function isMeant(event: KeyboardEvent): boolean {
			if (event.defaultPrevented || isDialogOpen()) return false;
			const isThere =
				isRunning(conversation.store.getState().phase) || navigation.store.getState().page === 'live';
			const typing = keepsLetters(event, navigation.store.getState().page);
			const assigned = assignedBy(settings.store.getState().values.shortcuts);
			return isThere && commandOf(event, { mac, typing, assigned }) === 'replay';
		}
		function pressed(event: KeyboardEvent): void {
			// By then the dialog that it opens has keyboard focus.
			if (event.code === down) event.preventDefault();
			if (event.repeat || !isMeant(event)) return;
			event.preventDefault();
			letGo();
			down = event.code;
			cancel = clock.after(HOLD_MS, () => {
				cancel = () => {};
				navigation.showLastMinute(true);
			});
		}
		function released(event: KeyboardEvent): void {
			// macOS sends no keyup for a letter released while Cmd is down, only for Cmd.
			if (down === null || (event.code !== down && event.key !== 'Meta')) return;
			const wasHeld = navigation.store.getState().lastMinute;
			letGo();
			if (!wasHeld) replay.last();
		}
		function letGo(): void {
			cancel();
			cancel = () => {};
			if (down !== null) navigation.showLastMinute(false);
			down = null;
		}

		return listenForHeldKeys({ down: pressed, up: released, letGo });
	}, [replay, settings, info, navigation, conversation, clock]);
}
