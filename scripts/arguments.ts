import { readFileSync } from 'node:fs';
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { wrongArguments } from '#shared/lib/terminal.ts';

/** The arguments of the script `file`. An unknown argument ends the script with status 2 and a message. */
export function readArguments<const Config extends ParseArgsConfig>(file: string, config: Config) {
	const refuse = (sentence: string): never => {
		const command = /npm run [\w-]+/.exec(usageOf(file))?.[0] ?? file;
		console.error(`${sentence}\nTry: ${command} -- --help`);
		process.exit(2);
	};
	/** The number given with `--option`: an integer of at least `least`. */
	const whole = (option: string, text: string, least = 1): number => {
		const value = text.trim() === '' ? Number.NaN : Number(text);
		if (Number.isSafeInteger(value) && value >= least) return value;
		return refuse(`--${option} takes a whole number ${least === 1 ? 'above 0' : `from ${least} on`}.`);
	};
	const seedOf = (text: string | undefined): number =>
		text === undefined ? Date.now() % 2 ** 31 : whole('seed', text, 0);
	try {
		return { ...parseArgs(config), refuse, whole, seedOf };
	} catch (thrown) {
		return refuse(wrongArguments(thrown));
	}
}

/** The text of the script's first comment; the runner prints it for `--help` without loading the script. */
export function usageOf(file: string): string {
	const comment = /^\/\*\*\s(.*?)\s\*\//s.exec(readFileSync(file, 'utf8'))?.[1] ?? '';
	return comment.replace(/^ \* ?/gm, '');
}
