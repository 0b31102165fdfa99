/** `node scripts/bundle/size.ts`: how much code the window loads, from the last build. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { CHUNKS, type ChunkRecord } from './records.ts';

export type Chunks = Readonly<Record<string, ChunkRecord>>;

export interface WindowSize {
	/** Bytes of gzip parsed before Start can be used: the window's code, the preload, one language. */
	readonly beforeStart: number;
	/** Bytes of everything that one person can load: all pages, worklets, LiveKit and one language. */
	readonly whole: number;
	/** Bytes of gzip of each file. */
	readonly files: ReadonlyMap<string, number>;
	/** Files parsed before Start. */
	readonly first: readonly string[];
}

/** The live page's texts of the interface: one file per language, of which a person loads one. */
const WORDS = /^src\/shared\/i18n\/[a-z]{2}\.first\.words$/;
/** Texts of the other pages, and search words for settings: also one file per language. */
const PAGE_WORDS = /^src\/shared\/i18n\/[a-z]{2}\.pages\.words$/;
const SEARCH_WORDS = /^src\/shared\/i18n\/settings-search\/[a-z]{2}\.json$/;

const sum = (numbers: readonly number[]) => numbers.reduce((one, other) => one + other, 0);

/** `bytes`: gzip size of every script of the window, by file; `preload`: size of the preload. */
export function sizeOf(chunks: Chunks, bytes: ReadonlyMap<string, number>, preload: number): WindowSize {
	const first = new Set<string>();
	const add = (file: string) => {
		// A chunk of only styles has no script.
		if (first.has(file) || !bytes.has(file)) return;
		first.add(file);
		chunks[file]?.imports.forEach(add);
	};
	for (const [file, { entry }] of Object.entries(chunks)) if (entry === 'index') add(file);
	const filesOf = (words: RegExp) =>
		Object.entries(chunks)
			.filter(([, { modules }]) => Object.keys(modules).some((id) => words.test(id)))
			.map(([file]) => file);
	const languages = filesOf(WORDS);
	const pages = filesOf(PAGE_WORDS);
	const searches = filesOf(SEARCH_WORDS);
	const apart = new Set([...languages, ...pages, ...searches]);
	const of = (files: readonly string[]) => sum(files.map((file) => bytes.get(file) ?? 0));
	// Only the largest: a person loads one language.
	const longest = (files: readonly string[]) => Math.max(0, ...files.map((file) => of([file])));
	const words = longest(languages);
	const others = [...bytes.keys()].filter((file) => !apart.has(file));
	return {
		beforeStart: of([...first]) + words + preload,
		whole: of(others) + words + longest(pages) + longest(searches) + preload,
		files: bytes,
		first: [...first],
	};
}

/**
 * The largest packages and folders of our own in these files, one line each, in characters before minifying.
 */
export function heaviest(chunks: Chunks, files: readonly string[], count = 15): readonly string[] {
	const groups = new Map<string, number>();
	for (const file of files) {
		for (const [id, length] of Object.entries(chunks[file]?.modules ?? {})) {
			const parts = id.split('/');
			const depth = parts[0] === 'node_modules' ? (parts[1]?.startsWith('@') ? 3 : 2) : 4;
			const group = parts.slice(0, depth).join('/');
			groups.set(group, (groups.get(group) ?? 0) + length);
		}
	}
	return [...groups]
		.sort(([, one], [, other]) => other - one)
		.slice(0, count)
		.map(([group, length]) => `${(length / 1000).toFixed(0)} k ${group}`);
}

/** The size of the last build in `out`. */
export function builtSize(root: string): { readonly size: WindowSize; readonly chunks: Chunks } {
	const chunks = JSON.parse(readFileSync(join(root, CHUNKS), 'utf8')) as Chunks;
	const gzip = (file: string) => gzipSync(readFileSync(join(root, file)), { level: 9 }).length;
	// Includes worklets, which no module of a page imports.
	const scripts = readdirSync(join(root, 'out/renderer/assets')).filter((name) => name.endsWith('.js'));
	const bytes = new Map(
		scripts.map((name) => [`assets/${name}`, gzip(join('out/renderer/assets', name))] as const),
	);
	return { size: sizeOf(chunks, bytes, gzip('out/preload/index.cjs')), chunks };
}

if (import.meta.main) {
	const { size, chunks } = builtSize(join(import.meta.dirname, '..', '..'));
	const kB = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`;
	for (const [file, bytes] of [...size.files].sort(([, one], [, other]) => other - one))
		console.log(`${kB(bytes).padStart(9)} ${size.first.includes(file) ? '*' : ' '} ${file}`);
	console.log(`\nbefore Start (*, one language, preload): ${kB(size.beforeStart)}; whole: ${kB(size.whole)}`);
	console.log(heaviest(chunks, size.first).join('\n'));
}
