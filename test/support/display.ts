import { spawn, spawnSync } from 'node:child_process';
import { findChromium } from '#stand-in/chromium.ts';
import { e2eHost } from './launch.ts';

/** A display of the test's own, for windows that a person would see. */
export interface Display {
	/** Environment for a program whose windows are to be shown there. */
	readonly env: Readonly<Record<string, string>>;
	stop(): Promise<void>;
}

/** Starts an X server of 1400 × 1000 with no window manager; says what is missing where it cannot. */
export async function startDisplay(): Promise<Display | { readonly missing: string }> {
	if (spawnSync('Xvfb', ['-help']).error) return { missing: 'Xvfb is not installed' };
	// The server chooses a free number and writes it when it is ready.
	const args = ['-displayfd', '3', '-screen', '0', '1400x1000x24', '-nolisten', 'tcp'];
	const server = spawn('Xvfb', args, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
	const ended = new Promise<void>((done) => server.once('close', () => done()));
	const number = await Promise.race([
		new Promise<string>((done) => server.stdio[3]?.once('data', (said) => done(String(said).trim()))),
		ended.then(() => null),
	]);
	if (number === null) return { missing: 'Xvfb does not start' };
	return {
		env: { DISPLAY: `:${number}` },
		async stop() {
			server.kill();
			await ended;
		},
	};
}

/** A display for the app's own windows; says what is missing if the browser in place of Electron cannot show any. */
export async function startAppDisplay(): Promise<Display | { readonly missing: string }> {
	if (e2eHost !== 'electron') {
		const found = await findChromium({ needWindow: true }).catch((failure: Error) => failure.message);
		if (typeof found === 'string') return { missing: found };
	}
	return startDisplay();
}
