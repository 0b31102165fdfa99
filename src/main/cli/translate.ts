import { basename, extname, join, resolve } from 'node:path';
import { checkChoices } from '#shared/conversation/task-builder.ts';
import { EXIT, type ExitStatus } from '#shared/exit-status.ts';
import { ACCEPTED_SOURCES, ACCEPTED_TARGETS, AUTO, baseOf } from '#shared/protocol/languages.ts';
import { defaultSettings } from '#shared/settings/schema.ts';
import { openAudio } from './audio-input.ts';
import type { Terminal } from './context.ts';
import { codesOf, createRunning, optionOf, parseStream } from './running.ts';
import { createStreamContext, streamHelp } from './stream-context.ts';
import { type TranslatePlan, translateAudio } from './translate-audio.ts';

const help = `Usage: npm run cli -- translate FILE --from L --to L[,L...] [options]

  FILE                  WAV, or anything an installed ffmpeg reads; - is standard input (WAV)
  --from L              the language spoken, or auto
  --to L[,L...]         the languages wanted, such as es or es,fr,de
  --out FILE.wav|DIR    the translation; with several languages a folder; - writes WAV to standard output
                        (default: NAME.L.wav in the current folder). Captions (SRT, VTT, JSON) go beside it
  --voice ID            default_low (default), default_high or a cloned voice
  --raw                 the sound is 24 kHz mono 16-bit little-endian without a header

It takes as long as the sound does. Each sentence is put where its source was spoken, or behind the one
before it. With --json every final text is an object on a line of its own.

${streamHelp}`;

/** The command `translate …`. */
export async function runTranslate(args: readonly string[], terminal: Terminal): Promise<ExitStatus> {
	const parsed = parseStream(args, {
		from: { type: 'string' },
		to: { type: 'string' },
		voice: { type: 'string' },
		raw: { type: 'boolean' },
	});
	if (typeof parsed !== 'string' && parsed.values.help) {
		terminal.out(`${help}\n`);
		return EXIT.done;
	}
	const plan = typeof parsed === 'string' ? parsed : planOf(parsed.values, parsed.positionals);
	if (typeof plan === 'string' || typeof parsed === 'string') {
		terminal.error(`${String(plan)}\nTry: npm run cli -- translate --help\n`);
		return EXIT.usage;
	}
	const { values } = parsed;
	const running = createRunning(terminal, { json: values.json === true, what: 'translated' });
	const wrong = plan.choices.speak === AUTO ? null : checkChoices(plan.choices);
	if (wrong) return running.problem(wrong);
	const input = await openAudio(plan, terminal);
	if (!input.ok) return running.problem(input.error);
	try {
		const context = await createStreamContext(values, terminal);
		return await translateAudio(plan, input.value, { ...context, terminal, running });
	} finally {
		input.value.close();
	}
}

/** A sentence when the command line cannot be meant. */
function planOf(
	values: Parameters<typeof optionOf>[0],
	positionals: readonly string[],
): TranslatePlan | string {
	const [file = ''] = positionals;
	if (positionals.length !== 1 || file === '') return '"translate" takes one file.';
	const from = optionOf(values, 'from').toLowerCase();
	const to = codesOf(optionOf(values, 'to'));
	if (from === '') return 'Which language is spoken? --from wants a code such as en, or auto.';
	if (!ACCEPTED_SOURCES.has(baseOf(from))) return `--from: "${from}" is no language of the service.`;
	if (to.length === 0) return 'Into which language? --to wants a code such as es, or several: es,fr.';
	const unknown = to.find((code) => !ACCEPTED_TARGETS.has(code));
	if (unknown !== undefined) return `--to: "${unknown}" is no language of the service.`;
	if (file === '-' && values['key-stdin']) return '- and --key-stdin both want standard input.';
	const out = optionOf(values, 'out');
	const isWav = /\.wav$/i.test(out);
	if (out === '-' && (to.length > 1 || values.json)) return '--out - is for one language and without --json.';
	if (/\.(mp3|m4a|aac|ogg|oga|opus|flac|wma|mp4|mkv|webm)$/i.test(out))
		return '--out wants a name that ends in .wav, or a folder.';
	if (isWav && to.length > 1) return 'With several languages --out is a folder.';
	const voice = optionOf(values, 'voice');
	const choices = {
		...defaultSettings,
		speak: from,
		detectable: [],
		hear: [...to],
		voices: voice === '' ? {} : Object.fromEntries(to.map((code) => [code, voice])),
	};
	const stem = isWav ? out.slice(0, -4) : join(out === '-' ? '' : out, stemOf(file));
	const wavs = new Map(to.map((code) => [code, isWav ? out : `${stem}.${code}.wav`]));
	if ([...wavs.values()].some((path) => resolve(path) === resolve(file))) return '--out is the file itself.';
	return { file, raw: values.raw === true, choices, wavs: out === '-' ? null : wavs, stem };
}

function stemOf(file: string): string {
	return file === '-' ? 'translation' : basename(file, extname(file));
}
