import type { AppliedGlossaries } from '#sandbox/api/glossaries.ts';
import { warning } from '#sandbox/interpreter/messages.ts';
import type { Engine, EnginePorts } from '#sandbox/interpreter/transport.ts';
import type { Transcriber, TranscriberParts } from '#sandbox/sockets/speech-to-text.ts';
import { toFloat } from '#sandbox/speech/pcm.ts';
import type { ReadingOptions, Synthesizer } from '#sandbox/speech/synthesizer.ts';
import type { Clock } from '#shared/lib/clock.ts';
import { AUTO, baseOf } from '#shared/protocol/languages.ts';
import { FINALIZED_MARKER, STT_MESSAGE } from '#shared/protocol/speech-to-text.ts';
import { WARNING_CODE } from '#shared/protocol/vocabulary.ts';
import type { Heard } from './hearing.ts';
import { createFilePace, createLocalEngine, MOST_FAILURES } from './local-engine.ts';
import { createLibrary, type Library } from './models.ts';
import { createThreads, type Ear, type Threads } from './threads.ts';
import { joined, type Sound, type Voicing } from './voice.ts';

/** Everything that recognises, translates and speaks with the models in one folder. Its owner closes it. */
export interface LocalInterpreter {
	createEngine(ports: EnginePorts, glossaries: AppliedGlossaries, synthesizer: Synthesizer): Engine;
	createTranscriber(parts: TranscriberParts): Transcriber;
	/** Null where there is no voice for the language. */
	speak(
		text: string,
		language: string,
		options?: ReadingOptions,
	): Promise<{ readonly samples: Float32Array; readonly rateHz: number } | null>;
	close(): void;
}

export function createLocalInterpreter(folder: string, clock: Clock): LocalInterpreter {
	const library = createLibrary(folder);
	const threads = createThreads({ clock, folder, detector: library.detector });
	return {
		createTranscriber: (parts) => createLocalTranscriber(parts, { threads, library }),
		createEngine: (ports, glossaries, { frames }) =>
			createLocalEngine(ports, { threads, library, glossaries, frames }),
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

/** Captions of what is really said (protocol 5.2). */
export function createLocalTranscriber(
	{ settings: { language, targets }, say, asHeard }: TranscriberParts,
	{ threads, library }: { readonly threads: Threads; readonly library: Library },
): Transcriber {
	const languages = language === AUTO ? [] : [baseOf(language)];
	/** Text of the open sentence, as last said. */
	let before = '';
	let ear: Ear | null = null;
	let isMarked = false;
	/** Threads that ended since something was heard to its end. */
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

	/** The last final text answers `finalize`, when there is one. */
	let held: Heard | null = null;
	function heard(event: Heard): void {
		if (event.isFinal) failures = 0;
		if (isClosed || (event.text === '' && !isMarked)) return;
		if (event.isFinal && isMarked) {
			// The marker belongs to the last one.
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
