import { z } from 'zod/mini';
import { StoredVoice } from './register.ts';

const VERSION = 1;
const Outer = z.object({
	version: z.number(),
	salt: z.string().check(z.minLength(8)),
	voices: z.array(z.unknown()),
});

export interface RegisterContent {
	readonly salt: string;
	readonly voices: readonly StoredVoice[];
}

/** `newer`: written by a later version of the app, to be left alone. `broken`: `content` is what could be saved. */
export type RegisterReading =
	| { readonly type: 'fine'; readonly content: RegisterContent }
	| { readonly type: 'newer' }
	| { readonly type: 'broken'; readonly content: RegisterContent | null };

/** Never throws; keeps every single entry that is right. */
export function parseRegister(text: string): RegisterReading {
	const outer = Outer.safeParse(parseJson(text));
	if (!outer.success) return { type: 'broken', content: null };
	if (outer.data.version > VERSION) return { type: 'newer' };
	const read = outer.data.voices.map((voice) => StoredVoice.safeParse(voice));
	const voices = read.flatMap((voice) => (voice.success ? [voice.data] : []));
	const content = { salt: outer.data.salt, voices };
	return voices.length === read.length ? { type: 'fine', content } : { type: 'broken', content };
}

export function formatRegister(content: RegisterContent): string {
	return `${JSON.stringify({ version: VERSION, ...content }, null, '\t')}\n`;
}

function parseJson(text: string): unknown {
	try {
		return JSON.parse(text.replace(/^\uFEFF/, ''));
	} catch {
		return undefined;
	}
}
