import type { FaultSet } from '#sandbox/faults.ts';
import type { Clock } from '#shared/lib/clock.ts';
import type { Scope } from '#shared/lib/scope.ts';
import type { ClientMessage } from '#shared/protocol/client-message.ts';
import { type CommandFault, decodeClientMessage } from '#shared/protocol/decode-client-message.ts';
import type { Task } from '#shared/protocol/task.ts';
import { ALL_LANGUAGES, ERROR_CODE, VOICE, WARNING_CODE } from '#shared/protocol/vocabulary.ts';
import { currentTask, failure, taskStatus, validationText, warning } from './messages.ts';
import { createRateLimits } from './rate-limits.ts';
import { draw, TIMING } from './timing.ts';

/** Where a conversation stands. */
export type Phase =
	| { readonly at: 'waiting' }
	| { readonly at: 'starting'; readonly task: Task }
	| { readonly at: 'running'; readonly task: Task }
	| { readonly at: 'paused'; readonly task: Task }
	/** The tail is being said. */
	| { readonly at: 'ending'; readonly task: Task | null }
	| { readonly at: 'over' };

interface EndOptions {
	readonly force?: boolean | undefined;
	readonly eos_timeout?: number | undefined;
}

/** What commands make happen outside of this handler. */
export interface CommandEffects {
	say(message: object): void;
	/** The task runs, or runs with other targets. */
	applied(task: Task): void;
	paused(): void;
	/** Null = all languages. */
	drop(languages: readonly string[] | null): void;
	/** Returns the id of what will be spoken. */
	speakText(text: string, language: string, options: { translate: boolean }, task: Task): string;
	/** The tail may be said; the handler is told nothing more. */
	end(options: { eosTimeoutS: number | undefined }): void;
	/** Everything stops at once. */
	cut(): void;
}

/** Takes commands, keeps the task and answers; knows both generations (protocol 4.4). */
export interface CommandHandler {
	readonly phase: Phase;
	/** The task at work, or null. */
	readonly task: Task | null;
	command(text: string | Uint8Array): void;
	over(): void;
}

export function createCommandHandler(parts: {
	generation: 'current' | 'older';
	clock: Clock;
	scope: Scope;
	random: () => number;
	faults: FaultSet;
	/** Is there a voice with this id? */
	isVoice(voiceId: string): boolean;
	effects: CommandEffects;
}): CommandHandler {
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

	/** Whether a fault refuses this task: the words and the field; null = it does not. */
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
		if (refused) {
			refuse({ code: ERROR_CODE.validation, ...refused });
			return;
		}
		if (faults.has('never-ready')) return;
		if (phase.at === 'waiting') {
			const drawn = draw(TIMING.start, random);
			scope.after(faults.has('slow-task') ? faults.number('slow-task', 3000) : drawn, start);
		}
		if (isFirst) phase = { at: 'starting', task };
		else if (phase.at === 'paused') run(task, 'resumed');
		else if (phase.at === 'running') {
			run(task, JSON.stringify(task) === JSON.stringify(phase.task) ? 'unchanged' : 'updated');
		}
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
		// Before the current generation it did not stop the sentence (protocol 4.4).
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
		// A second `end_task` while the tail is being said changes nothing.
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
		get phase() {
			return phase;
		},
		get task() {
			return phase.at === 'running' ? phase.task : null;
		},
		command(text) {
			if (phase.at !== 'over') receive(text);
		},
		over() {
			phase = { at: 'over' };
		},
	};
}

/** The voice follows the speaker (protocol 4.5). */
function takesSpeakersVoice({
	speech_generation: speech,
}: Task['pipeline']['translations'][number]): boolean {
	return speech?.voice_cloning === true || speech?.voice_timbre_detection?.enabled === true;
}
