import { join } from 'node:path';
import type { BrowserWindow } from 'electron';
import { writeAtomically } from '#main/lib/files.ts';
import { pageChecks } from './page-checks.ts';
import { SMOKE_FILE, takeSmoke } from './report.ts';
import { type ShellPromises, shellChecks } from './shell-checks.ts';

/** `--smoke`: checks everything the app relies on in its shell, and writes `smoke.json` in the user-data folder. */
export async function smoke({
	userData,
	...promises
}: ShellPromises & {
	readonly window: BrowserWindow;
	readonly userData: string;
}): Promise<void> {
	const checks = [...pageChecks(promises.window, promises), ...shellChecks(promises)];
	const rows = await takeSmoke(checks, promises.clock);
	writeAtomically(join(userData, SMOKE_FILE), `${JSON.stringify(rows, null, '\t')}\n`);
}
