import { randomUUID } from 'node:crypto';
import type { Clock } from '#shared/lib/clock.ts';
import { field } from '#shared/protocol/json.ts';
import { baseOf } from '#shared/protocol/languages.ts';
import type { Task } from '#shared/protocol/task.ts';

export interface GlossaryOrder {
	readonly name: string;
	readonly kind: 'translation' | 'asr' | 'asr_hot';
	readonly source: string;
	readonly target: string;
	readonly enabled: boolean;
}

export interface StoredGlossary extends GlossaryOrder {
	readonly id: string;
	readonly createdAt: number;
	/** Null until its table has come. */
	readonly rows: readonly (readonly string[])[] | null;
}

/** Applies glossaries to the texts of a conversation. */
export interface AppliedGlossaries {
	/** What was recognised in a language, corrected. */
	heard(text: string, language: string, task: Task): string;
	/** The translation of `original`, with the words of the glossaries. */
	translated(text: string, original: string, languages: { from: string; to: string }, task: Task): string;
}

export interface GlossaryStore extends AppliedGlossaries {
	create(order: GlossaryOrder): StoredGlossary;
	get(id: string): StoredGlossary | null;
	/** Oldest first. */
	list(): readonly StoredGlossary[];
	change(
		id: string,
		change: Partial<Pick<StoredGlossary, 'name' | 'enabled' | 'rows'>>,
	): StoredGlossary | null;
	delete(id: string): boolean;
}

export function createGlossaryStore(clock: Clock): GlossaryStore {
	const all = new Map<string, StoredGlossary>();

	/** Rows of the glossaries that are on, fit the languages and may be used by the task; an empty language fits any. */
	function rowsOf(kind: StoredGlossary['kind'], from: string, to: string, rules: unknown, names: Names) {
		if (field(rules, names.allow) === false) return [];
		const allowed = field(rules, names.ids);
		return [...all.values()]
			.filter((one) => one.kind === kind && one.enabled)
			.filter((one) => baseOf(one.source) === baseOf(from) && baseOf(one.target) === baseOf(to))
			.filter(({ id }) => !Array.isArray(allowed) || allowed.includes(id))
			.flatMap(({ rows }) => rows ?? []);
	}

	return {
		create(order) {
			const made = { ...order, id: randomUUID(), createdAt: clock.wall(), rows: null };
			all.set(made.id, made);
			return made;
		},
		get: (id) => all.get(id) ?? null,
		list: () => [...all.values()],
		change(id, change) {
			const before = all.get(id);
			if (!before) return null;
			const after = { ...before, ...change };
			all.set(id, after);
			return after;
		},
		delete: (id) => all.delete(id),
		heard(text, language, task) {
			const rules = field(task.pipeline.transcription, 'verification');
			const rows = rowsOf('asr', language, language, rules, VERIFICATION);
			return rows.reduce((said, [wrong = '', right = '']) => replaced(said, wrong, right), text);
		},
		translated(text, original, { from, to }, task) {
			const target = task.pipeline.translations.find(({ target_language: one }) => one === to);
			const rows = rowsOf('translation', from, to, target, TRANSLATION);
			return rows.reduce((said, [term = '', wanted = '']) => {
				if (!isIn(original, term) || isIn(said, wanted)) return said;
				// We do not know which word of the phrase translates the term, so the wanted word is appended for all to see.
				return isIn(said, term) ? replaced(said, term, wanted) : `${said} (${wanted})`;
			}, text);
		},
	};
}

interface Names {
	readonly allow: string;
	readonly ids: string;
}

const VERIFICATION: Names = {
	allow: 'allow_verification_glossaries',
	ids: 'allowed_verification_glossary_ids',
};
const TRANSLATION: Names = {
	allow: 'allow_translation_glossaries',
	ids: 'allowed_translation_glossary_ids',
};

function wordOf(term: string): RegExp {
	const literal = term.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
	return new RegExp(`(?<![\\p{L}\\p{N}])${literal}(?![\\p{L}\\p{N}])`, 'giu');
}

function isIn(text: string, term: string): boolean {
	return term !== '' && wordOf(term).test(text);
}

function replaced(text: string, term: string, by: string): string {
	return term === '' ? text : text.replaceAll(wordOf(term), () => by);
}
