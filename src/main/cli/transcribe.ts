import { dirname, extname } from 'node:path';
import { createSpeechToText } from '#main/streaming/speech-to-text.ts';
import { createAssembler } from '#shared/captions/assembler.ts';
import type { Segment } from '#shared/captions/segment.ts';
import { EXIT, type ExitStatus } from '#shared/exit-status.ts';
import { ok } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { AUTO, TRANSCRIBED_SOURCES, TRANSCRIBED_TARGETS } from '#shared/protocol/languages.ts';
import type { SttText } from '#shared/protocol/speech-to-text.ts';
import { type AudioInput, openAudio } from './audio-input.ts';
import {
	captionWriters,
	cutOff,
	cutStem,
	isCaptionFormat,
	makePlaceFor,
	textsOf,
	tracksOf,
	withLost,
	writeAll,
} from './caption-files.ts';
import type { Terminal } from './context.ts';
import { feed } from './feed.ts';
import { removeEmptyFolder } from './output-folder.ts';
import { remarksOf } from './remarks.ts';
import { captionEvent, codesOf, createRunning, optionOf, parseStream, type Running } from './running.ts';
import { createStreamContext, type StreamContext, streamHelp } from './stream-context.ts';

const help = `Usage: npm run cli -- transcribe FILE [options]

  FILE                  WAV, or anything an installed ffmpeg reads; - is standard input (WAV)
  --from L              the language spoken (default: auto)
  --to L[,L...]         also translated into these
  --out FILE            .srt, .vtt, .txt or .json; default: text on standard output as it becomes final.
                        Translations go into FILE with their language before the extension; .json holds all
  --raw                 the sound is 24 kHz mono 16-bit little-endian without a header

${streamHelp}`;

interface Plan {
	readonly file: string;
	readonly raw: boolean;
	readonly language: string;
	readonly targets: readonly string[];
	/** Empty = standard output. */
	readonly out: string;
}

/** The command `transcribe …`. */
export async function runTranscribe(args: readonly string[], terminal: Terminal): Promise<ExitStatus> {
	const parsed = parseStream(args, {
		from: { type: 'string' },
		to: { type: 'string' },
		raw: { type: 'boolean' },
	});
	if (typeof parsed !== 'string' && parsed.values.help) {
		terminal.out(`${help}\n`);
		return EXIT.done;
	}
	const plan = typeof parsed === 'string' ? parsed : planOf(parsed.values, parsed.positionals);
	if (typeof plan === 'string' || typeof parsed === 'string') {
		terminal.error(`${String(plan)}\nTry: npm run cli -- transcribe --help\n`);
		return EXIT.usage;
	}
	const running = createRunning(terminal, { json: parsed.values.json === true, what: 'transcribed' });
	const input = await openAudio(plan, terminal);
	if (!input.ok) return running.problem(input.error);
	try {
		const context = await createStreamContext(parsed.values, terminal);
		return await transcribe(plan, input.value, { ...context, signal: terminal.signal, running });
	} finally {
		input.value.close();
	}
}

function planOf(values: Parameters<typeof optionOf>[0], positionals: readonly string[]): Plan | string {
	const [file = ''] = positionals;
	if (positionals.length !== 1 || file === '') return '"transcribe" takes one file.';
	if (file === '-' && values['key-stdin']) return '- and --key-stdin both want standard input.';
	const out = optionOf(values, 'out') === '-' ? '' : optionOf(values, 'out');
	if (out !== '' && !isCaptionFormat(extensionOf(out)))
		return '--out wants a name that ends in .srt, .vtt, .txt or .json.';
	const language = optionOf(values, 'from').toLowerCase() || AUTO;
	if (!TRANSCRIBED_SOURCES.includes(language))
		return `--from: the service does not transcribe "${language}", but ${TRANSCRIBED_SOURCES.join(', ')}.`;
	const targets = codesOf(optionOf(values, 'to'));
	const unknown = targets.find((code) => !TRANSCRIBED_TARGETS.includes(code));
	if (unknown !== undefined)
		return `--to: a transcript is not translated into "${unknown}", but into ${TRANSCRIBED_TARGETS.join(', ')}.`;
	return { file, raw: values.raw === true, language, targets, out };
}

async function transcribe(
	plan: Plan,
	input: AudioInput,
	parts: StreamContext & { readonly signal: AbortSignal; readonly running: Running },
): Promise<ExitStatus> {
	const { clock, running, signal } = parts;
	const assembler = createAssembler();
	const closed = new AbortController();
	let failure: Problem | null = null;
	let givenMs = 0;
	let lostMs = 0;
	let startedMs = 0;
	const engine = createSpeechToText({ ...parts, address: parts.address('stt'), canWait: true });

	engine.listen((event) => {
		if (event.type === 'text') write(event.text);
		else if (event.type === 'link') {
			if (event.link.state === 'up') assembler.newEpoch(givenMs, givenMs);
			else
				running.event(
					{ type: 'restoring', at_ms: Math.round(givenMs) },
					'The connection was lost; it is being restored.',
				);
		} else if (event.type === 'dropped') {
			lostMs += event.audioMs;
			assembler.lose(event.audioMs, givenMs);
		} else if (event.type === 'closed') {
			failure = event.problem;
			closed.abort();
		}
	});

	function write({ id, ...text }: SttText): void {
		// A translation repeats the end of its source as its time: it takes the source's own (protocol 5.2).
		const time = text.kind === 'translation' ? { startS: null, endS: null } : {};
		const message = { ...text, ...time, type: 'transcript' as const, transcriptionId: id, partId: '0' };
		const change = assembler.receive(message, clock.now() - startedMs);
		if (!change?.segment.final) return;
		running.event(captionEvent(change.segment));
		if (plan.out === '') running.line(lineOf(change.segment));
	}

	function tellFiles(paths: readonly string[]): void {
		for (const path of paths) {
			running.event({ type: 'file', path });
			running.line(path);
		}
	}

	const opened = await engine.open({ language: plan.language, targets: plan.targets }, signal);
	if (!opened.ok) return running.problem(opened.error);
	const folder = plan.out === '' ? ok() : await makePlaceFor(plan.out);
	if (!folder.ok) {
		await engine.close();
		return running.problem(folder.error);
	}
	startedMs = clock.now();
	assembler.newEpoch(0, 0);
	const over = AbortSignal.any([signal, closed.signal]);
	await feed(input.samples, engine, clock, over, (ms) => {
		givenMs = ms;
		running.progress.at(ms, input.durationMs);
	});
	if (!over.aborted) await engine.finish();
	await engine.close();
	running.progress.clear();
	if (signal.aborted) failure = { kind: 'cancelled' };
	if (failure) {
		const finished = cutOff(assembler, givenMs);
		const stem = plan.out.slice(0, -extname(plan.out).length);
		const kept = await writeAll(
			plan.out === '' || finished.length === 0
				? []
				: filesOf({ ...plan, out: `${cutStem(stem)}${extname(plan.out)}` }, finished),
		);
		if (plan.out !== '') await removeEmptyFolder(dirname(plan.out));
		if (kept.ok && kept.value.length > 0) {
			tellFiles(kept.value);
			running.note('It was cut off: what was finished until then is in the files called .cut.');
		}
		return running.problem(failure);
	}
	for (const segment of assembler.closeOpen()) if (plan.out === '') running.line(lineOf(segment));
	const files = await writeAll(filesOf(plan, withLost(assembler)));
	if (!files.ok) return running.problem(files.error);
	tellFiles(files.value);
	const remarks = remarksOf({
		...{ durationMs: input.durationMs, givenMs, lostMs, texts: textsOf(assembler) },
		unwritten: plan.out !== '' && files.value.length === 0,
	});
	for (const remark of remarks) running.note(remark);
	const reason = input.fault();
	if (reason !== null) return running.problem({ kind: 'file-unreadable', file: plan.file, reason });
	running.event({ type: 'done', given_ms: Math.round(givenMs), lost_ms: Math.round(lostMs) });
	return EXIT.done;
}

function lineOf({ kind, language, text }: Segment): string {
	return kind === 'source' ? text : `[${language}] ${text}`;
}

function filesOf({ out }: Plan, segments: readonly Segment[]): readonly (readonly [string, string])[] {
	if (out === '') return [];
	const format = extensionOf(out);
	if (!isCaptionFormat(format)) return [];
	if (format === 'json') return [[out, captionWriters.json(segments)]];
	const stem = out.slice(0, -extname(out).length);
	const source = '';
	return [...tracksOf(segments, source)].map(([language, track]) => [
		language === source ? out : `${stem}.${language}${extname(out)}`,
		captionWriters[format](track),
	]);
}

function extensionOf(path: string): string {
	return extname(path).slice(1).toLowerCase();
}
