import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/*
 * A process and everything it started. Processes that have ended are ignored. Times and memory come from Linux's `/proc`.
 */

/** Ticks of `/proc/PID/stat` in a second: 100 on every Linux a desktop runs. */
const TICKS_PER_S = 100;

interface Stat {
	readonly parent: number;
	readonly ticks: number;
}

function statOf(pid: number): Stat | null {
	try {
		const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
		// The name in brackets may contain spaces, so count the fields from its end.
		const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
		return { parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) };
	} catch {
		return null;
	}
}

function parentsOnLinux(): ReadonlyMap<number, number> {
	const parents = new Map<number, number>();
	for (const name of readdirSync('/proc')) {
		if (!/^\d+$/.test(name)) continue;
		const stat = statOf(Number(name));
		if (stat) parents.set(Number(name), stat.parent);
	}
	return parents;
}

function parentsFromPs(): ReadonlyMap<number, number> {
	const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' });
	return new Map(
		[...stdout.matchAll(/^ *(\d+) +(\d+)/gm)].map(([, pid, parent]) => [Number(pid), Number(parent)]),
	);
}

/** `root` and all its descendants. */
export function processTree(root: number): readonly number[] {
	const parents = process.platform === 'linux' ? parentsOnLinux() : parentsFromPs();
	const tree = [root];
	for (const member of tree) for (const [pid, parent] of parents) if (parent === member) tree.push(pid);
	return tree;
}

/** Running processes that `parent` itself started. */
export function childrenOf(parent: number): readonly number[] {
	return processTree(parent).filter((pid) => statOf(pid)?.parent === parent);
}

/** Time of all cores that each member has used, ms. */
function cpuOf(root: number): ReadonlyMap<number, number> {
	return new Map(
		processTree(root).map((pid) => [pid, ((statOf(pid)?.ticks ?? 0) * 1000) / TICKS_PER_S] as const),
	);
}

/** Starts measuring. The returned function tells how much of one core the tree has used since, in %. */
export function watchCpu(root: number): () => number {
	const before = cpuOf(root);
	const startMs = performance.now();
	return () => {
		let usedMs = 0;
		for (const [pid, ms] of cpuOf(root)) usedMs += ms - (before.get(pid) ?? 0);
		return (usedMs / (performance.now() - startMs)) * 100;
	};
}

/** Memory of the tree, MB: what members share is counted once (PSS). */
export function memoryOf(root: number): number {
	let kilobytes = 0;
	for (const pid of processTree(root)) {
		try {
			const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
			kilobytes += Number(/^Pss:\s+(\d+) kB/m.exec(text)?.[1] ?? 0);
		} catch {
			// The process has ended, or we may not read it.
		}
	}
	return kilobytes / 1024;
}
