import { parseArgs } from 'node:util';
import { typed } from '#main/lib/own-program.ts';
import { wrongArguments } from '#shared/lib/terminal.ts';
import { ACCEPTED_SOURCES, ACCEPTED_TARGETS } from '#shared/protocol/languages.ts';

export interface DemoOptions {
	readonly headless: boolean;
	/** True if the demo plays the recording itself: there is no window, or `--input` or `--out` was given. */
	readonly holds: boolean;
	/** WAV to speak; null = the recording that ships. */
	readonly input: string | null;
	readonly from: string;
	/** Target languages, at least one; the first is spoken. */
	readonly to: readonly string[];
	/** True if the user chose the languages; otherwise the window keeps those of its settings. */
	readonly namesLanguages: boolean;
	/** Null = `out/demo`, or `demo` in the named data folder. */
	readonly out: string | null;
	/** Use this computer's own interpreter. */
	readonly local: boolean;
	/** Folder of its models; null = where the app keeps them. */
	readonly models: string | null;
	/** Data folder of the window; null = a separate one. */
	readonly userData: string | null;
}

export const help = `${typed.demo} [--headless] [--input FILE] [--from en] [--to es[,fr…]] [--out OUT]
${' '.repeat(typed.demo.length)} [--user-data-dir DIR] [--local] [--models DIR]

Opens the app; --from and --to choose its languages. Where the models for them are installed
(${typed.cli} models add en-es) it interprets on this computer, else it is connected to the built-in
sandbox, whose phrases are canned. --local insists on this computer. With
--headless or without a display, and with --input or --out, it holds a whole conversation from a
recording by itself and leaves in OUT: heard.wav, captions.<language>.srt, captions.json, window.png,
summary.json. OUT is out/demo unless you name another folder. FILE is WAV, or anything an installed
ffmpeg reads, nine minutes at most.

The window has its own data folder, which is deleted with it; --user-data-dir or DRAGOMAN_USER_DATA
chooses one that stays; OUT is then demo in that folder.

With DRAGOMAN_API_URL and DRAGOMAN_API_KEY set it uses that service instead.
Exit status: 0 done, 1 failed, 2 usage, 3 credential refused, 4 models missing, 5 limit, 6 service unreachable,
7 bad input file, 130 interrupted.
`;

/** The options, `help`, or an error message. */
export function readOptions(
	argv: readonly string[],
	hasDisplay: boolean,
): DemoOptions | 'help' | { readonly wrong: string } {
	let values: Record<string, string | boolean | undefined>;
	try {
		({ values } = parseArgs({
			args: [...argv],
			allowPositionals: false,
			options: {
				headless: { type: 'boolean' },
				input: { type: 'string' },
				from: { type: 'string' },
				to: { type: 'string' },
				out: { type: 'string' },
				'user-data-dir': { type: 'string' },
				local: { type: 'boolean' },
				models: { type: 'string' },
				help: { type: 'boolean', short: 'h' },
			},
		}));
	} catch (failure) {
		return { wrong: wrongArguments(failure) };
	}
	if (values.help) return 'help';
	const from = String(values.from ?? 'en').toLowerCase();
	const to = String(values.to ?? 'es')
		.toLowerCase()
		.split(',')
		.map((code) => code.trim());
	if (!ACCEPTED_SOURCES.has(from)) return { wrong: `--from ${from}: not a source language of the service` };
	const unknown = to.find((code) => !ACCEPTED_TARGETS.has(code));
	if (unknown !== undefined) return { wrong: `--to ${unknown}: not a target language of the service` };
	if (to.includes(from)) return { wrong: `--from and --to are the same language: ${from}` };
	if (new Set(to).size < to.length) return { wrong: '--to names a language twice' };
	const { input, out } = values;
	if (input === '' || out === '') return { wrong: '--input and --out want a value' };
	const userData = values['user-data-dir'];
	if (userData === '') return { wrong: '--user-data-dir needs a value' };
	if (values.models === '') return { wrong: '--models needs a value' };
	const headless = values.headless === true || !hasDisplay;
	return {
		headless,
		holds: headless || input !== undefined || out !== undefined,
		input: typeof input === 'string' ? input : null,
		from,
		to,
		namesLanguages: values.from !== undefined || values.to !== undefined,
		out: typeof out === 'string' ? out : null,
		local: values.local === true,
		models: typeof values.models === 'string' ? values.models : null,
		userData: typeof userData === 'string' ? userData : null,
	};
}
