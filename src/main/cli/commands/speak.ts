import { nameOf } from '#main/cli/audio-input.ts';
import { type Context, type ServiceContext, withService } from '#main/cli/context.ts';
import type { Line } from '#main/cli/line.ts';
import { createProgress } from '#main/cli/output.ts';
import { createFileSink, createPipeSink, cutStem, wavRefusal } from '#main/cli/output-files.ts';
import { wordsOf } from '#main/cli/problems.ts';
import { CUT_NOTE } from '#main/cli/sound-run.ts';
import { createTextToSpeech } from '#main/streaming/text-to-speech.ts';
import { EXIT, type ExitStatus } from '#shared/exit-status.ts';
import type { Problem } from '#shared/problem.ts';
import { SPOKEN_LANGUAGES } from '#shared/protocol/languages.ts';
import { SOCKET_AUDIO } from '#shared/protocol/limits.ts';

interface Plan {
	readonly text: string;
	readonly language: string;
	readonly voiceId: string | undefined;
	readonly out: string;
}

export async function runSpeak(context: Context, line: Line): Promise<ExitStatus> {
	const { output, signal, terminal } = context;
	const plan = planOf(line);
	if (typeof plan === 'string') return output.usage(plan);
	const unwritable = await wavRefusal(plan.out === '-' ? [] : [plan.out]);
	if (unwritable) return output.usage(unwritable);
	const text = plan.text === '-' ? await terminal.readInput() : plan.text;
	if (signal.aborted) return output.problem({ kind: 'cancelled' });
	// Text in another encoding would decode to garbage, which the service would speak and charge for.
	if (text === null || text.includes('\uFFFD'))
		return output.problem({
			kind: 'file-unreadable',
			file: nameOf(plan.text),
			reason: 'it is not UTF-8 text',
		});
	if (!hasWords(text)) return output.usage('There is nothing to say: the text on standard input is empty.');
	return withService((service) => speak({ ...plan, text }, service))(context, line);
}

async function speak(plan: Plan, context: ServiceContext): Promise<ExitStatus> {
	const { output, signal, terminal } = context;
	const progress = createProgress(output, 'spoken');
	const engine = createTextToSpeech({ ...context, address: () => context.socketAddress('tts') });
	const { text, language, voiceId } = plan;
	const opened = await engine.open({ language, voiceId, noOtherVoice: true }, signal);
	if (!opened.ok) return output.problem(opened.error);
	let unwritable: Problem | null = null;
	const sink =
		plan.out === '-'
			? createPipeSink(terminal.outBytes ?? (async () => {}))
			: createFileSink(plan.out, (failure) => {
					unwritable = failure;
					// Cancel, because the rest would be spoken, and paid for, in vain.
					engine.cancel();
				});
	const begun = await sink.begun;
	if (!begun.ok) {
		await engine.close();
		return output.problem(begun.error);
	}
	const lengthMs = () => Math.round((sink.length / SOCKET_AUDIO.sampleRateHz) * 1000);
	const spoken = await engine.speak(text, ({ samples }) => {
		sink.write(samples);
		progress.at(lengthMs(), null);
	});
	await engine.close();
	output.clear();

	/** Why the run ended early; null = it did not. */
	function failure(): Problem | null {
		if (signal.aborted) return { kind: 'cancelled' };
		return unwritable ?? (spoken.ok ? null : spoken.error);
	}

	/** Keeps the speech that arrived before the run was cut off. */
	async function keepCut(): Promise<void> {
		if (plan.out === '-' || unwritable !== null || sink.length === 0) return sink.discard();
		const path = `${cutStem(plan.out.slice(0, -WAV.length))}${plan.out.slice(-WAV.length)}`;
		const kept = await sink.finish(path);
		if (kept.ok) tellFile(path);
		output.note(kept.ok ? CUT_NOTE : wordsOf(kept.error));
	}

	function tellFile(path: string): void {
		output.event({ type: 'file', language, path, duration_ms: lengthMs() });
		output.line(path);
	}

	const problem = failure();
	if (problem) {
		await keepCut();
		return output.problem(problem);
	}
	const written = await sink.finish();
	if (!written.ok) return output.problem(written.error);
	if (plan.out !== '-') tellFile(plan.out);
	return EXIT.done;
}

const WAV = '.wav';

/** False for a text that is empty or holds nothing but spaces and invisible marks. */
function hasWords(text: string): boolean {
	return /[^\p{C}\p{Z}\p{M}]/u.test(text);
}

/** The plan, or an error message about the command line. */
function planOf(line: Line): Plan | string {
	const text = line.argument;
	if (!hasWords(text)) return 'There is nothing to say: the text is empty.';
	if (text.includes('\uFFFD'))
		return 'The text has a character that could not be read. Write it in UTF-8, or pipe it in with "speak -".';
	const language = line.text('lang').toLowerCase();
	if (!/^[a-z]{2,3}(-[a-z0-9]{2,8})?$/.test(language))
		return '--lang needs the language of the text, such as es.';
	if (!SPOKEN_LANGUAGES.includes(language))
		return `--lang: the service does not speak "${language}", but ${SPOKEN_LANGUAGES.join(', ')}.`;
	if (text === '-' && line.has('key-stdin')) return '- and --key-stdin both want standard input.';
	const out = line.text('out') || `speech.${language}.wav`;
	if (out === '-' && line.has('json')) return '--out - goes without --json.';
	if (out !== '-' && !/\.wav$/i.test(out)) return '--out needs a name that ends in .wav.';
	return { text, language, voiceId: line.text('voice') || undefined, out };
}
