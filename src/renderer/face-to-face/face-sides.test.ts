import { expect, test } from 'vitest';
import { captionRow } from '#test/support/fake-conversation.ts';
import { faceLanguages, lineFor, speakerOf } from './face-sides.ts';

const pair = { speak: 'en', hear: ['es-mx', 'fr'], voiceOf: 'es-mx' };
const languages = faceLanguages(pair);

test('the partner’s language is the one whose voice is heard', () => {
	expect(languages).toEqual({ me: 'en', partner: 'es-mx' });
	expect(faceLanguages({ speak: 'en', hear: ['fr'], voiceOf: 'es' })).toEqual({ me: 'en', partner: 'fr' });
});

test('a row of one session is whose language it is in, and a row of the other leg is the partner’s', () => {
	expect(speakerOf(captionRow(1, ['en', 'Hello'], []), pair)).toBe('me');
	expect(speakerOf(captionRow(1, ['es', 'Hola'], []), pair)).toBe('partner');
	expect(speakerOf(captionRow(1, ['de', 'Hallo'], []), pair)).toBeNull();
	expect(speakerOf({ ...captionRow(1, ['en', 'Hello'], []), leg: 'incoming' }, pair)).toBe('partner');
	expect(speakerOf({ transcriptionId: 'x', source: null, translations: [] }, pair)).toBeNull();
});

test('each reads their own words as they were heard, and the other’s in translation', () => {
	const row = captionRow(1, ['en', 'Hello'], [['es-mx', 'Hola']]);
	expect(lineFor(row, 'me', languages)).toMatchObject({ own: true, text: 'Hello', language: 'en' });
	expect(lineFor(row, 'partner', languages)).toMatchObject({ own: false, text: 'Hola', language: 'es-mx' });
	expect(lineFor(captionRow(1, ['en', 'Hello'], []), 'partner', languages)).toBeNull();
});

test('the parts of a translation are one line, final when all of them are', () => {
	const [first, second] = [
		captionRow(1, ['en', 'x'], [['es', 'Uno']]),
		captionRow(1, ['en', 'x'], [['es', 'dos']], false),
	];
	const row = { ...first, translations: [...first.translations, ...second.translations] };
	expect(lineFor(row, 'partner', languages)).toMatchObject({ text: 'Uno dos', final: false });
});
