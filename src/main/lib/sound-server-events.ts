import { spawn } from 'node:child_process';

/**
 * Tells each time the sound server has news that hold `about` (`pactl subscribe`), as in `Event 'new' on module #7`,
 * and once when no more will come. Call what it returns to end it; then nothing is told.
 */
export function watchSoundServer(
	env: NodeJS.ProcessEnv,
	about: string,
	changed: () => void,
	ended: () => void,
): () => void {
	const child = spawn('pactl', ['subscribe'], { env, stdio: ['ignore', 'pipe', 'ignore'] });
	let over = false;
	const end = () => {
		if (over) return;
		over = true;
		ended();
	};
	child.once('error', end);
	child.once('close', end);
	child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
		if (!over && chunk.includes(about)) changed();
	});
	return () => {
		over = true;
		child.kill();
	};
}
