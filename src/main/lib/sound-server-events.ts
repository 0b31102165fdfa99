import { execFile, spawn } from 'node:child_process';
import type { Cancel, Clock } from '#shared/lib/clock.ts';

/** `pactl subscribe` does not say when it has begun. So long after, each time, it is given something to tell. */
const NUDGE_MS = [50, 100, 200, 400, 800, 1600] as const;
const LIMIT_MS = 4000;

/**
 * Tells each time the sound server has news that hold `about` (`pactl subscribe`), as in `Event 'new' on module #7`,
 * once when it has begun to tell, because what happened before is not known, and once when no more will come. Call what
 * it returns to end it; then nothing is told.
 */
export function watchSoundServer(
	clock: Clock,
	env: NodeJS.ProcessEnv,
	about: string,
	changed: () => void,
	ended: () => void,
): () => void {
	const child = spawn('pactl', ['subscribe'], { env, stdio: ['ignore', 'pipe', 'ignore'] });
	let begun = false;
	let over = false;
	let unwait: Cancel = () => {};

	/** A client that comes is news. */
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
		if (!begun || chunk.includes(about)) changed();
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
