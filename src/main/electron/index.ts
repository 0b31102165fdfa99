import { join } from 'node:path';
import { app } from 'electron';
import { answerAtOnce } from '#main/app/command-line.ts';
import { refuseSwitches } from '#main/app/refused-switches.ts';
import { openStartRecord } from '#main/app/start-record.ts';
import { wordsFor } from '#main/app/words.ts';
import { readOptions } from '#main/settings/sources.ts';
import { createSystemClock } from '#main/system-clock.ts';
import { takeEnvironment } from '#shared/lib/environment.ts';
import { registerAppScheme } from './app-protocol.ts';
import { showFolderRefusal } from './dialogs.ts';
import { chooseFolders } from './folders.ts';
import { startShell } from './shell.ts';

/** Electron's own program: what must happen before the app is ready, then the shell. */
const env = takeEnvironment(process.env, (said) => process.stderr.write(said));
const options = readOptions(process.argv.slice(1));
const atOnce = answerAtOnce(process.argv.slice(1), app.getVersion());
if (atOnce !== null) {
	process.stdout.write(atOnce);
	app.exit(0);
} else if (!refuseSwitches(app, { argv: process.argv, platform: process.platform, env })) {
	app.exit(0);
} else {
	const folders = chooseFolders(options['user-data-dir']);
	const clock = createSystemClock();
	const starts = openStartRecord(folders.userData, clock.now);
	const safeAsked = process.argv.includes('--safe-mode');
	const smokes = process.argv.includes('--smoke');
	// This works only before the app is ready, so it is done even where safe mode is only to be offered.
	if (safeAsked || starts.shouldOffer()) app.disableHardwareAcceleration();
	for (const name of [
		'disable-renderer-backgrounding',
		'disable-background-timer-throttling',
		'disable-backgrounding-occluded-windows',
	]) {
		app.commandLine.appendSwitch(name);
	}
	registerAppScheme();
	const { refusal } = folders;
	if (refusal !== null) {
		// Before anything is written there.
		void app.whenReady().then(() => {
			showFolderRefusal(
				wordsFor('system', app.getPreferredSystemLanguages()).folder,
				refusal,
				folders.userData,
			);
			app.exit(1);
		});
	}
	// A second instance touches nothing: the first shows itself instead.
	else if (app.requestSingleInstanceLock()) {
		const built = join(import.meta.dirname, '..');
		app
			.whenReady()
			.then(() => startShell({ options, env, folders, clock, built, starts, safeAsked, smokes }))
			.catch((failure: unknown) => {
				process.stderr.write(
					`Dragoman could not start: ${failure instanceof Error ? failure.message : failure}\n`,
				);
				app.exit(1);
			});
	} else {
		process.stderr.write('Dragoman is running already; its window comes to the front.\n');
		app.exit(0);
	}
}
