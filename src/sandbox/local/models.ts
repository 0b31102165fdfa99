import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isWhole, models, recogniserOf, translatorsOf } from '#shared/models/manifest.ts';
import { AUTO, baseOf } from '#shared/protocol/languages.ts';

const recognisers = models.filter(({ role }) => role === 'recogniser').map(({ id }) => id);

/** The file of a model by its kind; `#shared/models/manifest.ts` says what files are called. */
export function fileOf(folder: string, id: string, pattern: RegExp): string {
	const found = readdirSync(join(folder, id)).find((name) => pattern.test(name));
	if (found === undefined) throw new Error(`${id} lacks a file`);
	return join(folder, id, found);
}

/** What is in the folder of models, looked at anew each time: they come and go while the program runs. */
export function createLibrary(folder: string) {
	/** Only of those asked about: this is done for every text. */
	const isThere = (id: string) => isWhole(id, (_, file) => existsSync(join(folder, id, file)));

	return {
		folder,
		detector: 'silero-v5',
		/** The recogniser for one of these languages, or for any; null = none is installed. */
		recogniserFor(languages: readonly string[]): string | null {
			const [only = AUTO, ...others] = new Set(languages.map(baseOf));
			return recogniserOf(others.length > 0 ? AUTO : only, recognisers.filter(isThere));
		},
		/** The translators from one language to another; empty = they are the same; null = not installed. */
		routeFor(from: string, to: string): readonly string[] | null {
			const route = translatorsOf(from, to);
			return route?.every(isThere) ? route : null;
		},
	};
}
export type Library = ReturnType<typeof createLibrary>;
