import type { AppliedGlossaries } from '#sandbox/api/glossaries.ts';
import type { FaultSet } from '#sandbox/faults.ts';
import { type Spoken, speechText, timings, transcription, warning } from '#sandbox/interpreter/messages.ts';
import { draw, type Engine, type EnginePorts, type Speaker, TIMING } from '#sandbox/interpreter/transport.ts';
import type { Timbre } from '#sandbox/speech/timbre.ts';
import type { Clock } from '#shared/lib/clock.ts';
import { createScope } from '#shared/lib/scope.ts';
import type { Task } from '#shared/protocol/client-message.ts';
import { baseOf } from '#shared/protocol/languages.ts';
import { TASK_RANGE } from '#shared/protocol/limits.ts';
import { SERVER_MESSAGE, VOICE } from '#shared/protocol/vocabulary.ts';
import { createListening, heardSoFar, misheard, type Segment } from './listening.ts';
import type { PhrasePicker } from './phrases.ts';

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

type Translation = Task['pipeline']['translations'][number];

/** The sound of a text without a clip, or without one in the wanted voice; `note` is set if it is another text. */
export interface VoicedText {
	readonly packets: readonly Uint8Array[];
	readonly note: string | null;
}

/** Speaks a text; null when it cannot. */
export type Voice = (text: string, language: string, timbre: Timbre) => Promise<VoicedText | null>;

/** Said when nothing can speak a text and a clip of about its length takes its place. */
const OTHER_CLIP_NOTE =
	'The sandbox cannot speak this text here (it takes espeak-ng and ffmpeg): another sentence takes its place.';

/** Said when only the clip, in its own voice, can speak a text. */
const OTHER_VOICE_NOTE =
	'The sandbox has no cloned voice here (it takes espeak-ng and ffmpeg): the usual one takes its place.';

/** From segments to texts and speech, each step at its time (protocol 4.8). */
interface Pipeline {
	partial(segment: Segment, task: Task): void;
	final(segment: Segment, task: Task): void;
	/** Speaks a text of the client's (`tts_task`); the id its texts and audio have. */
	speakText(text: string, language: string, options: { translate: boolean }, task: Task): string;
	/** Drops what is not said yet in these languages; null = all, source texts included. */
	drop(languages: readonly string[] | null): void;
	/** Whether nothing is under way. */
	readonly idle: boolean;
	close(): void;
}

/** One in this many partial texts is misheard at its end. */
const MISHEARD_EVERY = 4;

/**
 * The language the sandbox claims to hear: the task's, or under `auto` the first it may detect. Where targets are
 * for some languages only, the task expects several speakers: the sandbox claims to hear them in turn, from sentence 1.
 */
function sourceOf({ pipeline }: Task, sentence: number): string {
	const { source_language: source, detectable_languages: detectable = [] } = pipeline.transcription;
	if (source !== 'auto') return baseOf(source);
	const inTurns = pipeline.translations.some(
		({ allowed_source_languages: allowed = [] }) => allowed.length > 0,
	);
	return baseOf(detectable[inTurns ? (sentence - 1) % detectable.length : 0] ?? 'en');
}

function createPipeline(parts: {
	clock: Clock;
	random: () => number;
	phrasePicker: PhrasePicker;
	speaker: Speaker;
	newId: () => string;
	/** Text and diagnostic messages go through the task's filter there. */
	say: (message: object) => void;
	/** Whether voices are made at all. */
	silent: () => boolean;
	/** Null: there is no such voice. */
	timbreOf: (voiceId: string) => Timbre | null;
	/** For texts without a clip, or without one in the wanted voice; without it the nearest clip speaks. */
	voice?: Voice | undefined;
	glossaries?: AppliedGlossaries | undefined;
}): Pipeline {
	const { clock, random, phrasePicker, speaker, say } = parts;
	const scope = createScope(clock);
	/** Steps still to come: what cancels them, and the language they are for (null = the source). */
	const steps = new Map<() => void, string | null>();
	/** Segments without a final text yet, and the languages dropped from each. */
	const unconfirmed = new Map<string, Set<string>>();
	let noteTold = false;

	function later(delayMs: number, language: string | null, run: () => void): void {
		const cancel = scope.after(delayMs, () => {
			steps.delete(cancel);
			run();
		});
		steps.set(cancel, language);
	}

	function targets({ transcriptionId: segmentId, sentence }: Segment, task: Task): readonly Translation[] {
		const source = sourceOf(task, sentence);
		return task.pipeline.translations.filter(
			({ target_language: target, allowed_source_languages: allowed }) => {
				if (unconfirmed.get(segmentId)?.has(target)) return false;
				return !allowed || allowed.length === 0 || allowed.some((code) => baseOf(code) === source);
			},
		);
	}

	/** The recognised text, with the corrections of the account. */
	function sourceText(sentence: number, language: string, task: Task): string {
		const text = phrasePicker.source(sentence, language);
		return parts.glossaries?.heard(text, language, task) ?? text;
	}

	function translationText(sentence: number, language: string, target: string, task: Task): string {
		const text = phrasePicker.translation(sentence, target);
		const original = sourceText(sentence, language, task);
		return parts.glossaries?.translated(text, original, { from: language, to: target }, task) ?? text;
	}

	function place(segment: Segment): Pick<Spoken, 'transcriptionId' | 'startS' | 'endS' | 'startedAtS'> {
		const { transcriptionId, startS, endS, startedAtS } = segment;
		return { transcriptionId, startS, endS, startedAtS };
	}

	/** A step that waits for a result; dropped like any other. */
	function once<Made>(made: Made | Promise<Made>, language: string, run: (made: Made) => void): void {
		if (!(made instanceof Promise)) {
			run(made);
			return;
		}
		let dropped = false;
		const cancel = () => {
			dropped = true;
		};
		steps.set(cancel, language);
		void made.then((value) => {
			steps.delete(cancel);
			if (!dropped) run(value);
		});
	}

	/** Once a conversation is enough: the text itself is right, only its sound is not. */
	function tellNote(note: string | null): void {
		if (note === null || noteTold) return;
		noteTold = true;
		say(warning('PLACEHOLDER_VOICE', note));
	}

	/** The task's voice for a language; the default one where there is no such voice. */
	function timbreFor(language: string, task: Task): Timbre {
		const target = task.pipeline.translations.find(({ target_language: one }) => one === language);
		const speech = target?.speech_generation;
		if (speech?.voice_cloning) return 'cloned';
		// We do not detect the speaker's timbre: the other voice speaks, so that the option makes a difference.
		if (speech?.voice_timbre_detection?.enabled) return 'high';
		return parts.timbreOf(speech?.voice_id ?? VOICE.low) ?? 'low';
	}

	/** All clips are in one voice, whichever built-in voice is wanted. */
	function voiceOf(text: string, language: string, task: Task): VoicedText | Promise<VoicedText> {
		const packets = phrasePicker.voiceOf(text, language);
		const timbre = timbreFor(language, task);
		const hasClip = phrasePicker.hasClip(text, language);
		if (!parts.voice || (hasClip && timbre !== 'cloned')) return { packets, note: null };
		const other = { packets, note: hasClip ? OTHER_VOICE_NOTE : OTHER_CLIP_NOTE };
		return parts.voice(text, language, timbre).then(
			// Tones never take the place of the right words in another voice.
			(made) => (made === null || (made.note !== null && hasClip) ? other : made),
			() => other,
		);
	}

	/** The voice for a sentence of the conversation: without a clip it is what was heard, played back. */
	function translatedVoice(
		{ sentence, packets }: Segment,
		text: string,
		language: string,
		task: Task,
	): VoicedText | Promise<VoicedText> {
		if (phrasePicker.hasClip(text, language) && timbreFor(language, task) === 'cloned')
			return voiceOf(text, language, task);
		return { packets: phrasePicker.voice(sentence, language, packets), note: null };
	}

	function translateAndSpeak(
		spoken: Spoken,
		voiced: VoicedText | Promise<VoicedText>,
		options: { speak: boolean },
	): void {
		const finalAt = clock.now();
		const { transcriptionId: id, language } = spoken;
		later(draw(TIMING.translated, random), language, () => {
			say(transcription(SERVER_MESSAGE.translatedTranscription, spoken, { translation: true }));
			const translatedS = (clock.now() - finalAt) / 1000;
			if (!options.speak || parts.silent()) return;
			say(speechText(spoken));
			later(draw(TIMING.speech, random), language, () => {
				once(voiced, language, ({ packets, note }) => {
					tellNote(note);
					speaker.speak(language, { transcriptionId: id, partId: '0', packets });
					const total = (clock.now() - finalAt) / 1000;
					say(timings(id, { translated_transcription: translatedS, tts: total - translatedS, total }));
				});
			});
		});
	}

	return {
		partial(segment, task) {
			if (!unconfirmed.has(segment.transcriptionId)) unconfirmed.set(segment.transcriptionId, new Set());
			const language = sourceOf(task, segment.sentence);
			const whole = heardSoFar(sourceText(segment.sentence, language, task), segment.spokenMs);
			const text = segment.partials % MISHEARD_EVERY === 0 ? misheard(whole) : whole;
			const at = place(segment);
			say(
				transcription(SERVER_MESSAGE.partialTranscription, { ...at, language, text }, { translation: false }),
			);
			for (const { target_language: target, translate_partial_transcriptions: wanted } of targets(
				segment,
				task,
			)) {
				if (!wanted) continue;
				const whole = translationText(segment.sentence, language, target, task);
				const soFar = heardSoFar(whole, segment.spokenMs);
				const spoken = { ...at, language: target, text: soFar };
				say(transcription(SERVER_MESSAGE.partialTranslatedTranscription, spoken, { translation: true }));
			}
		},
		final(segment, task) {
			const language = sourceOf(task, segment.sentence);
			const speak = task.output_stream !== null;
			const at = place(segment);
			later(TIMING.validated, null, () => {
				const text = sourceText(segment.sentence, language, task);
				say(
					transcription(
						SERVER_MESSAGE.validatedTranscription,
						{ ...at, language, text },
						{ translation: false },
					),
				);
				for (const { target_language: target } of targets(segment, task)) {
					const spoken = {
						...at,
						language: target,
						text: translationText(segment.sentence, language, target, task),
					};
					translateAndSpeak(spoken, translatedVoice(segment, spoken.text, target, task), { speak });
				}
				unconfirmed.delete(segment.transcriptionId);
			});
		},
		speakText(text, language, { translate }, task) {
			const id = parts.newId();
			const nowS = clock.wall() / 1000;
			const at = { transcriptionId: id, startS: 0, endS: 0, startedAtS: nowS };
			const speak = task.output_stream !== null;
			if (!translate) {
				translateAndSpeak({ ...at, language, text }, voiceOf(text, language, task), { speak });
				return id;
			}
			later(TIMING.validated, null, () => {
				say(
					transcription(
						SERVER_MESSAGE.validatedTranscription,
						{ ...at, language, text },
						{ translation: false },
					),
				);
				for (const { target_language: target } of task.pipeline.translations) {
					const translated = phrasePicker.translate(text, language, target);
					const spoken = { ...at, language: target, text: translated };
					translateAndSpeak(spoken, voiceOf(translated, target, task), { speak });
				}
			});
			return id;
		},
		drop(languages) {
			if (languages === null) unconfirmed.clear();
			for (const dropped of unconfirmed.values())
				for (const language of languages ?? []) dropped.add(language);
			for (const [cancel, language] of [...steps]) {
				if (languages && (language === null || !languages.includes(language))) continue;
				steps.delete(cancel);
				cancel();
			}
			speaker.drop(languages);
		},
		get idle() {
			return steps.size === 0 && speaker.idle;
		},
		close: () => scope.close(),
	};
}
