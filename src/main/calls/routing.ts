import type { CableGuide, RoutingState, VirtualMicrophone } from '#shared/host/calls.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import { createListeners } from '#shared/lib/listeners.ts';
import type { Logger } from '#shared/lib/log.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import type { SoundServer } from './sound-server.ts';
import { deviceName, inspect, make, type Processes, removeOrphans, removeOwn } from './virtual-microphone.ts';

/** Wait before checking: a returning server, or a program removing devices, causes many changes. */
const LOOK_AFTER_MS = 300;
/** If watching lasted this long, its end does not count as another failure in a row. */
const QUIET_MS = 60_000;
/** Delays between tries to reach a sound server that went away; after the last, the user has to retry. */
const RETURN_MS = [500, 1000, 2000, 4000, 8000, 16_000] as const;

export interface RoutingAnswers {
	'routing.state'(): Promise<Result<RoutingState, Problem>>;
	'routing.make'(): Promise<Result<RoutingState, Problem>>;
	'routing.remove'(): Promise<Result<RoutingState, Problem>>;
	'routing.open-guide'(input: { readonly guide: CableGuide }): Promise<Result<void, Problem>>;
}

/** The path of our voice into a call: the virtual microphone, which lasts until the program exits. */
export interface Routing {
	readonly answers: RoutingAnswers;
	state(): RoutingState;
	listen(heard: (state: RoutingState) => void): Cancel;
	/** Removes what earlier programs left behind. Does not wait long for a server that does not answer. */
	clean(): Promise<void>;
	/** Removes our own devices; none is created after that. */
	close(): Promise<void>;
}

export function createRouting({
	server,
	processes,
	clock,
	log,
	openGuide,
}: {
	/** Null if programs cannot create devices (macOS, Windows). */
	readonly server: SoundServer | null;
	readonly processes: Processes | null;
	readonly clock: Clock;
	readonly log: Logger;
	/** Opens the page of a cable in the user's browser. */
	readonly openGuide: (guide: CableGuide) => Promise<void>;
}): Routing {
	const listeners = createListeners<[state: RoutingState]>();
	const parts = server && processes ? { server, processes, clock } : null;
	let state: RoutingState = {
		revision: 1,
		virtualMicrophone: { state: parts ? 'none' : 'unsupported' },
	};
	/** True if the user, or a mode, needs the virtual microphone. */
	let wanted = false;
	let closed = false;
	let turn: Promise<unknown> = Promise.resolve();
	/** How often in a row watching has ended, without a quiet period in between. */
	let ends = 0;
	let unwatch: Cancel = () => {};
	let unwait: Cancel = () => {};

	function set(virtualMicrophone: VirtualMicrophone): void {
		if (JSON.stringify(virtualMicrophone) === JSON.stringify(state.virtualMicrophone)) return;
		state = { revision: state.revision + 1, virtualMicrophone };
		listeners.tell(state);
	}

	/** Makes one change at a time: concurrent runs of pactl would see each other's unfinished changes. */
	function inTurn<Value>(run: () => Promise<Value>): Promise<Value> {
		const next = turn.then(run);
		turn = next.catch(() => {});
		return next;
	}

	async function makeNow(): Promise<Result<RoutingState, Problem>> {
		if (!parts) return err({ kind: 'virtual-microphone-unsupported' });
		if (closed) return err({ kind: 'cancelled' });
		const stood = state.virtualMicrophone.state === 'ready';
		if (!stood) set({ state: 'making' });
		const made = await make(parts);
		if (!made.ok) {
			stopWatching();
			log.warn('virtual microphone not made', { why: made.error.kind });
			set({ state: 'failed', problem: made.error });
			return made;
		}
		if (!stood) log.info('virtual microphone made');
		startWatching();
		set({ state: 'ready', ...made.value });
		return ok(state);
	}

	async function removeNow(): Promise<Result<RoutingState, Problem>> {
		stopWatching();
		if (!parts || state.virtualMicrophone.state === 'none') return ok(state);
		set({ state: 'removing' });
		const removed = await removeOwn(parts);
		// A sound server that exits removes its devices as well.
		if (!removed.ok && removed.error.kind !== 'sound-server-away') {
			log.warn('virtual microphone not removed', { why: removed.error.kind });
			set({ state: 'failed', problem: removed.error });
			return removed;
		}
		log.info('virtual microphone removed');
		set({ state: 'none' });
		return ok(state);
	}

	function startWatching(): void {
		if (!parts || closed) return;
		stopWatching();
		const sinceMs = clock.now();
		unwatch = parts.server.watch(lookSoon, () => {
			ends = clock.now() - sinceMs > QUIET_MS ? 0 : ends + 1;
			void inTurn(watchEnded);
		});
	}

	/** Called when the server has ended, or only the program that watched it. */
	async function watchEnded(): Promise<void> {
		if (!parts || !wanted || closed) return;
		stopWatching();
		const found = await inspect(parts);
		if (!found.ok || found.value.own.length < 2) return comeBack(0);
		const delayMs = RETURN_MS[ends];
		// The microphone exists but is not watched any more; the user can still test the route.
		if (delayMs === undefined) log.warn('sound server cannot be watched');
		else unwait = clock.after(delayMs, startWatching);
	}

	function stopWatching(): void {
		unwatch();
		unwatch = () => {};
		unwait();
		unwait = () => {};
	}

	function lookSoon(): void {
		unwait();
		unwait = clock.after(LOOK_AFTER_MS, () => void inTurn(look));
	}

	/** Called when modules or recordings came or went: checks whether ours were among them. */
	async function look(): Promise<void> {
		if (!parts || !wanted || closed) return;
		const found = await inspect(parts);
		if (!found.ok) return;
		if (found.value.own.length < 2) {
			log.warn('virtual microphone was taken away');
			await makeNow();
			return;
		}
		const recorded = await parts.server.recorded(deviceName(parts.processes.self, 'microphone'));
		const { virtualMicrophone } = state;
		if (virtualMicrophone.state !== 'ready') return;
		set({ ...virtualMicrophone, recorded: recorded.ok ? recorded.value : undefined });
	}

	/** The server and our devices are gone: creates the devices again as soon as the server answers. */
	function comeBack(tries: number): void {
		if (!parts || !wanted || closed) return;
		stopWatching();
		const delayMs = RETURN_MS[tries];
		if (delayMs === undefined) {
			set({ state: 'failed', problem: { kind: 'sound-server-away', reason: '' } });
			return;
		}
		set({ state: 'making' });
		unwait = clock.after(delayMs, () => {
			void inTurn(async () => {
				if (!wanted || closed) return;
				const there = await parts.server.info();
				if (!there.ok) return comeBack(tries + 1);
				const made = await makeNow();
				// The sound server disconnected again.
				if (!made.ok && made.error.kind === 'sound-server-away') comeBack(tries + 1);
			});
		});
	}

	return {
		answers: {
			'routing.state': async () => ok(state),
			'routing.make': () => {
				wanted = true;
				return inTurn(makeNow);
			},
			'routing.remove': () => {
				wanted = false;
				return inTurn(removeNow);
			},
			'routing.open-guide': async ({ guide }) => ok(await openGuide(guide)),
		},
		state: () => state,
		listen: listeners.listen,
		clean: () =>
			inTurn(async () => {
				if (!parts || closed) return;
				const removed = await removeOrphans(parts);
				if (removed.ok && removed.value > 0)
					log.info('virtual microphones of ended programs removed', { devices: removed.value });
			}),
		close() {
			closed = true;
			wanted = false;
			return inTurn(async () => void (await removeNow()));
		},
	};
}
