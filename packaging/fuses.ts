import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { FUSES } from './config.ts';

/** Marks the place of the fuses in Electron's program (electronjs.org/docs/latest/tutorial/fuses, "The hard way"). */
export const SENTINEL = Buffer.from('dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX');
/** The only layout there is: a byte of version, one of length, then one for each fuse. */
const LAYOUT = 1;

/** In the order in the program; the ninth cannot be set by electron-builder and stays as Electron ships it. */
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

/** Every fuse decided. Trap handlers enforce the bounds of WebAssembly's memory; nothing is gained without them. */
export const DECIDED: { readonly [Name in FuseName]: boolean } = { ...FUSES, wasmTrapHandlers: true };

export type FuseState = 'on' | 'off' | 'removed';

const STATES: Readonly<Record<string, FuseState>> = { '0': 'off', '1': 'on', r: 'removed' };

/** The fuses of each copy in a program (one on most systems, one per architecture on macOS); empty = none in it. */
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

/** Fuses that are not as decided, in sentences; an unknown fuse is one of them. */
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

/** An Electron program is never smaller; smaller files are not read. */
const LEAST_BYTES = 20_000_000;

/** The fuse problems of every program below a folder of packages. */
export function packagedFuseProblems(folder: string): readonly string[] {
	const copies = readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile() && !/\.(asar|pak|dat|deb|AppImage|dmg|zip|blockmap)$/.test(entry.name))
		.map((entry) => join(entry.parentPath, entry.name))
		.filter((file) => statSync(file).size >= LEAST_BYTES)
		.flatMap((file) => fusesOf(readFileSync(file)));
	return fuseProblems(copies);
}
