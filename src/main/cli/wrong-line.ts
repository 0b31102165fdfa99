import { wrongArguments } from '#shared/lib/wrong-arguments.ts';

/** Options that somebody may try for a secret. */
const SECRETS: Readonly<Record<string, string>> = {
	'--key': 'DRAGOMAN_API_KEY or --key-stdin',
	'--api-key': 'DRAGOMAN_API_KEY or --key-stdin',
	'--voice-token': 'DRAGOMAN_VOICE_TOKEN, or with "voices" --voice-token-stdin',
};

/** What is wrong with a command line, of which `parseArgs` threw. */
export function wrongLine(thrown: unknown): string {
	const sentence = wrongArguments(thrown);
	const option = /^Unknown option '(--[\w-]+)'\.$/.exec(sentence)?.[1] ?? '';
	if (!Object.hasOwn(SECRETS, option)) return sentence;
	return `${sentence} What stands on a command line can be read by others: use ${SECRETS[option]}.`;
}

/** What is wrong with a command that takes none or one argument beside its options; `given` are all of them. */
export function wrongCount(command: string, wanted: 0 | 1, given: readonly string[]): string {
	if (wanted === 0) return `"${command}" takes no argument: ${given.join(' ')}`;
	return given.length > 1
		? `"${command}" takes one argument, not ${given.length}.`
		: `"${command}" wants one argument.`;
}
