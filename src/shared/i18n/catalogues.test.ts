import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type ProblemKind, recoveryOf } from '#shared/problem.ts';
import ar from './ar.json' with { type: 'json' };
import en from './en.json' with { type: 'json' };
import { interfaceLanguages } from './interface-languages.ts';
import ja from './ja.json' with { type: 'json' };

const PLURAL = /_(zero|one|two|few|many|other)$/;

/** Every text by its key, `a.b.c`. */
function flat(tree: object, path = ''): Map<string, string> {
	const texts = new Map<string, string>();
	for (const [name, value] of Object.entries(tree)) {
		const key = path === '' ? name : `${path}.${name}`;
		if (typeof value === 'string') texts.set(key, value);
		else for (const [inner, text] of flat(value, key)) texts.set(inner, text);
	}
	return texts;
}

const placeholders = (text: string) => [...new Set(text.match(/\{\{[^}]+\}\}/g))].sort();
const keysOf = (tree: object) =>
	[...new Set([...flat(tree).keys()].map((key) => key.replace(PLURAL, '')))].sort();
const english = flat(en);

const catalogues = interfaceLanguages.map((language) => {
	const words = JSON.parse(readFileSync(new URL(`${language}.json`, import.meta.url), 'utf8'));
	return [language, words as object] as const;
});

/** Whether a plural form covers a single number, which it may then spell out. */
function isOneNumber(language: string, form: string | undefined): boolean {
	if (form === undefined) return false;
	const rules = new Intl.PluralRules(language);
	return Array.from({ length: 1000 }, (_, n) => rules.select(n)).filter((one) => one === form).length === 1;
}
const withCount = (text: string) => `${text}{{count}}`;

test.each(catalogues)(
	'%s has the same keys and placeholders as English, and no text left in it',
	(language, catalogue) => {
		expect(keysOf(catalogue)).toEqual(keysOf(en));
		for (const [key, text] of flat(catalogue)) {
			expect(text.trim(), key).not.toBe('');
			const original = english.get(key) ?? english.get(key.replace(PLURAL, '_other'));
			if (original === undefined) continue;
			const own = isOneNumber(language, PLURAL.exec(key)?.[1]) ? withCount(text) : text;
			expect([key, placeholders(own)]).toEqual([key, placeholders(original)]);
		}
	},
);

test('what counts has exactly the plural forms its language needs', () => {
	for (const [language, catalogue] of catalogues) {
		const needed = new Intl.PluralRules(language).resolvedOptions().pluralCategories.length;
		const forms = new Map<string, number>();
		for (const key of flat(catalogue).keys()) {
			if (PLURAL.test(key)) forms.set(key.replace(PLURAL, ''), (forms.get(key.replace(PLURAL, '')) ?? 0) + 1);
		}
		for (const [key, count] of forms) expect([language, key, count]).toEqual([language, key, needed]);
	}
});

test('Arabic is in Arabic: every sentence has Arabic letters', () => {
	const latin = [...flat(ar)].filter(([, text]) => !/\p{Script=Arabic}/u.test(text)).map(([key]) => key);
	expect(latin.filter((key) => !key.startsWith('shell.'))).toEqual(['app.name']);
});

test('Japanese is in Japanese: every sentence has kana or kanji', () => {
	const others = [...flat(ja)]
		.filter(([, text]) => !/[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u.test(text))
		.map(([key]) => key);
	expect(others.sort()).toEqual(['app.name', 'diagnosis.says.versions', 'recorder.wanted', 'settings.range']);
});

test('every kind of problem has its sentence and its next step has a name', () => {
	for (const kind of Object.keys(recoveryOf) as ProblemKind[]) {
		expect(english.has(`problem.${kind}`), kind).toBe(true);
		expect(english.has(`recovery.${recoveryOf[kind]}`), recoveryOf[kind]).toBe(true);
	}
});

/** A button's visible text, and its accessible name: people who speak the visible text must hit the button. */
const CALLED = [
	['live.muteShort', 'live.mute', 'legs.listenSource'],
	['legs.voiceShort', 'legs.outgoingVoice', 'legs.incomingVoice'],
	['sound.title', 'sound.open'],
	['history.rename', 'history.renameNamed'],
	['history.export', 'history.exportNamed'],
	['sessions.extend', 'sessions.extendNamed'],
	['sessions.end', 'sessions.endNamed'],
	['voices.useFor', 'voices.useNamed'],
	['app.cancel', 'voices.cancelNamed'],
	['voices.refresh', 'voices.refreshNamed'],
	['voices.rename', 'voices.renameNamed'],
	['voices.forget', 'voices.forgetNamed'],
	['recovery.retry', 'voices.retryNamed'],
	['shortcuts.add', 'shortcuts.addFor'],
	['shortcuts.press', 'shortcuts.pressFor'],
	['settings.reset', 'shortcuts.resetOne'],
] as const;

test.each(catalogues)('%s: what a button shows is in its name, word by word', (language, catalogue) => {
	const texts = flat(catalogue);
	// Japanese has no spaces between its words.
	const inWords = (text = '') =>
		language === 'ja' ? text : ` ${text.match(/[\p{L}\p{M}\p{N}]+/gu)?.join(' ')} `;
	const apart = CALLED.flatMap(([shown, ...names]) =>
		names.filter(
			(name) => !inWords(texts.get(name)?.toLowerCase()).includes(inWords(texts.get(shown)?.toLowerCase())),
		),
	);
	expect(apart).toEqual([]);
});
