import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ownFolder, typed } from '#main/lib/own-program.ts';
import { takeProxyOf } from '#main/service/proxy.ts';
import { keepChecking } from '#shared/lib/environment.ts';
import { findChromium } from './chromium.ts';
import { fetchElectron } from './find-electron.ts';

/**
 * `npm start`: runs the built app in Electron or, if Electron cannot be had, in a Chromium window through the
 * stand-in. Arguments are passed on. `DRAGOMAN_SHELL=electron|stand-in` chooses between them.
 */

keepChecking(process.env, (said) => process.stderr.write(said));
const argv = process.argv.slice(2);
const wanted = process.env.DRAGOMAN_SHELL;
const onlyWords = argv.includes('--help') || argv.includes('--version');
const hasDisplay = process.platform !== 'linux' || !!(process.env.DISPLAY || process.env.WAYLAND_DISPLAY);
/** A program that drives the window over a debugging port needs no display for it. */
const driven = !hasDisplay && argv.some((one) => one.startsWith('--remote-debugging-port'));
if (driven && !argv.includes('--headless')) {
	process.stderr.write('There is no display; the window is open for the debugging port only.\n');
	process.argv.push('--headless');
}
const headless = process.argv.includes('--headless');

const WITHOUT_ELECTRON =
	'Electron cannot be downloaded or run here, so Dragoman opens in a Chromium window instead. It works the same, ' +
	'but keys are kept only until you quit, there are no menus, and the computer may go to sleep.\n';

/** Status of Electron's program, or null when it could not even start. */
function runElectron(program: string): Promise<number | null> {
	return new Promise((done) => {
		const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
		const child = spawn(program, [...asRoot, ownFolder, ...argv], { stdio: 'inherit' });
		for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
		child.once('error', () => done(null));
		child.once('exit', (code, signal) => {
			// 126 and 127 mean that it cannot run here (libraries, architecture).
			if (code === 126 || code === 127) done(null);
			else done(code ?? 128 + (signal ? constants.signals[signal] : 1));
		});
	});
}

/** `fellBack`: Electron was tried first. */
async function runStandIn(fellBack: boolean): Promise<void> {
	// If the program that drives us started us with a channel, we must not outlive it.
	if (process.channel) process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
	if (!hasDisplay && !headless && !onlyWords) {
		process.stderr.write(
			`There is no display to open a window on. To hold a conversation without one: ${typed.demo} --headless\n`,
		);
		process.exitCode = 1;
		return;
	}
	if (!onlyWords && !headless) {
		const missing = await findChromium({ needWindow: true }).then(
			() => null,
			(failure: Error) => failure.message,
		);
		if (missing !== null) {
			process.stderr.write(`${missing}\n`);
			process.exitCode = 1;
			return;
		}
		if (fellBack) process.stderr.write(WITHOUT_ELECTRON);
	}
	const proxyRefusal = takeProxyOf(process.env);
	if (proxyRefusal) process.stderr.write(`${proxyRefusal}\n`);
	await import('./register.ts');
	// Import it as an address, because a path may contain # or ?.
	await import(pathToFileURL(join(ownFolder, 'out', 'main', 'index.js')).href);
}

async function main(): Promise<void> {
	if (Number.parseInt(process.versions.node, 10) < 24) {
		process.stderr.write(`Dragoman needs Node 24 or later; this is ${process.versions.node}.\n`);
		process.exitCode = 1;
		return;
	}
	const tryElectron = wanted !== 'stand-in' && !headless && !onlyWords && hasDisplay;
	if (tryElectron) {
		const program = fetchElectron();
		const status = program ? await runElectron(program) : null;
		if (status !== null) {
			process.exitCode = status;
			return;
		}
		if (wanted === 'electron') {
			process.stderr.write('Electron cannot be downloaded or run here.\n');
			process.exitCode = 1;
			return;
		}
	}
	await runStandIn(tryElectron);
}

await main();
