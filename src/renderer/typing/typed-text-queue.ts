import type { Captions } from '#renderer/captions/caption-view.ts';
import type { TypedState, TypedText } from '#shared/captions/typed-texts.ts';
import { meaningOf, refusal } from '#shared/conversation/readiness.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import type { Problem } from '#shared/problem.ts';
import type { ClientMessage } from '#shared/protocol/client-message.ts';
import { COMMAND_LIMIT, TASK_RANGE } from '#shared/protocol/limits.ts';
import type { ServerMessage } from '#shared/protocol/server-message.ts';

type TtsTask = ClientMessage & { readonly message_type: 'tts_task' };

/** Limit for an answer, ms. The older generation never answers (protocol 4.4): there silence means success. */
const ANSWER_MS = 6000;

/** Fields that an error about a `tts_task` can name; errors about the conversation's task name paths such as `pipeline.…`. */
const OWN_FIELDS: ReadonlySet<string> = new Set(['text', 'language']);

interface Waiting {
	readonly id: string;
	readonly command: TtsTask;
	/** Cancels the wait for an answer; null until the command is sent, which rate limits may delay. */
	cancelWait: Cancel | null;
}

export type Typed = ReturnType<typeof createTyped>;

/** Texts typed instead of spoken: each is tracked until the service has accepted or refused it. */
export function createTyped({
	clock,
	captions,
	acknowledges,
	send,
}: {
	readonly clock: Clock;
	readonly captions: Pick<Captions, 'settleTyped'> & { type(typed: TypedText): string };
	/** True if the session's service answers commands. */
	readonly acknowledges: () => boolean;
	readonly send: (command: TtsTask) => void;
}) {
	/** The texts in the order of typing, which is also the order of sending and of the answers. */
	let waiting: readonly Waiting[] = [];

	function settle(one: Waiting, state: TypedState, heardAs: string | null): void {
		one.cancelWait?.();
		waiting = waiting.filter((other) => other !== one);
		captions.settleTyped(one.id, state, heardAs);
	}

	function refuse(one: Waiting, problem: Problem): void {
		settle(one, { is: 'refused', problem }, null);
	}

	function silent(one: Waiting): void {
		if (acknowledges()) refuse(one, { kind: 'timed-out', what: 'tts_task', afterMs: ANSWER_MS });
		else settle(one, { is: 'taken' }, null);
	}

	return {
		/** Ignores empty texts, and texts longer than the service accepts. */
		say({ text, language, translate }: TypedText): void {
			const trimmed = text.trim().toWellFormed();
			if (trimmed === '' || trimmed.length > TASK_RANGE.ttsText) return;
			const id = captions.type({ text: trimmed, language, translate });
			const command: TtsTask = {
				message_type: 'tts_task',
				data: { text: trimmed, language, translate_text: translate },
			};
			const one: Waiting = { id, command, cancelWait: null };
			waiting = [...waiting, one];
			const unsent = waiting.filter(({ cancelWait }) => cancelWait === null).length;
			if (unsent > COMMAND_LIMIT.ttsTasks.count)
				refuse(one, { kind: 'rate-limited', retryAfterMs: COMMAND_LIMIT.ttsTasks.windowMs });
			else send(command);
		},
		/** Notes that this command was sent. */
		left(command: ClientMessage): void {
			const one = waiting.find((other) => other.command === command);
			if (one) one.cancelWait = clock.after(ANSWER_MS, () => silent(one));
		},
		/**
		 * Returns true if the message was the answer to a typed text, so that nothing else must handle it. `isAlone`:
		 * no other command awaits an answer; otherwise an error belongs to a typed text only if it names one of its
		 * fields.
		 */
		hear(message: ServerMessage, isAlone: boolean): boolean {
			const asked = waiting.find(({ cancelWait }) => cancelWait !== null);
			if (!asked) return false;
			if (message.type === 'task-status' && message.command === 'tts_task') {
				settle(asked, { is: 'taken' }, message.transcriptionId);
				return true;
			}
			if (message.type !== 'error') return false;
			if (!isAlone && !OWN_FIELDS.has(message.field)) return false;
			const meaning = meaningOf(message);
			if (meaning === 'ended' || meaning === 'odd') return false;
			const limited: Problem = { kind: 'rate-limited', retryAfterMs: 60_000 };
			refuse(asked, meaning === 'limited' ? limited : refusal(message));
			// The conversation must handle a missing task as well.
			return meaning !== 'missing';
		},
		/** Drops the texts not sent yet, because nothing is spoken during a pause. */
		paused(): void {
			for (const one of waiting) if (one.cancelWait === null) refuse(one, { kind: 'cancelled' });
		},
		/** The connection was lost; drops the texts that the service has not accepted yet. */
		lost(problem: Problem): void {
			for (const one of waiting) refuse(one, problem);
		},
	};
}
