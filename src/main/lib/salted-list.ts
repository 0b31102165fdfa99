import { z } from 'zod/mini';

const VERSION = 1;

/** What a file that several programs share holds. */
export interface SaltedList<Entry> {
	readonly salt: string;
	readonly entries: readonly Entry[];
}

/** `newer`: written by a later version of the app, to be left alone. `broken`: `content` is what could be saved. */
export type ListReading<Entry> =
	| { readonly type: 'fine'; readonly content: SaltedList<Entry> }
	| { readonly type: 'newer' }
	| { readonly type: 'broken'; readonly content: SaltedList<Entry> | null };

export interface ListFormat<Entry> {
	/** Never throws; keeps every valid entry. */
	parse(text: string): ListReading<Entry>;
	format(content: SaltedList<Entry>): string;
}

const Outer = z.looseObject({ version: z.number(), salt: z.string().check(z.minLength(8)) });
const List = z.array(z.unknown());

/** JSON with a version and a salt, and the entries under `key`. */
export function listFormat<Entry>(key: string, entry: z.core.$ZodType<Entry>): ListFormat<Entry> {
	return {
		parse(text) {
			const outer = Outer.safeParse(parseJson(text));
			const list = List.safeParse(outer.data?.[key]);
			if (!outer.success || !list.success) return { type: 'broken', content: null };
			if (outer.data.version > VERSION) return { type: 'newer' };
			const read = list.data.map((one) => z.safeParse(entry, one));
			const entries = read.flatMap((one) => (one.success ? [one.data] : []));
			const content = { salt: outer.data.salt, entries };
			return entries.length === read.length ? { type: 'fine', content } : { type: 'broken', content };
		},
		format: ({ salt, entries }) =>
			`${JSON.stringify({ version: VERSION, salt, [key]: entries }, null, '\t')}\n`,
	};
}

function parseJson(text: string): unknown {
	try {
		return JSON.parse(text.replace(/^\uFEFF/, ''));
	} catch {
		return undefined;
	}
}
