import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** File in which a build of the window records the modules in each of its files. */
export const CHUNKS = 'out/chunks.json';

/** A file of the window's code. */
export interface ChunkRecord {
	/** The page that starts with this file, `index` or `overlay`; null for files that others load. */
	readonly entry: string | null;
	/** Files loaded together with it. */
	readonly imports: readonly string[];
	/** Characters of code by module, before minifying. */
	readonly modules: Readonly<Record<string, number>>;
}

interface Chunk {
	readonly type: string;
	readonly name?: string;
	readonly isEntry?: boolean;
	readonly imports?: readonly string[];
	readonly modules?: Readonly<Record<string, { readonly renderedLength: number }>>;
}

/** The properties of rollup's plugin type that we need; electron-vite exports rolldown's own type. */
interface ChunkPlugin {
	readonly name: string;
	generateBundle(options: unknown, bundle: Readonly<Record<string, Chunk>>): void;
}

export const recordChunks: ChunkPlugin = {
	name: 'record-chunks',
	generateBundle(_options, bundle) {
		const record: Record<string, ChunkRecord> = {};
		for (const [file, { type, name, isEntry, imports = [], modules = {} }] of Object.entries(bundle)) {
			if (type !== 'chunk') continue;
			const lengths = Object.entries(modules).map(([id, { renderedLength }]) => [
				shortened(id),
				renderedLength,
			]);
			record[file] = {
				entry: isEntry ? (name ?? null) : null,
				imports,
				modules: Object.fromEntries(lengths),
			};
		}
		mkdirSync(dirname(CHUNKS), { recursive: true });
		writeFileSync(CHUNKS, JSON.stringify(record, null, '\t'));
	},
};

/** A module's name without the folder of the build. */
function shortened(id: string): string {
	const path = id.replaceAll('\0', '').replaceAll('\\', '/');
	const at = Math.max(path.lastIndexOf('node_modules/'), path.lastIndexOf('/src/') + 1);
	return at > 0 ? path.slice(at) : path;
}

/** Folder of the last build's source maps: beside the shipped files, never among them. */
const MAPS = 'out/maps';

/** The properties of rollup's plugin type that we need; electron-vite exports rolldown's own type. */
interface ApartPlugin {
	readonly name: string;
	generateBundle(options: unknown, bundle: Record<string, { readonly source?: unknown }>): void;
}

/**
 * Moves the source maps of a minified part of the build out of the shipped files, so that stack traces of the
 * same build can still be read: `out/maps/<part>/<file>.js.map`.
 */
export function apartMaps(part: string): ApartPlugin {
	return {
		name: 'apart-maps',
		generateBundle(_options, bundle) {
			const folder = join(MAPS, part);
			rmSync(folder, { recursive: true, force: true });
			mkdirSync(folder, { recursive: true });
			for (const [name, { source }] of Object.entries(bundle)) {
				if (!name.endsWith('.map') || typeof source !== 'string') continue;
				writeFileSync(join(folder, basename(name)), source);
				delete bundle[name];
			}
		},
	};
}

/** Folder in which a build records the packages of each part: `<part>.json`, with folders below the root. */
export const BUNDLED = 'out/bundled';

/** The properties of rollup's plugin type that we need; electron-vite exports rolldown's own type. */
interface RecordPlugin {
	readonly name: string;
	generateBundle(
		this: { getModuleIds(): Iterable<string> },
		options: unknown,
		bundle: Readonly<Record<string, { readonly originalFileNames?: readonly string[] }>>,
	): void;
}

/**
 * Records the packages that a build used: because everything is bundled, `node_modules` does not show what is
 * shipped. Packages removed again by tree-shaking count as well; one licence too many does no harm.
 */
export function recordBundled(part: string): RecordPlugin {
	return {
		name: 'record-bundled',
		generateBundle(_options, bundle) {
			const folders = new Set<string>();
			// Fonts are referenced by a style sheet and are not modules.
			const assets = Object.values(bundle).flatMap(({ originalFileNames = [] }) => originalFileNames);
			for (const id of [...this.getModuleIds(), ...assets]) {
				const folder = packageOf(id);
				if (folder) folders.add(folder);
			}
			mkdirSync(BUNDLED, { recursive: true });
			writeFileSync(join(BUNDLED, `${part}.json`), JSON.stringify([...folders].sort(), null, '\t'));
		},
	};
}

/** The folder of the package that contains a module, `node_modules/…`; null for our own and virtual modules. */
function packageOf(id: string): string | null {
	const whole = id.replaceAll('\0', '').replace(/\?.*$/, '').replaceAll('\\', '/');
	if (!whole.includes('node_modules/')) return null;
	// Module paths are absolute, asset paths relative to the page's folder.
	const path = whole.slice(whole.indexOf('node_modules/'));
	let folder = dirname(path);
	// A package may contain folders with their own package.json without a name.
	while (folder.length > path.lastIndexOf('node_modules/')) {
		if (isPackage(folder)) return folder;
		folder = dirname(folder);
	}
	return null;
}

function isPackage(folder: string): boolean {
	const file = join(folder, 'package.json');
	if (!existsSync(file)) return false;
	const { name, version } = JSON.parse(readFileSync(file, 'utf8')) as { name?: string; version?: string };
	return Boolean(name && version);
}
