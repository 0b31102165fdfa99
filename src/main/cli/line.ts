import { parseArgs } from 'node:util';
import { wrongArguments } from '#shared/lib/terminal.ts';
import {
	type Command,
	type CommandName,
	isTopic,
	type OptionName,
	type Options,
	optionKinds,
	type Topic,
	type TopicName,
	topics,
} from './command-list.ts';

/** The parsed command line after the first word. */
export interface Line {
	readonly command: CommandName;
	/** Empty if the command takes no argument. */
	readonly argument: string;
	/** All arguments, if the command takes several. */
	readonly arguments: readonly string[];
	/** True if this switch was given. */
	has(name: OptionName): boolean;
	/** The value of an option that takes one; empty when it was not given. */
	text(name: OptionName): string;
	/** The values of an option that may be repeated. */
	all(name: OptionName): readonly string[];
}

/** The parsed line, an error message, or `help` when help was requested. */
export function readLine(name: TopicName, args: readonly string[]): Line | string | 'help' {
	const topic: Topic = topics[name];
	const isGroup = topic.commands[''] === undefined;
	const known = namesOf(topic);
	const options = Object.fromEntries(known.map((option) => [option, optionKinds[option]]));
	const takesNothing = !isGroup && !topic.commands['']?.argument;
	let read: { readonly values: Readonly<Record<string, unknown>>; readonly positionals: readonly string[] };
	try {
		read = parseArgs({ args: [...args], options, allowPositionals: !takesNothing, strict: true });
	} catch (thrown) {
		return wrongLine(thrown);
	}
	const { values } = read;
	if (values.help === true) return 'help';
	const level = wrongLevel(values['log-level']);
	if (level !== '') return level;
	const [second = '', ...rest] = isGroup ? read.positionals : ['', ...read.positionals];
	if (isGroup && second === '') return 'Which command?';
	const command = Object.hasOwn(topic.commands, second) ? topic.commands[second] : undefined;
	if (!command) return `There is no command "${name} ${second}".`;
	const typed = second === '' ? name : `${name} ${second}`;
	const allowed = [...keysOf(topic.common.options), ...ownOf(command)];
	const odd = (Object.keys(values) as OptionName[]).find((option) => !allowed.includes(option));
	if (odd) return `"${typed}" has no option --${odd}.`;
	// An empty value usually comes from an unset variable of a script; the default would not be what was meant.
	const empty = Object.keys(values).find((option) => [values[option]].flat().includes(''));
	if (empty) return `--${empty} needs a value.`;
	if (values['key-stdin'] === true && values['voice-token-stdin'] === true)
		return 'Standard input holds one secret: --key-stdin or --voice-token-stdin.';
	const wrong = wrongArgument(typed, command, rest, values);
	if (wrong !== '') return wrong;
	return {
		command: typed as CommandName,
		argument: rest[0] ?? '',
		arguments: rest,
		has: (option) => values[option] === true,
		text: (option) => (typeof values[option] === 'string' ? values[option] : ''),
		all: (option) => (Array.isArray(values[option]) ? values[option] : []),
	};
}

function wrongArgument(
	typed: string,
	{ argument, instead }: Command,
	given: readonly string[],
	values: Readonly<Record<string, unknown>>,
): string {
	const isReplaced = instead !== undefined && values[instead] === true;
	const wanted = argument && !isReplaced ? 1 : 0;
	if (argument?.several && given.length > 0 && !given.includes('')) return '';
	const isEmpty = wanted === 1 && given[0] === '' && !argument?.mayBeEmpty;
	if (given.length === wanted && !isEmpty) return '';
	return argument?.wrong ?? wrongCount(isReplaced ? `${typed} --${instead}` : typed, wanted, given);
}

function keysOf(options: Options = {}): readonly OptionName[] {
	return Object.keys(options) as OptionName[];
}

function ownOf({ options, shown = [] }: Command): readonly OptionName[] {
	return [...keysOf(options), ...shown];
}

function namesOf({ common, commands }: Topic): readonly OptionName[] {
	return [...keysOf(common.options), ...Object.values(commands).flatMap(ownOf)];
}

/** Codes from `es,fr` or from several options, in lower case, each once. */
export function codesOf(lists: readonly string[]): readonly string[] {
	const codes = lists.flatMap((list) => list.split(',')).map((code) => code.trim().toLowerCase());
	return [...new Set(codes.filter((code) => code !== ''))];
}

/** Options with which users may try to pass a secret. */
const SECRETS: Readonly<Record<string, string>> = {
	'--key': 'DRAGOMAN_API_KEY or --key-stdin',
	'--api-key': 'DRAGOMAN_API_KEY or --key-stdin',
	'--voice-token': 'DRAGOMAN_VOICE_TOKEN, or with "voices" --voice-token-stdin',
};

/** The error message for a command line that `parseArgs` refused. */
function wrongLine(thrown: unknown): string {
	const sentence = wrongArguments(thrown);
	const option = /^Unknown option '(--[\w-]+)'\.$/.exec(sentence)?.[1] ?? '';
	if (!Object.hasOwn(SECRETS, option)) return sentence;
	return `${sentence} Others can read a command line: use ${SECRETS[option]}.`;
}

const LEVELS = ['error', 'warn', 'info', 'debug'];

/** The error message for an invalid log level; empty for a valid one. */
function wrongLevel(level: unknown): string {
	const isFine = level === undefined || LEVELS.some((one) => one === level);
	return isFine ? '' : `--log-level: "${level}" is none of ${LEVELS.join(', ')}.`;
}

/** The warning about an invalid level in the variable, which is ignored and does not end the program. */
export function levelPassedOver(env: NodeJS.ProcessEnv): string {
	const level = env.DRAGOMAN_LOG_LEVEL || undefined;
	return wrongLevel(level).replace(/^--log-level(.*)\.$/s, 'DRAGOMAN_LOG_LEVEL$1 and is not used.');
}

/** The error message if a command got too many or too few arguments (`given`); it takes none or one. */
function wrongCount(command: string, wanted: 0 | 1, given: readonly string[]): string {
	if (wanted === 0) return `"${command}" takes no argument: ${given.join(' ')}`;
	return given.length > 1
		? `"${command}" takes one argument, not ${given.length}.`
		: `"${command}" needs one argument.`;
}

/** The reader has closed the pipe, as `… | head` does; on Windows the code is EOF. */
const READER_GONE: ReadonlySet<string> = new Set(['EPIPE', 'EOF']);

/** What `words` does when standard output closes: continue (always if interrupted), stop as done, or fail. */
export function afterFailedWrite(
	code: string,
	words: readonly string[],
	isInterrupted: boolean,
): 'go-on' | 'done' | 'failed' {
	if (isInterrupted) return 'go-on';
	const line = lineOf(words);
	// Delete a session whose token the reader did not receive.
	if (!READER_GONE.has(code) || line?.command === 'sessions create') return 'failed';
	return line && isResultInFiles(line) ? 'go-on' : 'done';
}

/** Null if the command line is invalid or asks for help. */
function lineOf([name = '', ...rest]: readonly string[]): Line | null {
	const line = isTopic(name) ? readLine(name, rest) : 'help';
	return typeof line === 'string' ? null : line;
}

/** True if the command writes its results to files, and only reports about them to standard output. */
function isResultInFiles(line: Line): boolean {
	const out = line.text('out');
	return out === '' ? line.command === 'translate' || line.command === 'speak' : out !== '-';
}
