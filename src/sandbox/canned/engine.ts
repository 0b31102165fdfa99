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

/** Listens only to loudness, and answers with the phrases of its table at the service's pace (protocol 4.8). */
export function createScriptedEngine(
	ports: EnginePorts,
	parts: {
		/** Returns [0, 1). */
		readonly random: () => number;
		readonly faults: FaultSet;
		readonly phrasePicker: PhrasePicker;
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

/** The sound of a text without a clip in the wanted voice; `note` is set if it is of another text. */
export interface VoicedText {
	readonly packets: readonly Uint8Array[];
	readonly note: string | null;
}

/** Speaks a text; returns null if it cannot. */
export type Voice = (text: string, language: string, timbre: Timbre) => Promise<VoicedText | null>;

/** Sent when nothing can speak a text, and a clip of similar length is played instead. */
const OTHER_CLIP_NOTE =
	'The sandbox cannot speak this text here (it takes espeak-ng and ffmpeg): another sentence takes its place.';

/** Sent when only the clip can speak a text, in its own voice. */
const OTHER_VOICE_NOTE =
	'The sandbox has no cloned voice here (it takes espeak-ng and ffmpeg): the usual one takes its place.';

/** One of this many partial texts ends with a misheard word. */
const MISHEARD_EVERY = 4;

/**
 * The language that the sandbox claims to recognise: the task's, or with `auto` the first candidate. If targets
 * apply to some languages only, the task expects several speakers: the sandbox then claims their languages in
 * turn, from sentence 1.
 */
function sourceOf({ pipeline }: Task, sentence: number): string {
	const { source_language: source, detectable_languages: detectable = [] } = pipeline.transcription;
	if (source !== 'auto') return baseOf(source);
	const inTurns = pipeline.translations.some(
		({ allowed_source_languages: allowed = [] }) => allowed.length > 0,
	);
	return baseOf(detectable[inTurns ? (sentence - 1) % detectable.length : 0] ?? 'en');
}

/** Turns segments into texts and speech, each step at its time (protocol 4.8). */
function createPipeline(parts: {
	clock: Clock;
	random: () => number;
	phrasePicker: PhrasePicker;
	speaker: Speaker;
	newId: () => string;
	/** Sends text and diagnostic messages through the task's filter. */
	say: (message: object) => void;
	/** Whether no voices are generated. */
	silent: () => boolean;
	timbreOf: (voiceId: string) => Timbre | null;
	/** For texts without a clip, or without one in the wanted voice; if absent, the nearest clip is played. */
	voice?: Voice | undefined;
	glossaries?: AppliedGlossaries | undefined;
}) {
	const { clock, random, phrasePicker, speaker, say } = parts;
	const scope = createScope(clock);
	/** Pending steps: the function that cancels each, and its language (null = the source). */
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

	/** A step that waits for a result; it can be dropped like any other. */
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

	/** Sent only once per conversation: the text itself is right, only its sound is not. */
	function tellNote(note: string | null): void {
		if (note === null || noteTold) return;
		noteTold = true;
		say(warning('PLACEHOLDER_VOICE', note));
	}

	/** The task's voice for a language; the default voice if the requested one does not exist. */
	function timbreFor(language: string, task: Task): Timbre {
		const target = task.pipeline.translations.find(({ target_language: one }) => one === language);
		const speech = target?.speech_generation;
		if (speech?.voice_cloning) return 'cloned';
		// We detect no timbre: the other voice speaks, so that the option has an audible effect.
		if (speech?.voice_timbre_detection?.enabled) return 'high';
		return parts.timbreOf(speech?.voice_id ?? VOICE.low) ?? 'low';
	}

	/** Sound for a text. All clips have one voice, whichever built-in voice is wanted. */
	function voiceOf(text: string, language: string, task: Task): VoicedText | Promise<VoicedText> {
		const packets = phrasePicker.voiceOf(text, language);
		const timbre = timbreFor(language, task);
		const hasClip = phrasePicker.hasClip(text, language);
		if (!parts.voice || (hasClip && timbre !== 'cloned')) return { packets, note: null };
		const other = { packets, note: hasClip ? OTHER_VOICE_NOTE : OTHER_CLIP_NOTE };
		return parts.voice(text, language, timbre).then(
			// Tones never replace the right words in another voice.
			(made) => (made === null || (made.note !== null && hasClip) ? other : made),
			() => other,
		);
	}

	/**
	 * The voice for a sentence of the conversation: without a clip, the sound of the speaker is played back.
	 */
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
		partial(segment: Segment, task: Task): void {
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
		final(segment: Segment, task: Task): void {
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
		/** Speaks a text of the client (`tts_task`); returns the id of its texts and audio. */
		speakText(text: string, language: string, { translate }: { translate: boolean }, task: Task): string {
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
		/** Drops unspoken sentences in these languages; null = all, source texts included. */
		drop(languages: readonly string[] | null): void {
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
		/** Whether nothing is in progress. */
		get idle(): boolean {
			return steps.size === 0 && speaker.idle;
		},
		close: (): void => scope.close(),
	};
}
