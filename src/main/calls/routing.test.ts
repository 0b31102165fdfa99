import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { silentLogger } from '#shared/lib/log.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { inspectSound } from '#test/support/inspect-sound.ts';
import { createManualClock, settle } from '#test/support/manual-clock.ts';
import { createRouting, type Routing } from './routing.ts';
import type { SoundModule, SoundServer } from './sound-server.ts';
import type { Processes } from './virtual-microphone.ts';

type Call = keyof SoundServer;

/** A fake sound server that behaves like PulseAudio where it matters to us. */
interface FakeSoundServer extends SoundServer {
	/** The modules loaded now. */
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
	/** Ends the server with all its modules; calls fail until `start`. */
	crash(): void;
	start(): void;
	/** Watchers are cut off; the server goes on. */
	endWatching(): void;
	/** Watchers that have not been ended. */
	readonly watching: number;
}

function createFakeSoundServer(): FakeSoundServer {
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
function fakeProcesses(pid: number, living: ReadonlySet<number>): Processes {
	return {
		self: { place: '0000abcd', pid, start: '77' },
		isGone: ({ place, pid: other }) => place === '0000abcd' && !living.has(other),
	};
}

function rig() {
	const server = createFakeSoundServer();
	const clock = createManualClock();
	const living = new Set<number>();
	/** A program of its own. */
	function start(pid: number): Routing {
		living.add(pid);
		return createRouting({
			server,
			processes: fakeProcesses(pid, living),
			clock,
			log: silentLogger,
			openGuide: async () => {},
		});
	}
	const names = () => server.loaded.map(({ args }) => /_name=(\S+)/.exec(args)?.[1]);
	return { server, clock, living, start, names };
}

/** Three places for programs that come and go; each start is a process of its own and cleans up first. */
function createPrograms({ start, living }: Pick<ReturnType<typeof rig>, 'start' | 'living'>) {
	const slots = new Map<number, { readonly pid: number; readonly routing: Routing }>();
	let pids = 10;

	async function at(slot: number) {
		const there = slots.get(slot);
		if (there) return there;
		pids += 1;
		const program = { pid: pids, routing: start(pids) };
		slots.set(slot, program);
		await program.routing.clean();
		return program;
	}

	return {
		running: () => [...slots.values()],
		async run(slot: number, does: 'make' | 'remove' | 'clean' | 'close' | 'die') {
			const { pid, routing } = await at(slot);
			if (does === 'make') await routing.answers['routing.make']();
			if (does === 'remove') await routing.answers['routing.remove']();
			if (does === 'clean') await routing.clean();
			if (does === 'close') await routing.close();
			if (does !== 'close' && does !== 'die') return;
			living.delete(pid);
			slots.delete(slot);
		},
	};
}

const ready = { state: 'ready', speakerLabel: 'Dragoman voice', microphoneLabel: 'Dragoman microphone' };

test('it is told when a program records from the microphone, and when it stops', async () => {
	const { server, clock, start } = rig();
	const routing = start(10);
	const microphone = 'dragoman.0000abcd.10.77.microphone';
	await routing.answers['routing.make']();
	const told = async () => {
		clock.advance(1000);
		await settle();
		return routing.state().virtualMicrophone;
	};
	server.record('built-in', true);
	expect(await told()).toMatchObject({ recorded: false });
	server.record(microphone, true);
	expect(await told()).toMatchObject({ ...ready, recorded: true });
	server.record(microphone, false);
	expect(await told()).toMatchObject({ recorded: false });
	server.fail('recorded', { kind: 'sound-server-away', reason: '' });
	server.record(microphone, true);
	expect(await told()).not.toHaveProperty('recorded', false);
});

describe('making', () => {
	test('loads both halves under a name that tells the owner, and sets them heard and loud', async () => {
		const { server, start, names } = rig();
		const routing = start(10);
		expect(await routing.answers['routing.make']()).toMatchObject({
			ok: true,
			value: { virtualMicrophone: ready },
		});
		expect(names()).toEqual(['dragoman.0000abcd.10.77.voice', 'dragoman.0000abcd.10.77.microphone']);
		expect(server.loaded.map(({ args }) => args)).toEqual([
			'sink_name=dragoman.0000abcd.10.77.voice rate=48000 sink_properties=device.description="Dragoman\\ voice"',
			'source_name=dragoman.0000abcd.10.77.microphone master=dragoman.0000abcd.10.77.voice.monitor source_properties=device.description="Dragoman\\ microphone"',
		]);
		expect(server.opened).toEqual([
			'dragoman.0000abcd.10.77.voice',
			'dragoman.0000abcd.10.77.voice.monitor',
			'dragoman.0000abcd.10.77.microphone',
		]);
	});

	test('again makes nothing twice, and sets it right', async () => {
		const { server, start } = rig();
		const routing = start(10);
		await Promise.all([routing.answers['routing.make'](), routing.answers['routing.make']()]);
		await routing.answers['routing.make']();
		expect(server.loaded).toHaveLength(2);
		expect(server.opened).toHaveLength(9);
	});

	test.each([
		['speaker', 0],
		['microphone', 1],
	])('makes a lost %s again', async (_half, at) => {
		const { server, start, names } = rig();
		const routing = start(10);
		await routing.answers['routing.make']();
		server.unloadByOthers(server.loaded[at]?.id ?? 0);
		await routing.answers['routing.make']();
		expect(names().sort()).toEqual(['dragoman.0000abcd.10.77.microphone', 'dragoman.0000abcd.10.77.voice']);
	});

	test('does not become the default of the computer', async () => {
		const { server, start } = rig();
		server.grabbing = true;
		await start(10).answers['routing.make']();
		expect([server.defaultSink, server.defaultSource]).toEqual(['speakers', 'built-in']);
	});

	test('that fails half-way is tried again for a while, leaves nothing, and says why until it succeeds', async () => {
		const { server, clock, start } = rig();
		const routing = start(10);
		const refused = { kind: 'virtual-microphone-failed', reason: 'Module initialization failed' } as const;
		let loads = 0;
		server.before = (call) => {
			if (call !== 'load') return;
			loads += 1;
			if (loads > 1) server.fail('load', refused);
		};
		const making = routing.answers['routing.make']();
		await clock.run(5000);
		expect(await making).toEqual({ ok: false, error: refused });
		expect([server.loaded, loads, clock.pending]).toEqual([[], 5, 0]);
		expect(routing.state().virtualMicrophone).toEqual({ state: 'failed', problem: refused });
		server.before = () => {};
		await routing.answers['routing.make']();
		expect(routing.state().virtualMicrophone).toEqual(ready);
	});

	test('waits for a server that answers before what it made can be named', async () => {
		const { server, clock, start } = rig();
		const unknown = { kind: 'virtual-microphone-failed', reason: 'No such entity' } as const;
		server.fail('open', unknown, unknown);
		const making = start(10).answers['routing.make']();
		await clock.run(1000);
		expect(await making).toMatchObject({ ok: true });
		expect(server.opened).toHaveLength(3);
	});

	test('whose volume cannot be set stands all the same', async () => {
		const { server, clock, start } = rig();
		const refused = { kind: 'virtual-microphone-failed', reason: 'Not supported' } as const;
		server.fail('open', ...Array.from({ length: 12 }, () => refused));
		const making = start(10).answers['routing.make']();
		await clock.run(5000);
		expect(await making).toMatchObject({ value: { virtualMicrophone: ready } });
	});

	test('whose server goes meanwhile leaves nothing', async () => {
		const { server, start } = rig();
		const routing = start(10);
		server.fail('open', { kind: 'sound-server-away', reason: '' });
		expect(await routing.answers['routing.make']()).toMatchObject({ error: { kind: 'sound-server-away' } });
		expect(server.loaded).toEqual([]);
	});

	test('where programs cannot make devices is refused', async () => {
		const routing = createRouting({
			server: null,
			processes: null,
			clock: createManualClock(),
			log: silentLogger,
			openGuide: async () => {},
		});
		expect(routing.state().virtualMicrophone).toEqual({ state: 'unsupported' });
		expect(await routing.answers['routing.make']()).toMatchObject({
			error: { kind: 'virtual-microphone-unsupported' },
		});
	});
});

describe('two programs at once', () => {
	test('have devices of their own names, and the end of one leaves the other', async () => {
		const { server, start, names } = rig();
		const [first, second] = [start(10), start(20)];
		await first.answers['routing.make']();
		await second.answers['routing.make']();
		expect(second.state().virtualMicrophone).toMatchObject({ microphoneLabel: 'Dragoman microphone 2' });
		await second.answers['routing.make']();
		expect(second.state().virtualMicrophone).toMatchObject({ microphoneLabel: 'Dragoman microphone 2' });
		await second.clean();
		await second.close();
		expect(names()).toEqual(['dragoman.0000abcd.10.77.voice', 'dragoman.0000abcd.10.77.microphone']);
		await first.close();
		expect(server.loaded).toEqual([]);
	});

	test('whatever they do and however they end, nobody loses theirs and the next one cleans up', async () => {
		const move = fc.record({
			slot: fc.constantFrom(0, 1, 2),
			does: fc.constantFrom('make', 'remove', 'clean', 'close', 'die'),
		});
		await fc.assert(
			fc.asyncProperty(fc.array(move, { maxLength: 25 }), async (moves) => {
				const world = rig();
				const others = { id: 999, name: 'module-null-sink', args: 'sink_name=somebody.else' };
				world.server.loaded.push(others);
				const programs = createPrograms(world);
				for (const { slot, does } of moves) {
					await programs.run(slot, does);
					for (const { pid, routing } of programs.running()) {
						const stands = routing.state().virtualMicrophone.state === 'ready';
						const its = world.server.loaded.filter(({ args }) => args.includes(`.${pid}.77.`));
						expect(its).toHaveLength(stands ? 2 : 0);
					}
				}
				for (const { routing } of programs.running()) await routing.close();
				await world.start(1000).clean();
				expect(world.server.loaded).toEqual([others]);
			}),
			{ numRuns: 60 },
		);
	});

	test('of another computer or container is not judged', async () => {
		const { server, start } = rig();
		const far = {
			id: 5,
			name: 'module-null-sink',
			args: 'sink_name=dragoman.ffff0000.10.77.voice rate=48000',
		};
		server.loaded.push(far);
		await start(10).clean();
		expect(server.loaded).toEqual([far]);
		expect(await inspectSound(server, fakeProcesses(10, new Set([10])))).toMatchObject({
			server: 'running',
			inUse: 1,
			orphans: 0,
		});
	});
});

describe('while it stands', () => {
	test('what somebody takes away is made again', async () => {
		const { server, clock, start } = rig();
		const routing = start(10);
		await routing.answers['routing.make']();
		server.unloadByOthers(server.loaded[0]?.id ?? 0);
		await clock.run(1000);
		expect(server.loaded).toHaveLength(2);
		expect(routing.state().virtualMicrophone).toEqual(ready);
	});

	test('a sound server that ends and comes back has it again', async () => {
		const { server, clock, start } = rig();
		const routing = start(10);
		const seen: string[] = [];
		await routing.answers['routing.make']();
		routing.listen(({ virtualMicrophone }) => seen.push(virtualMicrophone.state));
		server.crash();
		await clock.run(2000);
		server.start();
		await clock.run(30_000);
		expect(seen).toEqual(['making', 'ready']);
		expect(server.loaded).toHaveLength(2);
	});

	test('and also one that goes once more while it comes back', async () => {
		const { server, clock, start } = rig();
		const routing = start(10);
		await routing.answers['routing.make']();
		server.crash();
		await clock.run(2000);
		server.start();
		server.fail('load', { kind: 'sound-server-away', reason: '' });
		await clock.run(30_000);
		expect(routing.state().virtualMicrophone).toEqual(ready);
	});

	test('one that does not come back is said, and no timer stays', async () => {
		const { server, clock, start } = rig();
		const routing = start(10);
		await routing.answers['routing.make']();
		server.crash();
		await clock.run(60_000);
		expect(routing.state().virtualMicrophone).toMatchObject({
			state: 'failed',
			problem: { kind: 'sound-server-away' },
		});
		expect(clock.pending).toBe(0);
	});

	test('when only the watching ends, nothing is made anew, and a watching that always ends is given up', async () => {
		const { server, clock, start } = rig();
		const routing = start(10);
		const seen: string[] = [];
		await routing.answers['routing.make']();
		routing.listen(({ virtualMicrophone }) => seen.push(virtualMicrophone.state));
		const { loaded } = server;
		const before = [...loaded];
		let watches = 0;
		const { watch } = server;
		server.watch = (changed, ended) => {
			watches += 1;
			clock.after(10, ended);
			return watch(changed, ended);
		};
		server.endWatching();
		await clock.run(120_000);
		expect([seen, loaded]).toEqual([[], before]);
		expect(watches).toBeLessThan(10);
		expect(clock.pending).toBe(0);
	});

	test('a watching that ends now and then is begun again each time, so that what is taken away then is noticed', async () => {
		const { server, clock, start } = rig();
		await start(10).answers['routing.make']();
		for (let times = 0; times < 8; times += 1) {
			await clock.run(61_000);
			server.endWatching();
			await clock.run(1000);
			expect([times, server.watching]).toEqual([times, 1]);
		}
		server.unloadByOthers(server.loaded[0]?.id ?? 0);
		await clock.run(1000);
		expect(server.loaded).toHaveLength(2);
	});

	test('removed by the user while the sound server is away, it is gone, and stays so when that is back', async () => {
		const { server, clock, start } = rig();
		const routing = start(10);
		await routing.answers['routing.make']();
		server.crash();
		expect(await routing.answers['routing.remove']()).toMatchObject({
			value: { virtualMicrophone: { state: 'none' } },
		});
		server.start();
		await clock.run(60_000);
		expect([server.loaded, clock.pending]).toEqual([[], 0]);
	});

	test('a half that the sound server keeps is said, and the other is removed all the same', async () => {
		const { server, start } = rig();
		const routing = start(10);
		await routing.answers['routing.make']();
		const refused = { kind: 'virtual-microphone-failed', reason: 'Access denied' } as const;
		server.fail('unload', refused);
		expect(await routing.answers['routing.remove']()).toEqual({ ok: false, error: refused });
		expect(server.loaded.map(({ name }) => name)).toEqual(['module-remap-source']);
		expect(routing.state().virtualMicrophone).toEqual({ state: 'failed', problem: refused });
	});

	test('removed by the user, it does not come back', async () => {
		const { server, clock, start } = rig();
		const routing = start(10);
		await routing.answers['routing.make']();
		await routing.answers['routing.remove']();
		await clock.run(60_000);
		expect(server.loaded).toEqual([]);
		expect([routing.state().virtualMicrophone.state, server.watching]).toEqual(['none', 0]);
	});
});

describe('the end of the program', () => {
	test('while it is being made waits for that and leaves nothing', async () => {
		const { server, clock, start } = rig();
		const routing = start(10);
		const made = routing.answers['routing.make']();
		await settle();
		await Promise.all([routing.close(), made]);
		await clock.run(60_000);
		expect([server.loaded, server.watching, clock.pending]).toEqual([[], 0, 0]);
		expect(await routing.answers['routing.make']()).toMatchObject({ error: { kind: 'cancelled' } });
	});

	test('finds nothing to do where nothing was made, and asks the server nothing', async () => {
		const { server, start } = rig();
		const asked: string[] = [];
		server.before = (call) => void asked.push(call);
		await start(10).close();
		expect(asked).toEqual([]);
	});
});
