import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BUNDLED } from '#scripts/bundle/records.ts';

/** A shipped package. */
export interface Shipped {
	readonly name: string;
	readonly version: string;
	/** The package's SPDX expression; empty = it states none. */
	readonly licence: string;
	/** The unchanged text of its licence file; empty = it has none. */
	readonly text: string;
}

/** Every package that the build included, by name. Throws if there is no build. */
export function shippedPackages(root: string): readonly Shipped[] {
	const folders = new Set<string>();
	for (const file of readdirSync(join(root, BUNDLED)))
		for (const folder of JSON.parse(readFileSync(join(root, BUNDLED, file), 'utf8')) as string[])
			folders.add(folder);
	const byName = new Map<string, Shipped>();
	for (const folder of folders) {
		const one = readPackage(join(root, folder));
		byName.set(`${one.name} ${one.version}`, one);
	}
	return [...byName.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
}

function readPackage(folder: string): Shipped {
	const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
		name: string;
		version: string;
		license?: string | { type?: string };
	};
	const file = readdirSync(folder).find((one) => /^(licen[cs]e|copying|ofl)/i.test(one));
	const text = file && existsSync(join(folder, file)) ? readFileSync(join(folder, file), 'utf8') : '';
	return { name, version, licence: typeof license === 'string' ? license : (license?.type ?? ''), text };
}

const RULE = `${'-'.repeat(78)}\n`;

/** The file of notices that is shipped with the program. */
export function noticesOf(shipped: readonly Shipped[]): string {
	const parts = shipped.map(
		({ name, version, licence, text }) => `${name} ${version}\n${licence}\n\n${text.trim()}\n`,
	);
	const head =
		'Dragoman holds parts of these packages. Electron, where it is shipped too, names its own in LICENSES.chromium.html.\n\n';
	return head + parts.join(`\n${RULE}`);
}

/** Licences that allow shipping in open or closed programs, and only require a notice. */
const EASY = new Set([
	...['MIT', 'MIT-0', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'Apache-2.0', 'OFL-1.1', 'Unlicense'],
	...['CC0-1.0', 'BlueOak-1.0.0', 'Python-2.0', 'Zlib'],
]);

/** Packages whose terms must be reviewed first, or that have no licence. */
export function doubtfulLicences(shipped: readonly Shipped[]): readonly string[] {
	return shipped
		.filter(({ licence, text }) => !isEasy(licence) || (text === '' && licence === ''))
		.map(({ name, version, licence }) => `${name} ${version}: ${licence || 'no licence stated'}`);
}

/** `A OR B` is unproblematic if one of them is, `A AND B` if all are. */
function isEasy(expression: string): boolean {
	const plain = expression.replace(/[()]/g, ' ').trim();
	return plain.split(/\s+OR\s+/).some((one) => one.split(/\s+AND\s+/).every((term) => EASY.has(term.trim())));
}
