/** One utterance of a client: its texts up to `is_eos`. */
export interface Utterance {
	readonly id: string;
	/** Text that is not spoken yet: no sentence in it is whole. */
	rest: string;
}

/** Where a sentence ends and another may begin. */
const END = /[.!?…]+["'»”)]*(?=\s)|[。！？]+["'」』）]*/gu;

/** The whole sentences at the start of `text`, and what is left. */
export function wholeSentences(text: string): { readonly whole: string; readonly rest: string } {
	let cut = 0;
	for (const match of text.matchAll(END)) cut = match.index + match[0].length;
	return { whole: text.slice(0, cut).trim(), rest: text.slice(cut) };
}
