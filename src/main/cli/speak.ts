import { createTextToSpeech } from '#main/streaming/text-to-speech.ts';
import { EXIT, type ExitStatus } from '#shared/exit-status.ts';
import { SPOKEN_LANGUAGES } from '#shared/protocol/languages.ts';
import { SOCKET_AUDIO } from '#shared/protocol/vocabulary.ts';
import type { Terminal } from './context.ts';
import { createRunning, optionOf, parseStream } from './running.ts';
import { createStreamContext, streamHelp } from './stream-context.ts';
import { createFileSink, createPipeSink } from './wav-sink.ts';

const help = `Usage: npm run cli -- speak TEXT|- --lang L [options]

  TEXT                  what to say; - reads it from standard input
  --lang L              the language of the text
  --voice ID            default_low (default), default_high or a cloned voice
  --out FILE.wav        where the speech goes; - is standard output (default: speech.L.wav)

${streamHelp}`;

interface Plan {
	readonly text: string;
	readonly language: string;
	readonly voiceId: string | undefined;
	readonly out: string;
}

/** The command `speak …`. */
export async function runSpeak(args: readonly string[], terminal: Terminal): Promise<ExitStatus> {
	const parsed = parseStream(args, { lang: { type: 'string' }, voice: { type: 'string' } });
	if (typeof parsed !== 'string' && parsed.values.help) {
		terminal.out(`${help}\n`);
		return EXIT.done;
	}
	const plan = typeof parsed === 'string' ? parsed : planOf(parsed.values, parsed.positionals);
	if (typeof plan === 'string' || typeof parsed === 'string') {
		terminal.error(`${String(plan)}\nTry: npm run cli -- speak --help\n`);
		return EXIT.usage;
	}
	const running = createRunning(terminal, { json: parsed.values.json === true, what: 'spoken' });
	const text = plan.text === '-' ? await terminal.readInput() : plan.text;
	if (!hasWords(text)) {
		terminal.error('There is nothing to say: the text on standard input is empty.\n');
		return EXIT.usage;
	}
	const context = await createStreamContext(parsed.values, terminal);
	const engine = createTextToSpeech({ ...context, address: context.address('tts') });
	const { signal } = terminal;
	const { language, voiceId } = plan;
	const opened = await engine.open({ language, voiceId, noOtherVoice: true }, signal);
	if (!opened.ok) return running.problem(opened.error);
	const sink =
		plan.out === '-' ? createPipeSink(terminal.outBytes ?? (async () => {})) : createFileSink(plan.out);
	const begun = await sink.begun;
	if (!begun.ok) {
		await engine.close();
		return running.problem(begun.error);
	}
	const lengthMs = () => Math.round((sink.length / SOCKET_AUDIO.sampleRateHz) * 1000);
	const spoken = await engine.speak(text, ({ samples }) => {
		sink.write(samples);
		running.progress.at(lengthMs(), null);
	});
	await engine.close();
	running.progress.clear();
	if (signal.aborted || !spoken.ok) {
		await sink.discard();
		return running.problem(spoken.ok || signal.aborted ? { kind: 'cancelled' } : spoken.error);
	}
	const written = await sink.finish();
	if (!written.ok) return running.problem(written.error);
	if (plan.out !== '-') {
		running.event({ type: 'file', language: plan.language, path: plan.out, duration_ms: lengthMs() });
		running.line(plan.out);
	}
	return EXIT.done;
}

/** False of a text that is empty, or nothing but spaces and marks that cannot be seen. */
function hasWords(text: string): boolean {
	return /[^\p{C}\p{Z}\p{M}]/u.test(text);
}

function planOf(values: Parameters<typeof optionOf>[0], positionals: readonly string[]): Plan | string {
	const [text = ''] = positionals;
	if (positionals.length !== 1) return '"speak" takes one text; put it in quotes.';
	if (!hasWords(text)) return 'There is nothing to say: the text is empty.';
	const language = optionOf(values, 'lang').toLowerCase();
	if (!/^[a-z]{2,3}(-[a-z0-9]{2,8})?$/.test(language))
		return '--lang wants the language of the text, such as es.';
	if (!SPOKEN_LANGUAGES.includes(language))
		return `--lang: the service does not speak "${language}", but ${SPOKEN_LANGUAGES.join(', ')}.`;
	if (text === '-' && values['key-stdin']) return '- and --key-stdin both want standard input.';
	const out = optionOf(values, 'out') || `speech.${language}.wav`;
	if (out === '-' && values.json) return '--out - goes without --json.';
	if (out !== '-' && !/\.wav$/i.test(out)) return '--out wants a name that ends in .wav.';
	return { text, language, voiceId: optionOf(values, 'voice') || undefined, out };
}
