import type { SoundModule, SoundServer } from '#main/calls/sound-server.ts';
import type { Processes } from '#main/calls/virtual-microphone.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';

type Call = keyof SoundServer;

/** A fake sound server that behaves like PulseAudio where it matters to us. */
export interface FakeSoundServer extends SoundServer {
	/** What is loaded now. */
	readonly loaded: SoundModule[];
	/** Another program begins or ends a recording from this source. */
	record(source: string, on: boolean): void;
	/** Names of devices that were set heard and loud, in order. */
	readonly opened: string[];
	defaultSink: string;
	defaultSource: string;
	/** Whether the newest device becomes the default, as with some servers. */
	grabbing: boolean;
	/** The next calls of this kind fail with these problems, in order. */
	fail(call: Call, ...problems: readonly Problem[]): void;
	/** Called at the beginning of each call. */
	before: (call: Call) => Promise<void> | void;
	/** Another program unloads a module. */
	unloadByOthers(id: number): void;
	/** It ends and takes everything with it; calls fail until `start`. */
	crash(): void;
	start(): void;
	/** Watchers are cut off; the server goes on. */
	endWatching(): void;
	/** Watchers that have not been ended. */
	readonly watching: number;
}

export function createFakeSoundServer(): FakeSoundServer {
	const watchers = new Set<{ changed: () => void; ended: () => void }>();
	const failures = new Map<Call, Problem[]>();
	let next = 1;
	const recorded = new Set<string>();
	let running = true;

	async function enter(call: Call): Promise<Result<void, Problem>> {
		await server.before(call);
		if (!running) return err({ kind: 'sound-server-away', reason: 'Connection refused' });
		const failure = failures.get(call)?.shift();
		return failure ? err(failure) : ok();
	}

	function changed(): void {
		for (const watcher of [...watchers]) watcher.changed();
	}

	function remove(id: number): void {
		const at = server.loaded.findIndex((module) => module.id === id);
		if (at >= 0) server.loaded.splice(at, 1);
		changed();
	}

	const server: FakeSoundServer = {
		loaded: [],
		opened: [],
		defaultSink: 'speakers',
		defaultSource: 'built-in',
		grabbing: false,
		before: () => {},
		fail: (call, ...problems) => void failures.set(call, [...(failures.get(call) ?? []), ...problems]),
		unloadByOthers: remove,
		record(source, on) {
			if (on) recorded.add(source);
			else recorded.delete(source);
			changed();
		},
		endWatching() {
			const ended = [...watchers];
			watchers.clear();
			for (const watcher of ended) watcher.ended();
		},
		crash() {
			running = false;
			server.loaded.splice(0);
			server.endWatching();
		},
		start: () => {
			running = true;
		},
		get watching() {
			return watchers.size;
		},
		async info() {
			const entered = await enter('info');
			const { defaultSink, defaultSource } = server;
			return entered.ok ? ok({ name: 'fake 1.0', defaultSink, defaultSource }) : entered;
		},
		async modules() {
			const entered = await enter('modules');
			return entered.ok ? ok([...server.loaded]) : entered;
		},
		async load(name, args) {
			const entered = await enter('load');
			if (!entered.ok) return entered;
			const device = /^(sink|source)_name=(.*)$/.exec(args[0] ?? '');
			if (server.grabbing && device?.[1] === 'sink') server.defaultSink = device[2] ?? '';
			if (server.grabbing && device?.[1] === 'source') server.defaultSource = device[2] ?? '';
			const id = next;
			next += 1;
			server.loaded.push({ id, name, args: args.join(' ') });
			changed();
			return ok(id);
		},
		async unload(id) {
			const entered = await enter('unload');
			if (entered.ok) remove(id);
			return entered;
		},
		async open(_kind, name) {
			const entered = await enter('open');
			if (entered.ok) server.opened.push(name);
			return entered;
		},
		async recorded(source) {
			const entered = await enter('recorded');
			return entered.ok ? ok(recorded.has(source)) : entered;
		},
		async setDefault(kind, name) {
			const entered = await enter('setDefault');
			if (entered.ok) server[kind === 'sink' ? 'defaultSink' : 'defaultSource'] = name;
			return entered;
		},
		watch(tellChanged, ended) {
			const watcher = { changed: tellChanged, ended };
			watchers.add(watcher);
			return () => void watchers.delete(watcher);
		},
	};
	return server;
}

/** Process `pid`, among living ones. */
export function fakeProcesses(pid: number, living: ReadonlySet<number>): Processes {
	return {
		self: { place: '0000abcd', pid, start: '77' },
		isGone: ({ place, pid: other }) => place === '0000abcd' && !living.has(other),
	};
}
