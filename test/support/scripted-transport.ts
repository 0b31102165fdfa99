import type { Transport, TransportEvent } from '#renderer/transport/transport.ts';
import type { Clock } from '#shared/lib/clock.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import { createScope } from '#shared/lib/scope.ts';
import type { Problem } from '#shared/problem.ts';
import type { ClientMessage, Task } from '#shared/protocol/client-message.ts';
import type { ServerMessage } from '#shared/protocol/server-message.ts';

/** How the scripted room and the interpreter in it behave. May be changed while it runs. */
export interface TransportScript {
	kind: 'webrtc' | 'websocket';
	/** Which generation of the service (protocol 4.4). */
	generation: 'current' | 'older';
	/** How `open` ends: well, with a problem, or not before `signal` aborts. */
	open: 'well' | 'never' | Problem;
	/** Called as `open` begins. */
	opening: () => unknown;
	/** How long `open` takes, ms. */
	openMs: number;
	/** From `set_task` to a running task, ms (protocol 4.8). */
	readyMs: number;
	/** This many of the next commands are lost, as to a peer that is not active yet. */
	lose: number;
	/** The error that answers `set_task` instead of carrying it out. */
	refuse: { readonly code: string; readonly text: string; readonly field: string } | null;
	/** `refuse` is for these tasks alone; null = for all. */
	refuses: ((task: Task) => boolean) | null;
	/** Commands are taken, nothing is ever answered. */
	silent: boolean;
	/** Packets leave (and come). */
	packets: boolean;
	/** The line has no room for unfinished texts. */
	onlyFinals: boolean;
	/** The interpreter says something, or sends its silence too. */
	voice: boolean;
	/** Whether the path's own checks (ICE) are answered; null = it has none. */
	path: boolean | null;
	/** From `end_task` to the end of stream, ms; `null` = it never comes. */
	tailMs: number | null;
}

export const defaultScript: TransportScript = {
	kind: 'webrtc',
	generation: 'current',
	open: 'well',
	opening() {},
	openMs: 50,
	readyMs: 800,
	lose: 0,
	refuse: null,
	refuses: null,
	silent: false,
	packets: true,
	onlyFinals: false,
	voice: true,
	path: null,
	tailMs: 1000,
};

/** A transport with a pretend service behind it; everything it was asked for is recorded. */
export interface ScriptedTransport extends Transport {
	readonly script: TransportScript;
	readonly sent: readonly ClientMessage[];
	/** The tracks given as microphone, in order; `null` = silence, undefined = nothing. */
	readonly microphones: readonly (MediaStreamTrack | null | undefined)[];
	readonly state: 'new' | 'opening' | 'open' | 'closed';
	readonly closes: number;
	readonly task: 'none' | 'running' | 'paused';
	/** The path changes; the answers to its checks are counted from zero again. */
	countAnew(): void;
	/** The pipeline forgets its task, as after a server's restart. */
	forgetTask(): void;
	tell(event: TransportEvent): void;
	say(message: ServerMessage): void;
	restoring(cause?: string): void;
	up(): void;
	down(problem?: Problem): void;
}

const lost: Problem = { kind: 'connection-lost', reason: 'gave-up' };

const PACKETS_PER_S = 50;
/** Between the path's own checks, as Chromium makes them. */
const CHECKS_MS = 2500;

export function createScriptedTransport(
	clock: Clock,
	script: Partial<TransportScript> = {},
): ScriptedTransport {
	const scope = createScope(clock);
	const listeners = new Set<(event: TransportEvent) => void>();
	const current: TransportScript = { ...defaultScript, ...script };
	const sent: ClientMessage[] = [];
	const microphones: (MediaStreamTrack | null | undefined)[] = [];
	let state: ScriptedTransport['state'] = 'new';
	let task: ScriptedTransport['task'] = 'none';
	let targets: readonly string[] = [];
	let closes = 0;
	let packets = 0;
	let received = 0;
	let answers = 0;

	let cancel = () => {};

	function tell(event: TransportEvent): void {
		if (event.type === 'link' && event.link.state === 'down') state = 'new';
		for (const heard of [...listeners]) heard(event);
	}

	function say(message: ServerMessage): void {
		if (state === 'open' && !current.silent) tell({ type: 'message', message });
	}

	function acknowledge(command: string, event: string): void {
		if (current.generation === 'older' || task === 'none') return;
		say({ type: 'task-status', command, event, status: task, transcriptionId: null });
	}

	function setTask(asked: Task): void {
		const wanted = asked.pipeline.translations.map(({ target_language: target }) => target);
		if (current.refuse && (current.refuses?.(asked) ?? true)) {
			say({ type: 'error', ...current.refuse });
			return;
		}
		const event = task === 'none' ? 'started' : task === 'paused' ? 'resumed' : 'updated';
		scope.after(current.readyMs, () => {
			task = 'running';
			targets = wanted;
			acknowledge('set_task', event);
		});
	}

	function take(command: ClientMessage): void {
		switch (command.message_type) {
			case 'set_task':
				setTask(command.data);
				return;
			case 'get_task':
				if (task === 'none')
					say({ type: 'error', code: 'NOT_FOUND', text: 'No active task found', field: '' });
				else say({ type: 'current-task', status: task, targets });
				return;
			case 'pause_task':
				if (task !== 'none') task = 'paused';
				acknowledge('pause_task', 'paused');
				return;
			case 'end_task':
				if (current.tailMs !== null) scope.after(current.tailMs, () => say({ type: 'end-of-stream' }));
				return;
			default:
				return;
		}
	}

	async function open(signal: AbortSignal): Promise<Result<void, Problem>> {
		if (state === 'opening' || state === 'open') return err({ kind: 'bug', where: 'open while open' });
		if (signal.aborted) return err({ kind: 'cancelled' });
		state = 'opening';
		current.opening();
		return await new Promise((done) => {
			cancel = () => {
				state = 'new';
				done(err({ kind: 'cancelled' }));
			};
			signal.addEventListener('abort', () => cancel(), { once: true });
			if (current.open === 'never') return;
			scope.after(current.openMs, () => {
				if (state !== 'opening') return;
				if (current.open !== 'well' && current.open !== 'never') {
					state = 'new';
					done(err(current.open));
					return;
				}
				state = 'open';
				done(ok());
			});
		});
	}

	scope.every(1000 / PACKETS_PER_S, () => {
		if (state !== 'open' || !current.packets) return;
		packets += 1;
		if (current.voice) received += 1;
	});
	scope.every(CHECKS_MS, () => {
		if (state === 'open' && current.path) answers += 1;
	});

	return {
		capabilities: { kind: current.kind },
		script: current,
		sent,
		microphones,
		get state() {
			return state;
		},
		get closes() {
			return closes;
		},
		get task() {
			return task;
		},
		open,
		async setMicrophone(track) {
			microphones.push(track);
			return ok();
		},
		async send(command) {
			if (state !== 'open') return false;
			sent.push(command);
			if (current.lose > 0) current.lose -= 1;
			else take(command);
			return true;
		},
		async close() {
			closes += 1;
			cancel();
			state = 'closed';
			scope.close();
		},
		listen(heard) {
			listeners.add(heard);
			return () => void listeners.delete(heard);
		},
		async stats() {
			return {
				packetsSent: packets,
				packetsReceived: received,
				...(current.path === null ? {} : { pathAnswers: answers }),
				jitterBufferMs: 40,
				roundTripMs: 10,
				concealedRatio: 0,
				...(current.onlyFinals ? { onlyFinals: true } : {}),
			};
		},
		countAnew() {
			answers = 0;
		},
		forgetTask() {
			task = 'none';
		},
		tell,
		say,
		restoring: (cause = 'signal') => tell({ type: 'link', link: { state: 'restoring', cause } }),
		up: () => tell({ type: 'link', link: { state: 'up' } }),
		down: (problem: Problem = lost) => tell({ type: 'link', link: { state: 'down', problem } }),
	};
}
