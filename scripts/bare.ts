import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { findChromium } from '#stand-in/chromium.ts';

/** Programs that npm and the tests call on any machine. */
const EVERYWHERE = [
	...[
		'bash',
		'cat',
		'chmod',
		'cp',
		'dirname',
		'env',
		'git',
		'grep',
		'id',
		'kill',
		'ls',
		'mkdir',
		'mv',
		'node',
	],
	...['npm', 'npx', 'ps', 'readlink', 'rm', 'sed', 'sh', 'sleep', 'tr', 'uname', 'which'],
];

/**
 * Tests whose outcome may differ on a machine with Node and npm alone, by project: rooms and sound in npm's browser, what
 * it draws, and tests that must skip themselves where a program is missing.
 */
export const bareFiles = {
	node: [
		'src/main/voices/media-length.test.ts',
		'src/sandbox/speech/synthesizer.test.ts',
		'src/stand-in/chromium.test.ts',
		'src/stand-in/stand-in.test.ts',
	],
	browser: [
		'src/renderer/audio/path-test.browser.test.ts',
		'src/renderer/window/components/record-button.browser.test.tsx',
		'src/renderer/transport/livekit-sandbox.browser.test.ts',
	],
	'integration-sound': ['test/integration/room-recover.test.ts', 'test/integration/vendor-sdk.test.ts'],
	'integration-alone': ['test/integration/room-sound.test.ts'],
	'e2e-sound': ['test/e2e/listen.test.ts'],
} as const;

/** Whether this machine is bare already, so that nothing has to be hidden. */
export async function isBare(): Promise<boolean> {
	return findChromium().then(
		({ kind }) => kind === 'npm',
		() => true,
	);
}

/** The environment of a bare machine: npm's browser, and a `PATH` of one folder, `folder`, with Node, npm and the usual tools. */
export function bareEnvironment(folder: string): NodeJS.ProcessEnv {
	const folders = (process.env.PATH ?? '').split(delimiter).filter((one) => !one.includes('node_modules'));
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(folder, { recursive: true });
	for (const program of EVERYWHERE) {
		const found = folders.map((one) => join(one, program)).find((path) => existsSync(path));
		const path = program === 'node' ? process.execPath : found;
		if (path) symlinkSync(path, join(folder, program));
	}
	return { ...process.env, PATH: resolve(folder), DRAGOMAN_CHROMIUM: 'npm', DRAGOMAN_TEST_BARE: '1' };
}
