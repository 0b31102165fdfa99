// `node --import ./scripts/end-with-npm.mjs …`: SIGTERM to npm ends npm and its shell, and the shell passes nothing on to
// the program. Once they are gone the program hears SIGTERM.
import { readFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const LOOK_MS = 100;
const parent = process.ppid;

/** Also before this began. As the first process of a container npm is 1 itself. */
function isAlone() {
	if (process.ppid !== parent) return true;
	if (parent !== 1) return false;
	try {
		return !readFileSync('/proc/1/cmdline', 'utf8').includes('npm');
	} catch {
		return true;
	}
}

if (isMainThread && process.platform !== 'win32' && process.env.npm_lifecycle_event !== undefined) {
	const timer = setInterval(() => {
		if (!isAlone()) return;
		clearInterval(timer);
		process.kill(process.pid, 'SIGTERM');
	}, LOOK_MS);
	timer.unref();
}
