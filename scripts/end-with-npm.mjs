// `node --import ./scripts/end-with-npm.mjs …`: SIGTERM to npm ends npm and its shell, but the shell does not pass it on to
// the program. This sends SIGTERM to the program once they are gone.
import { readFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const LOOK_MS = 100;
const parent = process.ppid;

/** Also true if they ended before this began. In a container npm itself may be process 1. */
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
