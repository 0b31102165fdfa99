import { expect, test } from 'vitest';
import { SAMPLE_LANGUAGES } from '#shared/protocol/cloned-voice.ts';
import { HIDDEN_TARGETS, OFFERED_TARGETS } from '#shared/protocol/languages.ts';
import {
	CONSENT_WORDING,
	checkVoiceDraft,
	draftFieldOf,
	emptyDraft,
	sampleHint,
	sortRefusal,
	type VoiceDraft,
} from './draft.ts';
import { sniffMedia } from './media-type.ts';

const draft: VoiceDraft = { ...emptyDraft, name: 'Ana', language: 'es', consent: CONSENT_WORDING };
const sample = { bytes: 1000, mimeType: 'audio/wav', durationMs: 30_000 };

test('the 76 languages are the targets, the hidden targets and the sources that are no targets', () => {
	const sources = 'auto bn eu fa ga mn mr mt ug yue'.split(' ');
	expect(SAMPLE_LANGUAGES).toHaveLength(76);
	expect(new Set(SAMPLE_LANGUAGES)).toEqual(new Set([...OFFERED_TARGETS, ...HIDDEN_TARGETS, ...sources]));
});

test('a correct form has no problem, and an empty one lists every missing field', () => {
	expect(checkVoiceDraft(draft, sample)).toEqual([]);
	const missing = ['sample', 'name', 'language', 'consent'].map((field) => ({ field, reason: 'missing' }));
	expect(checkVoiceDraft(emptyDraft, null)).toEqual(missing);
});

test.each([
	['Ana', null],
	['  Ana  ', null],
	['An', 'too-short'],
	['  A  ', 'too-short'],
	// Two letters, but four units: a service that counts letters would refuse it.
	['\u{1F130}'.repeat(2), 'too-short'],
	['x'.repeat(64), null],
	['x'.repeat(65), 'too-long'],
	// 40 letters, but 80 units: a service that counts units would refuse it.
	['\u{1F130}'.repeat(40), 'too-long'],
	['José (casa) v1.2-b_c', null],
	['रवि', null],
	['أحمد', null],
	['Ana!', 'characters'],
	['Ana\nB', 'characters'],
	['Ana/B', 'characters'],
	['½ Ana', 'characters'],
])('the name %j: %s', (name, reason) => {
	const problems = checkVoiceDraft({ ...draft, name }, sample);
	expect(problems).toEqual(reason === null ? [] : [{ field: 'name', reason }]);
});

test.each([
	[{ bytes: 0 }, 'empty'],
	[{ bytes: 10_000_000 }, null],
	[{ bytes: 10_000_001 }, 'too-large'],
	[{ mimeType: '' }, 'type'],
	[{ mimeType: 'image/png' }, 'type'],
	[{ durationMs: 4999 }, 'too-short'],
	[{ durationMs: 5000 }, null],
	[{ durationMs: null }, null],
])('a sample with %j: %s', (fields, reason) => {
	const problems = checkVoiceDraft(draft, { ...sample, ...fields });
	expect(problems).toEqual(reason === null ? [] : [{ field: 'sample', reason }]);
});

const labels = { gender: '', ageGroup: '', mood: '' };
const list = (count: number) => Array.from({ length: count }, (_, at) => `a${at}`);

test.each([
	['description', { description: 'x'.repeat(1000) }, null],
	['description', { description: 'x'.repeat(1001) }, 'too-long'],
	['labels', { labels: { ...labels, mood: 'x'.repeat(64) } }, null],
	['labels', { labels: { ...labels, mood: 'x'.repeat(65) } }, 'too-long'],
	['attributes', { attributes: [` ${'x'.repeat(64)} `] }, null],
	['attributes', { attributes: ['calm', 'x'.repeat(65)] }, 'too-long'],
	['attributes', { attributes: list(20) }, null],
	['attributes', { attributes: list(21) }, 'too-long'],
	['attributes', { attributes: ['calm', ' '] }, 'empty'],
])('%s at its limit, %#', (field, fields, reason) => {
	const problems = checkVoiceDraft({ ...draft, ...fields }, sample);
	expect(problems).toEqual(reason === null ? [] : [{ field, reason }]);
});

test('consent to another wording is none', () => {
	expect(checkVoiceDraft({ ...draft, consent: '0' }, sample)).toEqual([
		{ field: 'consent', reason: 'missing' },
	]);
});

test('a short sample is a hint, and so is one whose length nobody can read', () => {
	const hints = [30_000, 29_999, null].map((durationMs) => sampleHint({ ...sample, durationMs }));
	expect(hints).toEqual([null, 'short', 'length-unknown']);
});

const bytes = (text: string, ...first: number[]) =>
	Uint8Array.from([...first, ...[...text].map((letter) => letter.charCodeAt(0))]);

test.each([
	['a.wav', bytes('RIFF\u0001\u0002\u0003\u0004WAVEfmt '), 'audio/wav'],
	['a.mp3', bytes('RIFF\u0001\u0002\u0003\u0004WAVEfmt '), 'audio/wav'],
	['a.wav', bytes('RIFF\u0001\u0002\u0003\u0004AVI LIST'), null],
	['a.mp3', bytes('ID3\u0004'), 'audio/mpeg'],
	['a.mp3', bytes('', 0xff, 0xfb, 0x90, 0), 'audio/mpeg'],
	['a.aac', bytes('', 0xff, 0xf1, 0x50, 0x80), null],
	['a.flac', bytes('fLaC'), 'audio/flac'],
	['a.flac', bytes('ID3\u0004'), 'audio/flac'],
	['a.m4a', bytes('ftypM4A ', 0, 0, 0, 28), 'audio/x-m4a'],
	['a.m4a', bytes('ftypisom', 0, 0, 0, 28), 'audio/x-m4a'],
	['a.mp4', bytes('ftypisom', 0, 0, 0, 28), 'video/mp4'],
	['a.mov', bytes('ftypqt  ', 0, 0, 0, 28), null],
	['a.webm', bytes('\u0001\u0000B\u0082\u0084webm', 0x1a, 0x45, 0xdf, 0xa3), 'video/webm'],
	['a.mkv', bytes('\u0001\u0000B\u0082\u0088matroska', 0x1a, 0x45, 0xdf, 0xa3), null],
	['a.mpg', bytes('', 0, 0, 1, 0xba), 'video/mpeg'],
	['a.ogg', bytes('OggS'), null],
	['a.wav', bytes(''), null],
	['a.mp3', bytes('<html>'), null],
])('%s is told by its bytes: case %#', (name, head, type) => {
	expect(sniffMedia(head, name)).toBe(type);
});

test.each([
	['data.name', 'name'],
	['name', 'name'],
	['data.samples.0.lang_code', 'language'],
	['data.samples[0].mime_type', 'sample'],
	['body.data.labels.gender', 'labels'],
	['data.attributes.3', 'attributes'],
	['data.description', 'description'],
	['', null],
	['data.names', null],
])('the path %j means the field %s', (path, field) => {
	expect(draftFieldOf(path)).toBe(field);
});

test('each record of a refusal is at the field it names; what names none stays', () => {
	const records = [
		{ detail: 'taken', field: 'data.name', code: '1' },
		{ detail: 'too long', field: 'data.name' },
		{ detail: 'not taught', field: 'data.samples[0].lang_code' },
		{ detail: 'too many voices', code: '4' },
		{ detail: 'odd', field: 'data.weather' },
	];
	const problem = {
		kind: 'voice-refused',
		status: 422,
		field: 'data.name',
		detail: 'taken',
		code: '1',
	} as const;
	const { atFields, rest } = sortRefusal({ ...problem, errors: records });
	expect([...atFields]).toEqual([
		['name', records.slice(0, 2)],
		['language', records.slice(2, 3)],
	]);
	expect(rest).toMatchObject({ detail: 'too many voices', code: '4', errors: records.slice(3) });
	// A refusal stored before there were records.
	expect([...sortRefusal(problem).atFields.keys()]).toEqual(['name']);
	expect(sortRefusal(problem).rest).toBeNull();
});
