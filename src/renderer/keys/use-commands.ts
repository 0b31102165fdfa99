import { useEffect, useRef } from 'react';
import { isRunning, isUnderWay } from '#renderer/conversation/live-changes.ts';
import { useStartStop } from '#renderer/conversation/use-start.ts';
import { swapped } from '#renderer/languages/language-pair.ts';
import { toggleClickThrough, toggleOverlay } from '#renderer/overlay/overlay-commands.ts';
import { useParts } from '#renderer/shell/parts.ts';
import { HEARD_ANYWHERE } from '#shared/conversation/push-to-talk.ts';
import { assignedBy, commandOf } from '#shared/keys/assigned.ts';
import type { AnnouncedCommand, Command } from '#shared/keys/commands.ts';
import { isDialogOpen, isRecordingKeys, isTyping, keepsLetters, listenForHeldKeys } from './key-place.ts';

/** Commands that work on pages without the conversation. */
const EVERYWHERE: ReadonlySet<Command> = new Set([
	'start-stop',
	'save',
	'settings',
	'shortcuts',
	'setup',
	'diagnostics',
	'swap',
	'overlay',
	'audience-overlay',
	'overlay-click-through',
]);

/** Commands that work before a service is chosen. */
const ON_WELCOME: ReadonlySet<Command> = new Set(['settings', 'shortcuts', 'setup', 'diagnostics']);

/** Commands whose effect depends on how long the key is held. */
const isHeld = (command: Command) => command === 'talk' || command === 'replay';

const hasModifier = (event: KeyboardEvent) => event.ctrlKey || event.metaKey || event.altKey;

/** Longer than the delay before a keyboard repeats a held key, ms. */
const HELD_MS = 1100;

/** Runs the same actions for the window's keys and for commands from menu, tray and global keys. */
export function useCommands(): void {
	const parts = useParts();
	/** When each phrase was last requested from outside the window. */
	const announced = useRef(new Map<Command, number>());
	const startStop = useStartStop();
	useTalkKeys();

	useEffect(() => {
		const {
			host,
			account,
			conversation,
			legs,
			settings,
			navigation,
			info,
			talk,
			replay,
			drafts,
			typing,
			clock,
		} = parts;
		const phrase = (index: number) => () =>
			void import('#renderer/typing/ready-phrases.ts').then(
				({ sayPhrase }) => sayPhrase({ conversation, settings, drafts, typing }, index),
				() => {},
			);
		const doings: { readonly [One in AnnouncedCommand]: () => void } = {
			'start-stop': startStop,
			mute: () => conversation.setMuted(!conversation.store.getState().muted),
			pause() {
				const view = conversation.store.getState();
				if (view.phase !== 'live') return;
				if (view.paused) conversation.resume();
				else conversation.pause();
			},
			'talk-toggle': () => talk.toggle(),
			swap() {
				const turned = swapped(settings.store.getState().values);
				if (turned) void settings.write(turned);
			},
			'their-language': () =>
				void import('#renderer/languages/use-their-language.ts').then(
					({ takeNextCandidate }) => takeNextCandidate(legs, settings.store.getState().values),
					() => {},
				),
			replay: () => replay.last(),
			'phrase-1': phrase(0),
			'phrase-2': phrase(1),
			'phrase-3': phrase(2),
			'phrase-4': phrase(3),
			'phrase-5': phrase(4),
			settings: () => navigation.go('settings'),
			save() {
				// Do nothing without captions to save: the dialog would open later, over another conversation.
				const { mode } = settings.store.getState().values;
				const isOnHalves = mode === 'face' && isUnderWay(conversation.store.getState().phase);
				if (mode === 'type' || isOnHalves || conversation.captions.store.getState().rows === 0) return;
				navigation.showSave(true);
			},
			overlay: () => toggleOverlay(settings, 'mine'),
			'audience-overlay': () => toggleOverlay(settings, 'audience'),
			'overlay-click-through': () => toggleClickThrough(settings),
			shortcuts: () => navigation.showShortcuts(true),
			setup: () => navigation.go('setup'),
			diagnostics: () => navigation.go('diagnostics'),
		};

		/** Runs the command of a key. Returns true if the key has a command in this window. */
		function pressed(event: KeyboardEvent): boolean {
			if (event.defaultPrevented) return false;
			const command = commandOf(event, {
				mac: info.platform === 'darwin',
				typing: keepsLetters(event, navigation.store.getState().page),
				assigned: assignedBy(settings.store.getState().values.shortcuts),
			});
			if (!command || isHeld(command)) return false;
			// On another page, an accidental press would speak into a call.
			const isPhrase = command.startsWith('phrase-') && !onLive();
			// Away from the live page, the conversation's keys work only while a conversation runs.
			const isElsewhere =
				isBarred(command) ||
				isPhrase ||
				(!EVERYWHERE.has(command) && !isRunning(conversation.store.getState().phase) && !onLive());
			if (isDialogOpen() || isElsewhere) {
				// Electron's menu would run a key that the page does not handle.
				if (hasModifier(event) || /^F\d/.test(event.key)) event.preventDefault();
				return false;
			}
			event.preventDefault();
			if (!event.repeat) doings[command]();
			return true;
		}
		/** Runs before a focused button can see the key: the button would take Enter, whatever modifier is held. */
		function pressedWithModifier(event: KeyboardEvent): void {
			if (!hasModifier(event)) return;
			if (isTyping(event.target) || isRecordingKeys(event.target)) return;
			if (isUndo(event) ? undone(event) : pressed(event)) event.stopPropagation();
		}
		/** Presses the newest "Undo" on the page. */
		function undone(event: KeyboardEvent): boolean {
			const last = [...document.querySelectorAll<HTMLElement>('button[data-undo]')].at(-1);
			if (!last || isDialogOpen()) return false;
			event.preventDefault();
			if (!event.repeat) last.click();
			return true;
		}
		const isUndo = (event: KeyboardEvent) =>
			event.key.toLowerCase() === 'z' &&
			!event.shiftKey &&
			!event.altKey &&
			(info.platform === 'darwin' ? event.metaKey : event.ctrlKey);
		const onLive = () => navigation.store.getState().page === 'live';
		/** True if the welcome page replaces the live page, and the command does not work there. */
		const isBarred = (command: Command) =>
			onLive() && account.store.getState().status.service === 'unset' && !ON_WELCOME.has(command);

		window.addEventListener('keydown', pressedWithModifier, { capture: true });
		window.addEventListener('keydown', pressed);
		const unlisten = host.listen('command.run', ({ command }) => {
			// Windows repeats a held global key, and each repetition would be spoken.
			if (command.startsWith('phrase-')) {
				const beforeMs = announced.current.get(command);
				announced.current.set(command, clock.now());
				if (beforeMs !== undefined && clock.now() - beforeMs < HELD_MS) return;
			}
			if (!isBarred(command)) doings[command]();
		});
		return () => {
			window.removeEventListener('keydown', pressedWithModifier, { capture: true });
			window.removeEventListener('keydown', pressed);
			unlisten();
		};
	}, [parts, startStop]);
}

/** The talk key: opens the microphone while held; observed by the focused window or reported by main. */
function useTalkKeys(): void {
	const { host, talk, settings, info, navigation } = useParts();
	useEffect(() => {
		const mac = info.platform === 'darwin';
		/** The talk keys held down, by their position on the keyboard, because `key` changes with Shift. */
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
