import type { AppliedGlossaries } from '#sandbox/api/glossaries.ts';
import { createScriptedEngine, type Voice } from '#sandbox/canned/engine.ts';
import { createPhrasePicker, type PhrasePicker } from '#sandbox/canned/phrases.ts';
import type { FaultSet } from '#sandbox/faults.ts';
import { builtInTimbre, type Timbre } from '#sandbox/speech/timbre.ts';
import type { Clock } from '#shared/lib/clock.ts';
import { createScope, type Scope } from '#shared/lib/scope.ts';
import type { ClientMessage, Task } from '#shared/protocol/client-message.ts';
import { type CommandFault, decodeClientMessage } from '#shared/protocol/decode-client-message.ts';
import { isObject } from '#shared/protocol/json.ts';
import { COMMAND_LIMIT, INPUT_TIMEOUT_MS, TASK_RANGE } from '#shared/protocol/limits.ts';
import {
	ALL_LANGUAGES,
	DEFAULT_ALLOWED_MESSAGES,
	ERROR_CODE,
	SERVER_MESSAGE,
	VOICE,
	WARNING_CODE,
} from '#shared/protocol/vocabulary.ts';
import {
	bufferStats,
	currentTask,
	endOfStream,
	failure,
	queueLevels,
	taskStatus,
	validationText,
	warning,
} from './messages.ts';
import {
	createSpeaker,
	draw,
	type Engine,
	type EnginePorts,
	type Interpreter,
	type InterpreterTransport,
	TIMING,
} from './transport.ts';

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

/** Messages with invalid shapes, sent one after the other. */
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

/** How often to check whether the tail is finished, ms. */
const LOOK_MS = 50;

/** How long a dropped sentence continues with the fault `late-audio-after-flush`, ms. */
const LATE_AUDIO_MS = 800;
/** How often to check whether audio still arrives, ms. */
const INPUT_LOOK_MS = 50;

/** One engine for room and socket: commands and speech in, phrases out at the service's pace (protocol 4). */
export function createInterpreter(parts: {
	readonly kind: 'script' | 'echo';
	readonly generation: 'current' | 'older';
	readonly clock: Clock;
	/** Returns [0, 1). */
	readonly random: () => number;
	readonly faults: FaultSet;
	readonly transport: InterpreterTransport;
	/** Default: the phrase table or an echo, according to `kind`. */
	readonly phrasePicker?: PhrasePicker;
	/** Null: there is no such voice. Default: only the two built-in voices exist. */
	readonly timbreOf?: (voiceId: string) => Timbre | null;
	/** Speaks texts that have no clip in that voice; null if it cannot. Default: it cannot. */
	readonly voice?: Voice;
	/** Default: no glossaries. */
	readonly glossaries?: AppliedGlossaries;
	/** Default: the script. */
	readonly createEngine?: ((ports: EnginePorts) => Engine) | undefined;
}): Interpreter {
	const { generation, clock, random, faults, transport } = parts;
	const scope = createScope(clock);
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
	const ports: EnginePorts = {
		clock,
		newId,
		task: () => commands.task,
		say: sender.say,
		speaker,
		asHeard: transport.asHeard ?? false,
	};
	const engine =
		parts.createEngine?.(ports) ??
		createScriptedEngine(ports, {
			random,
			faults,
			phrasePicker: parts.phrasePicker ?? createPhrasePicker(parts.kind),
			timbreOf,
			voice: parts.voice,
			glossaries: parts.glossaries,
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
				engine.applied?.(task);
				const targets = task.pipeline.translations.map(({ target_language: target }) => target);
				transport.publish(task.output_stream === null || faults.has('no-voice') ? [] : targets);
			},
			lackOf: (task) => engine.lackOf?.(task) ?? null,
			prepare: engine.prepare && ((task) => engine.prepare?.(task)),
			paused: () => engine.reset(),
			drop: (languages) => engine.drop(languages),
			speakText: (text, language, options, task) => engine.speakText(text, language, options, task),
			end: ({ eosTimeoutS }) => {
				engine.finish();
				awaitTail({
					clock,
					scope,
					bounds: tailBounds(generation, eosTimeoutS),
					idle: () => engine.idle,
					speaking: () => !speaker.idle,
					done: finish,
				});
			},
			cut: () => leave('done'),
		},
	});

	/** The task whose texts are still being spoken, the tail included. */
	function taskKnown(): Task | null {
		return 'task' in commands.phase ? commands.phase.task : null;
	}

	function finish(): void {
		engine.drop(null);
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
		engine.drop(null);
		engine.close();
		scope.close();
	}

	/** The stream ends after 10 s without packets; silent packets do not end it (protocol 10, row 13). */
	function watchInput(): void {
		if (commands.phase.at !== 'running' || faults.has('no-timeout')) return;
		if (clock.now() - lastHeardAt < INPUT_TIMEOUT_MS) return;
		sender.say(failure(ERROR_CODE.serviceTimeout, 'No audio for 10 seconds; use pause_task to pause'));
		commands.over();
		engine.drop(null);
		scope.after(TIMING.closeAfterTimeout, () => leave('no-audio'));
	}

	function tellQueues(): void {
		const levels = speaker.levels();
		sender.say(queueLevels(levels, maxQueueMs()));
		sender.say(bufferStats(levels, maxQueueMs(), clock.wall() / 1000));
	}

	// The sender of a file waits for us: on a slow computer one sentence may take longer to recognise.
	if (!transport.asHeard) scope.every(INPUT_LOOK_MS, watchInput);
	scope.every(TIMING.queueLevel, tellQueues);

	return {
		command: (text) => {
			if (!closed) commands.command(text);
		},
		hear(level, durationMs) {
			lastHeardAt = clock.now();
			if (!closed && commands.task) engine.hear(level, durationMs);
		},
		heardPacket(payload) {
			if (!closed && commands.task) engine.packet(payload);
		},
		get task() {
			return closed ? null : commands.task;
		},
		close,
	};
}

type Phase =
	| { readonly at: 'waiting' }
	| { readonly at: 'starting'; readonly task: Task }
	| { readonly at: 'running'; readonly task: Task }
	| { readonly at: 'paused'; readonly task: Task }
	/** The tail is being spoken. */
	| { readonly at: 'ending'; readonly task: Task | null }
	| { readonly at: 'over' };

interface EndOptions {
	readonly force?: boolean | undefined;
	readonly eos_timeout?: number | undefined;
}

/** Effects of commands on the rest of the interpreter. */
interface CommandEffects {
	say(message: object): void;
	/** The fault if a requirement of the task is missing. */
	lackOf(task: Task): CommandFault | null;
	/** Resolves when the task may run; undefined = start after the service's usual time. */
	readonly prepare: ((task: Task) => Promise<void> | undefined) | undefined;
	/** The task runs, or its targets have changed. */
	applied(task: Task): void;
	paused(): void;
	/** Null = all languages. */
	drop(languages: readonly string[] | null): void;
	/** Speaks a text; returns its id. */
	speakText(text: string, language: string, options: { translate: boolean }, task: Task): string;
	/** Finishes speaking, but reports nothing more. */
	end(options: { eosTimeoutS: number | undefined }): void;
	cut(): void;
}

/** Accepts commands, stores the task and answers, for both generations (protocol 4.4). */
function createCommandHandler(parts: {
	generation: 'current' | 'older';
	clock: Clock;
	scope: Scope;
	random: () => number;
	faults: FaultSet;
	isVoice(voiceId: string): boolean;
	effects: CommandEffects;
}) {
	const { generation, clock, scope, random, faults, isVoice, effects } = parts;
	const limits = createRateLimits(clock, () => faults.has('count-together'));
	let phase: Phase = { at: 'waiting' };
	let ignored = 0;

	function acknowledge(command: string, event: string, transcriptionId?: string): void {
		if (generation === 'older') return;
		const status = phase.at === 'running' || phase.at === 'paused' ? phase.at : 'unknown';
		effects.say(taskStatus(command, event, status, transcriptionId));
	}

	function refuse({ code, text, field }: CommandFault): void {
		const desc = code === ERROR_CODE.validation ? validationText(field, text) : text;
		effects.say(failure(code, desc, field === '' ? null : field));
	}

	function noTask(): void {
		effects.say(failure(ERROR_CODE.notFound, 'No active task found'));
	}

	function run(task: Task, event: 'started' | 'updated' | 'unchanged' | 'resumed'): void {
		phase = { at: 'running', task };
		effects.applied(task);
		warnOfVoices(task);
		acknowledge('set_task', event);
	}

	function warnOfVoices(task: Task): void {
		if (task.output_stream === null) return;
		for (const { target_language: target, speech_generation: speech } of task.pipeline.translations) {
			const id = speech?.voice_id ?? VOICE.low;
			if (isVoice(id)) continue;
			const text = `Voice ${id.slice(0, 64)} is not available for ${target}, the default voice speaks instead`;
			effects.say(warning(WARNING_CODE.voiceNotFound, text));
		}
	}

	/** Whether a fault refuses this task: returns text and field, or null. */
	function refusedOnPurpose(task: Task, isFirst: boolean): Pick<CommandFault, 'text' | 'field'> | null {
		if (faults.has('refuse-task') || (!isFirst && faults.has('refuse-changes')))
			return { text: 'Refused on purpose', field: 'pipeline.translations.0.target_language' };
		if (faults.has('refuse-speakers-voice') && task.pipeline.translations.some(takesSpeakersVoice))
			return { text: 'Not available', field: 'pipeline.translations.0.speech_generation' };
		if (faults.has('refuse-glossaries') && /_glossar(?:ies|y_ids)"/.test(JSON.stringify(task)))
			return { text: 'Extra inputs are not permitted', field: 'pipeline.transcription' };
		return null;
	}

	function setTask(task: Task): void {
		const isFirst = phase.at === 'waiting' || phase.at === 'starting';
		const refused = refusedOnPurpose(task, isFirst);
		const lack = refused ? { code: ERROR_CODE.validation, ...refused } : effects.lackOf(task);
		if (lack) {
			refuse(lack);
			return;
		}
		if (faults.has('never-ready')) return;
		if (phase.at === 'waiting') begin(task);
		if (isFirst) phase = { at: 'starting', task };
		else if (phase.at === 'paused') run(task, 'resumed');
		else if (phase.at === 'running') {
			run(task, JSON.stringify(task) === JSON.stringify(phase.task) ? 'unchanged' : 'updated');
		}
	}

	function begin(task: Task): void {
		if (effects.prepare) {
			const unable = (failure: unknown) => {
				const reason = failure instanceof Error ? failure.message.slice(0, 200) : '';
				refuse({ code: 'INTERNAL_ERROR', text: `The models could not be loaded: ${reason}`, field: '' });
			};
			void effects.prepare(task)?.then(start, unable);
			return;
		}
		const drawn = draw(TIMING.start, random);
		scope.after(faults.has('slow-task') ? faults.number('slow-task', 3000) : drawn, start);
	}

	function start(): void {
		if (phase.at === 'starting') run(phase.task, 'started');
	}

	function getTask(): void {
		if (phase.at === 'running' || phase.at === 'paused') effects.say(currentTask(phase.task, phase.at));
		else noTask();
	}

	function pause(): void {
		if (phase.at === 'running') {
			phase = { at: 'paused', task: phase.task };
			effects.paused();
			acknowledge('pause_task', 'paused');
		} else if (phase.at !== 'paused') noTask();
	}

	function interrupt(
		command: 'flush_task' | 'interrupt_task',
		{ languages, pause_task: pauseToo }: { languages: readonly string[]; pause_task?: boolean | undefined },
	): void {
		if (phase.at !== 'running' && phase.at !== 'paused') {
			noTask();
			return;
		}
		// In the older generation the command did not stop the sentence (protocol 4.4).
		if (generation === 'older' && command === 'interrupt_task') return;
		const targets = phase.task.pipeline.translations.map(({ target_language: target }) => target);
		const all = languages.includes(ALL_LANGUAGES) || targets.every((target) => languages.includes(target));
		effects.drop(all ? null : languages);
		if (command === 'interrupt_task') acknowledge(command, 'interrupted');
		if (pauseToo) pause();
	}

	function speak(data: Extract<ClientMessage, { message_type: 'tts_task' }>['data']): void {
		if (phase.at !== 'running') {
			noTask();
			return;
		}
		const isTarget = phase.task.pipeline.translations.some(({ target_language: t }) => t === data.language);
		if (!data.translate_text && !isTarget) {
			const text = 'Must be one of the target languages of the task';
			refuse({ code: ERROR_CODE.validation, text, field: 'language' });
			return;
		}
		const options = { translate: data.translate_text };
		acknowledge('tts_task', 'queued', effects.speakText(data.text, data.language, options, phase.task));
	}

	function end({ force, eos_timeout: eosTimeoutS }: EndOptions): void {
		if (force) {
			phase = { at: 'over' };
			effects.cut();
			return;
		}
		// A second `end_task` while the tail is being spoken changes nothing.
		if (phase.at === 'ending') return;
		phase = { at: 'ending', task: 'task' in phase ? phase.task : null };
		if (!faults.has('no-end-of-stream')) effects.end({ eosTimeoutS });
	}

	function obey(message: ClientMessage): void {
		switch (message.message_type) {
			case 'set_task':
				setTask(message.data);
				break;
			case 'get_task':
				getTask();
				break;
			case 'pause_task':
				pause();
				break;
			case 'flush_task':
			case 'interrupt_task':
				interrupt(message.message_type, message.data);
				break;
			case 'tts_task':
				speak(message.data);
				break;
			case 'end_task':
				end(message.data);
		}
	}

	function receive(text: string | Uint8Array): void {
		const decoded = decodeClientMessage(text);
		if (!decoded.ok) {
			refuse(decoded.error);
			return;
		}
		const { message_type: name } = decoded.value;
		if (loses(name)) return;
		if (!limits.allows(name)) effects.say(failure(ERROR_CODE.rateLimit, `Too many ${name} commands`));
		else if (phase.at === 'ending' && name !== 'end_task') noTask();
		else obey(decoded.value);
	}

	function loses(name: string): boolean {
		if (name !== 'set_task' || !faults.has('ignore-first-set-task')) return false;
		ignored += 1;
		return ignored <= faults.number('ignore-first-set-task', 1);
	}

	return {
		get phase(): Phase {
			return phase;
		},
		get task(): Task | null {
			return phase.at === 'running' ? phase.task : null;
		},
		command(text: string | Uint8Array): void {
			if (phase.at !== 'over') receive(text);
		},
		over(): void {
			phase = { at: 'over' };
		},
	};
}

/** Whether the voice follows the speaker's (protocol 4.5). */
function takesSpeakersVoice({
	speech_generation: speech,
}: Task['pipeline']['translations'][number]): boolean {
	return speech?.voice_cloning === true || speech?.voice_timbre_detection?.enabled === true;
}

/** Maximum length of a conversation's tail; null = unlimited. */
interface TailBounds {
	/** Total time, ms. */
	readonly inAllMs: number | null;
	/** Time without any speech, ms. */
	readonly quietMs: number | null;
}

/** The time that `end_task` without force allows for the tail, by generation (protocol 5.1.4). */
function tailBounds(generation: 'current' | 'older', eosTimeoutS: number | undefined): TailBounds {
	if (eosTimeoutS !== undefined) return { inAllMs: null, quietMs: eosTimeoutS * 1000 };
	return { inAllMs: generation === 'older' ? TIMING.olderTail : null, quietMs: null };
}

/** Calls `done` once: when nothing is left to speak, or a limit is reached. */
function awaitTail(parts: {
	clock: Clock;
	scope: Scope;
	bounds: TailBounds;
	idle: () => boolean;
	speaking: () => boolean;
	done: () => void;
}): void {
	const { clock, scope, bounds, idle, speaking, done } = parts;
	const startedAt = clock.now();
	let soundAt = startedAt;

	function over(): boolean {
		const now = clock.now();
		if (speaking()) soundAt = now;
		if (idle()) return true;
		if (bounds.inAllMs !== null && now - startedAt >= bounds.inAllMs) return true;
		return bounds.quietMs !== null && now - soundAt >= bounds.quietMs;
	}

	const stop = scope.every(LOOK_MS, () => {
		if (!over()) return;
		stop();
		done();
	});
}

/** Sends every message. `running`: whether a task is running, which some faults depend on. */
function createMessageSender(parts: {
	clock: Clock;
	scope: Scope;
	faults: FaultSet;
	allowed: () => readonly string[];
	running: () => boolean;
	send: (message: object) => void;
}) {
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
		/** Sends a message if the task allows it; applies faults that change messages. */
		say(message: object): void {
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

/** How much too early a command may arrive: networks often delay the previous one by this much. */
const SLACK_MS = 200;

/** `together` decides at each command whether `set_task` and `get_task` share one limit. */
export function createRateLimits(clock: Clock, together: () => boolean) {
	const last = new Map<string, number>();
	let texts: readonly number[] = [];

	function spaced(name: string, periodMs: number): boolean {
		const now = clock.now();
		const before = last.get(name);
		if (before !== undefined && now - before < periodMs - SLACK_MS) return false;
		last.set(name, now);
		return true;
	}

	function counted(): boolean {
		texts = texts.filter((at) => clock.now() - at < COMMAND_LIMIT.ttsTasks.windowMs);
		if (texts.length >= COMMAND_LIMIT.ttsTasks.count) return false;
		texts = [...texts, clock.now()];
		return true;
	}

	return {
		/** Whether the command is within its limit (protocol 4.4); a refused one does not count. */
		allows(command: string): boolean {
			switch (command) {
				case 'set_task':
				case 'get_task':
					return spaced(together() ? 'task' : command, COMMAND_LIMIT.taskPeriodMs);
				case 'pause_task':
				case 'end_task':
					return spaced(command, COMMAND_LIMIT.pauseAndEndPeriodMs);
				case 'tts_task':
					return counted();
				default:
					return true;
			}
		},
	};
}
