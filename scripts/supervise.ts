/**
 * `node scripts/supervise.ts SCRIPT …` runs a program of ours that works for long, so that it ends at once, with all
 * that it started, on SIGINT, SIGTERM and SIGHUP. The program itself may be deaf to them: it reckons, it waits for
 * another program, or a library in it (Playwright) listens and goes on.
 */
import { spawn, spawnSync } from 'node:child_process';
import { constants } from 'node:os';
import { processTree } from '#test/bench/process-tree.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Ends everything below `root`, whatever it thinks of signals. */
export function killBelow(root: number): void {
	if (process.platform === 'win32') {
		spawnSync('taskkill', ['/pid', String(root), '/t', '/f']);
		return;
	}
	// All stand still before the first of them dies: none is started meanwhile, and none loses its parent.
	const found = new Set<number>();
	for (let quiet = 0; quiet < 2; quiet += 1) {
		for (const pid of processTree(root).slice(1)) {
			if (found.has(pid)) continue;
			found.add(pid);
			send(pid, 'SIGSTOP');
			quiet = 0;
		}
	}
	for (const pid of found) send(pid, 'SIGKILL');
}

function send(pid: number, signal: NodeJS.Signals): void {
	try {
		process.kill(pid, signal);
	} catch {
		// It has ended by itself.
	}
}

/** Until it is given up, a signal ends what this process started, and then itself. Returns how to give it up. */
export function endOnSignals(): () => void {
	const ends = SIGNALS.map((signal) => {
		const end = () => {
			killBelow(process.pid);
			process.exit(128 + constants.signals[signal]);
		};
		process.on(signal, end);
		return () => process.off(signal, end);
	});
	return () => {
		for (const end of ends) end();
	};
}

function supervise([script = '', ...args]: readonly string[]): void {
	endOnSignals();
	const child = spawn(process.execPath, [script, ...args], { stdio: 'inherit' });
	child.on('exit', (status, signal) => process.exit(status ?? 128 + constants.signals[signal ?? 'SIGTERM']));
}

if (import.meta.main) supervise(process.argv.slice(2));
