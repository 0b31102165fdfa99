/**
 * On SIGINT, SIGTERM and SIGHUP, immediately ends a long-running program of ours and all programs that it
 * started. The program itself may not react: it computes, it waits for another program, or a library in it
 * (Playwright) catches the signal and continues.
 */
import { spawn, spawnSync } from 'node:child_process';
import { constants } from 'node:os';
import { processTree } from '#test/bench/process-tree.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Kills all descendants of `root`, even if they ignore signals. */
export function killBelow(root: number): void {
	if (process.platform === 'win32') {
		spawnSync('taskkill', ['/pid', String(root), '/t', '/f']);
		return;
	}
	// Stop all of them before the first is killed, so that none starts another and none loses its parent.
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
		// The process has already exited.
	}
}

/**
 * On a signal, kills the processes that this one started, and then itself. Returns a function that disables
 * this.
 */
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

/** Runs a script below this process, and exits with its status. */
export function supervise(args: readonly string[]): void {
	endOnSignals();
	const child = spawn(process.execPath, args, { stdio: 'inherit' });
	child.on('exit', (status, signal) => process.exit(status ?? 128 + constants.signals[signal ?? 'SIGTERM']));
}
