import { globSync, readFileSync } from 'node:fs';
import react from '@vitejs/plugin-react';
import { playwright } from '@vitest/browser-playwright';
import { defineConfig, type UserWorkspaceConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { announcer, livekitSource } from './scripts/bundle/libraries.ts';
import { wordsApart } from './scripts/bundle/window.ts';
import { chromiumFlags, findChromium } from './src/stand-in/chromium.ts';
import { roomCommands, sandboxRoomCommands } from './test/support/room-commands.ts';

const chromium = await findChromium();

/**
 * Files whose tests measure no sound and no delay run several at a time. Of all others few run at once, or one alone,
 * because too much load falsifies what they measure.
 */
const sideBySide = {
	integration: [
		'cli-{glossaries,history,interrupted,sessions,voices}',
		'corrections-glossaries',
		'history-crash',
		'keeper-*',
		'key-cli',
		'room-{faults,signal}',
		'services',
		'voices',
	]
		.concat([
			'sandbox-{cloned-voice,command-line,sessions,voices}',
			'session-client',
			'proxied-sockets',
			'untrusted',
		])
		.concat([
			'socket-{anything,faults,speak,transcribe}',
			'streaming-{cli,cli-ends,speak,speech-to-speech,transcribe}',
			'cli-doctor',
			'ending',
			'held-keys',
			'portal-keys',
		])
		.concat(['full-disk', 'room-rust-client', 'vendor-python'])
		.map((name) => `test/integration/${name}.test.ts`),
	e2e: [
		'captions-only',
		'first-picture',
		'glossaries',
		'guards',
		'guests',
		'hostile-texts',
		'history',
		'key',
		'keys',
		'nothing-left',
		'overlay',
		'package',
		'page-crash',
		'sessions',
		'size',
		'voices-restart',
	]
		.concat(['closed-networks', 'demo', 'face', 'livekit', 'network', 'setting-up'])
		.concat([
			'ending',
			'looks',
			'safe-mode',
			'shell',
			'smoke',
			'held-keys',
			'tarball',
			'typed',
			'voices',
			'websocket',
			'window',
			'words',
		])
		.map((name) => `test/e2e/${name}.test.ts`),
};

const inNode = [
	'src/**/*.test.ts',
	'test/contract/**/*.test.ts',
	'test/bench/**/*.test.ts',
	'test/{faults,fuzz,looks,soak}/**/*.test.ts',
	'{packaging,scripts}/**/*.test.ts',
];
const notInNode = ['**/*.browser.test.ts', '**/node_modules/**'];

/** A module that one of these replaces would stay replaced, or be there already, if another file had been in the same process. */
const replacing = globSync(inNode, { exclude: notInNode }).filter((file) =>
	/\bvi\.(mock|doMock)\(/.test(readFileSync(file, 'utf8')),
);

/** Nothing else may run beside these: they compare times of the program with each other, or count holes in its sound. */
const alone = {
	integration: ['test/integration/room-sound.test.ts'],
	e2e: ['test/e2e/successor.test.ts'],
};

/** They have networks of their own, hold the program to limits of seconds, and mostly wait: only each other beside them. */
const lines = ['test/e2e/lines.test.ts', 'test/e2e/lines-socket.test.ts'];

/**
 * They take longest, in this order: begun last, each would run alone in the end. `local` keeps the processor busy, so
 * `meeting` and `echo`, which measure most, begin after what runs beside it.
 */
export const longest: readonly string[] = [
	['demo', 'looks', 'typed', 'key', 'face', 'voices', 'nothing-left', 'history'],
	['closed-networks', 'livekit', 'local', 'replay', 'speakers', 'listen', 'audio-process'],
	['virtual-microphone', 'meeting', 'echo', 'conversation', 'guests-listen'],
]
	.flatMap((names) => names.map((name) => `test/e2e/${name}.test.ts`))
	.concat(
		['streaming-cli-ends', 'streaming-cli', 'streaming-speech-to-speech', 'streaming-transcribe']
			.concat(['streaming-speak', 'streaming-faults', 'socket-faults', 'local', 'vendor-python'])
			.map((name) => `test/integration/${name}.test.ts`),
		['main', 'transport/livekit-room', 'transport/room-fit', 'sound/sound-actions']
			.map((name) => `src/renderer/${name}.browser.test.ts`)
			.concat('src/renderer/shell/window.browser.test.tsx'),
	);

class LongestFirst extends BaseSequencer {
	override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
		const turnOf = ({ moduleId }: TestSpecification) => {
			const turn = longest.findIndex((file) => moduleId.replaceAll('\\', '/').endsWith(`/${file}`));
			return turn < 0 ? longest.length : turn;
		};
		return (await super.sort(files)).sort((one, other) => turnOf(one) - turnOf(other));
	}
}

const inBrowser = (own: {
	readonly name: string;
	readonly include: string[];
	readonly isolate?: boolean;
	readonly restoreMocks?: boolean;
}): UserWorkspaceConfig => ({
	plugins: [react(), livekitSource, wordsApart],
	worker: { format: 'es' },
	// Found only while a test runs, they would make Vite reload it.
	optimizeDeps: {
		rolldownOptions: { plugins: [announcer] },
		include: [
			'axe-core',
			...['@livekit/mutex', '@livekit/protocol', 'events', 'jose', 'loglevel', 'sdp-transform'].map(
				(name) => `livekit-client > ${name}`,
			),
			'react',
			'react/jsx-dev-runtime',
			'react-aria-components',
			'react-dom/client',
			'uqr',
			'zod/mini',
			'zustand',
			'zustand/vanilla',
		],
	},
	test: {
		...own,
		setupFiles: ['test/support/page-errors.ts'],
		// They mostly wait.
		maxWorkers: 2,
		browser: {
			enabled: true,
			headless: true,
			screenshotFailures: false,
			provider: playwright({
				launchOptions: {
					executablePath: chromium.executablePath,
					args: [...chromiumFlags],
					ignoreDefaultArgs: ['--mute-audio'],
					env: { ...process.env, ...chromium.env } as Record<string, string>,
				},
			}),
			instances: [{ browser: 'chromium' }],
			commands: { ...roomCommands, ...sandboxRoomCommands },
		},
	},
});

export default defineConfig({
	test: {
		sequence: { sequencer: LongestFirst },
		projects: [
			{
				plugins: [wordsApart],
				test: {
					name: 'node',
					include: inNode,
					exclude: [...notInNode, ...replacing],
					setupFiles: ['test/support/seed.ts'],
					// Each file would load what it tests anew: twice the time.
					isolate: false,
					restoreMocks: true,
					unstubEnvs: true,
					unstubGlobals: true,
				},
			},
			{
				plugins: [wordsApart],
				test: { name: 'node-mocks', include: replacing, setupFiles: ['test/support/seed.ts'] },
			},
			{
				test: {
					name: 'integration',
					include: sideBySide.integration,
					setupFiles: ['test/support/seed.ts'],
					// They mostly wait.
					maxWorkers: 5,
				},
			},
			{
				test: {
					name: 'integration-sound',
					include: ['test/integration/**/*.test.ts'],
					exclude: [...sideBySide.integration, ...alone.integration],
					setupFiles: ['test/support/seed.ts'],
					// Two at a time leave half of a small machine idle. A group of its own: `npm run test:integration` runs all three.
					maxWorkers: 2,
					sequence: { groupOrder: 1 },
				},
			},
			{
				test: {
					name: 'integration-alone',
					include: alone.integration,
					setupFiles: ['test/support/seed.ts'],
					fileParallelism: false,
				},
			},
			inBrowser({
				name: 'browser',
				include: ['src/renderer/**/*.browser.test.ts', 'test/looks/**/*.browser.test.ts'],
			}),
			// Each file would load the whole window anew.
			inBrowser({
				name: 'browser-window',
				include: ['src/renderer/**/*.browser.test.tsx'],
				isolate: false,
				restoreMocks: true,
			}),
			{
				test: {
					name: 'e2e',
					include: sideBySide.e2e,
					testTimeout: 120_000,
					hookTimeout: 120_000,
					// They mostly wait.
					maxWorkers: 3,
				},
			},
			{
				test: {
					name: 'e2e-sound',
					include: ['test/e2e/**/*.test.ts'],
					exclude: [...sideBySide.e2e, ...alone.e2e, ...lines],
					testTimeout: 120_000,
					hookTimeout: 120_000,
					// As with `integration-sound`.
					maxWorkers: 2,
					sequence: { groupOrder: 1 },
				},
			},
			{
				test: {
					name: 'e2e-lines',
					include: lines,
					testTimeout: 120_000,
					hookTimeout: 120_000,
					maxWorkers: 2,
					sequence: { groupOrder: 2 },
				},
			},
			{
				test: {
					name: 'e2e-alone',
					include: alone.e2e,
					testTimeout: 120_000,
					hookTimeout: 120_000,
					fileParallelism: false,
				},
			},
		],
	},
});
