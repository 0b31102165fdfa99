import { useEffect } from 'react';
import { useParts } from '#renderer/window/parts.ts';
import { assignedBy, commandOf } from '#shared/commands/assigned.ts';
import { isDialogOpen, takesLetters } from './key-place.ts';

/** The talk key while the window has the keyboard: open as long as it is down. */
export function useTalkKeys(): void {
	const { talk, settings, info } = useParts();
	useEffect(() => {
		const mac = info.platform === 'darwin';
		/** Keys that are down for it, by their place: what is written on them changes with Shift. */
		const down = new Set<string>();

		function pressed(event: KeyboardEvent): void {
			if (event.defaultPrevented || talk.store.getState().mode === 'open') return;
			const command = commandOf(event, {
				mac,
				typing: takesLetters(event.target),
				assigned: assignedBy(settings.store.getState().values.shortcuts),
			});
			if (command !== 'talk' || isDialogOpen()) return;
			event.preventDefault();
			if (event.repeat) return;
			down.add(event.code);
			talk.down(event.code);
		}
		function released(event: KeyboardEvent): void {
			// A Mac says nothing of a letter that goes up while Cmd is down, only of Cmd.
			const ended = event.key === 'Meta' ? [...down] : [event.code];
			for (const code of ended) if (down.delete(code)) talk.up(code);
		}
		function letGo(): void {
			down.clear();
			talk.letGo();
		}

		window.addEventListener('keydown', pressed);
		window.addEventListener('keyup', released);
		window.addEventListener('blur', letGo);
		document.addEventListener('visibilitychange', letGo);
		return () => {
			window.removeEventListener('keydown', pressed);
			window.removeEventListener('keyup', released);
			window.removeEventListener('blur', letGo);
			document.removeEventListener('visibilitychange', letGo);
			letGo();
		};
	}, [talk, settings, info]);
}
