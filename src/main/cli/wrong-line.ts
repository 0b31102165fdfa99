import { wrongArguments } from '#shared/lib/wrong-arguments.ts';

/** Options that somebody may try for a secret. */
const SECRETS: Readonly<Record<string, string>> = {
	'--key': 'DRAGOMAN_API_KEY or --key-stdin',
	'--api-key': 'DRAGOMAN_API_KEY or --key-stdin',
	'--voice-token': 'DRAGOMAN_VOICE_TOKEN, or with "voices" --voice-token-stdin',
};

/** What is wrong with a command line on which `parseArgs` threw. */
export function wrongLine(thrown: unknown): string {
	const sentence = wrongArguments(thrown);
	const option = /^Unknown option '(--[\w-]+)'\.$/.exec(sentence)?.[1] ?? '';
	if (!Object.hasOwn(SECRETS, option)) return sentence;
	return `${sentence} Others can read a command line: use ${SECRETS[option]}.`;
}

const LEVELS = ['error', 'warn', 'info', 'debug'];

/** What is wrong with the log level that was asked for; empty when nothing is. */
export function wrongLevel(level: unknown): string {
	const isFine = level === undefined || LEVELS.some((one) => one === level);
	return isFine ? '' : `--log-level: "${level}" is none of ${LEVELS.join(', ')}.`;
}

/** The same for the variable, which is then ignored; it does not end the program. */
export function levelPassedOver(env: NodeJS.ProcessEnv): string {
	const level = env.DRAGOMAN_LOG_LEVEL || undefined;
	return wrongLevel(level).replace(/^--log-level(.*)\.$/s, 'DRAGOMAN_LOG_LEVEL$1 and is not used.');
}

/** What is wrong with a command that takes none or one argument beside its options; `given` are all of them. */
export function wrongCount(command: string, wanted: 0 | 1, given: readonly string[]): string {
	if (wanted === 0) return `"${command}" takes no argument: ${given.join(' ')}`;
	return given.length > 1
		? `"${command}" takes one argument, not ${given.length}.`
		: `"${command}" needs one argument.`;
}
