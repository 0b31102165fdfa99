import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SAMPLE_LANGUAGES, SAMPLE_TYPES } from '#shared/protocol/clone-request.ts';
import { CONSENT_WORDING, checkVoiceDraft, emptyDraft, type VoiceDraft } from '#shared/voices/draft.ts';
import { isVoiceType } from '#shared/voices/media-type.ts';
import { cloneRequestOf, filenameOf } from './clone-body.ts';

const sample = { name: 'Mañana “früh”.wav', mimeType: 'audio/wav' };
const draft: VoiceDraft = { ...emptyDraft, name: 'Ana', language: 'es', consent: CONSENT_WORDING };

test('a bare description says nothing that was not said', () => {
	expect(cloneRequestOf(draft, sample, 'item')).toEqual({
		data: {
			name: 'Ana',
			samples: [
				{
					filename: 'Manana _fruh.wav',
					mime_type: 'audio/wav',
					lang_code: 'es',
					display_name: 'Mañana “früh”.wav',
					item_id: 'item',
				},
			],
		},
	});
});

test('a full one has every field by its wire name', () => {
	const full: VoiceDraft = {
		...draft,
		description: ' Calm ',
		labels: { gender: ' female ', ageGroup: ' adult ', mood: ' ' },
		attributes: [' warm '],
		denoise: true,
		normalise: true,
		skipExternal: true,
	};
	expect(cloneRequestOf(full, sample, 'item')).toMatchObject({
		data: {
			description: 'Calm',
			labels: { gender: 'female', age_group: 'adult' },
			attributes: ['warm'],
			skip_external_voice: true,
			samples: [{ denoise: true, speech_normalization: true }],
		},
	});
});

test('a file that the service does not take has no name there', () => {
	expect(filenameOf({ name: 'x.ogg', mimeType: 'audio/ogg' })).toBe('');
	expect(filenameOf({ name: 'x.wav', mimeType: '' })).toBe('');
});

/** The specification written out a second time: whatever passes the form must pass these (spec 4.6). */
const WORD = '\\p{L}\\p{M}\\p{N}_';
const NAME = new RegExp(`^[${WORD}\\-. ()]+$`, 'u');
const FILENAME = /^[\w\-. '"()]+$/;

const nearName = fc.string({
	unit: fc.oneof(
		fc.constantFrom(...'aZ9_-. ()éÑж语اिé!/@\u0000½'),
		fc.string({ minLength: 1, maxLength: 1 }),
	),
	maxLength: 70,
});
const drafts: fc.Arbitrary<VoiceDraft> = fc.record({
	name: fc.oneof(nearName, fc.stringMatching(/^[A-Za-zé ()]{2,40}$/)),
	language: fc.oneof(fc.constantFrom(...SAMPLE_LANGUAGES), fc.constantFrom('', 'EN', 'tlh', 'en_us')),
	description: fc.string({ maxLength: 1100 }),
	labels: fc.record({ gender: fc.string(), ageGroup: fc.string(), mood: fc.string() }),
	attributes: fc.oneof(
		fc.array(fc.string({ maxLength: 70 }), { maxLength: 25 }),
		fc.array(fc.stringMatching(/^[a-z]{1,64}$/), { maxLength: 20 }),
	),
	denoise: fc.boolean(),
	normalise: fc.boolean(),
	skipExternal: fc.boolean(),
	// Mostly valid, so that the other fields are seen to matter.
	consent: fc.constantFrom(CONSENT_WORDING, CONSENT_WORDING, CONSENT_WORDING, ''),
});
const samples = fc.record({
	name: fc.oneof(nearName, fc.string({ maxLength: 300 })),
	mimeType: fc.constantFrom(...SAMPLE_TYPES, '', 'audio/ogg'),
	bytes: fc.oneof(fc.integer({ min: -1, max: 11_000_000 }), fc.constantFrom(0, 1, 10_000_000, 10_000_001)),
	durationMs: fc.option(fc.integer({ min: 0, max: 700_000 })),
});

test('whatever passes the check of the form is what the specification accepts, and becomes a request', () => {
	let passed = 0;
	fc.assert(
		fc.property(drafts, samples, (wanted, file) => {
			if (checkVoiceDraft(wanted, file).length > 0) return;
			passed += 1;
			const request = cloneRequestOf(wanted, file, 'item');
			const described = request?.data;
			const [only] = described?.samples ?? [];
			expect(described?.name).toMatch(NAME);
			for (const length of [[...(described?.name ?? '')].length, described?.name.length ?? 0]) {
				expect(length).toBeGreaterThanOrEqual(3);
				expect(length).toBeLessThanOrEqual(64);
			}
			expect(only?.filename).toMatch(FILENAME);
			expect(only?.filename.length).toBeGreaterThanOrEqual(3);
			expect(only?.filename.length).toBeLessThanOrEqual(255);
			expect(SAMPLE_LANGUAGES).toContain(only?.lang_code);
			expect(SAMPLE_TYPES).toContain(only?.mime_type);
			expect(isVoiceType(only?.mime_type ?? '')).toBe(true);
			expect(file.bytes).toBeLessThanOrEqual(10_000_000);
			expect(wanted.consent).not.toBe('');
		}),
		{ numRuns: 3000 },
	);
	expect(passed).toBeGreaterThan(20);
});

test('any name of a file becomes one the service takes, ending as its type says', () => {
	fc.assert(
		fc.property(
			fc.string({ unit: 'grapheme', maxLength: 400 }),
			fc.constantFrom(...SAMPLE_TYPES.slice(0, 9)),
			(name, mimeType) => {
				const filename = filenameOf({ name, mimeType });
				expect(filename).toMatch(FILENAME);
				expect(filename.length).toBeGreaterThanOrEqual(3);
				expect(filename.length).toBeLessThanOrEqual(255);
			},
		),
	);
	expect(filenameOf({ name: '語.m4a', mimeType: 'audio/x-m4a' })).toBe('sample.m4a');
	expect(filenameOf({ name: 'song.mp3', mimeType: 'audio/wav' })).toBe('song.mp3.wav');
	expect(filenameOf({ name: '../../etc/passwd', mimeType: 'audio/mpeg' })).toBe('etc_passwd.mp3');
});
