import { app } from 'electron';
import type { StartRecord } from '#main/app/safe-mode.ts';
import { wordsFor } from '#main/app/words.ts';
import {
	createSettings,
	type Options,
	type SettingsStore,
	setAside,
	settingsInForce,
} from '#main/settings/settings.ts';
import { openSettingsFile } from '#main/settings/settings-file.ts';
import type { Clock } from '#shared/lib/clock.ts';
import { askForSafeMode } from './dialogs.ts';
import type { MainWindowParts } from './windows.ts';

export interface StartParts {
	readonly options: Options;
	/** The environment at the start; the process's own has had its secrets removed. */
	readonly env: NodeJS.ProcessEnv;
	readonly folders: { readonly userData: string };
	readonly clock: Clock;
	readonly starts: StartRecord;
	readonly safeAsked: boolean;
}

/** How this run was started, and how to start another. */
export interface Start {
	readonly safe: boolean;
	/** The person's settings, or in safe mode the temporary ones that replace them. */
	readonly settings: SettingsStore;
	/** For the window; `quit` ends the program. */
	page(quit: Quit): Pick<MainWindowParts, 'pageBegins' | 'pageTroubled' | 'leaves'>;
	/** Quits the program and starts it normally; if it is already quitting, only starts it again. */
	restart(quit: Quit): void;
	/** Ends the process, after everything else. */
	exit(code: number): void;
}

interface Quit {
	begin(reason: 'quit'): Promise<void>;
	readonly begun: boolean;
}

const OPTION = '--safe-mode';

/** Asks the user first if the previous starts failed. */
export async function chooseStart(parts: StartParts): Promise<Start> {
	const { options, env, starts, folders, clock } = parts;
	const file = openSettingsFile(folders.userData, clock);
	/** Arguments of the program to start after this one; null = none. */
	let next: readonly string[] | null = null;

	function offer(): Promise<boolean> {
		const { values } = settingsInForce(options, env, file.stored());
		return askForSafeMode(wordsFor(values.interfaceLanguage, app.getPreferredSystemLanguages()).safeMode);
	}

	const safe = parts.safeAsked || (starts.shouldOffer() && (await offer()));
	const usual = () => process.argv.slice(1).filter((arg) => arg !== OPTION);

	function leaveFor(args: readonly string[], quit: Quit): void {
		// If the user starts the program while it restarts into safe mode, it still does so.
		next ??= args;
		void quit.begin('quit');
	}

	return {
		safe,
		settings: createSettings(safe ? setAside(file) : file, options, env),
		page: (quit) => ({
			pageBegins: starts.begin,
			pageTroubled: starts.troubled,
			async leaves() {
				if (safe || quit.begun || !starts.shouldOffer() || !(await offer())) return false;
				leaveFor([...usual(), OPTION], quit);
				return true;
			},
		}),
		restart: (quit) => leaveFor(usual(), quit),
		exit(code) {
			starts.leave();
			// The next program inherits this environment, so put back the secrets that were taken out of it.
			if (next) {
				Object.assign(process.env, env);
				// An AppImage is unmounted when its first process ends, so the file itself is started.
				app.relaunch({ args: [...next], ...(env.APPIMAGE && { execPath: env.APPIMAGE }) });
			}
			app.exit(code);
		},
	};
}
