import { expect, test } from 'vitest';
import { insteadOf, ownI18n } from './own-locales.ts';

const intl = (name: string) => `/x/node_modules/react-aria/dist/intl/combobox/${name}.mjs`;

test('words of languages that the window is not shown in are English', () => {
	expect(insteadOf(intl('nl-NL'))).toBe("export { default } from './en-US.mjs';");
	expect(insteadOf(intl('de-DE'))).toBeNull();
	expect(insteadOf('/x/src/renderer/main.tsx')).toBeNull();
});

test('what asks for the locale data of the browser at once is replaced, under both kinds of path, and nothing else', () => {
	const i18n = (name: string) => `/x/node_modules/react-aria/dist/private/i18n/${name}.mjs`;
	expect(ownI18n(i18n('useDefaultLocale'))).toContain('useDefaultLocale');
	expect(ownI18n(i18n('utils').replaceAll('/', '\\'))).toContain('isRTL');
	expect(ownI18n(i18n('I18nProvider'))).toBeNull();
	expect(ownI18n('/x/src/private/i18n/utils.mjs')).toBeNull();
});
