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
