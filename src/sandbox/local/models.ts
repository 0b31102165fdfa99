import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isWhole, modelById, models, recogniserOf, translatorsOf } from '#shared/models/manifest.ts';
import { AUTO, baseOf } from '#shared/protocol/languages.ts';

const recognisers = models.filter(({ role }) => role === 'recogniser').map(({ id }) => id);

/** The file of a model that matches `pattern`; file names are in `#shared/models/manifest.ts`. */
export function fileOf(folder: string, id: string, pattern: RegExp): string {
	const found = readdirSync(join(folder, id)).find((name) => pattern.test(name));
	if (found === undefined) throw new Error(`${id} lacks a file`);
	return join(folder, id, found);
}

/**
 * Whether every file of a model is in the folder. Checks this model only, because it is called for every text.
 */
export function isInstalled(folder: string, id: string): boolean {
	const model = modelById(id);
	return model !== undefined && isWhole(model, (_, file) => existsSync(join(folder, id, file)));
}

/** Reads the models folder each time, because models are added and removed while the program runs. */
export function createLibrary(folder: string) {
	const isThere = (id: string) => isInstalled(folder, id);

	return {
		folder,
		detector: 'silero-v5',
		/** The recogniser for one of these languages, or for any language; null = none is installed. */
		recogniserFor(languages: readonly string[]): string | null {
			const [only = AUTO, ...others] = new Set(languages.map(baseOf));
			return recogniserOf(others.length > 0 ? AUTO : only, recognisers.filter(isThere));
		},
		/** The translators from one language to another; empty = same language; null = not installed. */
		routeFor(from: string, to: string): readonly string[] | null {
			const route = translatorsOf(from, to);
			return route?.every(isThere) ? route : null;
		},
	};
}
export type Library = ReturnType<typeof createLibrary>;

/** WebAssembly is available everywhere, but only the types of browsers declare it. */
export const webAssembly = (
	globalThis as unknown as {
		readonly WebAssembly: {
			instantiate(bytes: Uint8Array, imports: object): Promise<{ readonly instance: object }>;
		};
	}
).WebAssembly;
