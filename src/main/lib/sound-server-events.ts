import { execFile, spawn } from 'node:child_process';
import type { Cancel, Clock } from '#shared/lib/clock.ts';

/** `pactl subscribe` does not say when it has begun. After each of these delays it is given an event to report. */
const NUDGE_MS = [50, 100, 200, 400, 800, 1600] as const;
const LIMIT_MS = 4000;

/**
 * Calls `changed` for each event of the sound server that matches `about` (`pactl subscribe`), as in
 * `Event 'new' on module #7`, and once when watching has begun, because earlier events are not known; calls `ended`
 * once when no more will come. The returned function ends it; then nothing more is called.
 */
export function watchSoundServer(
	clock: Clock,
	env: NodeJS.ProcessEnv,
	about: RegExp,
	changed: () => void,
	ended: () => void,
): () => void {
	const child = spawn('pactl', ['subscribe'], { env, stdio: ['ignore', 'pipe', 'ignore'] });
	let begun = false;
	let over = false;
	let unwait: Cancel = () => {};

	/** A new client is an event. */
	function nudge(tries: number): void {
		const delayMs = NUDGE_MS[tries];
		if (delayMs === undefined) return;
		unwait = clock.after(delayMs, () => {
			execFile('pactl', ['info'], { env, timeout: LIMIT_MS }, () => {
				if (!begun && !over) nudge(tries + 1);
			});
		});
	}

	const end = () => {
		if (over) return;
		over = true;
		unwait();
		ended();
	};
	child.once('error', end);
	child.once('close', end);
	child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
		if (over) return;
		if (!begun || about.test(chunk)) changed();
		begun = true;
		unwait();
	});
	nudge(0);
	return () => {
		over = true;
		unwait();
		child.kill();
	};
}
