import { stat } from 'node:fs/promises';
import { basename, extname, join, resolve } from 'node:path';
import { openAudio } from '#main/cli/audio-input.ts';
import { type Context, withService } from '#main/cli/context.ts';
import { codesOf, type Line } from '#main/cli/line.ts';
import { wavRefusal } from '#main/cli/wav-sink.ts';
import { checkChoices } from '#shared/conversation/task-builder.ts';
import type { ExitStatus } from '#shared/exit-status.ts';
import { ACCEPTED_SOURCES, ACCEPTED_TARGETS, AUTO, baseOf } from '#shared/protocol/languages.ts';
import { defaultSettings } from '#shared/settings/schema.ts';
import { type TranslatePlan, translateAudio } from './translate-audio.ts';

/** The command `translate …`. */
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

/** The plan, or a sentence that says what is wrong with the command line. */
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

/** By another name: a link, or another spelling where upper and lower case are the same. */
async function isOverItself({ file, wavs }: TranslatePlan): Promise<boolean> {
	const input = file === '-' ? null : await identityOf(file);
	if (input === null) return false;
	for (const path of wavs?.values() ?? []) if ((await identityOf(path)) === input) return true;
	return false;
}

/** The same for each name of a file; null where there is none. */
async function identityOf(path: string): Promise<string | null> {
	const found = await stat(path, { bigint: true }).catch(() => null);
	return found && `${found.dev}:${found.ino}`;
}

function stemOf(file: string): string {
	return file === '-' ? 'translation' : basename(file, extname(file));
}
