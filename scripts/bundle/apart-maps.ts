import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** Where the source maps of the last build are: beside what is shipped, never in it. */
const MAPS = 'out/maps';

/** The part of rollup's plugins this needs; electron-vite hands on rolldown's own type. */
interface ApartPlugin {
	readonly name: string;
	generateBundle(options: unknown, bundle: Record<string, { readonly source?: unknown }>): void;
}

/**
 * Keeps the source maps of a minified part out of what is shipped, so that stack traces of the same build can
 * still be read: `out/maps/<part>/<file>.js.map`.
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
