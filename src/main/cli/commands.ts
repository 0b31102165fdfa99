/**
 * Every command of the command line and its options: parsing (`line.ts`), `--help` and the table of docs/command-line.md (`help.ts`)
 * come from here.
 */
import { captionFormats, fileEnding, plainFormats } from '#shared/captions/formats.ts';
import type { OptionName } from './option-kinds.ts';

/** `srt, vtt or json`. */
export function eitherOf(names: readonly string[]): string {
	return names.join(', ').replace(/, ([^,]*)$/, ' or $1');
}

/** What help shows beside an option: its value, if it takes one, and lines about it. */
type OptionHelp = readonly [value: string, ...lines: string[]];
export type Options = Readonly<Partial<Record<OptionName, OptionHelp>>>;

/** Something that can be run. */
export interface Command {
	/** Ways of typing it, behind its name, and what each does. */
	readonly forms: readonly (readonly [usage: string, does: string])[];
	/** Takes one argument; what is said of any other number of them, where it is not the usual. */
	readonly argument?: { readonly wrong?: string; readonly mayBeEmpty?: true };
	/** This option stands in place of the argument. */
	readonly instead?: OptionName;
	/** Options that help shows on a line of their own. */
	readonly options?: Options;
	/** Those that its forms show already. */
	readonly shown?: readonly OptionName[];
}

/** A first word of the command line. */
export interface Topic {
	/** By the second word; `''` where there is none. */
	readonly commands: Readonly<Record<string, Command>>;
	/** Behind the names of its commands in the list of all. */
	readonly about?: string;
	/** Rows of its help above its options: what its arguments are. */
	readonly arguments?: readonly (readonly [name: string, is: string])[];
	readonly notes?: string;
	readonly common: Common;
	/** With `--json` it writes an object on a line of its own for each thing that happens. */
	readonly isStream?: boolean;
}

/** Options that every command of a topic has. */
export interface Common {
	readonly options: Options;
	/** Behind them. */
	readonly notes: string;
}

export const exitStatuses = `Exit status: 0 done, 1 failed, 2 usage, 3 credential refused, 4 not found, 5 limit or quota,
  6 network or service unreachable, 7 bad input file, 130 interrupted.`;

const json: OptionHelp = [
	'',
	'one JSON document on standard output; errors as {"error": {kind, message, code}}',
];

export const everywhere: Common = {
	options: {
		json,
		'key-stdin': ['', 'read the API key from standard input (else the variable DRAGOMAN_API_KEY)'],
		'api-url': ['URL', "the service's REST address (DRAGOMAN_API_URL)"],
		'user-data-dir': ['DIR', 'where settings and ledger are (DRAGOMAN_USER_DATA)'],
		'log-level': ['LEVEL', 'error, warn, info or debug, on standard error (DRAGOMAN_LOG_LEVEL)'],
		help: [''],
	},
	notes: exitStatuses,
};

const withSockets: Common = {
	options: { ...everywhere.options, 's2s-url': ['URL'], 'stt-url': ['URL'], 'tts-url': ['URL'] },
	notes: `${exitStatuses}
Addresses of the sockets: --s2s-url, --stt-url, --tts-url (DRAGOMAN_S2S_URL, DRAGOMAN_STT_URL,
  DRAGOMAN_TTS_URL). With an --api-url of your own they must be named, else they are off.`,
};

const withoutService: Common = {
	options: { json, 'user-data-dir': ['DIR', 'where the history is (DRAGOMAN_USER_DATA)'], help: [''] },
	notes: "Exit status: 0 done, 1 failed, 2 usage, 4 not found, 7 the history's file is broken.",
};

const FILE = ['FILE', 'WAV, or anything an installed ffmpeg reads; - is standard input (WAV)'] as const;
const raw: OptionHelp = ['', 'the sound is 24 kHz mono 16-bit little-endian without a header'];
const voice: OptionHelp = ['ID', 'default_low (default), default_high or a cloned voice'];

export const topics = {
	sessions: {
		commands: {
			list: { forms: [['', 'every session of the account, with whose it is']] },
			show: { forms: [['ID', 'one session']], argument: {} },
			create: { forms: [['', 'make a session and hand it to you: this program never deletes it by itself']] },
			extend: {
				forms: [['ID --ttl S', 'let it expire S seconds from now']],
				argument: {},
				shown: ['ttl'],
			},
			delete: {
				forms: [['ID [--yes]', 'delete it; asks first, and without a terminal wants --yes']],
				argument: {},
				shown: ['yes'],
			},
			prune: { forms: [['', "delete what this computer's ledger holds and no running program uses"]] },
		},
		notes: "ID is the service's id, or the short name that list shows.",
		common: everywhere,
	},
	translate: {
		commands: {
			'': {
				forms: [['FILE --from L --to L[,L...]', 'a recording in other languages: WAV and captions']],
				argument: { wrong: '"translate" takes one file.' },
				options: {
					from: ['L', 'the language spoken, or auto'],
					to: ['L[,L...]', 'the languages wanted, such as es or es,fr,de'],
					out: [
						'FILE.wav|DIR',
						'the translation; with several languages a folder; - writes WAV to standard output',
						'(default: NAME.L.wav in the current folder). Captions (SRT, VTT, JSON) go beside it',
					],
					voice,
					raw,
					'no-glossaries': ['', "without the account's glossaries, which else all apply"],
				},
			},
		},
		arguments: [FILE],
		notes: `It takes as long as the sound does. Each sentence is put where its source was spoken, or behind the one
before it. With --json every final text is an object on a line of its own.`,
		common: withSockets,
		isStream: true,
	},
	transcribe: {
		commands: {
			'': {
				forms: [['FILE', 'what is said in a recording, as text or captions']],
				argument: { wrong: '"transcribe" takes one file.' },
				options: {
					from: ['L', 'the language spoken (default: auto)'],
					to: ['L[,L...]', 'also translated into these'],
					out: [
						'FILE',
						`${eitherOf(plainFormats.map((one) => `.${fileEnding(one)}`))}; default: text on standard output as it becomes final.`,
						'Translations go into FILE with their language before the extension; .json holds all',
					],
					raw,
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
				forms: [['TEXT|- --lang L', 'a text as speech']],
				argument: { wrong: '"speak" takes one text; put it in quotes.', mayBeEmpty: true },
				options: {
					lang: ['L', 'the language of the text'],
					voice,
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
						'conversations, the newest first; those in which all words stand in one caption',
					],
				],
				shown: ['search'],
			},
			show: { forms: [['ID', 'one of them, with its captions']], argument: {} },
			export: {
				forms: [['ID', 'write it to standard output, or with --out into a file']],
				argument: {},
				options: {
					out: ['FILE', 'into this file'],
					format: [
						'F',
						`${eitherOf(captionFormats.map(fileEnding))}; default: what FILE ends with, else txt`,
					],
					language: ['L', 'which one; default: the first translation'],
					aligned: ['', 'what was said beside it'],
					all: ['', 'every language in a column of its own'],
				},
			},
			delete: {
				forms: [
					['ID [--yes]', 'delete it for good; asks first, and without a terminal wants --yes'],
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
					['FILE', 'make a voice of a sample: sound or video, one speaker, 30 s or more, 10 MB at most'],
				],
				argument: {},
				options: {
					name: ['N', '3 to 64 letters, digits, spaces and _ - . ( )'],
					lang: ['L', 'language of the sample, such as es or en-us; auto = the service finds out'],
					description: ['T', ''],
					label: ['K=V', 'gender, age_group or mood; may be repeated'],
					attribute: ['A', 'may be repeated'],
					denoise: ['', 'the sample has background noise'],
					normalize: ['', 'the sample is too quiet or uneven'],
					'skip-external': ['', "not at the service's external provider too"],
					'i-have-consent': [
						'',
						'you may have this voice copied; asked for on a terminal, required without one',
					],
					wait: ['', 'until the voice is ready or has failed, not only until its sample is there'],
				},
			},
			status: { forms: [['ID [--wait]', 'how a voice is']], argument: {}, shown: ['wait'] },
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
					[
						'FILE.csv',
						'make one of a table or a TBX file, and print its id; what is wrong in it is said by line',
					],
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
			enable: { forms: [['ID', 'let it apply to conversations']], argument: {} },
			disable: { forms: [['ID', 'keep it, without effect']], argument: {} },
			delete: {
				forms: [['ID [--yes]', 'delete it for good; asks first, and without a terminal wants --yes']],
				argument: {},
				shown: ['yes'],
			},
		},
		notes: `ID is the service's id, or the name where only one glossary has it. The table is CSV in UTF-8, at most 1 MB,
with or without a row of titles. A service without glossaries: exit status 4.`,
		common: everywhere,
	},
	balance: {
		commands: {
			'': { forms: [['', "the account's credit, as the service tells it; exit status 4 where it does not"]] },
		},
		common: everywhere,
	},
	doctor: {
		commands: { '': { forms: [['', 'what works and what does not, with a next step for each']] } },
		notes: `  Looks at everything Dragoman needs, from this computer to a room of the service, and says of each
  what was found and what to do. It makes one session for a look and deletes it again. Microphone,
  loudspeakers and the way of the sound (UDP, TCP, 443) can be seen by the window alone: there it is
  the page Diagnostics.`,
		common: {
			...withSockets,
			notes: `${withSockets.notes}
  The exit status is 0 when nothing failed (warnings may stand), else that of the worst failure.`,
		},
	},
} as const satisfies Readonly<Record<string, Topic>>;

export type TopicName = keyof typeof topics;

/** `sessions list`, `translate`. */
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
