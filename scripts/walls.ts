/**
 * Defines as data which modules may import which. `node scripts/walls.ts` writes the rows into biome.json;
 * scripts/walls.test.ts fails if biome.json is older than the rows, and checks a matrix of allowed and forbidden
 * imports.
 *
 * Rules match the written specifier, so `../` is forbidden everywhere: every import from another folder is
 * written with `#` and is visible. A later row replaces the whole rule for its files (as Biome overrides do), so
 * rows go from general to special and repeat the rules they keep.
 */
import { readFileSync, writeFileSync } from 'node:fs';

export interface Wall {
	readonly files: readonly string[];
	/** Patterns as in gitignore: a later `!` pattern allows an import again. */
	readonly restricted: readonly string[];
	readonly message: string;
}

const up = ['../**'];
/** Nothing from other folders, except for patterns that allow it again. */
const far = [...up, '#*/**'];
const electron = ['electron', 'electron/**'];
const host = [...electron, 'node:*', 'ws'];
const view = [
	'react',
	'react/**',
	'react-dom',
	'react-dom/**',
	'react-aria-components',
	'#renderer/i18n/use-translation.ts',
	'zustand',
	'zustand/**',
];
const livekit = ['livekit-client'];

/** Only the shell, which shows one page at a time, and the page itself may import these. */
const pages = [
	'#renderer/*/*-page.tsx',
	...['glossaries', 'live', 'sessions', 'setup'].map((page) => `#renderer/${page}/**`),
	'#renderer/settings/*.tsx',
];
/** Any topic folder of the window, but no page, no Node and no LiveKit. */
const topic = [...far, '!#shared/**', '!#renderer/**', ...pages, ...host, 'zod', ...livekit];

export const walls: readonly Wall[] = [
	{
		files: ['src/shared/**'],
		restricted: [...far, '!#shared/**', ...host, ...view, ...livekit, 'zod'],
		message: 'shared runs anywhere: no Node, browser, Electron or view; zod only as zod/mini',
	},
	{
		files: ['src/main/**'],
		restricted: [
			...far,
			'!#shared/**',
			'!#main/**',
			...['app', 'cli', 'electron'].map((name) => `#main/${name}/**`),
			...electron,
			...view,
			...livekit,
		],
		message: 'the domains of main may use each other, but not what composes them (app, cli) and not Electron',
	},
	{
		files: ['src/main/host.ts', 'src/main/doctor.ts', 'src/main/cli/**'],
		restricted: [...far, '!#shared/**', '!#main/**', '#main/electron/**', ...electron, ...view, ...livekit],
		message: 'host and command line compose the domains of main, without Electron',
	},
	{
		files: ['src/main/app/**'],
		restricted: [
			...far,
			'!#shared/**',
			'!#main/**',
			'#main/electron/**',
			'#main/cli/**',
			...electron,
			...view,
			...livekit,
		],
		message: 'what the app decides and is put together from; what Electron does it is given',
	},
	{
		files: ['src/main/electron/**'],
		restricted: [...far, '!#shared/**', '!#main/**', ...view, ...livekit],
		message: 'the only folder that knows Electron',
	},
	{
		files: ['src/preload/**'],
		restricted: [
			...far,
			'!#shared/host/**',
			'!#shared/lib/**',
			'!#shared/problem.ts',
			'node:*',
			'ws',
			'zod',
			...view,
			...livekit,
		],
		message: 'the preload knows the contract and nothing else',
	},
	{
		files: ['src/renderer/**'],
		restricted: topic,
		message: 'a topic of the window may use another, but no page: pages know nothing of each other',
	},
	{
		// Code that draws nothing can be tested, and read, without React. A hook's file is named use-….
		files: [
			'src/renderer/**/*.ts',
			'!**/use-*.ts',
			'!src/renderer/{i18n,ui}/**',
			'!src/renderer/shell/parts.ts',
		],
		restricted: [...topic, ...view, '!zustand/vanilla'],
		message: 'only components (.tsx) and hooks (use-….ts) know React, and only transport knows LiveKit',
	},
	{
		files: ['src/renderer/transport/**'],
		restricted: [...far, '!#shared/**', '!#renderer/sound/**', '!#renderer/host.ts', ...host, 'zod', ...view],
		message: 'the only folder that knows livekit-client',
	},
	{
		files: ['src/renderer/sound/worklets/**'],
		restricted: [...far, '!#shared/sound/**', ...host, 'zod', 'zod/**', ...view, ...livekit],
		message: 'a worklet is glue around shared/sound',
	},
	{
		files: ['src/renderer/ui/**'],
		restricted: [...far, '!#renderer/ui/**', ...host, 'zod', 'zod/**', 'zustand', 'zustand/**', ...livekit],
		message: 'ui primitives know no domain',
	},
	{
		files: ['src/renderer/i18n/**'],
		restricted: [...far, '!#shared/**', '!#renderer/ui/**', ...host, 'zod', ...livekit],
		message: 'words and formats know no domain',
	},
	{
		files: ['src/renderer/overlay/{main.tsx,overlay-mirror.ts,overlay-page.tsx}'],
		restricted: [
			...far,
			'!#shared/**',
			'!#renderer/ui/**',
			'!#renderer/i18n/**',
			'!#renderer/captions/caption-box.tsx',
			'!#renderer/host.ts',
			'!#renderer/system-clock.ts',
			...host,
			'zod',
			...livekit,
		],
		message: 'the captions over other windows: a page of its own that holds no conversation',
	},
	{
		files: [
			'src/renderer/main.tsx',
			'src/renderer/shell/{parts,use-page-travel}.ts',
			...['glossaries', 'live', 'sessions', 'settings', 'setup', 'shell'].map(
				(name) => `src/renderer/${name}/**/*.tsx`,
			),
		],
		restricted: [...far, '!#shared/**', '!#renderer/**', ...host, 'zod', ...livekit],
		message: 'the shell shows the pages, and a page is made of its own files',
	},
	{
		files: ['src/sandbox/**'],
		restricted: [
			...far,
			'!#sandbox/**',
			'!#shared/lib/**',
			'!#shared/protocol/**',
			// The names of models, which the code that installs them must know as well.
			'!#shared/models/**',
			// The only reader and writer of WAV.
			'!#shared/sound/wav.ts',
			// Text to be translated and text to be shown must be corrected in the same way.
			'!#shared/captions/apply-corrections.ts',
			'!#shared/captions/corrections.ts',
			...electron,
			...view,
			...livekit,
		],
		message:
			'the sandbox shares only the protocol and lib with the client, so that it cannot share its mistakes',
	},
	{
		files: ['src/stand-in/**'],
		restricted: [
			...far,
			'!#shared/**',
			'!#sandbox/**',
			'!#stand-in/**',
			'!#main/service/proxy.ts',
			'!#main/lib/files.ts',
			'!#main/lib/own-program.ts',
			...view,
			...livekit,
		],
		message:
			'the stand-in runs the built app; of main it knows only how a program finds its proxy and its own files, and makes a folder',
	},
	{
		files: ['src/demo/**'],
		restricted: [
			...far,
			'!#shared/**',
			'!#sandbox/**',
			'!#stand-in/**',
			'!#main/service/**',
			'!#main/lib/**',
			'!#main/cli/audio-input.ts',
			'!#main/cli/problems.ts',
			'!#main/models/models.ts',
			'!#main/settings/settings-file.ts',
			'!#main/system-clock.ts',
			...view,
			...livekit,
		],
		message: 'the demo drives the built app from outside, and asks the service with the same code',
	},
	{
		// Tests are beside what they test and may import the test support, the sandbox and real libraries.
		files: ['**/*.test.ts', '**/*.test.tsx', 'test/**'],
		restricted: [...up],
		message: 'far imports are written with #',
	},
];

/** Timers and the date come from a Clock, except where a clock is created. */
const timerFree = ['src/shared/**', 'src/main/**', 'src/renderer/**', 'src/sandbox/**'];
const timerOwners = ['**/system-clock.ts', '**/*.test.ts', '**/*.test.tsx'];

export function overridesFor(rows: readonly Wall[]): unknown[] {
	const imports = rows.map(({ files, restricted, message }) => ({
		includes: files,
		linter: {
			rules: {
				style: {
					noRestrictedImports: {
						level: 'error',
						options: { patterns: [{ group: restricted, message }] },
					},
				},
			},
		},
	}));
	const denied = Object.fromEntries(
		['setTimeout', 'setInterval', 'Date'].map((name) => [name, 'take a Clock (src/shared/lib/clock.ts)']),
	);
	return [
		...imports,
		{
			includes: timerFree,
			linter: {
				rules: { style: { noRestrictedGlobals: { level: 'error', options: { deniedGlobals: denied } } } },
			},
		},
		// Rows of a table: each row that fits is on one line.
		{
			includes: ['test/wire/*.json', 'test/corpus/**/*.json', 'test/faults/catalogue.json'],
			json: { formatter: { expand: 'never' } },
		},
		// Tools import a configuration as its default export.
		{ includes: ['*.config.ts'], linter: { rules: { style: { noDefaultExport: 'off' } } } },
		{ includes: timerOwners, linter: { rules: { style: { noRestrictedGlobals: 'off' } } } },
	];
}

if (import.meta.main) {
	const config = JSON.parse(readFileSync('biome.json', 'utf8'));
	config.overrides = overridesFor(walls);
	writeFileSync('biome.json', `${JSON.stringify(config, null, 2)}\n`);
}
