import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
	ACCEPTED_SOURCES,
	ACCEPTED_TARGETS,
	baseOf,
	HIDDEN_TARGETS,
	isRightToLeft,
	localeTag,
	matchLanguage,
	matchTarget,
	OFFERED_SOURCES,
	OFFERED_TARGETS,
	sameLanguage,
	swap,
} from './languages.ts';

const offeredTarget = fc.constantFrom(...OFFERED_TARGETS);

test('the lists have the sizes of protocol 6.2 and hold nothing twice', () => {
	expect([OFFERED_SOURCES.length, OFFERED_TARGETS.length, HIDDEN_TARGETS.length]).toEqual([57, 63, 3]);
	expect(new Set([...OFFERED_TARGETS, ...HIDDEN_TARGETS]).size).toBe(66);
	expect(new Set(OFFERED_SOURCES).size).toBe(57);
});

test('all that is offered is accepted', () => {
	expect(OFFERED_SOURCES.filter((code) => !ACCEPTED_SOURCES.has(code))).toEqual([]);
	expect([...OFFERED_TARGETS, ...HIDDEN_TARGETS].filter((code) => !ACCEPTED_TARGETS.has(code))).toEqual([]);
});

test('a code is its base, whatever is written behind it and however', () => {
	expect(['en', 'EN-us', ' zh_Hans ', 'fil', ''].map(baseOf)).toEqual(['en', 'en', 'zh', 'fil', '']);
});

describe('swap', () => {
	test('takes a code with blanks and capitals, and a region that is no target by its base', () => {
		expect(swap(' EN ', 'es')).toEqual({ speak: 'es', hear: 'en-us' });
		expect(swap('de-at', 'es')).toEqual({ speak: 'es', hear: 'de' });
		expect(swap('en-nz', 'es')).toEqual({ speak: 'es', hear: 'en-us' });
		expect(swap('en', 'tlh')).toBeNull();
	});

	test.each([
		['en', 'es-mx', { speak: 'es', hear: 'en-us' }],
		['zh', 'en-gb', { speak: 'en', hear: 'zh-hans' }],
		['de', 'ja', { speak: 'ja', hear: 'de' }],
		['en-gb', 'fr', { speak: 'fr', hear: 'en-gb' }],
		['auto', 'es', null],
		['eu', 'es', null],
		['yue', 'en', null],
	])('%s → %s turns into %j', (speak, hear, turned) => {
		expect(swap(speak, hear)).toEqual(turned);
	});

	test('gives a pair the service accepts, with the languages exchanged', () => {
		fc.assert(
			fc.property(fc.constantFrom(...OFFERED_SOURCES), offeredTarget, (speak, hear) => {
				const turned = swap(speak, hear);
				if (turned === null) return;
				expect(ACCEPTED_SOURCES.has(turned.speak) && ACCEPTED_TARGETS.has(turned.hear)).toBe(true);
				expect(sameLanguage(turned.speak, hear) && sameLanguage(turned.hear, speak)).toBe(true);
			}),
		);
	});

	test('every offered target becomes a source', () => {
		expect(OFFERED_TARGETS.filter((hear) => swap('en', hear) === null)).toEqual([]);
	});
});

describe('voices', () => {
	test.each([
		['translation_es', ['es', 'fr'], 'es'],
		['translation_es-mx', ['es', 'es-mx'], 'es-mx'],
		['translation_es_4f2a', ['fr', 'es'], 'es'],
		['translation_es-4f2a', ['fr', 'es'], 'es'],
		['translation_zh-hant', ['zh'], null],
		['translation_zh-hant_1', ['zh', 'zh-hant'], 'zh-hant'],
		['translation_fil', ['fi'], null],
		['translation_en-us', ['en'], 'en'],
		['TRANSLATION_ES', ['es'], 'es'],
		['translation_es', ['ES'], 'ES'],
		['translation_en-us', ['EN'], 'EN'],
		['translation_tlh', ['tlh'], 'tlh'],
		['translation_tlh_1', ['TLH'], 'TLH'],
		['xtranslation_es', ['es'], null],
		['xxxxxxxxxxxxes', ['es'], null],
		['microphone', ['es'], null],
		['translation_', ['es'], null],
	])('track %s among %j is %j', (name, targets, matched) => {
		expect(matchTarget(name, targets)).toBe(matched);
	});

	test('a track of any target finds it among all, whatever its suffix', () => {
		const suffix = fc.constantFrom('', '_1', '_abc', '-7f', '.x');
		fc.assert(
			fc.property(
				offeredTarget,
				suffix,
				(code, tail) => matchTarget(`translation_${code}${tail}`, OFFERED_TARGETS) === code,
			),
		);
	});
});

test('a language in a message is matched exactly, then by base', () => {
	expect(matchLanguage('es-mx', ['es', 'es-mx'])).toBe('es-mx');
	expect(matchLanguage('es', ['fr', 'es-mx'])).toBe('es-mx');
	expect(matchLanguage('en', ['en-gb', 'en-us'])).toBe('en-us');
	expect(matchLanguage('de', ['fr'])).toBeNull();
});

test('languages are the same by base, and detection is none', () => {
	expect([sameLanguage('en', 'en-us'), sameLanguage('fi', 'fil'), sameLanguage('auto', 'auto')]).toEqual([
		true,
		false,
		false,
	]);
});

test('Arabic, Hebrew, Persian, Urdu and Uyghur read from right to left, whatever the region', () => {
	expect([...OFFERED_SOURCES, ...OFFERED_TARGETS].filter(isRightToLeft).sort()).toEqual(
		['ar', 'ar', 'ar-ae', 'ar-sa', 'fa', 'he', 'he', 'ug', 'ur', 'ur'].sort(),
	);
});

describe('tags', () => {
	test.each([
		['es-ch', 'es-CL'],
		['es-la', 'es-419'],
		['zh-hans', 'zh-Hans'],
		['pt-br', 'pt-BR'],
		['pt-eu', 'pt-PT'],
		['fil', 'fil'],
		['auto', 'und'],
		['AUTO', 'und'],
		[' es_CH ', 'es-CL'],
		['sr_latn', 'sr-Latn'],
		['sr-latn-rs', 'sr-Latn-RS'],
		['es-419', 'es-419'],
		['es-41', 'und'],
		['es-4190', 'und'],
		['sr-lat', 'und'],
		['x', 'und'],
		['engl', 'und'],
		['en-us-x', 'und'],
		['not a code', 'und'],
	])('%s is %s', (code, tag) => {
		expect(localeTag(code)).toBe(tag);
	});

	test('every code has a tag that Intl takes and can name', () => {
		const names = new Intl.DisplayNames(['en'], { type: 'language' });
		const nameless = [...ACCEPTED_SOURCES, ...ACCEPTED_TARGETS].filter(
			(code) => names.of(localeTag(code)) === localeTag(code),
		);
		expect(nameless).toEqual([]);
	});
});
