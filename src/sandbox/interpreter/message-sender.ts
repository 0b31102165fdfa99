import type { FaultSet } from '#sandbox/faults.ts';
import type { Clock } from '#shared/lib/clock.ts';
import type { Scope } from '#shared/lib/scope.ts';
import { isObject } from '#shared/protocol/json.ts';
import { SERVER_MESSAGE } from '#shared/protocol/vocabulary.ts';

/** Messages that a task's `allowed_message_types` filters; all others are always sent (protocol 4.5). */
const FILTERED: ReadonlySet<string> = new Set([
	SERVER_MESSAGE.partialTranscription,
	SERVER_MESSAGE.validatedTranscription,
	SERVER_MESSAGE.partialTranslatedTranscription,
	SERVER_MESSAGE.translatedTranscription,
	SERVER_MESSAGE.pipelineTimings,
	SERVER_MESSAGE.ttsBufferStats,
	SERVER_MESSAGE.ttsText,
]);
const FINALS: ReadonlySet<string> = new Set([
	SERVER_MESSAGE.validatedTranscription,
	SERVER_MESSAGE.translatedTranscription,
]);

/** Messages of wrong shapes, one after the other. */
const GARBAGE: readonly object[] = [
	{ message_type: 'partial_transcription', data: null },
	{ message_type: 'validated_transcription', data: [] },
	{ message_type: 'translated_transcription', data: 42 },
	{ message_type: 'error', data: 'just text' },
	{ message_type: 'error' },
	{ message_type: 'task_status', data: { command: 7, event: null } },
	{ message_type: 'current_task', data: '{"pipeline":' },
	{ message_type: 'partial_transcription', data: { transcription: { text: 5, language: {} } } },
	{ message_type: 12, data: {} },
	[1, 2, 3],
];
const STORM_PERIOD_MS = 10;
const STORM_AT_ONCE = 10;
const GARBAGE_PERIOD_MS = 500;

export interface MessageSender {
	/** Sends a message if the task lets it through; misbehaves where faults say so. */
	say(message: object): void;
}

/** The way out of every message. `running`: whether a task is at work, which some faults need. */
export function createMessageSender(parts: {
	clock: Clock;
	scope: Scope;
	faults: FaultSet;
	allowed: () => readonly string[];
	running: () => boolean;
	send: (message: object) => void;
}): MessageSender {
	const { scope, faults, allowed, running, send } = parts;
	let turn = 0;
	let lastPartial: object | null = null;

	function dress(message: object): object {
		if (!isObject(message) || !('message_type' in message)) return message;
		let data = message.data;
		if (message.message_type === SERVER_MESSAGE.error && faults.has('error-as-msg') && isObject(data)) {
			const { desc, ...rest } = data;
			data = { ...rest, msg: desc };
		}
		if (faults.has('unknown-messages') && isObject(data)) data = { ...data, unheard_of: { deep: [1, null] } };
		return { ...message, data: faults.has('double-encoded') ? JSON.stringify(data) : data };
	}

	function nameOf(message: object): string {
		return isObject(message) && typeof message.message_type === 'string' ? message.message_type : '';
	}

	scope.every(GARBAGE_PERIOD_MS, () => {
		turn += 1;
		if (faults.has('garbage-data')) send(GARBAGE[turn % GARBAGE.length] ?? {});
		if (!faults.has('unknown-messages')) return;
		send({ message_type: 'weather_report', data: { sky: 'blue', turn } });
	});
	scope.every(STORM_PERIOD_MS, () => {
		if (!faults.has('error-storm') || !running()) return;
		const data = { code: 'INTERNAL_ERROR', desc: 'The sandbox storms', param: null };
		for (let count = 0; count < STORM_AT_ONCE; count += 1) send(dress({ message_type: 'error', data }));
	});

	return {
		say(message) {
			const name = nameOf(message);
			if (FILTERED.has(name) && !allowed().includes(name)) return;
			const dressed = dress(message);
			send(dressed);
			if (name === SERVER_MESSAGE.partialTranscription) lastPartial = dressed;
			if (!FINALS.has(name) || !faults.has('duplicate-messages')) return;
			send(dressed);
			if (lastPartial) send(lastPartial);
		},
	};
}
