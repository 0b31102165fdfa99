import fc from 'fast-check';
import { expect, test } from 'vitest';
import { defaultSettings } from '#shared/settings/schema.ts';
import type { FramePiece } from './frames.ts';
import { abilitiesOf, usesWayland } from './placement.ts';
import {
	captionLayouts,
	ENOUGH_CONTRAST,
	EVERY_LANGUAGE,
	ORIGINAL,
	shownTexts,
	windowSize,
	withOpacity,
	worstContrast,
} from './style.ts';

test('contrast is that of the worst screen behind it', () => {
	const white = { color: '#ffffff', background: '#000000' };
	expect(worstContrast({ ...white, opacity: 1 })).toBeCloseTo(21);
	expect(worstContrast({ ...white, opacity: 0 })).toBe(1);
	expect(worstContrast({ ...white, opacity: 0.2 })).toBeLessThan(ENOUGH_CONTRAST);
	expect(worstContrast({ color: '#777777', background: '#888888', opacity: 1 })).toBeLessThan(1.5);
	expect(worstContrast(defaultSettings.overlay)).toBeGreaterThan(ENOUGH_CONTRAST);
});

test('a more opaque background never reads worse when the text is lighter or darker than all of it', () => {
	fc.assert(
		fc.property(
			fc.float({ min: 0, max: 1, noNaN: true }),
			fc.float({ min: 0, max: 1, noNaN: true }),
			(a, b) => {
				const at = (opacity: number) => worstContrast({ color: '#ffffff', background: '#101010', opacity });
				expect(at(Math.max(a, b))).toBeGreaterThanOrEqual(at(Math.min(a, b)) - 1e-9);
			},
		),
	);
});

test('the height of the window follows the number of lines and never exceeds the display', () => {
	const display = { width: 1000, height: 800 };
	const of = (lines: number, size = 20) => windowSize({ lines, size, width: 50 }, display);
	expect(of(3).height - of(2).height).toBe(27);
	expect(of(8, 96).height).toBe(800);
	expect(of(1).width).toBe(500);
});

test('a colour and its opacity for CSS', () => {
	expect(withOpacity('#ff8000', 0.255)).toBe('rgb(255 128 0 / 26%)');
});

test('what each system allows', () => {
	const electron = (platform: string, wayland = false) =>
		abilitiesOf({ shell: 'electron', platform, wayland });
	expect(electron('win32')).toEqual({ floats: true, clickThrough: true, hides: 'yes', because: null });
	expect(electron('darwin')).toMatchObject({ floats: true, hides: 'partly' });
	expect(electron('linux')).toMatchObject({ floats: true, hides: 'no' });
	expect(electron('linux', true)).toMatchObject({ floats: false, because: 'wayland' });
	expect(abilitiesOf({ shell: 'stand-in', platform: 'win32', wayland: false })).toMatchObject({
		because: 'browser',
	});
});

test('Wayland is what the session is, unless the switch says otherwise', () => {
	expect(usesWayland({ XDG_SESSION_TYPE: 'wayland' }, '')).toBe(true);
	expect(usesWayland({ XDG_SESSION_TYPE: 'wayland' }, 'x11')).toBe(false);
	expect(usesWayland({ XDG_SESSION_TYPE: 'x11' }, '')).toBe(false);
	expect(usesWayland({ XDG_SESSION_TYPE: 'x11' }, 'wayland')).toBe(true);
});

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
