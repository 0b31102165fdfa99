import { readFileSync } from 'node:fs';
import { type FactLanguage, factLanguageOf, words } from '#shared/facts/words/index.ts';

/** A sentence, the same in another language, and wrong versions of that. */
export interface FactPair {
	readonly said: { readonly language: FactLanguage; readonly text: string };
	readonly right: { readonly language: FactLanguage; readonly text: string };
	/** The same with one fact damaged; several where there are several facts. */
	readonly wrong: readonly string[];
}

const MARK = /\[([^|\]]*)\|([^\]]*)\]/g;

const read = (name: string) => readFileSync(new URL(`../corpus/facts/${name}`, import.meta.url), 'utf8');

/** The pairs of `sets.json`, which was written by somebody who did not know how facts are read. */
export function strangersPairs(): readonly FactPair[] {
	const sets = JSON.parse(read('sets.json')) as readonly {
		readonly right: Readonly<Record<FactLanguage, string>>;
		readonly wrong?: Readonly<Record<FactLanguage, string>>;
	}[];
	const languages = Object.keys(words) as FactLanguage[];
	return sets.flatMap(({ right, wrong }) =>
		languages.flatMap((one) =>
			languages
				.filter((other) => other !== one)
				.map((other) => ({
					said: { language: one, text: right[one] },
					right: { language: other, text: right[other] },
					wrong: wrong ? [wrong[other]] : [],
				})),
		),
	);
}

/** The pairs of `sentences.txt`, in both directions. */
export function factPairs(): readonly FactPair[] {
	const text = read('sentences.txt');
	return text.split(/\n\n+/).flatMap((block) => {
		const lines = block.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
		const sentences = lines.map((line) => ({
			language: languageOf(line.slice(0, 2)),
			marked: line.slice(3),
		}));
		return sentences.flatMap((one) =>
			sentences.filter((other) => other !== one).map((other) => pairOf(one, other)),
		);
	});
}

/**
 * The pairs of `hard.txt`, `spoken.txt` or `everyday.txt`: forms that are hard to read, each with what a wrong
 * translation makes of them. Three people who did not know how facts are read wrote `spoken.txt` and `everyday.txt`.
 */
export function hardPairs(
	name: 'hard.txt' | 'spoken.txt' | 'everyday.txt' = 'hard.txt',
): readonly FactPair[] {
	return read(name)
		.split(/\n\n+/)
		.flatMap((block) => {
			const versions = [...block.matchAll(/^(\w\w)(!?) (.+)$/gm)].map(([, code = '', wrong, text = '']) => ({
				language: languageOf(code),
				isRight: wrong === '',
				text,
			}));
			const rights = versions.filter(({ isRight }) => isRight);
			const wrongOf = (language: FactLanguage) =>
				versions.filter((one) => !one.isRight && one.language === language).map(({ text }) => text);
			return rights.flatMap((said) =>
				rights
					.filter((other) => other !== said)
					.map((right) => ({ said, right, wrong: wrongOf(right.language) })),
			);
		});
}

interface Marked {
	readonly language: FactLanguage;
	readonly marked: string;
}

function pairOf(one: Marked, other: Marked): FactPair {
	return {
		said: { language: one.language, text: withoutMarks(one.marked) },
		right: { language: other.language, text: withoutMarks(other.marked) },
		wrong: [...other.marked.matchAll(MARK)].map(
			({ index, 0: whole, 2: damaged = '' }) =>
				withoutMarks(other.marked.slice(0, index)) +
				damaged +
				withoutMarks(other.marked.slice(index + whole.length)),
		),
	};
}

function withoutMarks(marked: string): string {
	return marked.replace(MARK, '$1');
}

function languageOf(code: string): FactLanguage {
	const language = factLanguageOf(code);
	if (!language) throw new Error(`No language of facts: ${code}`);
	return language;
}
