import { spawn, spawnSync } from 'node:child_process';

/** A message bus of the test's own. */
export interface SessionBus {
	readonly address: string;
	stop(): Promise<void>;
}

/** Starts a `dbus-daemon` that nobody else is on; says what is missing where it cannot. */
export async function startSessionBus(): Promise<SessionBus | { readonly missing: string }> {
	if (spawnSync('dbus-daemon', ['--version']).error) return { missing: 'dbus-daemon is not installed' };
	const daemon = spawn('dbus-daemon', ['--session', '--nofork', '--print-address'], {
		stdio: ['ignore', 'pipe', 'ignore'],
	});
	const ended = new Promise<void>((done) => daemon.once('close', () => done()));
	const address = await Promise.race([
		new Promise<string>((done) => daemon.stdout.once('data', (said) => done(String(said).trim()))),
		ended.then(() => null),
	]);
	if (address === null) return { missing: 'dbus-daemon does not start' };
	return {
		address,
		async stop() {
			// Killed, because a daemon that is asked to end disconnects everybody first.
			daemon.kill('SIGKILL');
			await ended;
		},
	};
}
