import { parseArgs } from 'node:util';

/** Chromium's switches that are passed on from the command line. */
const PASSED =
	/^--(remote-debugging-port|use-[\w-]+|lang|accept-lang|force-[\w-]+|enable-features|disable-features|ozone-platform|proxy-[\w-]+|no-sandbox|window-size)(=|$)/;

export interface Switches {
	readonly headless: boolean;
	readonly passed: readonly string[];
	/** `--lang`, or the system's language. */
	readonly locale: string;
	readonly locales: readonly string[];
}

/** What the stand-in itself reads from the command line. `--headless` needs no display. */
export function readSwitches(argv: readonly string[], env: NodeJS.ProcessEnv): Switches {
	const { values } = parseArgs({
		args: [...argv],
		strict: false,
		options: { lang: { type: 'string' }, headless: { type: 'boolean' } },
	});
	const system = (env.LC_ALL || env.LC_MESSAGES || env.LANG || 'en').split('.')[0]?.replace('_', '-') ?? 'en';
	const tag = typeof values.lang === 'string' ? values.lang : system;
	const locale = tag === 'C' || tag === 'POSIX' ? 'en' : tag;
	return {
		headless: values.headless === true,
		passed: argv.filter((one) => PASSED.test(one)),
		locale,
		locales: [locale],
	};
}
