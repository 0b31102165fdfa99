import { dirname, extname } from 'node:path';
import { type AudioInput, nameOf, openAudio } from '#main/cli/audio-input.ts';
import { eitherOf } from '#main/cli/command-list.ts';
import { type Context, type ServiceContext, withService } from '#main/cli/context.ts';
import { codesOf, type Line } from '#main/cli/line.ts';
import {
	captionEvent,
	cutOff,
	cutStem,
	makePlacesFor,
	removeEmptyFolder,
	tracksOf,
	withLost,
	writeAll,
} from '#main/cli/output-files.ts';
import { wordsOf } from '#main/cli/problems.ts';
import { CUT_NOTE, createSoundRun, tellFiles } from '#main/cli/sound-run.ts';
import { createSpeechToText } from '#main/streaming/speech-to-text.ts';
import {
	type CaptionFormat,
	fileEnding,
	formatByEnding,
	hasOneTrack,
	plainFile,
	plainFormats,
} from '#shared/captions/export-formats.ts';
import type { Segment } from '#shared/captions/segment.ts';
import { EXIT, type ExitStatus } from '#shared/exit-status.ts';
import { AUTO, TRANSCRIBED_SOURCES, TRANSCRIBED_TARGETS } from '#shared/protocol/languages.ts';
import type { SttText } from '#shared/protocol/speech-to-text.ts';

interface Plan {
	readonly file: string;
	readonly raw: boolean;
	readonly language: string;
	readonly targets: readonly string[];
	/** Empty = standard output. */
	readonly out: string;
}

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

/** The plan, or an error message about the command line. */
function planOf(line: Line): Plan | string {
	const file = line.argument;
	if (file === '-' && line.has('key-stdin')) return '- and --key-stdin both want standard input.';
	const out = line.text('out') === '-' ? '' : line.text('out');
	if (out !== '' && !formatOf(out))
		return `--out needs a name that ends in ${eitherOf(plainFormats.map((one) => `.${fileEnding(one)}`))}.`;
	const language = line.text('from').toLowerCase() || AUTO;
	if (!TRANSCRIBED_SOURCES.includes(language))
		return `--from: the service does not transcribe "${language}", but ${TRANSCRIBED_SOURCES.join(', ')}.`;
	const targets = codesOf(line.all('to'));
	const unknown = targets.find((code) => !TRANSCRIBED_TARGETS.includes(code));
	if (unknown !== undefined)
		return `--to: a transcript is not translated into "${unknown}", but into ${TRANSCRIBED_TARGETS.join(', ')}.`;
	return { file, raw: line.has('raw'), language, targets, out };
}

async function transcribe(plan: Plan, input: AudioInput, context: ServiceContext): Promise<ExitStatus> {
	const { output, signal } = context;
	const run = createSoundRun(context, 'transcribed', tell);
	const { assembler } = run;
	const engine = createSpeechToText({
		...context,
		address: () => context.socketAddress('stt'),
		canWait: true,
	});

	engine.listen((event) => {
		if (event.type === 'text') write(event.text);
		else if (event.type !== 'warning') run.connection(event);
	});

	function write({ id, ...text }: SttText): void {
		// A translation only repeats the end of its source as its time, so it is given the source's own time (protocol 5.2).
		const time = text.kind === 'translation' ? { startS: null, endS: null } : {};
		const message = { ...text, ...time, type: 'transcript' as const, transcriptionId: id, partId: '0' };
		const change = assembler.receive(message, run.nowMs());
		if (change?.segment.final) tell(change.segment);
	}

	function tell(segment: Segment): void {
		output.event(captionEvent(segment));
		if (plan.out === '') output.line(lineOf(segment));
	}

	const places = await makePlacesFor(placesOf(plan));
	if (!places.ok) return output.problem(places.error);
	const opened = await engine.open({ language: plan.language, targets: plan.targets }, signal);
	if (!opened.ok) {
		if (plan.out !== '') await removeEmptyFolder(dirname(plan.out));
		return output.problem(opened.error);
	}
	if (await run.give(input, engine)) await engine.finish();
	await engine.close();
	output.clear();
	const failure = run.failure();
	if (failure) {
		const finished = cutOff(assembler, run.givenMs());
		const stem = plan.out.slice(0, -extname(plan.out).length);
		const kept = await writeAll(
			plan.out === '' || finished.length === 0
				? []
				: filesOf({ ...plan, out: `${cutStem(stem)}${extname(plan.out)}` }, finished),
		);
		if (plan.out !== '') await removeEmptyFolder(dirname(plan.out));
		if (!kept.ok) output.note(wordsOf(kept.error));
		else if (kept.value.length > 0) {
			tellFiles(output, kept.value);
			output.note(CUT_NOTE);
		}
		return output.problem(failure);
	}
	for (const segment of assembler.closeOpen()) tell(segment);
	const files = await writeAll(filesOf(plan, withLost(assembler)));
	if (!files.ok) return output.problem(files.error);
	tellFiles(output, files.value);
	const counts = run.remark(input, plan.out !== '' && files.value.length === 0);
	const reason = input.fault();
	if (reason !== null) return output.problem({ kind: 'file-unreadable', file: nameOf(plan.file), reason });
	output.event({ type: 'done', ...counts });
	return EXIT.done;
}

function lineOf({ kind, language, text }: Segment): string {
	return kind === 'source' ? text : `[${language}] ${text}`;
}

function filesOf({ out }: Plan, segments: readonly Segment[]): readonly (readonly [string, string])[] {
	const format = formatOf(out);
	if (!format) return [];
	if (!hasOneTrack(format)) return [[out, plainFile(format, segments)]];
	return [...tracksOf(segments, SPOKEN)].map(([language, track]) => [
		pathOf(out, language),
		plainFile(format, track),
	]);
}

/** Every file that the plan can lead to. */
function placesOf({ out, targets }: Plan): readonly string[] {
	const format = formatOf(out);
	if (!format) return [];
	return [SPOKEN, ...(hasOneTrack(format) ? targets : [])].map((language) => pathOf(out, language));
}

/** Placeholder for the spoken language, which may be unknown. */
const SPOKEN = '';

function pathOf(out: string, language: string): string {
	if (language === SPOKEN) return out;
	return `${out.slice(0, -extname(out).length)}.${language}${extname(out)}`;
}

/** Undefined for standard output. */
function formatOf(path: string): CaptionFormat | undefined {
	const format = formatByEnding(extname(path).slice(1));
	return plainFormats.find((one) => one === format);
}
