import { stat } from 'node:fs/promises';
import { basename, extname, join, resolve } from 'node:path';
import { type AudioInput, nameOf, openAudio } from '#main/cli/audio-input.ts';
import { type Context, type ServiceContext, withService } from '#main/cli/context.ts';
import { codesOf, type Line } from '#main/cli/line.ts';
import {
	captionEvent,
	createFileSink,
	createPipeSink,
	cutOff,
	cutStem,
	type WavSink,
	wavRefusal,
	withLost,
	writeCaptions,
} from '#main/cli/output-files.ts';
import { wordsOf } from '#main/cli/problems.ts';
import { CUT_NOTE, createSoundRun, tellFiles } from '#main/cli/sound-run.ts';
import type { Terminal } from '#main/cli/terminal.ts';
import { createSpeechToSpeech, type SpeechToSpeechEvent } from '#main/streaming/speech-to-speech.ts';
import type { Segment } from '#shared/captions/segment.ts';
import { type Choices, lessOf } from '#shared/conversation/choices.ts';
import { buildTask, checkChoices } from '#shared/conversation/task-builder.ts';
import { EXIT, type ExitStatus } from '#shared/exit-status.ts';
import type { Problem } from '#shared/problem.ts';
import {
	ACCEPTED_SOURCES,
	ACCEPTED_TARGETS,
	AUTO,
	baseOf,
	matchLanguage,
} from '#shared/protocol/languages.ts';
import { SOCKET_AUDIO } from '#shared/protocol/limits.ts';
import type { TranscriptMessage } from '#shared/protocol/server-message.ts';
import { defaultSettings } from '#shared/settings/schema.ts';

const PER_MS = SOCKET_AUDIO.sampleRateHz / 1000;

/** Silence is written in pieces of this many samples. */
const SILENCE = new Int16Array(SOCKET_AUDIO.sampleRateHz);

/** More unfinished sentences than a service ever speaks at once. */
const MOST_OPEN = 16;

/** Silence after the sound, so that its last sentence is confirmed (protocol 5.1.2), samples. */
const CLOSING = new Int16Array(SOCKET_AUDIO.sampleRateHz * 1.5);

export async function runTranslate(context: Context, line: Line): Promise<ExitStatus> {
	const { output } = context;
	const plan = planOf(line);
	if (typeof plan === 'string') return output.usage(plan);
	const wrong = plan.choices.speak === AUTO ? null : checkChoices(plan.choices);
	if (wrong) return output.problem(wrong);
	if (await isOverItself(plan)) return output.usage(OVER_ITSELF);
	const unwritable = await wavRefusal(plan.wavs?.values() ?? []);
	if (unwritable) return output.usage(unwritable);
	const input = await openAudio(plan, context.terminal);
	if (!input.ok) return output.problem(input.error);
	try {
		return await withService((service) => translateAudio(plan, input.value, service))(context, line);
	} finally {
		input.value.close();
	}
}

const OVER_ITSELF = '--out is the file itself.';

/** The plan, or an error message about the command line. */
function planOf(line: Line): TranslatePlan | string {
	const file = line.argument;
	const from = line.text('from').toLowerCase();
	const to = codesOf(line.all('to'));
	if (from === '') return 'Which language is spoken? --from needs a code such as en, or auto.';
	if (!ACCEPTED_SOURCES.has(baseOf(from))) return `--from: "${from}" is not a language of the service.`;
	if (to.length === 0) return 'Into which language? --to needs a code such as es, or several: es,fr.';
	const unknown = to.find((code) => !ACCEPTED_TARGETS.has(code));
	if (unknown !== undefined) return `--to: "${unknown}" is not a language of the service.`;
	if (file === '-' && line.has('key-stdin')) return '- and --key-stdin both want standard input.';
	const out = line.text('out');
	const isWav = /\.wav$/i.test(out);
	if (out === '-' && (to.length > 1 || line.has('json')))
		return '--out - is for one language and without --json.';
	if (/\.(mp3|m4a|aac|ogg|oga|opus|flac|wma|mp4|mkv|webm)$/i.test(out))
		return '--out needs a name that ends in .wav, or a folder.';
	if (isWav && to.length > 1) return 'With several languages --out is a folder.';
	const voice = line.text('voice');
	const choices = {
		...defaultSettings,
		speak: from,
		detectable: [],
		hear: [...to],
		glossaries: line.has('no-glossaries') ? ('none' as const) : ('all' as const),
		voices: voice === '' ? {} : Object.fromEntries(to.map((code) => [code, voice])),
	};
	const stem = isWav ? out.slice(0, -4) : join(out === '-' ? '' : out, stemOf(file));
	const wavs = new Map(to.map((code) => [code, isWav ? out : `${stem}.${code}.wav`]));
	if ([...wavs.values()].some((path) => resolve(path) === resolve(file))) return OVER_ITSELF;
	return { file, raw: line.has('raw'), choices, wavs: out === '-' ? null : wavs, stem };
}

/** True if an output is the input under another name: a link, or a spelling on a disk that ignores case. */
async function isOverItself({ file, wavs }: TranslatePlan): Promise<boolean> {
	const input = file === '-' ? null : await identityOf(file);
	if (input === null) return false;
	for (const path of wavs?.values() ?? []) if ((await identityOf(path)) === input) return true;
	return false;
}

/** An identity that all names of a file share; null if there is no file. */
async function identityOf(path: string): Promise<string | null> {
	const found = await stat(path, { bigint: true }).catch(() => null);
	return found && `${found.dev}:${found.ino}`;
}

function stemOf(file: string): string {
	return file === '-' ? 'translation' : basename(file, extname(file));
}

interface TranslatePlan {
	readonly file: string;
	readonly raw: boolean;
	readonly choices: Choices;
	/** Path of each target's WAV; null = the one target goes to standard output. */
	readonly wavs: ReadonlyMap<string, string> | null;
	/** Path of the caption files without language and extension. */
	readonly stem: string;
}

/** Plays a sound to the interpreter and saves what comes back; can be ended cleanly at any moment. */
async function translateAudio(
	plan: TranslatePlan,
	input: AudioInput,
	context: ServiceContext,
): Promise<ExitStatus> {
	const { output, signal, terminal } = context;
	const run = createSoundRun(context, 'translated', tellText);
	const { assembler } = run;
	const sinks = new Map<string, WavSink>();
	const dubbings = new Map<string, Dubbing>();
	/** Where each source sentence begins, by its id on this connection. */
	const starts = new Map<string, number>();
	/** True once all sound has been sent: a write that fails after that does not cut anything off. */
	let isGiven = false;

	const engine = createSpeechToSpeech({
		...context,
		address: () => context.socketAddress('s2s'),
		canWait: true,
	});
	engine.listen(hear);

	function hear(event: SpeechToSpeechEvent): void {
		switch (event.type) {
			case 'message':
				if (event.message.type === 'transcript') caption(event.message);
				if (event.message.type === 'warning' && event.message.code === 'VOICE_NOT_FOUND')
					output.note(`The voice is not available: ${event.message.text || 'the default one speaks'}`);
				return;
			case 'audio': {
				const { language: code, transcriptionId, partId, samples, last } = event.frame;
				const language = matchLanguage(code, plan.choices.hear);
				const dubbing = language === null ? undefined : dubbings.get(language);
				const startMs = starts.get(transcriptionId) ?? null;
				dubbing?.piece(`${transcriptionId}|${partId}`, samples, { last, startMs });
				return;
			}
			default:
				if (event.type === 'up') {
					starts.clear();
					// A cut-off sentence gets no more audio, so place the part that arrived.
					for (const dubbing of dubbings.values()) dubbing.end();
				}
				run.connection(event);
		}
	}

	function unwritable(problem: Problem): void {
		if (!isGiven) run.fail(problem);
	}

	function caption(message: TranscriptMessage): void {
		const change = assembler.receive(message, run.nowMs());
		if (!change) return;
		const { segment } = change;
		if (segment.kind === 'source') starts.set(message.transcriptionId, segment.startMs);
		if (segment.final) tellText(segment);
	}

	function tellText(segment: Segment): void {
		output.event(captionEvent(segment));
	}

	async function discard(): Promise<void> {
		for (const sink of sinks.values()) await sink.discard();
	}

	function tellSound(language: string, path: string, { length }: WavSink): void {
		const duration_ms = Math.round((length / SOCKET_AUDIO.sampleRateHz) * 1000);
		output.event({ type: 'file', language, path, duration_ms });
		output.line(path);
	}

	async function saveCaptions(stem: string, segments: readonly Segment[]): Promise<Problem | null> {
		const source = plan.choices.speak === AUTO ? 'source' : plan.choices.speak;
		const files = await writeCaptions(stem, segments, source);
		if (!files.ok) return files.error;
		tellFiles(output, files.value);
		return null;
	}

	/** Saves the finished sentences, as sound and text, and leaves out unfinished ones. */
	async function keepFinished(failure: Problem): Promise<void> {
		const finished = plan.wavs ? cutOff(assembler, run.givenMs()) : [];
		if (finished.length === 0) return discard();
		const stem = cutStem(plan.stem);
		for (const [language, sink] of sinks) {
			const path = plan.wavs?.get(language);
			if (path === undefined || sink.length === 0) {
				await sink.discard();
				continue;
			}
			const kept = `${stem}${path.slice(plan.stem.length)}`;
			// The end of the run reports the failure that ended it.
			const written = await sink.finish(kept);
			if (written.ok) tellSound(language, kept, sink);
			else if (written.error !== failure) output.note(wordsOf(written.error));
		}
		const unsaved = await saveCaptions(stem, finished);
		output.note(unsaved ? wordsOf(unsaved) : CUT_NOTE);
	}

	let opened = await engine.open(buildTask(plan.choices, 'websocket'), signal);
	const less = lessOf(plan.choices);
	if (!opened.ok && opened.error.kind === 'task-refused' && less?.lacks === 'glossaries') {
		opened = await engine.open(buildTask(less.choices, 'websocket'), signal);
		if (opened.ok) output.note('This service cannot leave glossaries out: they apply.');
	}
	if (!opened.ok) return output.problem(opened.error);
	for (const language of plan.choices.hear) {
		const sink = sinkFor(plan.wavs?.get(language), terminal, unwritable);
		sinks.set(language, sink);
		dubbings.set(language, createDubbing(sink));
	}
	const refused = await firstUnwritable(sinks.values());
	if (refused) {
		await engine.close();
		await discard();
		return output.problem(refused);
	}
	isGiven = await run.give(input, engine, closing());
	const isWhole = isGiven && (await engine.finish());
	await engine.close();
	output.clear();
	const failure = run.failure();
	if (failure) {
		await keepFinished(failure);
		return output.problem(failure);
	}
	for (const dubbing of dubbings.values()) dubbing.end();
	for (const segment of assembler.closeOpen()) tellText(segment);
	let unwritten: Problem | null = null;
	for (const [language, sink] of sinks) {
		const written = await sink.finish();
		const path = plan.wavs?.get(language);
		if (!written.ok) unwritten ??= written.error;
		else if (path !== undefined) tellSound(language, path, sink);
	}
	// Captions are saved even if the sound could not be written.
	const unsaved = plan.wavs ? await saveCaptions(plan.stem, withLost(assembler)) : null;
	const problem = unwritten ?? unsaved;
	if (problem) return output.problem(problem);
	if (!isWhole) output.note('The service did not say that this was all: the last sentence may be missing.');
	const counts = run.remark(input, false);
	const reason = input.fault();
	if (reason !== null) return output.problem({ kind: 'file-unreadable', file: nameOf(plan.file), reason });
	output.event({ type: 'done', complete: isWhole, ...counts });
	return EXIT.done;
}

function sinkFor(
	path: string | undefined,
	{ outBytes }: Terminal,
	tell: (failure: Problem) => void,
): WavSink {
	return path === undefined ? createPipeSink(outBytes ?? (async () => {})) : createFileSink(path, tell);
}

/** Checks this first, rather than after an hour of sound has been played. */
async function firstUnwritable(sinks: Iterable<WavSink>): Promise<Problem | null> {
	for (const { begun } of sinks) {
		const outcome = await begun;
		if (!outcome.ok) return outcome.error;
	}
	return null;
}

async function* closing(): AsyncGenerator<Int16Array> {
	yield CLOSING;
}

interface Sentence {
	readonly pieces: Int16Array[];
	startMs: number | null;
}

type Dubbing = ReturnType<typeof createDubbing>;

/**
 * Sentences of one language on one time axis.
 * Puts each sentence where its source was spoken, or after the previous sentence if that one took longer:
 * nothing overlaps, nothing is cut.
 */
export function createDubbing(sink: WavSink) {
	const open = new Map<string, Sentence>();

	function place(id: string, { pieces, startMs }: Sentence): void {
		open.delete(id);
		if (pieces.length === 0) return;
		for (
			let missing = Math.round((startMs ?? 0) * PER_MS) - sink.length;
			missing > 0;
			missing -= SILENCE.length
		)
			sink.write(SILENCE.subarray(0, Math.min(missing, SILENCE.length)));
		for (const piece of pieces) sink.write(piece);
	}

	return {
		/** A piece of a sentence, in order; `startMs` is where its source begins, null if unknown. */
		piece(
			id: string,
			samples: Int16Array,
			{ last, startMs }: { readonly last: boolean; readonly startMs: number | null },
		): void {
			const sentence = open.get(id) ?? { pieces: [], startMs };
			open.set(id, sentence);
			sentence.startMs ??= startMs;
			if (samples.length > 0) sentence.pieces.push(samples);
			if (last) place(id, sentence);
			const oldest = open.entries().next().value;
			if (open.size > MOST_OPEN && oldest) place(...oldest);
		},
		/** Ends all sentences; those that were begun but never finished are included, too. */
		end(): void {
			for (const [id, sentence] of [...open]) place(id, sentence);
		},
	};
}
