import {
	emptyOutbox,
	holdBack,
	type Outbox,
	offer,
	nextDueMs as outboxDueMs,
	take,
} from '#shared/conversation/command-outbox.ts';
import { endTask, getTask, setTask } from '#shared/conversation/machine/link.ts';
import {
	confirmTask,
	hear,
	meaningOf,
	nextDueMs,
	type Readiness,
	type ReadinessStep,
	taskLeft,
	tick,
} from '#shared/conversation/readiness.ts';
import { encodeBase64 } from '#shared/lib/base64.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { type ClientMessage, encodeClientMessage, type Task } from '#shared/protocol/client-message.ts';
import { decodeServerMessage } from '#shared/protocol/decode-server-message.ts';
import { SOCKET_AUDIO } from '#shared/protocol/limits.ts';
import type { ServerMessage, ServiceErrorMessage } from '#shared/protocol/server-message.ts';
import { COMMAND } from '#shared/protocol/vocabulary.ts';
import { s16ToBytes } from '#shared/sound/pcm.ts';
import type { Socket, Sockets, SocketTarget } from './socket.ts';
import { type ConnectionFailure, ERROR_BEFORE_CLOSE_MS, failureOf, failureOfEnd } from './socket-ends.ts';

/** One speech-to-speech socket from its opening to its end. */
export interface Connection {
	/** Sends within the service's limits, so perhaps a moment later. */
	post(command: ClientMessage): void;
	/** Sends at once, for an owner that keeps the limits itself. */
	send(command: ClientMessage): boolean;
	/** One chunk of 24 kHz mono. */
	audio(samples: Int16Array): void;
	endTask(): ClientMessage;
	/** Round trip of the socket, ms; 0 until known. */
	readonly roundTripMs: number;
	/** Sound that has not been sent yet, ms. */
	readonly waitingMs: number;
	close(): Promise<void>;
}

export interface ConnectionHeard {
	message(message: ServerMessage): void;
	/** Called when the socket could not send this much sound. */
	dropped(audioMs: number): void;
	/** Called when the socket's backlog has shrunk. */
	drained(): void;
	/** Called when the other side has ended the connection, but only after `connect` has resolved. */
	ended(failure: ConnectionFailure): void;
}

/** Opens a socket and sets the task, if any (protocol 5.1.1, 4.4). A failure leaves nothing behind. */
export async function connect(
	{
		sockets,
		clock,
	}: {
		readonly sockets: Sockets;
		readonly clock: Clock;
	},
	target: SocketTarget,
	task: Task | null,
	heard: ConnectionHeard,
	signal: AbortSignal,
): Promise<Result<Connection, ConnectionFailure>> {
	let socket: Socket | null = null;
	let lastError: { readonly error: ServiceErrorMessage; readonly atMs: number } | null = null;
	let early: ConnectionFailure | null = null;
	let isReady = false;
	let failEarly: (failure: ConnectionFailure) => void = () => {};

	const send = (message: ClientMessage) => socket?.send(encodeClientMessage(message)) ?? false;
	const commands = createCommands({ clock, send });

	function ended(failure: ConnectionFailure): void {
		commands.close();
		if (isReady) heard.ended(failure);
		else {
			early = failure;
			failEarly(failure);
		}
	}

	const opened = await sockets.open(
		target,
		{
			frame(text) {
				const message = decodeServerMessage(text);
				if (message.type === 'error') lastError = { error: message, atMs: clock.now() };
				commands.hear(message);
				heard.message(message);
			},
			dropped: heard.dropped,
			drained: heard.drained,
			ended(end) {
				const isFresh = lastError !== null && clock.now() - lastError.atMs <= ERROR_BEFORE_CLOSE_MS;
				ended(failureOfEnd(end, isFresh && lastError ? lastError.error : null));
			},
		},
		signal,
	);
	if (!opened.ok) {
		commands.close();
		return err(failureOf(opened.error));
	}
	socket = opened.value;
	const held = socket;

	async function close(): Promise<void> {
		commands.close();
		await held.close();
	}

	const failure = early ?? (task && (await ready(task)));
	if (failure || signal.aborted) {
		await close();
		return err(failure ?? failureOf({ kind: 'cancelled' }));
	}
	isReady = true;

	async function ready(wanted: Task): Promise<ConnectionFailure | null> {
		const cancelled = Promise.withResolvers<ConnectionFailure>();
		failEarly = cancelled.resolve;
		const cancel = () => failEarly(failureOf({ kind: 'cancelled' }));
		signal.addEventListener('abort', cancel, { once: true });
		const confirmed = commands.confirm(wanted).then((result) => (result.ok ? null : failureOf(result.error)));
		try {
			return await Promise.race([cancelled.promise, confirmed]);
		} finally {
			signal.removeEventListener('abort', cancel);
		}
	}

	return ok({
		post: commands.post,
		send,
		audio(samples) {
			const data = { data: encodeBase64(s16ToBytes(samples)) };
			const text = JSON.stringify({ message_type: COMMAND.inputAudioData, data });
			held.sendAudio(text, (samples.length / SOCKET_AUDIO.sampleRateHz) * 1000);
		},
		endTask: commands.endTask,
		get roundTripMs() {
			return held.roundTripMs;
		},
		get waitingMs() {
			return held.waitingMs;
		},
		close,
	});
}

/** Sends commands to one connection within its limits, and waits for the task (protocol 4.4). */
export function createCommands(parts: {
	readonly clock: Clock;
	readonly send: (message: ClientMessage) => void;
}) {
	const { clock, send } = parts;
	let outbox: Outbox = emptyOutbox;
	let acknowledges = false;
	let timer: Cancel = () => {};
	let closed = false;
	let pending: {
		readiness: Readiness;
		readonly task: Task;
		readonly done: (result: Result<void, Problem>) => void;
	} | null = null;

	function flush(): void {
		const now = clock.now();
		const taken = take(outbox, now);
		outbox = taken.outbox;
		for (const command of taken.send) {
			if (command.message_type === 'set_task' && pending)
				pending.readiness = taskLeft(pending.readiness, now);
			send(command);
		}
		arm();
	}

	function arm(): void {
		timer();
		if (closed) return;
		const due = [outboxDueMs(outbox), pending ? nextDueMs(pending.readiness) : null].filter(
			(at) => at !== null,
		);
		if (due.length > 0) timer = clock.after(Math.max(1, Math.min(...due) - clock.now()), wake);
	}

	function wake(): void {
		if (pending && nextDueMs(pending.readiness) <= clock.now()) follow(tick(pending.readiness, clock.now()));
		flush();
	}

	function follow({ readiness, verdict, commands }: ReadinessStep): void {
		if (!pending) return;
		pending.readiness = readiness;
		for (const command of commands)
			outbox = offer(outbox, command === 'set_task' ? setTask(pending.task) : getTask);
		if (verdict.is === 'waiting') return;
		const { done } = pending;
		pending = null;
		if (verdict.is === 'ready') done(ok());
		else if (verdict.is === 'refused') done(err(verdict.problem));
		else done(err({ kind: 'interpreter-silent', afterMs: Math.round(verdict.afterMs) }));
	}

	return {
		/** Sends as soon as the limits allow. */
		post(command: ClientMessage): void {
			outbox = offer(outbox, command);
			flush();
		},
		/** Sets the task; resolves when it runs, is refused, or was not confirmed in 20 s. */
		confirm(task: Task): Promise<Result<void, Problem>> {
			return new Promise((done) => {
				const targets = task.pipeline.translations.map(({ target_language: target }) => target);
				const { readiness } = confirmTask(clock.now(), targets);
				pending = { readiness, task, done };
				outbox = offer(outbox, setTask(task));
				flush();
			});
		},
		/** Takes every message of the service. */
		hear(message: ServerMessage): void {
			const now = clock.now();
			if (message.type === 'task-status') acknowledges = true;
			if (message.type === 'error' && meaningOf(message) === 'limited') outbox = holdBack(outbox, now);
			if (pending) follow(hear(pending.readiness, message, now));
			flush();
		},
		/** `end_task` in the form that this version of the service expects. */
		endTask: (): ClientMessage => endTask({ acknowledges }),
		close(): void {
			closed = true;
			timer();
			pending?.done(err({ kind: 'cancelled' }));
			pending = null;
		},
	};
}
