import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { findChromium } from '#stand-in/chromium.ts';

/** Programs that npm and the tests run on every machine. */
const EVERYWHERE =
	'bash cat chmod cp dirname env git grep id kill ls mkdir mkfifo mv node npm npx ps readlink rm sed sh sleep tr uname which'.split(
		' ',
	);

/**
 * The environment of a machine with only Node and npm: npm's browser and its fonts, empty caches, no models, and
 * a `PATH` with the usual programs. All its files are in `folder`. Null if npm has no browser for this machine.
 */
export async function bareEnvironment(folder: string): Promise<NodeJS.ProcessEnv | null> {
	const bin = join(folder, 'bin');
	mkdirSync(bin, { recursive: true });
	const env = {
		...process.env,
		// npm adds the second folder.
		PATH: [resolve(bin), resolve('node_modules/.bin')].join(delimiter),
		XDG_CACHE_HOME: resolve(folder, 'cache'),
		XDG_DATA_DIRS: resolve(folder, 'share'),
		DRAGOMAN_CHROMIUM: 'npm',
		DRAGOMAN_TEST_BARE: '1',
		DRAGOMAN_TEST_MODELS: '',
	};
	// This call also unpacks the browser.
	const hasBrowser = await findChromium({ env }).then(
		() => true,
		() => false,
	);
	if (!hasBrowser) return null;
	const folders = (process.env.PATH ?? '').split(delimiter).filter((one) => !one.includes('node_modules'));
	for (const program of EVERYWHERE) {
		const found = folders.map((one) => join(one, program)).find((path) => existsSync(path));
		const path = program === 'node' ? process.execPath : found;
		if (path) symlinkSync(path, join(bin, program));
	}
	return env;
}
