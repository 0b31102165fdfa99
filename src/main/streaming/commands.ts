import { endTask, getTask, setTask } from '#shared/conversation/machine/link.ts';
import {
	emptyOutbox,
	holdBack,
	type Outbox,
	offer,
	nextDueMs as outboxDueMs,
	take,
} from '#shared/conversation/outbox.ts';
import {
	confirmTask,
	hear,
	nextDueMs,
	type Readiness,
	type ReadinessStep,
	taskLeft,
	tick,
} from '#shared/conversation/readiness.ts';
import { meaningOf } from '#shared/conversation/service-errors.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import type { ClientMessage } from '#shared/protocol/client-message.ts';
import type { ServerMessage } from '#shared/protocol/server-message.ts';
import type { Task } from '#shared/protocol/task.ts';

/** Commands to one connection within the service's limits, and the confirmation of its task (protocol 4.4). */
export interface Commands {
	/** Leaves as soon as the limits allow. */
	post(command: ClientMessage): void;
	/** Sets the task; resolves when it runs, is refused, or was not confirmed in 20 s. */
	confirm(task: Task): Promise<Result<void, Problem>>;
	/** Every message of the service passes here. */
	hear(message: ServerMessage): void;
	/** `end_task` in the form this generation of the service wants. */
	endTask(): ClientMessage;
	close(): void;
}

export function createCommands(parts: {
	readonly clock: Clock;
	readonly send: (message: ClientMessage) => void;
}): Commands {
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
		post(command) {
			outbox = offer(outbox, command);
			flush();
		},
		confirm(task) {
			return new Promise((done) => {
				const targets = task.pipeline.translations.map(({ target_language: target }) => target);
				const { readiness } = confirmTask(clock.now(), targets);
				pending = { readiness, task, done };
				outbox = offer(outbox, setTask(task));
				flush();
			});
		},
		hear(message) {
			const now = clock.now();
			if (message.type === 'task-status') acknowledges = true;
			if (message.type === 'error' && meaningOf(message) === 'limited') outbox = holdBack(outbox, now);
			if (pending) follow(hear(pending.readiness, message, now));
			flush();
		},
		endTask: () => endTask({ acknowledges }),
		close() {
			closed = true;
			timer();
			pending?.done(err({ kind: 'cancelled' }));
			pending = null;
		},
	};
}
