import { join } from 'node:path';
import { app } from 'electron';
import { answerAtOnce, refuseSwitches } from '#main/app/command-line.ts';
import { openStartRecord } from '#main/app/safe-mode.ts';
import { type Words, wordsFor } from '#main/app/words.ts';
import { readOptions } from '#main/settings/settings.ts';
import { createSystemClock } from '#main/system-clock.ts';
import { takeEnvironment } from '#shared/lib/environment.ts';
import { registerAppScheme } from './app-protocol.ts';
import { showFailure, showFolderRefusal } from './dialogs.ts';
import { chooseFolders } from './folders.ts';
import { startShell } from './shell.ts';

/** Electron's own program: does what must happen before the app is ready, then starts the shell. */
const env = takeEnvironment(process.env, (said) => process.stderr.write(said));
const options = readOptions(process.argv.slice(1));
const atOnce = answerAtOnce(process.argv.slice(1), app.getVersion());
const { argv, platform } = process;
const switches = atOnce === null ? refuseSwitches(app, { argv, platform, env }) : 'goes on';

/** Before anything is written: reports the obstacle and exits. */
function refuse(tell: (words: Words) => void): void {
	void app.whenReady().then(() => {
		tell(wordsFor('system', app.getPreferredSystemLanguages()));
		app.exit(1);
	});
}

if (atOnce !== null) {
	process.stdout.write(atOnce);
	app.exit(0);
} else if (switches === 'started anew') app.exit(0);
else if (switches === 'cannot') refuse(({ noSandbox }) => showFailure(noSandbox));
else {
	const folders = chooseFolders(options['user-data-dir']);
	const clock = createSystemClock();
	const starts = openStartRecord(folders.userData, clock.now);
	const safeAsked = process.argv.includes('--safe-mode');
	const smokes = process.argv.includes('--smoke');
	// This works only before the app is ready, so it is done even if safe mode is only going to be offered.
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
	if (refusal !== null) refuse(({ folder }) => showFolderRefusal(folder, refusal, folders.userData));
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
