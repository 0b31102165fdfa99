/**
 * Who may import whom, as data. `node scripts/walls.ts` writes the rows into biome.json;
 * scripts/walls.test.ts fails when biome.json is older than the rows, and holds a matrix of allowed
 * and forbidden imports against them.
 *
 * Rules match the written specifier, so `../` is forbidden everywhere: every crossing of a folder is
 * written with `#` and can be seen. A later row replaces the whole rule for its files (Biome
 * overrides do), so rows go from general to special and repeat what they keep.
 */
import { readFileSync, writeFileSync } from 'node:fs';

export interface Wall {
	readonly files: readonly string[];
	/** gitignore-like: a later `!` pattern allows again. */
	readonly restricted: readonly string[];
	readonly message: string;
}

const up = ['../**'];
/** Nothing of another folder, except what is allowed again. */
const far = [...up, '#*/**'];
const electron = ['electron', 'electron/**'];
const host = [...electron, 'node:*', 'ws'];
const view = [
	'react',
	'react/**',
	'react-dom',
	'react-dom/**',
	'react-aria-components',
	'react-i18next',
	'zustand',
	'zustand/**',
];
const livekit = ['livekit-client'];

/** Of the window's own code, without React and LiveKit. */
const withoutView = [
	...far,
	'!#shared/**',
	'!#renderer/audio/**',
	'!#renderer/transport/**',
	'!#renderer/host.ts',
	...host,
	'zod',
	...view,
	'!zustand/vanilla',
	...livekit,
];

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
		files: ['src/renderer/*.ts', 'src/renderer/audio/**'],
		restricted: [...far, '!#shared/**', ...host, 'zod', ...view, '!zustand/vanilla', ...livekit],
		message: 'audio knows the browser and shared',
	},
	{
		files: ['src/renderer/audio/worklets/**'],
		restricted: [...far, '!#shared/audio/**', ...host, 'zod', 'zod/**', ...view, ...livekit],
		message: 'a worklet is glue around shared/audio',
	},
	{
		files: ['src/renderer/transport/**'],
		restricted: [...far, '!#shared/**', '!#renderer/audio/**', '!#renderer/host.ts', ...host, 'zod', ...view],
		message: 'the only folder that knows livekit-client',
	},
	{
		files: ['src/renderer/conversation/**'],
		restricted: [...withoutView, '!#renderer/conversation/**'],
		message: 'a conversation knows neither React nor LiveKit, nor typed texts',
	},
	{
		files: ['src/renderer/speaking/**'],
		restricted: withoutView,
		message: 'typed texts know neither React nor LiveKit, nor a conversation',
	},
	{
		files: ['src/renderer/features/**'],
		restricted: [
			...far,
			'!#shared/**',
			'!#renderer/conversation/**',
			'!#renderer/speaking/**',
			'!#renderer/audio/**',
			'!#renderer/ui/**',
			'!#renderer/window/**',
			'!#renderer/host.ts',
			...host,
			'zod',
			...livekit,
		],
		message: 'a feature, and a room of one, knows no other and no transport',
	},
	{
		files: ['src/renderer/window/**'],
		restricted: [
			...far,
			'!#shared/**',
			'!#renderer/conversation/**',
			'!#renderer/speaking/**',
			'!#renderer/ui/**',
			'!#renderer/host.ts',
			...host,
			'zod',
			...livekit,
		],
		message: 'what every page may use: mirrors, words, navigation; it knows no page, no audio, no transport',
	},
	{
		files: ['src/renderer/window/components/**'],
		restricted: [
			...far,
			'!#shared/**',
			'!#renderer/conversation/**',
			'!#renderer/ui/**',
			'!#renderer/window/**',
			...host,
			'zod',
			...livekit,
		],
		message: 'what several pages show: made of the parts, the words and ui; it knows no page and no host',
	},
	{
		files: ['src/renderer/overlay/**'],
		restricted: [
			...far,
			'!#shared/**',
			'!#renderer/ui/**',
			'!#renderer/window/**',
			'!#renderer/host.ts',
			'!#renderer/system-clock.ts',
			...host,
			'zod',
			...livekit,
		],
		message: 'the captions over other windows: a page of its own that holds no conversation',
	},
	{
		files: ['src/renderer/ui/**'],
		restricted: [...far, '!#renderer/ui/**', ...host, 'zod', 'zod/**', 'zustand', 'zustand/**', ...livekit],
		message: 'ui primitives know no domain',
	},
	{
		files: ['src/renderer/app/**', 'src/renderer/main.tsx'],
		restricted: [...far, '!#shared/**', '!#renderer/**', ...host, 'zod', ...livekit],
		message: 'the composition root of the window',
	},
	{
		files: ['src/sandbox/**'],
		restricted: [
			...far,
			'!#sandbox/**',
			'!#shared/lib/**',
			'!#shared/protocol/**',
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
			'!#main/lib/make-folder.ts',
			...view,
			...livekit,
		],
		message:
			'the stand-in runs the built app; of main it knows only how a program finds its proxy and makes a folder',
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

/** Timers and the date come from a Clock, except where a clock is made. */
const timerFree = ['src/shared/**', 'src/main/**', 'src/renderer/**', 'src/sandbox/**'];
// `utc.ts` writes a moment it is given, and asks for none.
const timerOwners = ['**/system-clock.ts', '**/lib/utc.ts', '**/*.test.ts', '**/*.test.tsx'];

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
		// Tools load a configuration by its default export.
		{ includes: ['*.config.ts'], linter: { rules: { style: { noDefaultExport: 'off' } } } },
		{ includes: timerOwners, linter: { rules: { style: { noRestrictedGlobals: 'off' } } } },
	];
}

if (import.meta.main) {
	const config = JSON.parse(readFileSync('biome.json', 'utf8'));
	config.overrides = overridesFor(walls);
	writeFileSync('biome.json', `${JSON.stringify(config, null, 2)}\n`);
}
