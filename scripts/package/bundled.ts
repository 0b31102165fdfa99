import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Where the build leaves which packages went into each part: `<part>.json`, folders below the root. */
export const BUNDLED = 'out/bundled';

/** The part of rollup's plugins this needs; electron-vite hands on rolldown's own type. */
interface RecordPlugin {
	readonly name: string;
	generateBundle(
		this: { getModuleIds(): Iterable<string> },
		options: unknown,
		bundle: Readonly<Record<string, { readonly originalFileNames?: readonly string[] }>>,
	): void;
}

/**
 * Writes down the packages a build drew from, because everything is bundled: what is shipped cannot be
 * read off a `node_modules`. Packages that tree-shaking removed again count as well; a licence too many does no harm.
 */
export function recordBundled(part: string): RecordPlugin {
	return {
		name: 'record-bundled',
		generateBundle(_options, bundle) {
			const folders = new Set<string>();
			// Fonts come from a style sheet and are not modules.
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

/** The folder of the package a module belongs to, `node_modules/…`; null for our own and virtual ones. */
function packageOf(id: string): string | null {
	const whole = id.replaceAll('\0', '').replace(/\?.*$/, '').replaceAll('\\', '/');
	if (!whole.includes('node_modules/')) return null;
	// Module paths are absolute, asset paths relative to the page's folder.
	const path = whole.slice(whole.indexOf('node_modules/'));
	let folder = dirname(path);
	// A package may hold folders with a package.json of their own, without a name.
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
