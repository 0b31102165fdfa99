import type { ModelRole } from '#shared/host/models.ts';
import { AUTO, baseOf, sameLanguage } from '#shared/protocol/languages.ts';

/** The packages of the interpreter itself, among the models only if they have to be downloaded. */
export const INTERPRETER = 'interpreter';
export const ACTIVITY = 'silero-v5';
const ENGLISH = 'whisper-tiny.en';
/** Multilingual recognisers, in order of preference. */
const MULTILINGUAL = ['whisper-base', 'whisper-small'];
/** Variants of a language with a Piper voice, but so different that espeak-ng is closer. */
const OTHER_ACCENTS = ['pt-eu', 'pt-pt'];

/** What the choice of a model depends on. */
interface Choosable {
	readonly id: string;
	readonly role: ModelRole;
	readonly languages: readonly string[];
}

/** The models' code for a language, without region; null = no model, as for traditional Chinese. */
function codeOf(language: string): string | null {
	const code = language.trim().toLowerCase();
	if (code === AUTO || code === 'zh-hant') return null;
	return baseOf(code);
}

/** Chooses among these models what a language or a pair needs. */
export function chooseAmong(models: readonly Choosable[]) {
	const known: ReadonlyMap<string, Choosable> = new Map(models.map((model) => [model.id, model]));

	/** Translators to apply, in order, from one language to another: none within one; null = impossible. */
	function translatorsOf(from: string, to: string): readonly string[] | null {
		const source = codeOf(from);
		const target = codeOf(to);
		if (source === null || target === null) return null;
		if (sameLanguage(source, target)) return [];
		const direct = `mozilla-${source}-${target}`;
		if (known.has(direct)) return [direct];
		const throughEnglish = [`mozilla-${source}-en`, `mozilla-en-${target}`];
		return throughEnglish.every((id) => known.has(id)) ? throughEnglish : null;
	}

	/** The id of the optional voice for a language; null = only espeak-ng speaks it. */
	function voiceFor(language: string): string | null {
		const code = language.trim().toLowerCase();
		if (OTHER_ACCENTS.includes(code)) return null;
		return (
			models.find(({ role, languages }) => role === 'voice' && languages.includes(baseOf(code)))?.id ?? null
		);
	}

	/**
	 * The installed recogniser to use for a language; null = none understands it. `auto` needs a multilingual one.
	 */
	function recogniserOf(from: string, installed: Iterable<string>): string | null {
		const there = new Set(installed);
		const language = baseOf(from);
		const wanted = language === 'en' ? [ENGLISH, ...MULTILINGUAL] : MULTILINGUAL;
		const understands = (id: string) => language === AUTO || known.get(id)?.languages.includes(language);
		return wanted.find((id) => there.has(id) && understands(id)) ?? null;
	}

	/** All models of a pair; null = impossible. `small` (default) recognises English with the fastest one. */
	function neededFor(
		from: string,
		to: string,
		{ small = true }: { small?: boolean } = {},
	): readonly string[] | null {
		const recogniser = recogniserOf(from, small ? [ENGLISH, ...MULTILINGUAL] : MULTILINGUAL);
		const translators = translatorsOf(from, to);
		if (recogniser === null || translators === null) return null;
		return [...(known.has(INTERPRETER) ? [INTERPRETER] : []), ACTIVITY, recogniser, ...translators];
	}

	return { translatorsOf, voiceFor, recogniserOf, neededFor };
}
