import {
	cpSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { isText, type PackedFile } from './check.ts';
import { noticesOf, type Shipped } from './licences.ts';

/** Prepares the app's folder for shipping, from a finished build. Returns the folder. */
export function stageApp(root: string, shipped: readonly Shipped[]): string {
	const app = join(root, 'out/package/app');
	rmSync(join(root, 'out/package'), { recursive: true, force: true });
	mkdirSync(app, { recursive: true });
	const names = ['index', 'sandbox', 'ear-worker', 'mouth-worker', 'portal-bus'];
	const programs = names.map((name) => `main/${name}.js`);
	for (const part of [...loadedBy(join(root, 'out'), programs), 'preload', 'renderer'])
		cpSync(join(root, 'out', part), join(app, 'out', part), { recursive: true });
	cpSync(join(root, 'resources/icons'), join(app, 'resources/icons'), { recursive: true });
	cpSync(join(root, 'LICENSE'), join(app, 'LICENSE'));
	writeFileSync(join(app, 'THIRD-PARTY-NOTICES.txt'), noticesOf(shipped));
	writeFileSync(join(app, 'package.json'), `${JSON.stringify(manifestOf(root), null, '\t')}\n`);
	return app;
}

/** The programs and every file of the build that they import, statically or dynamically. */
function loadedBy(out: string, programs: readonly string[]): ReadonlySet<string> {
	const found = new Set(programs);
	// This loop also visits files added while it runs.
	for (const file of found) {
		const text = readFileSync(join(out, file), 'utf8');
		for (const [, path = ''] of text.matchAll(/\b(?:from|import)\s*\(?\s*["'](\.\.?\/[^"']+\.js)["']/g)) {
			const imported = join(dirname(file), path).replaceAll('\\', '/');
			// The text of a library may only look like an import.
			if (existsSync(join(out, imported))) found.add(imported);
		}
	}
	return found;
}

function manifestOf(root: string): Record<string, unknown> {
	const { name, version, description, license } = JSON.parse(
		readFileSync(join(root, 'package.json'), 'utf8'),
	) as Record<string, string>;
	const desktopName = 'app.dragoman.desktop.desktop';
	return {
		name,
		version,
		description,
		license,
		type: 'module',
		author: 'Dragoman',
		desktopName,
		main: 'out/main/index.js',
	};
}

/** Every file in a folder; text files with their text. */
export function readPacked(folder: string): readonly PackedFile[] {
	return readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => {
			const file = join(entry.parentPath, entry.name);
			const path = relative(folder, file).replaceAll('\\', '/');
			return { path, size: statSync(file).size, text: isText(path) ? readFileSync(file, 'utf8') : null };
		})
		.sort((one, other) => (one.path < other.path ? -1 : 1));
}
