import { isBuilt, typed } from '#main/lib/own-program.ts';
import { captionFormats, fileEnding, plainFormats } from '#shared/captions/export-formats.ts';

/** All commands and their options: for parsing (`line.ts`), `--help` and the table of docs/reference.md. */

/** Joins names for a sentence: `srt, vtt or json`. */
export function eitherOf(names: readonly string[]): string {
	return names.join(', ').replace(/, ([^,]*)$/, ' or $1');
}

/** The help text of an option: its value, if it takes one, and the lines that describe it. */
type OptionHelp = readonly [value: string, ...lines: string[]];
export type Options = Readonly<Partial<Record<OptionName, OptionHelp>>>;

export interface Command {
	/** The arguments that may follow its name, and what each form does. */
	readonly forms: readonly (readonly [usage: string, does: string])[];
	/** Takes one argument, or several; `wrong` replaces the usual error message for any other number. */
	readonly argument?: { readonly wrong?: string; readonly mayBeEmpty?: true; readonly several?: true };
	/** An option that can be given in place of the argument. */
	readonly instead?: OptionName;
	/** Options that help shows on a line of their own. */
	readonly options?: Options;
	/** Options that the forms already show. */
	readonly shown?: readonly OptionName[];
}

/** The first word of a command line, with its commands. */
export interface Topic {
	/** Commands by the second word; `''` for a topic that needs no second word. */
	readonly commands: Readonly<Record<string, Command>>;
	/** Shown after the names of its commands in the list of all topics. */
	readonly about?: string;
	/** Rows that describe the arguments, shown above the options in the help. */
	readonly arguments?: readonly (readonly [name: string, is: string])[];
	readonly notes?: string;
	readonly common: Common;
	/** With `--json`, it writes one line with an object for each event. */
	readonly isStream?: boolean;
}

/** Options that every command of a topic has. */
interface Common {
	readonly options: Options;
	/** Notes that help prints after the options. */
	readonly notes: string;
}

export const exitStatuses = `Exit status: 0 done, 1 failed, 2 usage, 3 credential refused, 4 not found, 5 limit or quota,
  6 network or service unreachable, 7 bad input file, 130 interrupted.`;

const json: OptionHelp = [
	'',
	'one JSON document on standard output; errors as {"error": {kind, message, code}}',
];

const everywhere: Common = {
	options: {
		json,
		'key-stdin': ['', 'read the API key from standard input (default: the variable DRAGOMAN_API_KEY)'],
		'api-url': ['URL', "the service's REST address (DRAGOMAN_API_URL)"],
		'user-data-dir': ['DIR', 'where the settings and the ledger are (DRAGOMAN_USER_DATA)'],
		'log-level': ['LEVEL', 'error, warn, info or debug, on standard error (DRAGOMAN_LOG_LEVEL)'],
		help: [''],
	},
	notes: exitStatuses,
};

const withSockets: Common = {
	options: { ...everywhere.options, 's2s-url': ['URL'], 'stt-url': ['URL'], 'tts-url': ['URL'] },
	notes: `${exitStatuses}
Addresses of the sockets: --s2s-url, --stt-url, --tts-url (DRAGOMAN_S2S_URL, DRAGOMAN_STT_URL,
  DRAGOMAN_TTS_URL). With an --api-url of your own they must be given, or they are off.`,
};

const local = {
	local: ['', 'on this computer, without an account or a network; needs models (models add)'],
	models: ['DIR', 'where the models are (DRAGOMAN_MODELS)'],
} as const;

const withoutService: Common = {
	options: { json, 'user-data-dir': ['DIR', 'where the history is (DRAGOMAN_USER_DATA)'], help: [''] },
	notes: 'Exit status: 0 done, 1 failed, 2 usage, 4 not found, 7 the history is of a later version.',
};

const FILE = ['FILE', 'WAV, or anything an installed ffmpeg reads; - is standard input (WAV)'] as const;
const raw: OptionHelp = ['', 'the sound is 24 kHz mono 16-bit little-endian without a header'];
const voice: OptionHelp = ['ID', 'default_low (default), default_high or a cloned voice'];

export const topics = {
	sessions: {
		commands: {
			list: { forms: [['', 'every session of the account, and who opened it']] },
			show: { forms: [['ID', 'one session']], argument: {} },
			create: { forms: [['', 'open a session for you; this program never deletes it by itself']] },
			extend: {
				forms: [['ID --ttl S', 'make it expire S seconds from now']],
				argument: {},
				shown: ['ttl'],
			},
			delete: {
				forms: [['ID [--yes]', 'delete it; asks first, or needs --yes where there is no terminal']],
				argument: {},
				shown: ['yes'],
			},
			prune: { forms: [['', "delete the sessions in this computer's ledger that no running program uses"]] },
		},
		notes: "ID is the service's id, or the short name that list shows.",
		common: everywhere,
	},
	translate: {
		commands: {
			'': {
				forms: [
					['FILE --from L --to L[,L...]', 'translate a recording into other languages: WAV and captions'],
				],
				argument: { wrong: '"translate" takes one file.' },
				options: {
					from: ['L', 'the language spoken, or auto'],
					to: ['L[,L...]', 'the languages to translate into, such as es or es,fr,de; may be repeated'],
					out: [
						'FILE.wav|DIR',
						'the translation; with several languages a folder; - writes WAV to standard output',
						'(default: NAME.L.wav in the current folder). Captions (SRT, VTT, JSON) go beside it',
					],
					voice,
					raw,
					...local,
					'no-glossaries': ['', "without the account's glossaries (otherwise all that are on apply)"],
				},
			},
		},
		arguments: [FILE],
		notes: `It takes as long as the recording lasts. Each sentence starts where it was spoken, or after the one
before it. With --json every final text is an object on its own line, and one cut off with "final": false.`,
		common: withSockets,
		isStream: true,
	},
	transcribe: {
		commands: {
			'': {
				forms: [['FILE', 'write what is said in a recording, as text or captions']],
				argument: { wrong: '"transcribe" takes one file.' },
				options: {
					from: ['L', 'the language spoken (default: auto)'],
					to: ['L[,L...]', 'also translate into these; may be repeated'],
					out: [
						'FILE',
						`${eitherOf(plainFormats.map((one) => `.${fileEnding(one)}`))}; default: text on standard output as it becomes final.`,
						'Translations go into FILE with their language before the extension; .json holds all',
					],
					raw,
					...local,
				},
			},
		},
		arguments: [FILE],
		common: withSockets,
		isStream: true,
	},
	speak: {
		commands: {
			'': {
				forms: [['TEXT|- --lang L', 'speak a text']],
				argument: { wrong: '"speak" takes one text; put it in quotes.', mayBeEmpty: true },
				options: {
					lang: ['L', 'the language of the text'],
					voice,
					...local,
					out: ['FILE.wav', 'where the speech goes; - is standard output (default: speech.L.wav)'],
				},
			},
		},
		arguments: [['TEXT', 'what to say; - reads it from standard input']],
		common: withSockets,
		isStream: true,
	},
	history: {
		commands: {
			list: {
				forms: [
					[
						'[--search TEXT]',
						'conversations, newest first; with --search those with all its words in one caption',
					],
				],
				shown: ['search'],
			},
			show: {
				forms: [['ID', 'one of them, with its captions and the files of its recordings']],
				argument: {},
			},
			export: {
				forms: [['ID', 'write it to standard output, or to a file with --out']],
				argument: {},
				options: {
					out: ['FILE', 'write to this file'],
					format: ['F', `${eitherOf(captionFormats.map(fileEnding))}; default: the ending of FILE, or txt`],
					language: ['L', 'which one; default: the first translation'],
					aligned: ['', 'with what was said beside it'],
					all: ['', 'every language in its own column'],
				},
			},
			delete: {
				forms: [
					['ID [--yes]', 'delete it for good; asks first, or needs --yes where there is no terminal'],
					['--all [--yes]', 'all of them'],
				],
				argument: {},
				instead: 'all',
				shown: ['all', 'yes'],
			},
		},
		about: ' kept conversations',
		notes: 'ID is the id, or its beginning as list shows it. No key is needed; the app may be running.',
		common: withoutService,
	},
	voices: {
		commands: {
			clone: {
				forms: [
					['FILE', 'make a voice from a sample: sound or video, one speaker, 30 s or more, 10 MB at most'],
				],
				argument: {},
				options: {
					name: ['N', '3 to 64 letters, digits, spaces and _ - . ( )'],
					lang: ['L', 'language of the sample, such as es or en-us; auto = the service detects it'],
					description: ['T', ''],
					label: ['K=V', 'gender, age_group or mood; may be repeated'],
					attribute: ['A', 'may be repeated'],
					denoise: ['', 'the sample has background noise'],
					normalize: ['', 'the sample is too quiet or uneven'],
					'skip-external': ['', "without the service's external providers"],
					'i-have-consent': ['', 'you may have this voice copied; asked on a terminal, required without one'],
					wait: [
						'',
						'wait until the voice is ready or has failed, 15 minutes at most; else until its sample is sent',
					],
				},
			},
			status: { forms: [['ID [--wait]', 'the status of a voice']], argument: {}, shown: ['wait'] },
			list: { forms: [['', 'voices made on this computer with this account']] },
		},
		notes: "ID is the service's voice id.",
		common: {
			options: {
				...everywhere.options,
				'voice-token-stdin': [
					'',
					'read a token for the voice endpoints from standard input (DRAGOMAN_VOICE_TOKEN)',
				],
			},
			notes: exitStatuses,
		},
	},
	glossaries: {
		commands: {
			list: { forms: [['', 'glossaries of the account']] },
			show: { forms: [['ID', 'one of them']], argument: {} },
			add: {
				forms: [
					['FILE.csv', 'make one from a table or TBX file and print its id; faults are reported by line'],
				],
				argument: {},
				options: {
					name: ['N', '3 to 64 letters without accents, digits, spaces and _ - .'],
					from: ['L', 'language of the first column, such as en'],
					to: ['L', 'language of the second, such as es; only for translation'],
					kind: [
						'K',
						'translation (default): how a word is translated; asr: what is recognised, and what it should',
						'be; asr_hot: words to listen for, one column',
					],
				},
			},
			enable: { forms: [['ID', 'apply it to conversations']], argument: {} },
			disable: { forms: [['ID', 'keep it, but do not apply it']], argument: {} },
			delete: {
				forms: [['ID [--yes]', 'delete it for good; asks first, or needs --yes where there is no terminal']],
				argument: {},
				shown: ['yes'],
			},
		},
		notes: `ID is the service's id, or the name where only one glossary has it. The table is CSV in UTF-8, at most 1 MB,
with or without a header row: the names or codes of the languages, or source,target. If the service has no glossaries, the exit status is 4.`,
		common: everywhere,
	},
	models: {
		commands: {
			list: { forms: [['', 'models of the local interpreter, and which are installed']] },
			add: {
				forms: [['ID...|FROM-TO', 'download them, or all that a pair such as en-pt needs']],
				argument: { several: true, wrong: '"models add" needs ids of models, or a pair such as en-pt.' },
				options: { from: ['DIR', 'copy DIR/ID/FILE instead, without a network'] },
			},
			remove: {
				forms: [['ID...', 'delete them from this computer']],
				argument: { several: true, wrong: '"models remove" needs ids of models.' },
			},
		},
		notes: `ID is as list shows it. What was interrupted goes on where it stopped. A file that is not what its
maker published is deleted, and the exit status is 7. DRAGOMAN_MODELS_URL names a mirror: URL/ID/FILE.`,
		common: {
			options: {
				json,
				models: ['DIR', 'where they are (DRAGOMAN_MODELS; default: models in the data folder)'],
				'user-data-dir': ['DIR', 'the data folder (DRAGOMAN_USER_DATA)'],
				help: [''],
			},
			notes: exitStatuses,
		},
	},
	balance: {
		commands: {
			'': { forms: [['', "the account's credit; exit status 4 if the service does not say"]] },
		},
		common: everywhere,
	},
	doctor: {
		commands: { '': { forms: [['', 'what works and what does not, with a next step for each']] } },
		notes: `  Checks everything Dragoman needs, from this computer to a room of the service, and says what was
  found and what to do. It opens one session for this and deletes it again. Only the window can check
  the microphone, the speakers and the audio connection (UDP, TCP, 443): see its Diagnostics page.`,
		common: {
			...withSockets,
			notes: `${withSockets.notes}
  The exit status is 0 when nothing failed (warnings do not count), otherwise that of the worst failure.`,
		},
	},
} as const satisfies Readonly<Record<string, Topic>>;

export type TopicName = keyof typeof topics;

/** The full name of a command, such as `sessions list` or `translate`. */
export type CommandName = {
	[Name in TopicName]: keyof (typeof topics)[Name]['commands'] extends infer Second
		? Second extends ''
			? Name
			: `${Name} ${Second & string}`
		: never;
}[TopicName];

export function isTopic(name: string): name is TopicName {
	return Object.hasOwn(topics, name);
}

/** The options as `parseArgs` takes them. */
export const optionKinds = {
	help: { type: 'boolean', short: 'h' },
	json: { type: 'boolean' },
	'key-stdin': { type: 'boolean' },
	'voice-token-stdin': { type: 'boolean' },
	'api-url': { type: 'string' },
	's2s-url': { type: 'string' },
	'stt-url': { type: 'string' },
	'tts-url': { type: 'string' },
	'user-data-dir': { type: 'string' },
	'log-level': { type: 'string' },
	from: { type: 'string' },
	to: { type: 'string', multiple: true },
	out: { type: 'string', short: 'o' },
	voice: { type: 'string' },
	raw: { type: 'boolean' },
	lang: { type: 'string' },
	ttl: { type: 'string' },
	yes: { type: 'boolean', short: 'y' },
	all: { type: 'boolean' },
	search: { type: 'string' },
	format: { type: 'string' },
	language: { type: 'string' },
	aligned: { type: 'boolean' },
	name: { type: 'string' },
	description: { type: 'string' },
	label: { type: 'string', multiple: true },
	attribute: { type: 'string', multiple: true },
	denoise: { type: 'boolean' },
	normalize: { type: 'boolean' },
	'skip-external': { type: 'boolean' },
	'i-have-consent': { type: 'boolean' },
	wait: { type: 'boolean' },
	kind: { type: 'string' },
	'no-glossaries': { type: 'boolean' },
	local: { type: 'boolean' },
	models: { type: 'string' },
} as const;

export type OptionName = keyof typeof optionKinds;

/** The column where descriptions of options and commands begin. */
const COLUMN = 24;

/** Further programs that the installed `dragoman` runs (bin/dragoman.mjs); in a checkout they are npm scripts. */
const programs = [
	['start', 'open the app, as dragoman alone does'],
	['demo', 'open the app to try it without an account, or hold a conversation from a recording'],
	['sandbox', 'the built-in practice service, for tests of other programs'],
] as const;

/** The output of `--help` without a command. */
export function overview(): string {
	const rows = entries().flatMap(([name, topic]) => {
		const single = topic.commands[''];
		if (!single) return row(2, name, `${Object.keys(topic.commands).join(', ')}${topic.about ?? ''}`);
		const [argument = ''] = topic.arguments?.[0] ?? [];
		return single.forms.flatMap(([, does]) => row(2, `${name} ${argument}`.trim(), does));
	});
	return [
		`Usage: ${typed.cli} COMMAND [options]`,
		'',
		...(isBuilt ? programs.flatMap(([name, does]) => row(2, name, does)) : []),
		...rows,
		...row(2, 'COMMAND --help', 'more about one of them'),
		'',
		...commonLines(everywhere),
	].join('\n');
}

export function helpOf(name: TopicName): string {
	const topic: Topic = topics[name];
	const usage = topic.commands['']?.forms[0]?.[0] ?? 'COMMAND';
	const rows = [
		...(topic.arguments ?? []).flatMap(([argument, is]) => row(2, argument, is)),
		...Object.entries(topic.commands).flatMap(([second, command]) =>
			second === '' ? optionRows(command.options, 2) : commandRows(second, command),
		),
	];
	return [
		`Usage: ${typed.cli} ${[name, usage, '[options]'].filter((word) => word !== '').join(' ')}`,
		'',
		...rows,
		...(rows.length > 0 ? [''] : []),
		...(topic.notes === undefined ? [] : [topic.notes, '']),
		...commonLines(topic.common),
	].join('\n');
}

/** The table of all commands in docs/reference.md. */
export function commandTable(): string {
	const rows = entries().flatMap(([name, topic]) =>
		Object.entries(topic.commands).flatMap(([second, { forms }]) =>
			forms.map(([usage, does]) => {
				const typed = [name, second, usage].filter((word) => word !== '').join(' ');
				return `| \`${typed.replaceAll('|', '\\|')}\` | ${does} |`;
			}),
		),
	);
	return ['| Command | What it does |', '|---|---|', ...rows].join('\n');
}

function entries(): readonly (readonly [string, Topic])[] {
	return Object.entries(topics);
}

function commandRows(second: string, { forms, options }: Command): readonly string[] {
	return [
		...forms.flatMap(([usage, does]) => row(2, `${second} ${usage}`.trim(), does)),
		...optionRows(options, 4),
	];
}

function commonLines({ options, notes }: Topic['common']): readonly string[] {
	return ['Options of every command:', ...optionRows(options, 2), notes];
}

/** Leaves out options that only the notes mention. */
function optionRows(options: Options = {}, indent: number): readonly string[] {
	return Object.entries(options).flatMap(([name, [value, ...lines]]) =>
		lines.length === 0 && name !== 'help' ? [] : row(indent, `--${name} ${value}`, ...lines),
	);
}

function row(indent: number, term: string, ...lines: readonly string[]): readonly string[] {
	const [first = '', ...more] = lines;
	const start = `${' '.repeat(indent)}${term}`.padEnd(COLUMN - 2).trimEnd();
	const head = first === '' ? start : `${start.padEnd(COLUMN - 2)}  ${first}`;
	return [head, ...more.map((line) => `${' '.repeat(COLUMN)}${line}`)];
}
