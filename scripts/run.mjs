// `node scripts/run.mjs NAME …` runs a command of package.json, or any script given by its path.
// Plain JavaScript that imports nothing of ours at once: an older Node must be able to read it and say what is missing.
import { readFileSync } from 'node:fs';
import module from 'node:module';
import { resolve } from 'node:path';

const root = resolve(import.meta.dirname ?? '.', '..');
/** How often this looks whether npm is still there. */
const LOOK_MS = 100;

/**
 * The commands that are more than `scripts/NAME.ts`. `built`: builds the app first when needed. `here`: runs in this
 * process, because it ends cleanly on signals by itself; all others run below this one, which kills them.
 */
const commands = {
	start: { file: 'src/stand-in/start.ts', built: true, here: true },
	demo: { file: 'src/demo/main.ts', built: true, here: true },
	sandbox: { file: 'src/sandbox/main.ts', here: true },
	cli: { file: 'src/main/cli/index.ts', here: true },
	bench: { file: 'test/bench/main.ts' },
	package: { file: 'packaging/main.ts' },
	crash: { file: 'test/crash/main.ts' },
	faults: { file: 'test/faults/main.ts' },
	fuzz: { file: 'test/fuzz/main.ts' },
	looks: { file: 'test/looks/main.ts' },
	'test-models': { file: 'test/models/main.ts' },
	soak: { file: 'test/soak/main.ts' },
	// Of `npm pack`.
	prepack: { file: 'packaging/main.ts', first: ['--tarball'] },
	smoke: { built: true },
	pictures: { built: true },
	'test:e2e': { file: 'node_modules/vitest/vitest.mjs', first: ['run', '--project', 'e2e*'], built: true },
};

// On Linux x64 npm installs Node 24 as a package; elsewhere it must be installed by hand.
if (Number.parseInt(process.versions.node, 10) < 24) {
	process.stderr.write(
		`Dragoman needs Node 24 or later; this is ${process.versions.node}. Install it from https://nodejs.org, or on Linux x64 run npm ci again, which brings it.\n`,
	);
	process.exit(1);
}
// Keeps compiled code, which halves the time of each later start. Programs started from here find it by the variable.
process.env.NODE_COMPILE_CACHE ??= resolve(root, 'node_modules/.cache/compiled');
module.enableCompileCache(process.env.NODE_COMPILE_CACHE);
endWithNpm();

const [node = '', , name = '', ...args] = process.argv;
const {
	file,
	first = [],
	built,
	here,
} = {
	file: name.endsWith('.ts') ? name : `scripts/${name}.ts`,
	...(Object.hasOwn(commands, name) && commands[name]),
};
if (!here && file.endsWith('.ts') && args.some((argument) => argument === '--help' || argument === '-h')) {
	const { usageOf } = await import('./arguments.ts');
	console.log(usageOf(resolve(root, file)));
	process.exit(0);
}
if (built) {
	const [{ buildWhenNeeded }, { endOnSignals }] = await Promise.all([
		import('./build.ts'),
		import('./supervise.ts'),
	]);
	const stopEnding = endOnSignals();
	if (!(await buildWhenNeeded())) process.exit(1);
	stopEnding();
}
if (here) {
	process.argv = [node, resolve(root, file), ...args];
	await import(new URL(`../${file}`, import.meta.url).href);
} else {
	const { supervise } = await import('./supervise.ts');
	supervise([file, ...first, ...args]);
}

/**
 * SIGTERM to npm ends npm and its shell, but the shell does not pass it on. Once they are gone, this process gets it
 * from itself.
 */
function endWithNpm() {
	if (process.platform === 'win32' || process.env.npm_lifecycle_event === undefined) return;
	const parent = process.ppid;
	const timer = setInterval(() => {
		if (!isAlone(parent)) return;
		clearInterval(timer);
		process.kill(process.pid, 'SIGTERM');
	}, LOOK_MS);
	timer.unref();
}

/** Also true if npm ended before this began. In a container npm itself may be process 1. */
function isAlone(parent) {
	if (process.ppid !== parent) return true;
	if (parent !== 1) return false;
	try {
		return !readFileSync('/proc/1/cmdline', 'utf8').includes('npm');
	} catch {
		return true;
	}
}
