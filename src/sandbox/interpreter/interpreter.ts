import type { FaultSet } from '#sandbox/faults.ts';
import type { AppliedGlossaries } from '#sandbox/glossaries/glossary-store.ts';
import { builtInTimbre, type Timbre } from '#sandbox/speech/timbre.ts';
import type { Clock } from '#shared/lib/clock.ts';
import { createScope } from '#shared/lib/scope.ts';
import { INPUT_TIMEOUT_MS, TASK_RANGE } from '#shared/protocol/limits.ts';
import type { Task } from '#shared/protocol/task.ts';
import { DEFAULT_ALLOWED_MESSAGES, ERROR_CODE } from '#shared/protocol/vocabulary.ts';
import { createCommandHandler } from './command-handler.ts';
import { awaitTail, tailBounds } from './ending.ts';
import { createListening, type Segment } from './listening.ts';
import { createMessageSender } from './message-sender.ts';
import { bufferStats, endOfStream, failure, queueLevels } from './messages.ts';
import { createPhrasePicker, type PhrasePicker } from './phrase-picker.ts';
import { createPipeline, type Voice } from './pipeline.ts';
import { createSpeaker } from './speaker.ts';
import { TIMING } from './timing.ts';
import type { Interpreter, InterpreterTransport } from './transport.ts';

/** How long a dropped sentence speaks on under `late-audio-after-flush`. */
const LATE_AUDIO_MS = 800;
/** How often to check whether audio still arrives. */
const INPUT_LOOK_MS = 50;

export interface InterpreterParts {
	readonly kind: 'script' | 'echo';
	readonly generation: 'current' | 'older';
	readonly clock: Clock;
	/** Gives [0, 1). */
	readonly random: () => number;
	readonly faults: FaultSet;
	readonly transport: InterpreterTransport;
	/** Default: the phrase table, or the echo of it, by `kind`. */
	readonly phrasePicker?: PhrasePicker;
	/** Null: there is no such voice. Default: there are the two built-in ones. */
	readonly timbreOf?: (voiceId: string) => Timbre | null;
	/** Speaks what has no clip, or none in that voice; gives null when it cannot. Default: nothing can. */
	readonly voice?: Voice;
	/** Default: there are none. */
	readonly glossaries?: AppliedGlossaries;
}

/**
 * One engine for room and socket: it takes commands, listens for speech, and answers with the
 * phrases of its table at the service's pace (protocol 4.4 to 4.8).
 */
export function createInterpreter(parts: InterpreterParts): Interpreter {
	const { generation, clock, random, faults, transport } = parts;
	const scope = createScope(clock);
	const phrasePicker = parts.phrasePicker ?? createPhrasePicker(parts.kind);
	/** A change applies from the next segment on (protocol 10, row 19). */
	const taskOf = new WeakMap<Segment, Task>();
	let lastHeardAt = clock.now();
	let closed = false;

	const newId = () => Array.from({ length: 16 }, () => Math.floor(random() * 16).toString(16)).join('');
	const queue = () => commands.task?.pipeline.translation_queue_configs?.global;
	const timbreOf = (voiceId: string) =>
		faults.has('voice-not-found') ? null : (parts.timbreOf ?? builtInTimbre)(voiceId);
	const maxQueueMs = () => queue()?.max_queue_level_ms ?? TASK_RANGE.maxQueueMs.default;

	const sender = createMessageSender({
		clock,
		scope,
		faults,
		allowed: () => taskKnown()?.pipeline.allowed_message_types ?? DEFAULT_ALLOWED_MESSAGES,
		running: () => commands.task !== null,
		send: (message) => {
			if (!closed) transport.say(message);
		},
	});
	const speaker = createSpeaker({
		clock,
		transport,
		bounds: () => ({
			desiredMs: queue()?.desired_queue_level_ms ?? TASK_RANGE.desiredQueueMs.default,
			maxMs: maxQueueMs(),
		}),
		dropLateMs: () => (faults.has('late-audio-after-flush') ? LATE_AUDIO_MS : 0),
	});
	const pipeline = createPipeline({
		clock,
		random,
		phrasePicker,
		speaker,
		newId,
		say: sender.say,
		silent: () => faults.has('no-voice'),
		timbreOf,
		voice: parts.voice,
		glossaries: parts.glossaries,
	});
	const listening = createListening({
		clock,
		newId,
		rules() {
			const rules = commands.task?.pipeline.transcription;
			const threshold = rules?.segment_confirmation_silence_threshold;
			return {
				silenceMs: (threshold ?? TASK_RANGE.silenceThresholdS.default) * 1000,
				split: rules?.sentence_splitter?.enabled ?? true,
			};
		},
		partial(segment) {
			const task = taskOf.get(segment) ?? commands.task;
			if (!task) return;
			taskOf.set(segment, task);
			pipeline.partial(segment, task);
		},
		final(segment) {
			const task = taskOf.get(segment);
			if (task) pipeline.final(segment, task);
		},
	});
	const commands = createCommandHandler({
		generation,
		clock,
		scope,
		random,
		faults,
		isVoice: (id) => timbreOf(id) !== null,
		effects: {
			say: sender.say,
			applied(task) {
				lastHeardAt = clock.now();
				speaker.trim();
				const targets = task.pipeline.translations.map(({ target_language: target }) => target);
				transport.publish(task.output_stream === null || faults.has('no-voice') ? [] : targets);
			},
			paused: () => listening.reset(),
			drop(languages) {
				if (languages === null) listening.discard();
				pipeline.drop(languages);
			},
			speakText: (text, language, options, task) => pipeline.speakText(text, language, options, task),
			end: ({ eosTimeoutS }) => {
				listening.finish();
				awaitTail({
					clock,
					scope,
					bounds: tailBounds(generation, eosTimeoutS),
					idle: () => pipeline.idle,
					speaking: () => !speaker.idle,
					done: finish,
				});
			},
			cut: () => leave('done'),
		},
	});

	/** The task whose texts are still being said, the tail included. */
	function taskKnown(): Task | null {
		return 'task' in commands.phase ? commands.phase.task : null;
	}

	function finish(): void {
		pipeline.drop(null);
		sender.say(endOfStream(generation));
		commands.over();
		scope.after(TIMING.closeAfterEnd, () => leave('done'));
	}

	function leave(why: 'done' | 'no-audio'): void {
		if (closed) return;
		close();
		transport.end(why);
	}

	function close(): void {
		if (closed) return;
		closed = true;
		commands.over();
		pipeline.drop(null);
		pipeline.close();
		scope.close();
	}

	/** No packets at all for 10 s end the stream; silent ones do not (protocol 10, row 13). */
	function watchInput(): void {
		if (commands.phase.at !== 'running' || faults.has('no-timeout')) return;
		if (clock.now() - lastHeardAt < INPUT_TIMEOUT_MS) return;
		sender.say(failure(ERROR_CODE.serviceTimeout, 'No audio for 10 seconds; use pause_task to pause'));
		commands.over();
		pipeline.drop(null);
		scope.after(TIMING.closeAfterTimeout, () => leave('no-audio'));
	}

	function tellQueues(): void {
		const levels = speaker.levels();
		sender.say(queueLevels(levels, maxQueueMs()));
		sender.say(bufferStats(levels, maxQueueMs(), clock.wall() / 1000));
	}

	scope.every(INPUT_LOOK_MS, watchInput);
	scope.every(TIMING.queueLevel, tellQueues);

	return {
		command: (text) => {
			if (!closed) commands.command(text);
		},
		hear(level, durationMs) {
			lastHeardAt = clock.now();
			if (!closed && commands.task) listening.hear(level, durationMs);
		},
		heardPacket(payload) {
			if (!closed && commands.task) listening.packet(payload);
		},
		get task() {
			return closed ? null : commands.task;
		},
		close,
	};
}
