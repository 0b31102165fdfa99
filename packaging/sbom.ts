import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Shipped } from './licences.ts';

/** The fields of a lock file's entry that identify a package. */
interface Locked {
	readonly version?: string;
	/** `sha512-` and base64. */
	readonly integrity?: string;
}

/** Files that electron-builder adds to the packages of the app. */
export interface Runtime {
	readonly electron: string;
}

/**
 * The components of the program, for tools that search known vulnerabilities: CycloneDX 1.6
 * (cyclonedx.org/docs/1.6/json). `npm sbom` would list the installed packages, nearly all of which are tools,
 * while all shipped code is bundled. So the list consists of the packages that the build included. The same
 * input gives the same text.
 */
export function sbomOf(
	root: string,
	shipped: readonly Shipped[],
	{ electron }: Runtime,
): Record<string, unknown> {
	const { name, version, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<
		string,
		string
	>;
	const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
		packages: Readonly<Record<string, Locked>>;
	};
	const app = purlOf(name ?? '', version ?? '');
	const components = [...shipped, { name: 'electron', version: electron, licence: 'MIT' }].map((one) => ({
		type: one.name === 'electron' ? 'framework' : 'library',
		'bom-ref': purlOf(one.name, one.version),
		name: one.name,
		version: one.version,
		purl: purlOf(one.name, one.version),
		...(one.licence && { licenses: [licenceOf(one.licence)] }),
		...hashesOf(packages, one),
	}));
	return {
		$schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
		bomFormat: 'CycloneDX',
		specVersion: '1.6',
		version: 1,
		metadata: {
			component: { type: 'application', 'bom-ref': app, name, version, licenses: [licenceOf(license ?? '')] },
		},
		components,
		dependencies: [
			{ ref: app, dependsOn: components.map((one) => one['bom-ref']).sort() },
			...components.map((one) => ({ ref: one['bom-ref'] })),
		],
	};
}

/** `pkg:npm/%40scope/name@1.2.3` (package-url specification). */
function purlOf(name: string, version: string): string {
	return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}

function licenceOf(expression: string): object {
	return /\s/.test(expression) ? { expression } : { license: { id: expression } };
}

/** Hashes from the lock file; a package may be nested in another's folder. */
function hashesOf(
	packages: Readonly<Record<string, Locked>>,
	{ name, version }: { readonly name: string; readonly version: string },
): object {
	const [, locked] =
		Object.entries(packages).find(
			([path, entry]) => path.endsWith(`node_modules/${name}`) && entry.version === version,
		) ?? [];
	const [kind, base64] = locked?.integrity?.split('-') ?? [];
	if (kind !== 'sha512' || !base64) return {};
	return { hashes: [{ alg: 'SHA-512', content: Buffer.from(base64, 'base64').toString('hex') }] };
}
