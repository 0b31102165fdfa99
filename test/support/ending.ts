import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, onTestFinished } from 'vitest';
import { killBelow } from '#scripts/supervise.ts';
import { processTree } from '#test/bench/process-tree.ts';
import { eventually } from './eventually.ts';

/** A command of ours, and every process that was ever seen below it. */
export interface Watched {
	readonly child: ChildProcess;
	/** Resolves when a process whose command line matches runs below it. */
	runs(like: RegExp): Promise<void>;
	/** Its output so far. */
	said(): string;
	/** Resolves with status and signal once it and all below it are gone. */
	gone(): Promise<readonly [number | null, NodeJS.Signals | null]>;
}

/** Linux only. */
export function watchCommand(program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Watched {
	const child = spawn(program, args, {
		stdio: ['ignore', 'pipe', 'pipe'],
		env: { ...process.env, ...env },
		detached: true,
	});
	let said = '';
	for (const stream of [child.stdout, child.stderr])
		stream.setEncoding('utf8').on('data', (text: string) => {
			said += text;
		});
	const exited = new Promise<readonly [number | null, NodeJS.Signals | null]>((done) =>
		child.once('exit', (status, signal) => done([status, signal])),
	);
	const seen = new Map<number, string>();
	const isAlive = () => child.exitCode === null && child.signalCode === null;

	onTestFinished(() => {
		if (isAlive()) killBelow(child.pid ?? 0);
		for (const pid of left()) process.kill(pid, 'SIGKILL');
	});
	const left = () => [...seen].filter(([pid, begun]) => begunAt(pid) === begun).map(([pid]) => pid);

	function look(): void {
		for (const pid of processTree(child.pid ?? 0)) {
			const begun = begunAt(pid);
			if (begun !== null) seen.set(pid, begun);
		}
	}

	return {
		child,
		said: () => said,
		async runs(like) {
			await eventually(
				() => {
					look();
					return [...seen.keys()].map(commandOf).join('\n');
				},
				(running) => {
					expect(isAlive(), said).toBe(true);
					expect(running, said).toMatch(like);
				},
				LONGEST_START_MS,
			);
		},
		async gone() {
			const ended = await exited;
			await eventually(
				() => left().map(commandOf),
				(running) => expect(running).toEqual([]),
				LONGEST_END_MS,
			);
			return ended;
		},
	};
}

const LONGEST_START_MS = 60_000;
/** npm itself is gone at once, but some programs first release what they hold. */
const LONGEST_END_MS = 15_000;

/** Tells a process from a later one with its number; null when it is over. */
function begunAt(pid: number): string | null {
	try {
		const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
		const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
		return fields[0] === 'Z' || fields[0] === 'X' ? null : (fields[19] ?? null);
	} catch {
		return null;
	}
}

function commandOf(pid: number): string {
	try {
		return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
	} catch {
		return '';
	}
}
