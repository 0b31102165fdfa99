import { type ExecFileException, execFile, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { z } from 'zod/mini';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import { withoutSecrets } from '#shared/lib/environment.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';

/** `sink`: something to play on. `source`: something to record from. */
type DeviceKind = 'sink' | 'source';

interface ServerInfo {
	/** Name and version that the server reports. */
	readonly name: string;
	/** Empty = none. */
	readonly defaultSink: string;
	readonly defaultSource: string;
}

export interface SoundModule {
	readonly id: number;
	readonly name: string;
	/** Its arguments as loaded, in one text. */
	readonly args: string;
}

/** The sound server answers in a few ms; treat one that hangs as gone. */
const LIMIT_MS = 4000;
const LONGEST_ANSWER = 1 << 20;

export type SoundServer = ReturnType<typeof createPactl>;

/**
 * Our calls to PulseAudio, or to PipeWire in its place. Every call has its own time limit and never rejects.
 * The sound server through its command-line tool, which works with both PulseAudio and PipeWire's replacement
 * for it. `env` says where the server is (PULSE_SERVER, XDG_RUNTIME_DIR). `ownPid` and every process it
 * started count as this program.
 */
export function createPactl(clock: Clock, env: NodeJS.ProcessEnv = process.env, ownPid = process.pid) {
	// Otherwise the language of pactl's output varies, and names that are not ASCII print as "(null)".
	const surroundings = { ...withoutSecrets(env), LC_ALL: 'C.UTF-8', LANGUAGE: '' };

	const run = (...args: string[]): Promise<Result<string, Problem>> => runUntil(undefined, args);

	function runUntil(
		signal: AbortSignal | undefined,
		args: readonly string[],
	): Promise<Result<string, Problem>> {
		return new Promise((resolve) => {
			const options = { env: surroundings, timeout: LIMIT_MS, maxBuffer: LONGEST_ANSWER, signal };
			execFile('pactl', args, options, (failure, answer, said) => {
				resolve(failure ? err(problemOf(failure, said)) : ok(answer));
			});
		});
	}

	async function done(...args: string[]): Promise<Result<void, Problem>> {
		const ran = await run(...args);
		return ran.ok ? ok() : ran;
	}

	return {
		/** `signal` ends a query that a hanging server does not answer. */
		async info(signal?: AbortSignal): Promise<Result<ServerInfo, Problem>> {
			const answer = await runUntil(signal, ['info']);
			return answer.ok ? ok(parseInfo(answer.value)) : answer;
		},
		/** All loaded modules, including those that other programs loaded. */
		async modules(): Promise<Result<readonly SoundModule[], Problem>> {
			const answer = await run('list', 'short', 'modules');
			return answer.ok ? ok(parseModules(answer.value)) : answer;
		},
		/** Resolves to the id of the module. */
		async load(module: string, args: readonly string[]): Promise<Result<number, Problem>> {
			const answer = await run('load-module', module, ...args);
			if (!answer.ok) return answer;
			const id = Number(answer.value.trim());
			return Number.isInteger(id) && answer.value.trim() !== ''
				? ok(id)
				: err({ kind: 'virtual-microphone-failed', reason: `pactl: ${answer.value.trim().slice(0, 100)}` });
		},
		/** Removing an unknown id is harmless. */
		async unload(id: number): Promise<Result<void, Problem>> {
			const answer = await done('unload-module', String(id));
			const gone = !answer.ok && 'reason' in answer.error && /No such entity/i.test(answer.error.reason);
			return gone ? ok() : answer;
		},
		/** Unmutes the device and sets it to full volume. */
		async open(kind: DeviceKind, name: string): Promise<Result<void, Problem>> {
			const loud = await done(`set-${kind}-volume`, name, '100%');
			return loud.ok ? done(`set-${kind}-mute`, name, '0') : loud;
		},
		/** Whether a program other than this one records from this source. */
		async recorded(source: string): Promise<Result<boolean, Problem>> {
			const sources = await run('list', 'short', 'sources');
			if (!sources.ok) return sources;
			const index = sourceIndex(sources.value, source);
			const outputs = await run('-f', 'json', 'list', 'source-outputs');
			if (!outputs.ok) return outputs;
			const found = parseSourceOutputs(outputs.value);
			if (!found || index === null) return err({ kind: 'virtual-microphone-failed', reason: 'pactl' });
			return ok(found.some((one) => one.source === index && !isWithin(one.pid, ownPid, parentOf)));
		},
		setDefault: (kind: DeviceKind, name: string): Promise<Result<void, Problem>> =>
			done(`set-default-${kind}`, name),
		/**
		 * Calls `changed` when modules or recordings come or go, and `ended` once when the server exits or cannot be watched.
		 */
		watch: (changed: () => void, ended: () => void): Cancel =>
			watchSoundServer(clock, surroundings, /on (module|source-output) #/, changed, ended),
	};
}

function problemOf(failure: ExecFileException, said: string): Problem {
	if (failure.code === 'ENOENT') return { kind: 'sound-tool-missing', program: 'pactl' };
	if (failure.name === 'AbortError') return { kind: 'sound-server-away', reason: 'cancelled' };
	if (failure.killed) return { kind: 'sound-server-away', reason: 'no answer' };
	const reason = said.trim().split('\n').at(-1)?.slice(0, 200) ?? '';
	// pactl exits with 1 for every error; it prints "Connection failure" when it cannot reach the server.
	return /^Connection (failure|terminated)|pa_context_\w+\(\) failed: Connection/i.test(said.trim())
		? { kind: 'sound-server-away', reason }
		: { kind: 'virtual-microphone-failed', reason };
}

/** `pactl subscribe` does not report that it has started: cause an event after each of these delays. */
const NUDGE_MS = [50, 100, 200, 400, 800, 1600] as const;

/**
 * Calls `changed` for each event of the sound server that matches `about` (`pactl subscribe`), as in
 * `Event 'new' on module #7`, and once when watching has begun, because earlier events are not known; calls
 * `ended` once when no more events will come. After the returned function has ended it, nothing more is called.
 */
export function watchSoundServer(
	clock: Clock,
	env: NodeJS.ProcessEnv,
	about: RegExp,
	changed: () => void,
	ended: () => void,
): () => void {
	const child = spawn('pactl', ['subscribe'], { env, stdio: ['ignore', 'pipe', 'ignore'] });
	let begun = false;
	let over = false;
	let unwait: Cancel = () => {};

	/** Causes an event by connecting as a new client. */
	function nudge(tries: number): void {
		const delayMs = NUDGE_MS[tries];
		if (delayMs === undefined) return;
		unwait = clock.after(delayMs, () => {
			execFile('pactl', ['info'], { env, timeout: LIMIT_MS }, () => {
				if (!begun && !over) nudge(tries + 1);
			});
		});
	}

	const end = () => {
		if (over) return;
		over = true;
		unwait();
		ended();
	};
	child.once('error', end);
	child.once('close', end);
	child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
		if (over) return;
		if (!begun || about.test(chunk)) changed();
		begun = true;
		unwait();
	});
	nudge(0);
	return () => {
		over = true;
		unwait();
		child.kill();
	};
}

/** `pactl list short modules`: id, name and arguments between tabs. Other lines are left out. */
export function parseModules(text: string): readonly SoundModule[] {
	return text.split('\n').flatMap((line) => {
		const [id = '', name = '', ...args] = line.split('\t');
		return /^\d+$/.test(id) && name !== '' ? [{ id: Number(id), name, args: args.join('\t').trim() }] : [];
	});
}

/** `pactl info` in the C locale. */
export function parseInfo(text: string): ServerInfo {
	const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(text)?.[1]?.trim() ?? '';
	const name = [field('Server Name'), field('Server Version')].filter((part) => part !== '').join(' ');
	return { name, defaultSink: field('Default Sink'), defaultSource: field('Default Source') };
}

/** `pactl list short sources`: the index of this source; null = it is not there. */
export function sourceIndex(text: string, name: string): number | null {
	const line = text.split('\n').find((one) => one.split('\t')[1] === name);
	return line === undefined ? null : Number(line.split('\t')[0]);
}

interface SourceOutput {
	/** Index of the source it records from. */
	readonly source: number;
	/** Process that records; 0 = the server does not know. */
	readonly pid: number;
}

const Recorded = z.object({
	source: z.number(),
	resample_method: z.optional(z.string()),
	properties: z.optional(z.record(z.string(), z.unknown())),
});

/** `pactl -f json list source-outputs`, without level meters; null = not a list. */
export function parseSourceOutputs(text: string): readonly SourceOutput[] | null {
	let list: unknown;
	try {
		// An older pactl prints nothing when there are no streams.
		list = text.trim() === '' ? [] : JSON.parse(text);
	} catch {
		return null;
	}
	if (!Array.isArray(list)) return null;
	return list.flatMap((entry: unknown) => {
		const { data } = Recorded.safeParse(entry);
		// A mixer that shows every microphone's level does not count as recording.
		if (!data || data.resample_method === 'peaks') return [];
		return [{ source: data.source, pid: Number(data.properties?.['application.process.id']) || 0 }];
	});
}

/** True if `pid` is the process `root` or was started by it. `parentOf` gives 0 for a process that is gone. */
export function isWithin(pid: number, root: number, parentOf: (pid: number) => number): boolean {
	// A process table that changes meanwhile could contain a cycle.
	for (let at = pid, steps = 0; at > 1 && steps < 64; at = parentOf(at), steps += 1)
		if (at === root) return true;
	return false;
}

/** Linux only; 0 when the process is gone. */
export function parentOf(pid: number): number {
	try {
		const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
		// The name in brackets may hold anything.
		return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) || 0;
	} catch {
		return 0;
	}
}
