import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { FUSES } from './config.ts';

/**
 * Marks the position of the fuses in Electron's program (electronjs.org/docs/latest/tutorial/fuses, "The hard
 * way").
 */
export const SENTINEL = Buffer.from('dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX');
/** The only existing layout: one byte for the version, one for the length, then one per fuse. */
const LAYOUT = 1;

/** In the order of the program; electron-builder cannot set the ninth, which keeps Electron's default. */
const WIRE = [
	'runAsNode',
	'enableCookieEncryption',
	'enableNodeOptionsEnvironmentVariable',
	'enableNodeCliInspectArguments',
	'enableEmbeddedAsarIntegrityValidation',
	'onlyLoadAppFromAsar',
	'loadBrowserProcessSpecificV8Snapshot',
	'grantFileProtocolExtraPrivileges',
	'wasmTrapHandlers',
] as const;
type FuseName = (typeof WIRE)[number];

/**
 * The chosen state of every fuse. Trap handlers enforce the limits of WebAssembly's memory; disabling them has
 * no benefit.
 */
export const DECIDED: { readonly [Name in FuseName]: boolean } = { ...FUSES, wasmTrapHandlers: true };

export type FuseState = 'on' | 'off' | 'removed';

const STATES: Readonly<Record<string, FuseState>> = { '0': 'off', '1': 'on', r: 'removed' };

/**
 * The fuses of each copy in a program (one on most systems, one per architecture on macOS); empty = it has no
 * fuses.
 */
export function fusesOf(program: Buffer): readonly ReadonlyMap<string, FuseState>[] {
	const found: ReadonlyMap<string, FuseState>[] = [];
	for (let at = program.indexOf(SENTINEL); at >= 0; at = program.indexOf(SENTINEL, at + 1)) {
		const wire = at + SENTINEL.length;
		const [layout, length = 0] = program.subarray(wire, wire + 2);
		if (layout !== LAYOUT) continue;
		const states = program.toString('latin1', wire + 2, wire + 2 + length);
		found.push(
			new Map(
				[...states].map((state, index) => [WIRE[index] ?? `fuse ${index}`, STATES[state] ?? 'removed']),
			),
		);
	}
	return found;
}

/** Fuses that differ from the chosen state or are unknown, as sentences. */
export function fuseProblems(copies: readonly ReadonlyMap<string, FuseState>[]): readonly string[] {
	if (copies.length === 0) return ['the packaged program has no fuses'];
	return copies.flatMap((states) => {
		const wrong = WIRE.filter((name) => {
			const state = states.get(name);
			return state !== 'removed' && state !== (DECIDED[name] ? 'on' : 'off');
		}).map((name) => `fuse ${name} is ${states.get(name) ?? 'missing'}`);
		const unknown = [...states.keys()].filter((name) => !WIRE.some((one) => one === name));
		return [...wrong, ...unknown.map((name) => `${name} is not decided`)];
	});
}

/** An Electron program is never smaller than this; smaller files are not read. */
const LEAST_BYTES = 20_000_000;

/** The fuse problems of every program in a folder of packages. */
export function packagedFuseProblems(folder: string): readonly string[] {
	const copies = readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile() && !/\.(asar|pak|dat|deb|AppImage|dmg|zip|blockmap)$/.test(entry.name))
		.map((entry) => join(entry.parentPath, entry.name))
		.filter((file) => statSync(file).size >= LEAST_BYTES)
		.flatMap((file) => fusesOf(readFileSync(file)));
	return fuseProblems(copies);
}
