import type { FaultSet } from '#sandbox/faults.ts';
import type { AppliedGlossaries } from '#sandbox/glossaries/glossary-store.ts';
import type { Timbre } from '#sandbox/speech/timbre.ts';
import { TASK_RANGE } from '#shared/protocol/limits.ts';
import type { Task } from '#shared/protocol/task.ts';
import { createListening, type Segment } from './listening.ts';
import type { PhrasePicker } from './phrase-picker.ts';
import { createPipeline, type Voice } from './pipeline.ts';
import type { Engine, EnginePorts } from './transport.ts';

/** Listens for how loud it is, and answers with the phrases of its table at the service's pace (protocol 4.8). */
export function createScriptedEngine(
	ports: EnginePorts,
	parts: {
		/** Gives [0, 1). */
		readonly random: () => number;
		readonly faults: FaultSet;
		readonly phrasePicker: PhrasePicker;
		/** Null: there is no such voice. */
		readonly timbreOf: (voiceId: string) => Timbre | null;
		readonly voice?: Voice | undefined;
		readonly glossaries?: AppliedGlossaries | undefined;
	},
): Engine {
	const { clock, newId, say, speaker } = ports;
	/** A change applies from the next segment on (protocol 10, row 19). */
	const taskOf = new WeakMap<Segment, Task>();
	const pipeline = createPipeline({
		...parts,
		clock,
		newId,
		say,
		speaker,
		silent: () => parts.faults.has('no-voice'),
	});
	const listening = createListening({
		clock,
		newId,
		rules() {
			const rules = ports.task()?.pipeline.transcription;
			const threshold = rules?.segment_confirmation_silence_threshold;
			return {
				silenceMs: (threshold ?? TASK_RANGE.silenceThresholdS.default) * 1000,
				split: rules?.sentence_splitter?.enabled ?? true,
			};
		},
		partial(segment) {
			const task = taskOf.get(segment) ?? ports.task();
			if (!task) return;
			taskOf.set(segment, task);
			pipeline.partial(segment, task);
		},
		final(segment) {
			const task = taskOf.get(segment);
			if (task) pipeline.final(segment, task);
		},
	});

	return {
		hear: listening.hear,
		packet: listening.packet,
		finish: listening.finish,
		reset: listening.reset,
		drop(languages) {
			if (languages === null) listening.discard();
			pipeline.drop(languages);
		},
		speakText: pipeline.speakText,
		get idle() {
			return pipeline.idle;
		},
		close: pipeline.close,
	};
}
