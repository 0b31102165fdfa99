import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { models, recogniserOf, translatorsOf } from '#shared/models/manifest.ts';
import { AUTO, baseOf } from '#shared/protocol/languages.ts';

/** The file of a model by its kind; `#shared/models/manifest.ts` says what files are called. */
export function fileOf(folder: string, id: string, pattern: RegExp): string {
	const found = readdirSync(join(folder, id)).find((name) => pattern.test(name));
	if (found === undefined) throw new Error(`${id} lacks a file`);
	return join(folder, id, found);
}

/** What is in the folder of models, looked at anew each time: they come and go while the program runs. */
export function createLibrary(folder: string) {
	/** Models of which every file is there; one that is being downloaded has none of its last names yet. */
	function installed(): ReadonlySet<string> {
		const whole = models.filter(({ id, files }) =>
			files.every(({ name }) => existsSync(join(folder, id, name))),
		);
		return new Set(whole.map(({ id }) => id));
	}

	return {
		folder,
		detector: 'silero-v5',
		/** The recogniser for one of these languages, or for any; null = none is installed. */
		recogniserFor(languages: readonly string[]): string | null {
			const [only = AUTO, ...others] = new Set(languages.map(baseOf));
			return recogniserOf(others.length > 0 ? AUTO : only, installed());
		},
		/** The translators from one language to another; empty = they are the same; null = not installed. */
		routeFor(from: string, to: string): readonly string[] | null {
			const route = translatorsOf(from, to);
			const there = installed();
			return route?.every((id) => there.has(id)) ? route : null;
		},
	};
}
export type Library = ReturnType<typeof createLibrary>;
