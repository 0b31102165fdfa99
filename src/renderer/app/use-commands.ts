import { useEffect } from 'react';
import { swapped } from '#renderer/features/live/pair.ts';
import { useStartStop } from '#renderer/features/live/use-start-stop.ts';
import { isRunning } from '#renderer/window/live-changes.ts';
import { useParts } from '#renderer/window/parts.ts';
import type { Announcement } from '#shared/host/contract.ts';
import { commandOf, type WindowCommand } from './shortcuts.ts';

type Command = WindowCommand | Announcement<'command.run'>['command'];

/** Keys of the window, and commands from menu, tray and global keys: the same doings. */
export function useCommands(): void {
	const { host, conversation, settings, navigation, info } = useParts();
	const startStop = useStartStop();

	useEffect(() => {
		const mute = () => conversation.setMuted(!conversation.store.getState().muted);
		const help = () => navigation.showShortcuts(true);
		const doings: { readonly [One in Command]: () => void } = {
			startStop,
			'start-stop': startStop,
			mute,
			pause() {
				const view = conversation.store.getState();
				if (view.phase !== 'live') return;
				if (view.paused) conversation.resume();
				else conversation.pause();
			},
			swap() {
				const turned = swapped(settings.store.getState().values);
				if (turned) void settings.write(turned);
			},
			settings: () => navigation.go('settings'),
			save: () => navigation.showSave(true),
			help,
			shortcuts: help,
		};

		function pressed(event: KeyboardEvent): void {
			if (event.defaultPrevented || event.repeat) return;
			const command = commandOf(event, { mac: info.platform === 'darwin', typing: isTyping(event.target) });
			if (!command || document.querySelector('[role="dialog"],[role="alertdialog"]')) return;
			// The conversation's keys stay out of pages that do not show it, except to stop.
			if (command === 'mute' && !isRunning(conversation.store.getState().phase) && !onLive()) return;
			event.preventDefault();
			doings[command]();
		}
		const onLive = () => navigation.store.getState().page === 'live';

		window.addEventListener('keydown', pressed);
		const unlisten = host.listen('command.run', ({ command }) => doings[command]());
		return () => {
			window.removeEventListener('keydown', pressed);
			unlisten();
		};
	}, [host, conversation, settings, navigation, info, startStop]);
}

function isTyping(target: EventTarget | null): boolean {
	return (
		target instanceof HTMLElement &&
		(target.isContentEditable ||
			target.matches('input:not([type=checkbox],[type=radio],[type=range]), textarea'))
	);
}
