import { createClosing } from '#main/app/lifecycle.ts';
import type { Words } from '#main/app/words.ts';
import { createHeldKeys, keysToHold } from '#main/keys/held-keys.ts';
import { createPortalKeys, mayHavePortal } from '#main/keys/portal-keys.ts';
import { hasX11Keyboard, openX11Keyboard } from '#main/keys/x11.ts';
import type { SettingsStore } from '#main/settings/settings.ts';
import type { PhaseReport, ShellState } from '#shared/host/contract.ts';
import { assignedBy } from '#shared/keys/assigned.ts';
import type { AnnouncedCommand } from '#shared/keys/commands.ts';
import type { Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import { askToClose } from './dialogs.ts';
import { setMenu } from './menu.ts';
import { watchShutdown } from './power.ts';
import { createGlobalKeys, keysKind, systemKeys } from './shortcuts.ts';
import { createTray, type TrayState, trayModel } from './tray.ts';
import type { MainWindow } from './windows.ts';

/** The parts of the app outside its window: menu, tray, global keys, and how it is quit. */
export function createPresence(parts: {
	readonly shell: 'electron' | 'stand-in';
	readonly portalBus: string;
	readonly settings: Pick<SettingsStore, 'values' | 'write'>;
	readonly words: () => Words;
	readonly logs: string;
	readonly env: NodeJS.ProcessEnv;
	readonly log: Logger;
	readonly run: (command: AnnouncedCommand) => void;
	readonly main: () => MainWindow | null;
	readonly end: (reason: 'window' | 'quit') => void;
	readonly changed: (state: ShellState) => void;
	/** Called when the talk key is pressed or released, in any program. */
	readonly held: (down: boolean) => void;
	readonly clock: Clock;
}) {
	const { shell, settings, words, logs, env, log, run, main, clock } = parts;
	const show = () => main()?.focus();
	const keys = systemKeys(shell);
	const global = keys && createGlobalKeys({ keys, run, log });
	const heard = { held: parts.held, changed: refresh, clock, log };
	const holding = mayHavePortal(process.platform, env)
		? createPortalKeys({ env, script: parts.portalBus, title: () => words().menu.talkHeld, ...heard })
		: createHeldKeys({
				open: hasX11Keyboard(process.platform, env) ? () => openX11Keyboard(env, clock) : null,
				...heard,
			});
	const tray = createTray({ hasTray: shell === 'electron', clicked: show }, log);
	const closing = createClosing({
		choice: () => settings.values().closeLive,
		remember: (closeLive) => void settings.write({ closeLive }),
		hasTray: () => tray !== null,
		ask: (question) => askToClose(main()?.window() ?? null, question, words().close),
		hide: () => main()?.hide(),
		end: parts.end,
	});
	watchShutdown(() => {
		closing.systemEnds();
		parts.end('quit');
	});
	let now: TrayState = { phase: 'idle', muted: false };
	let revision = 0;

	const isShown = () => main()?.isShown() ?? true;
	const changing = () => `${holding.works()} ${isShown()} ${global?.refused() ?? []}`;
	let told = changing();

	const state = (): ShellState => ({
		revision,
		tray: tray ? 'shown' : 'none',
		globalKeys: keysKind(keys !== null, env),
		holds: holding.works(),
		shown: isShown(),
		refusedKeys: [...(global?.refused() ?? [])],
	});
	const showTray = () => tray?.show(trayModel(now, words(), { run, show, quit: closing.quit }));

	function hold(): void {
		holding.follow(keysToHold(settings.values(), now.phase));
	}

	function refresh(): void {
		const values = settings.values();
		setMenu({ words: words(), logs, assigned: assignedBy(values.shortcuts), run });
		showTray();
		hold();
		global?.follow(values, holding.works());
		tell();
	}

	function tell(): void {
		const next = changing();
		if (next === told) return;
		told = next;
		revision += 1;
		parts.changed(state());
	}

	return {
		state,
		phase(phase: PhaseReport, muted: boolean): void {
			now = { phase, muted };
			closing.phase(phase);
			hold();
			showTray();
		},
		/** The user closes the window, or quits: asks first if a conversation runs. */
		leave: (what: 'window' | 'quit'): void => (what === 'quit' ? closing.quit() : closing.window()),
		/** The system shuts down: quits without asking the user. */
		systemEnds(): void {
			closing.systemEnds();
			// Keep the window visible: Windows does not wait for a program without one.
			parts.end('quit');
		},
		/** Call when language, keys or settings may have changed. */
		refresh,
		/** Announces `state` if it has changed. */
		tell,
		close(): void {
			holding.close();
			global?.close();
			tray?.close();
		},
	};
}
