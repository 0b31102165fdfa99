import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** True when running from built files, as installed copies do; false from a checkout's sources. */
export const isBuilt = !import.meta.url.endsWith('.ts');

/** How a user types our commands. */
export const typed = isBuilt
	? { cli: 'dragoman', demo: 'dragoman demo', sandbox: 'dragoman sandbox' }
	: { cli: 'npm run cli --', demo: 'npm run demo --', sandbox: 'npm run sandbox' };

/** The checkout, or the folder in which npm installed this copy. */
export const ownFolder = folderOf(import.meta.dirname);

/** The file of one of our programs, by its source and by its name in `electron.vite.config.ts`. */
export function programFile(source: string, name: string): string {
	return join(ownFolder, isBuilt ? `out/main/${name}.js` : source);
}

export function ownVersion(): string {
	return (JSON.parse(readFileSync(join(ownFolder, 'package.json'), 'utf8')) as { version: string }).version;
}

/** The nearest parent folder that is a package. */
function folderOf(below: string): string {
	const above = dirname(below);
	return above === below || existsSync(join(below, 'package.json')) ? below : folderOf(above);
}
