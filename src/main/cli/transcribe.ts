import { dirname, extname } from 'node:path';
import { createSpeechToText } from '#main/streaming/speech-to-text.ts';
import { createAssembler } from '#shared/captions/assembler.ts';
import {
	type CaptionFormat,
	fileEnding,
	formatByEnding,
	hasOneTrack,
	plainFile,
	plainFormats,
} from '#shared/captions/formats.ts';
import type { Segment } from '#shared/captions/segment.ts';
import { EXIT, type ExitStatus } from '#shared/exit-status.ts';
import { ok } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { AUTO, TRANSCRIBED_SOURCES, TRANSCRIBED_TARGETS } from '#shared/protocol/languages.ts';
import type { SttText } from '#shared/protocol/speech-to-text.ts';
import { type AudioInput, openAudio } from './audio-input.ts';
import { captionEvent } from './caption-event.ts';
import { cutOff, cutStem, makePlaceFor, textsOf, tracksOf, withLost, writeAll } from './caption-files.ts';
import { eitherOf } from './commands.ts';
import { type Context, type ServiceContext, withService } from './context.ts';
import { feed } from './feed.ts';
import { codesOf, type Line } from './line.ts';
import { removeEmptyFolder } from './output-folder.ts';
import { createProgress } from './progress.ts';
import { remarksOf } from './remarks.ts';

interface Plan {
	readonly file: string;
	readonly raw: boolean;
	readonly language: string;
	readonly targets: readonly string[];
	/** Empty = standard output. */
	readonly out: string;
}

/** The command `transcribe …`. */
export async function runTranscribe(context: Context, line: Line): Promise<ExitStatus> {
	const { output, terminal } = context;
	const plan = planOf(line);
	if (typeof plan === 'string') return output.usage(plan);
	const input = await openAudio(plan, terminal);
	if (!input.ok) return output.problem(input.error);
	try {
		return await withService((service) => transcribe(plan, input.value, service))(context, line);
	} finally {
		input.value.close();
	}
}

/** A sentence when the command line cannot be meant. */
function planOf(line: Line): Plan | string {
	const file = line.argument;
	if (file === '-' && line.has('key-stdin')) return '- and --key-stdin both want standard input.';
	const out = line.text('out') === '-' ? '' : line.text('out');
	if (out !== '' && !formatOf(out))
		return `--out wants a name that ends in ${eitherOf(plainFormats.map((one) => `.${fileEnding(one)}`))}.`;
	const language = line.text('from').toLowerCase() || AUTO;
	if (!TRANSCRIBED_SOURCES.includes(language))
		return `--from: the service does not transcribe "${language}", but ${TRANSCRIBED_SOURCES.join(', ')}.`;
	const targets = codesOf(line.text('to'));
	const unknown = targets.find((code) => !TRANSCRIBED_TARGETS.includes(code));
	if (unknown !== undefined)
		return `--to: a transcript is not translated into "${unknown}", but into ${TRANSCRIBED_TARGETS.join(', ')}.`;
	return { file, raw: line.has('raw'), language, targets, out };
}

async function transcribe(plan: Plan, input: AudioInput, context: ServiceContext): Promise<ExitStatus> {
	const { clock, output, signal } = context;
	const progress = createProgress(output, 'transcribed');
	const assembler = createAssembler();
	const closed = new AbortController();
	let failure: Problem | null = null;
	let givenMs = 0;
	let lostMs = 0;
	let startedMs = 0;
	const engine = createSpeechToText({
		...context,
		address: () => context.socketAddress('stt'),
		canWait: true,
	});

	engine.listen((event) => {
		if (event.type === 'text') write(event.text);
		else if (event.type === 'link') {
			if (event.link.state === 'up') assembler.newEpoch(givenMs, givenMs);
			else
				output.event(
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
		output.event(captionEvent(change.segment));
		if (plan.out === '') output.line(lineOf(change.segment));
	}

	function tellFiles(paths: readonly string[]): void {
		for (const path of paths) {
			output.event({ type: 'file', path });
			output.line(path);
		}
	}

	const opened = await engine.open({ language: plan.language, targets: plan.targets }, signal);
	if (!opened.ok) return output.problem(opened.error);
	const folder = plan.out === '' ? ok() : await makePlaceFor(plan.out);
	if (!folder.ok) {
		await engine.close();
		return output.problem(folder.error);
	}
	startedMs = clock.now();
	assembler.newEpoch(0, 0);
	const over = AbortSignal.any([signal, closed.signal]);
	await feed(input.samples, engine, clock, over, (ms) => {
		givenMs = ms;
		progress.at(ms, input.durationMs);
	});
	if (!over.aborted) await engine.finish();
	await engine.close();
	output.clear();
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
			output.note('It was cut off: what was finished until then is in the files called .cut.');
		}
		return output.problem(failure);
	}
	for (const segment of assembler.closeOpen()) if (plan.out === '') output.line(lineOf(segment));
	const files = await writeAll(filesOf(plan, withLost(assembler)));
	if (!files.ok) return output.problem(files.error);
	tellFiles(files.value);
	const remarks = remarksOf({
		...{ durationMs: input.durationMs, givenMs, lostMs, texts: textsOf(assembler) },
		unwritten: plan.out !== '' && files.value.length === 0,
	});
	for (const remark of remarks) output.note(remark);
	const reason = input.fault();
	if (reason !== null) return output.problem({ kind: 'file-unreadable', file: plan.file, reason });
	output.event({ type: 'done', given_ms: Math.round(givenMs), lost_ms: Math.round(lostMs) });
	return EXIT.done;
}

function lineOf({ kind, language, text }: Segment): string {
	return kind === 'source' ? text : `[${language}] ${text}`;
}

function filesOf({ out }: Plan, segments: readonly Segment[]): readonly (readonly [string, string])[] {
	if (out === '') return [];
	const format = formatOf(out);
	if (!format) return [];
	if (!hasOneTrack(format)) return [[out, plainFile(format, segments)]];
	const stem = out.slice(0, -extname(out).length);
	const source = '';
	return [...tracksOf(segments, source)].map(([language, track]) => [
		language === source ? out : `${stem}.${language}${extname(out)}`,
		plainFile(format, track),
	]);
}

function formatOf(path: string): CaptionFormat | undefined {
	const format = formatByEnding(extname(path).slice(1));
	return plainFormats.find((one) => one === format);
}
