import { type Browser, chromium } from 'playwright-core';
import { chromiumFlags, findChromium } from '#stand-in/chromium.ts';

/** A browser without a window that plays sound. The caller closes it. */
export async function openBrowser(
	options: {
		/** A WAV file that takes the place of the microphone. */
		readonly microphone?: string | undefined;
		/** Started in place of the browser's program, with its path. */
		readonly wrap?: ((program: string) => string) | undefined;
		readonly env?: Readonly<Record<string, string>> | undefined;
	} = {},
): Promise<Browser> {
	const { microphone, wrap = (program) => program } = options;
	const { executablePath, env } = await findChromium();
	return chromium.launch({
		executablePath: wrap(executablePath),
		args: [...chromiumFlags, ...(microphone ? [`--use-file-for-fake-audio-capture=${microphone}`] : [])],
		ignoreDefaultArgs: ['--mute-audio'],
		env: { ...process.env, ...env, ...options.env } as Record<string, string>,
	});
}
