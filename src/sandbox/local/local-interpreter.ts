import { z } from 'zod/mini';
import type { AppliedGlossaries } from '#sandbox/api/glossaries.ts';
import {
	failure,
	type Spoken,
	soundHeard,
	speechText,
	timings,
	transcription,
	warning,
} from '#sandbox/interpreter/messages.ts';
import type { Engine, EnginePorts } from '#sandbox/interpreter/transport.ts';
import type { Transcriber, TranscriberParts } from '#sandbox/sockets/speech-to-text.ts';
import { resample, SPEECH_HZ, s16Of, toFloat, toS16 } from '#sandbox/speech/pcm.ts';
import type { ReadingOptions, Synthesizer } from '#sandbox/speech/synthesizer.ts';
import { type Correct, createCorrect } from '#shared/captions/apply-corrections.ts';
import { Correction } from '#shared/captions/corrections.ts';
import type { Clock } from '#shared/lib/clock.ts';
import type { Task } from '#shared/protocol/client-message.ts';
import type { CommandFault } from '#shared/protocol/decode-client-message.ts';
import { AUTO, baseOf } from '#shared/protocol/languages.ts';
import { TASK_RANGE } from '#shared/protocol/limits.ts';
import { FINALIZED_MARKER, STT_MESSAGE } from '#shared/protocol/speech-to-text.ts';
import { ERROR_CODE, SERVER_MESSAGE, VOICE, WARNING_CODE } from '#shared/protocol/vocabulary.ts';
import type { Heard } from './hearing.ts';
import { createLibrary, type Library } from './models.ts';
import { damagedPackage } from './packages.ts';
import { createThreads, type Ear, type Threads } from './threads.ts';
import { joined, type Sound, type Voicing } from './voice.ts';

/** Recognises, translates and speaks with the models in one folder. Its owner closes it. */
export interface LocalInterpreter {
	createEngine(ports: EnginePorts, glossaries: AppliedGlossaries, synthesizer: Synthesizer): Engine;
	createTranscriber(parts: TranscriberParts): Transcriber;
	/** Null if the models of the pair are not installed. */
	translate(text: string, from: string, to: string): Promise<string | null>;
	/** Null if no voice speaks the language. */
	speak(
		text: string,
		language: string,
		options?: ReadingOptions,
	): Promise<{ readonly samples: Float32Array; readonly rateHz: number } | null>;
	/** The name of a downloaded file of the packages that is not the published one; null = nothing is wrong. */
	readonly damaged: string | null;
	close(): Promise<void>;
}

export function createLocalInterpreter(folder: string, clock: Clock): LocalInterpreter {
	const library = createLibrary(folder);
	const threads = createThreads({ clock, folder, detector: library.detector });
	return {
		damaged: damagedPackage(folder),
		createTranscriber: (parts) => createLocalTranscriber(parts, { threads, library }),
		createEngine: (ports, glossaries, { frames }) =>
			createLocalEngine(ports, { threads, library, glossaries, frames }),
		async translate(text, from, to) {
			const route = library.routeFor(from, to);
			if (route === null || route.length === 0) return route && text;
			const mouth = await threads.mouth();
			return mouth.translate(text, route);
		},
		async speak(text, language, { timbre = 'low', tempo = 1 } = {}) {
			const mouth = await threads.mouth();
			const pieces: Sound[] = [];
			const voicing: Voicing = { text, language, timbre: timbre === 'high' ? 'high' : 'low', tempo };
			await mouth.speak(voicing, (piece) => void pieces.push(piece));
			const { samples, rateHz } = joined(pieces);
			return samples.length === 0 ? null : { samples: toFloat(samples), rateHz };
		},
		close: threads.close,
	};
}

/** Silence that ends a sentence, ms. */
const SILENCE_MS = 500;

/** Captions of real speech (protocol 5.2). */
export function createLocalTranscriber(
	{ settings: { language, targets }, say, asHeard }: TranscriberParts,
	{ threads, library }: { readonly threads: Threads; readonly library: Library },
): Transcriber {
	const languages = language === AUTO ? [] : [baseOf(language)];
	/** Text of the open sentence, as last reported. */
	let before = '';
	let ear: Ear | null = null;
	let isMarked = false;
	/** Number of threads that failed since a sentence was last recognised completely. */
	let failures = 0;
	let isClosed = false;
	const pace = createFilePace({ asHeard, say });

	function sayHeard({ sentence, text, startS, endS, isFinal, language: found }: Heard, marker = ''): void {
		const times = { start_time: startS, end_time: endS };
		const said = `${text} ${marker}`.trim();
		say({
			message_type: STT_MESSAGE.transcription,
			transcription_id: `seg-${sentence}`,
			language: found === '' ? (languages[0] ?? 'en') : found,
			is_eos: isFinal,
			segment: { text: said, ...times },
			delta: { text: said.startsWith(before) ? said.slice(before.length).trim() : said, ...times },
		});
		before = isFinal ? '' : said;
	}

	async function translate(heard: Heard, target: string): Promise<void> {
		const route = library.routeFor(heard.language, target);
		if (route === null) return;
		const mouth = await threads.mouth();
		const text = route.length === 0 ? heard.text : await mouth.translate(heard.text, route);
		if (isClosed) return;
		say({
			message_type: STT_MESSAGE.translated,
			transcription_id: `seg-${heard.sentence}`,
			language: target,
			is_eos: true,
			segment: { text, start_time: heard.startS, end_time: heard.endS },
		});
	}

	/** The last final text, which answers `finalize` if there is one. */
	let held: Heard | null = null;
	function heard(event: Heard): void {
		if (event.isFinal) failures = 0;
		if (isClosed || (event.text === '' && !isMarked)) return;
		if (event.isFinal && isMarked) {
			// The marker belongs to the last text.
			if (held) sayHeard(held);
			held = event;
		} else sayHeard(event);
		if (!event.isFinal || event.text === '') return;
		for (const target of targets) translate(event, target).catch(() => {});
	}

	function done(): void {
		if (isClosed || !isMarked) return;
		isMarked = false;
		const nothing = { sentence: 0, text: '', sure: '', language: '', startS: 0, endS: 0, isFinal: true };
		sayHeard(held ?? nothing, FINALIZED_MARKER);
		held = null;
	}

	function failed(): void {
		ear = null;
		pace.lost();
		failures += 1;
		if (failures < MOST_FAILURES) begin();
		else sayFailure('The recogniser has ended twice');
	}

	function slow(): void {
		say(warning(WARNING_CODE.tooSlowHere, 'The recogniser is late'));
	}

	function sayFailure(desc: string): void {
		say({ message_type: 'error', data: { code: 'INTERNAL_ERROR', desc } });
	}

	function begin(): void {
		const recogniser = library.recogniserFor(languages);
		if (recogniser === null) return;
		ear = threads.ear(recogniser, { heard, done, progress: pace.heard, slow, failed });
		ear.follow({ languages, silenceMs: SILENCE_MS, split: true, isLive: !asHeard });
		if (isMarked) ear.finish();
		ear.ready.catch(() => {
			sayFailure('The models could not be loaded');
		});
	}

	begin();
	return {
		hear(_level, _durationMs, samples, rateHz) {
			if (samples.length === 0) return;
			const sound = Int16Array.from(samples, (sample) => Math.max(-1, Math.min(1, sample)) * 0x7fff);
			pace.given((sound.length * 1000) / rateHz);
			if (ear) ear.hear(sound, rateHz);
			else pace.lost();
		},
		finalize() {
			isMarked = true;
			ear?.finish();
		},
		close() {
			isClosed = true;
			ear?.release();
		},
	};
}

const Corrections = z.array(Correction);

type Translation = Task['pipeline']['translations'][number];

/** For each second of waiting speech above the limit, the tempo rises by this share. */
const FASTER_PER_S = 0.1;
const FASTEST = 1.5;
/** Recognition is given up after this many threads in a row have failed. */
export const MOST_FAILURES = 2;

/** A sentence that is being recognised, or waits for its translations. */
interface Open {
	readonly id: string;
	/** A change applies from the next sentence on (protocol 10, row 19). */
	readonly task: Task;
	/** Languages in which the sentence was dropped. */
	readonly dropped: Set<string>;
	/** Unix seconds of the sentence's start. */
	readonly startedAtS: number;
	/** Targets whose partial translation is in progress: the next one waits for the next partial text. */
	readonly translating: Set<string>;
	/** The text reported so far. */
	said: Spoken | null;
}

/**
 * Reports to the sender of a file how much of it was processed (`AS_HEARD`), including sound that a crashed
 * thread had received.
 */
export function createFilePace(ports: { readonly asHeard: boolean; say(message: object): void }) {
	let givenMs = 0;
	let heardMs = 0;

	function tell(ms: number): void {
		if (!ports.asHeard || ms <= heardMs) return;
		heardMs = ms;
		ports.say(soundHeard(ms));
	}

	return {
		given(ms: number): void {
			givenMs += ms;
		},
		heard: (ms: number) => tell(heardMs + ms),
		/** Counts all sound received so far as processed, because its thread failed. */
		lost: () => tell(givenMs),
	};
}

/** Really recognises, translates and speaks, with the models on this computer. */
export function createLocalEngine(
	ports: EnginePorts,
	parts: {
		readonly threads: Threads;
		readonly library: Library;
		readonly glossaries: AppliedGlossaries;
		/** Converts sound to packets for the transport. */
		readonly frames: (samples: Int16Array) => readonly Uint8Array[];
	},
): Engine {
	const { clock, say, speaker } = ports;
	const { threads, library, glossaries } = parts;
	/** By recogniser and sentence. */
	const open = new Map<string, Open>();
	let ear: Ear | null = null;
	/**
	 * The last task that ran: at the end of the stream no task runs, although its last sentence is still to be
	 * spoken.
	 */
	let latest: Task | null = null;
	/** Number of threads that failed since a sentence was last recognised completely. */
	let failures = 0;
	/** Recognisers that still report their last sentence: at the end, or after a change of languages. */
	const finishing = new Set<Ear>();
	let ears = 0;
	let recogniser = '';
	const corrects = new WeakMap<Task, Correct>();
	/** Incremented when everything in progress is dropped. */
	let era = 0;
	/** The same counter by language, for a drop in one language only. */
	const eras = new Map<string, number>();
	let underWay = 0;
	let isClosed = false;
	const pace = createFilePace(ports);

	function languagesOf({ pipeline }: Task): readonly string[] {
		const { source_language: source, detectable_languages: detectable = [] } = pipeline.transcription;
		return source === AUTO ? [...new Set(detectable.map(baseOf))] : [baseOf(source)];
	}

	function follow(task: Task): void {
		const rules = task.pipeline.transcription;
		const silenceS = rules.segment_confirmation_silence_threshold ?? TASK_RANGE.silenceThresholdS.default;
		ear?.follow({
			languages: languagesOf(task),
			silenceMs: silenceS * 1000,
			split: rules.sentence_splitter?.enabled ?? true,
			isLive: !ports.asHeard,
		});
	}

	/** The fault if this computer lacks something that the task needs; null = none. */
	function lackOf(task: Task): CommandFault | null {
		const lack = (text: string, field: string): CommandFault => ({
			code: ERROR_CODE.validation,
			text,
			field,
		});
		const languages = languagesOf(task);
		if (library.recogniserFor(languages) === null)
			return lack('No recogniser for it is installed', 'pipeline.transcription.source_language');
		for (const [index, { target_language: target }] of task.pipeline.translations.entries()) {
			if (languages.every((source) => library.routeFor(source, target) !== null)) continue;
			const field = `pipeline.translations.${index}.target_language`;
			return lack('No translator for it is installed', field);
		}
		return null;
	}

	function finish(): void {
		if (!ear) return;
		finishing.add(ear);
		ear.finish();
	}

	/** Resolves when the task's speech can be recognised. */
	function listen(task: Task): Promise<void> {
		const wanted = library.recogniserFor(languagesOf(task)) ?? '';
		if (ear && wanted === recogniser) return ear.ready;
		recogniser = wanted;
		finish();
		ears += 1;
		const number = ears;
		const opened: Ear = threads.ear(wanted, {
			heard: (event) => heard(event, `${number}.${event.sentence}`),
			done() {
				finishing.delete(opened);
				if (opened !== ear) opened.release();
			},
			progress: pace.heard,
			slow: () => say(warning(WARNING_CODE.tooSlowHere, 'The recogniser is late')),
			failed() {
				finishing.delete(opened);
				if (opened === ear) failed(number);
			},
		});
		ear = opened;
		follow(task);
		return opened.ready;
	}

	/**
	 * The thread ended. Its sentence ends with the text recognised so far; another thread recognises the next
	 * sentence.
	 */
	function failed(number: number): void {
		ear = null;
		failures += 1;
		pace.lost();
		for (const [key, sentence] of open) {
			if (!key.startsWith(`${number}.`)) continue;
			open.delete(key);
			if (sentence.said) confirm(sentence, sentence.said);
		}
		if (isClosed || !latest) return;
		if (failures < MOST_FAILURES) void listen(latest).catch(() => {});
		else say(failure('INTERNAL_ERROR', 'The recogniser has ended twice'));
	}

	/** Corrects a text before it is translated, so that a corrected name is translated correctly. */
	function corrected(text: string, language: string, task: Task): string {
		const correct =
			corrects.get(task) ??
			createCorrect(Corrections.safeParse(task.pipeline.transcription.corrections).data ?? []);
		corrects.set(task, correct);
		return correct(text, language);
	}

	function sentenceOf(heard: Heard, key: string, task: Task): Open {
		const known = open.get(key);
		if (known) return known;
		const made: Open = {
			id: ports.newId(),
			task,
			dropped: new Set(),
			startedAtS: clock.wall() / 1000 - (heard.endS - heard.startS),
			translating: new Set(),
			said: null,
		};
		open.set(key, made);
		return made;
	}

	function heard(event: Heard, key: string): void {
		const task = open.get(key)?.task ?? ports.task() ?? latest;
		if (!task || isClosed) return;
		if (event.isFinal && event.text === '' && !open.has(key)) return;
		const sentence = sentenceOf(event, key, task);
		const at = {
			transcriptionId: sentence.id,
			startS: event.startS,
			endS: event.endS,
			startedAtS: sentence.startedAtS,
		};
		const language = event.language === '' ? (languagesOf(task)[0] ?? 'en') : event.language;
		const text = glossaries.heard(corrected(event.text, language, task), language, task);
		const spoken: Spoken = { ...at, language, text };
		if (!event.isFinal) {
			sentence.said = spoken;
			say(transcription(SERVER_MESSAGE.partialTranscription, spoken, { translation: false }));
			translatePartial(sentence, spoken, corrected(event.sure, language, task));
			return;
		}
		open.delete(key);
		failures = 0;
		confirm(sentence, spoken);
	}

	function confirm(sentence: Open, spoken: Spoken): void {
		say(transcription(SERVER_MESSAGE.validatedTranscription, spoken, { translation: false }));
		if (spoken.text === '') return;
		for (const target of targetsOf(sentence, spoken.language))
			void translateAndSpeak(target, spoken, sentence.task);
	}

	function targetsOf({ task, dropped }: Open, language: string): readonly Translation[] {
		return task.pipeline.translations.filter(
			({ target_language: target, allowed_source_languages: allowed = [] }) =>
				!dropped.has(target) &&
				(allowed.length === 0 || allowed.some((code) => baseOf(code) === baseOf(language))),
		);
	}

	/**
	 * Translates only the text on which two decodings agree, and one text at a time: the final text must not
	 * wait.
	 */
	function translatePartial(sentence: Open, spoken: Spoken, sure: string): void {
		if (sure === '') return;
		for (const { target_language: target, translate_partial_transcriptions: isWanted } of targetsOf(
			sentence,
			spoken.language,
		)) {
			if (!isWanted || sentence.translating.has(target)) continue;
			sentence.translating.add(target);
			const isStale = staleness(target);
			void translate(sure, spoken.language, target)
				.then((text) => {
					sentence.translating.delete(target);
					if (isStale() || text === '' || ![...open.values()].includes(sentence)) return;
					const partial = { ...spoken, language: target, text };
					say(transcription(SERVER_MESSAGE.partialTranslatedTranscription, partial, { translation: true }));
				})
				.catch(() => {});
		}
	}

	async function translate(text: string, from: string, to: string): Promise<string> {
		const route = library.routeFor(from, to);
		if (route === null) throw new Error('no translator');
		if (route.length === 0) return text;
		const mouth = await threads.mouth();
		return mouth.translate(text, route);
	}

	/** Returns whether work that begins now has been dropped since. */
	function staleness(language: string): () => boolean {
		const [all, own] = [era, eras.get(language)];
		return () => isClosed || era !== all || eras.get(language) !== own;
	}

	async function translateAndSpeak(
		{ target_language: target }: Translation,
		spoken: Spoken,
		task: Task,
		known?: string,
	): Promise<void> {
		underWay += 1;
		const finalAt = clock.now();
		const isStale = staleness(target);
		try {
			const from = spoken.language;
			const made = known ?? (await translate(spoken.text, from, target));
			const text = glossaries.translated(made, spoken.text, { from, to: target }, task);
			if (isStale()) return;
			const translated = { ...spoken, language: target, text };
			say(transcription(SERVER_MESSAGE.translatedTranscription, translated, { translation: true }));
			const translatedS = (clock.now() - finalAt) / 1000;
			if (task.output_stream === null || text === '') return;
			say(speechText(translated));
			await speak(translated, task, isStale);
			const total = (clock.now() - finalAt) / 1000;
			const stages = { translated_transcription: translatedS, tts: total - translatedS, total };
			say(timings(spoken.transcriptionId, stages));
		} catch {
			// This sentence has no text in this language; a failed thread is restarted for the next one.
		} finally {
			underWay -= 1;
		}
	}

	async function speak(spoken: Spoken, task: Task, isStale: () => boolean): Promise<void> {
		const { language, text, transcriptionId } = spoken;
		const target = task.pipeline.translations.find(({ target_language: one }) => one === language);
		const queue = task.pipeline.translation_queue_configs?.global;
		const desiredMs = queue?.desired_queue_level_ms ?? TASK_RANGE.desiredQueueMs.default;
		const lateS = Math.max(0, (speaker.levels().get(language) ?? 0) - desiredMs) / 1000;
		const mouth = await threads.mouth();
		let count = 0;
		const voicing: Voicing = {
			text,
			language,
			timbre: target?.speech_generation?.voice_id === VOICE.high ? 'high' : 'low',
			tempo: Math.min(FASTEST, 1 + lateS * FASTER_PER_S),
		};
		await mouth.speak(voicing, ({ samples, rateHz }) => {
			if (isStale() || samples.length === 0) return;
			const packets = parts.frames(toS16(resample(toFloat(samples), rateHz, SPEECH_HZ)));
			speaker.speak(language, { transcriptionId, partId: String(count), packets });
			count += 1;
		});
	}

	return {
		lackOf,
		async prepare(task) {
			const source = languagesOf(task)[0] ?? 'en';
			await Promise.all([
				listen(task),
				// Load the models now: otherwise the first translation and the first sentence would wait for
				// them.
				...task.pipeline.translations.map(async ({ target_language: target }) => {
					await translate('.', source, target);
					if (task.output_stream === null) return;
					const mouth = await threads.mouth();
					await mouth.speak({ text: '', language: target, timbre: 'low', tempo: 1 }, () => {});
				}),
			]);
		},
		applied(task) {
			latest = task;
			void listen(task).catch(() => {});
			follow(task);
		},
		hear() {},
		packet(frame) {
			const samples = s16Of(frame);
			pace.given((samples.length * 1000) / SPEECH_HZ);
			if (ear) ear.hear(samples, SPEECH_HZ);
			else pace.lost();
		},
		finish,
		reset() {
			open.clear();
			ear?.reset();
		},
		drop(languages) {
			if (languages === null) {
				era += 1;
				open.clear();
				ear?.discard();
			}
			for (const language of languages ?? []) {
				eras.set(language, (eras.get(language) ?? 0) + 1);
				for (const { dropped } of open.values()) dropped.add(language);
			}
			speaker.drop(languages);
		},
		speakText(text, language, { translate: isToBeTranslated }, task) {
			const id = ports.newId();
			const spoken: Spoken = {
				transcriptionId: id,
				startS: 0,
				endS: 0,
				startedAtS: clock.wall() / 1000,
				language,
				text,
			};
			if (!isToBeTranslated) {
				const target = task.pipeline.translations.find(({ target_language: one }) => one === language);
				if (target) void translateAndSpeak(target, spoken, task, text);
				return id;
			}
			say(transcription(SERVER_MESSAGE.validatedTranscription, spoken, { translation: false }));
			for (const target of task.pipeline.translations) void translateAndSpeak(target, spoken, task);
			return id;
		},
		get idle() {
			return finishing.size === 0 && underWay === 0 && speaker.idle;
		},
		close() {
			isClosed = true;
			for (const one of new Set([ear, ...finishing])) one?.release();
			finishing.clear();
			ear = null;
		},
	};
}
