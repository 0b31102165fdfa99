import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { FramePiece } from './frame.ts';
import { shownTexts } from './shown-texts.ts';
import { captionLayouts, EVERY_LANGUAGE, ORIGINAL } from './style.ts';

function piece(kind: FramePiece['kind'], language: string): FramePiece {
	return { key: `${kind} ${language}`, kind, language, text: language, steady: 0, final: true };
}
const row = (said: string, ...translated: readonly string[]) => [
	piece('source', said),
	...translated.map((language) => piece('translation', language)),
];
function shown(language: string, layout: (typeof captionLayouts)[number], pieces: readonly FramePiece[]) {
	const { said, translated } = shownTexts(pieces, { language, layout });
	return [said, translated].map((texts) => texts.map((text) => text.language));
}

test('every language, or only what was said', () => {
	expect(shown(EVERY_LANGUAGE, 'under', row('en', 'es', 'fr'))).toEqual([['en'], ['es', 'fr']]);
	expect(shown(EVERY_LANGUAGE, 'target', row('en', 'es', 'fr'))).toEqual([[], ['es', 'fr']]);
	expect(shown(ORIGINAL, 'under', row('en', 'es'))).toEqual([['en'], []]);
	expect(shown(ORIGINAL, 'target', row('en', 'es'))).toEqual([['en'], []]);
});

test('one language: what was said in it, whoever said it, else its translation; the layout says whether with the original', () => {
	expect(shown('fr', 'target', row('en', 'es', 'fr'))).toEqual([[], ['fr']]);
	expect(shown('fr', 'under', row('en', 'es', 'fr'))).toEqual([['en'], ['fr']]);
	expect(shown('en', 'target', row('en', 'es', 'fr'))).toEqual([['en'], []]);
	expect(shown('en', 'under', row('en', 'es'))).toEqual([['en'], []]);
	// The other side of a meeting.
	expect(shown('en', 'target', row('es', 'en-us'))).toEqual([[], ['en-us']]);
});

test('one language in several variants: exactly the wanted one, else one of the same language', () => {
	expect(shown('es-mx', 'target', row('en', 'es', 'es-mx'))).toEqual([[], ['es-mx']]);
	expect(shown('es-mx', 'target', row('en', 'es-ar'))).toEqual([[], ['es-ar']]);
});

test('what is not there yet, or never comes, is stood in for by what was said', () => {
	expect(shown('de', 'target', row('en'))).toEqual([['en'], []]);
	expect(shown('de', 'target', row('en', 'es'))).toEqual([['en'], []]);
});

test('whatever is chosen, a row with a text is never empty, and nothing is shown twice or made up', () => {
	const code = fc.constantFrom('en', 'en-us', 'es', 'es-mx', 'ar', 'zh-hant', '');
	fc.assert(
		fc.property(
			code,
			fc.uniqueArray(code),
			fc.constantFrom(EVERY_LANGUAGE, ORIGINAL, 'en', 'es-ar', 'auto', 'x'),
			fc.constantFrom(...captionLayouts),
			(from, to, language, layout) => {
				const pieces = row(from, ...to);
				const { said, translated } = shownTexts(pieces, { language, layout });
				const all = [...said, ...translated];
				expect(all.length).toBeGreaterThan(0);
				expect(new Set(all).size).toBe(all.length);
				for (const one of all) expect(pieces).toContain(one);
			},
		),
	);
});
