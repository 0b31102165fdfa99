import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Where a build of the window leaves what each of its files is made of. */
export const CHUNKS = 'out/chunks.json';

/** A file of the window's code. */
export interface ChunkRecord {
	/** The page it begins, `index` or `overlay`; null for what others load. */
	readonly entry: string | null;
	/** Files loaded with it. */
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

/** The part of rollup's plugins this needs; electron-vite hands on rolldown's own type. */
interface RecordPlugin {
	readonly name: string;
	generateBundle(options: unknown, bundle: Readonly<Record<string, Chunk>>): void;
}

export const recordChunks: RecordPlugin = {
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

/** A module's name without the place where it was built. */
function shortened(id: string): string {
	const path = id.replaceAll('\0', '').replaceAll('\\', '/');
	const at = Math.max(path.lastIndexOf('node_modules/'), path.lastIndexOf('/src/') + 1);
	return at > 0 ? path.slice(at) : path;
}
