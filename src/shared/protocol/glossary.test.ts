import { expect, test } from 'vitest';
import { readGlossary, readGlossaryPage } from './glossary.ts';

const wire = {
	glossary_id: 'g-1',
	name: 'Names',
	glossary_type: 'translation',
	source_lang: 'EN',
	target_lang: 'es',
	is_enabled: false,
	entries_count: 3,
	created_at: '2026-01-02T03:04:05Z',
};
const read = {
	id: 'g-1',
	name: 'Names',
	kind: 'translation',
	source: 'en',
	target: 'es',
	enabled: false,
	entries: 3,
	createdAt: '2026-01-02T03:04:05Z',
};

test.each([
	['under data.items', { ok: true, data: { items: [wire] } }],
	['under data.glossaries', { data: { glossaries: [wire] } }],
	['under data', { data: [wire] }],
	['under items', { items: [wire] }],
	['alone', [wire]],
	[
		'with what is no glossary, and the same one twice',
		{ data: { items: [null, {}, 7, wire, wire, { id: '..' }] } },
	],
])('a list %s is read', (_, body) => {
	expect(readGlossaryPage(body)).toEqual({ glossaries: [read], next: '' });
});

test('an empty list is one, a refusal or a page of something else is none', () => {
	for (const body of [{ data: { items: null } }, { data: null }, [], { data: { items: [] } }])
		expect(readGlossaryPage(body)).toEqual({ glossaries: [], next: '' });
	for (const body of [{ ok: false, data: { items: [] } }, null, 'x', {}, { data: { rows: [] } }])
		expect(readGlossaryPage(body)).toBeNull();
});

test('of a page a thousand are read', () => {
	const many = (count: number) => Array.from({ length: count }, (_, id) => ({ id }));
	expect(readGlossaryPage(many(1000))?.glossaries).toHaveLength(1000);
	expect(readGlossaryPage(many(1001))?.glossaries).toHaveLength(1000);
});

test('the next page is named by a token', () => {
	expect(readGlossaryPage({ data: { items: [], next: 'abc' } })).toMatchObject({ next: 'abc' });
	expect(readGlossaryPage({ items: [], next: null })).toMatchObject({ next: '' });
});

test('the older names of its rows are read as well, the newer ones first', () => {
	const old = {
		id: 'g-1',
		name: 'Names',
		type: 'asr',
		source_language: 'EN',
		target_language: 'ES',
		enabled: true,
		created_at: 'then',
	};
	const wanted = { ...read, kind: 'asr', enabled: true, entries: null, createdAt: 'then' };
	expect(readGlossary(old)).toEqual(wanted);
	expect(readGlossary({ ...wire, ...old, glossary_id: 'g-1' })).toEqual({ ...read, createdAt: 'then' });
});

test.each([
	[{ entries_count: 0 }, 0],
	[{ rows_count: 4 }, 4],
	[{ entries: 5 }, 5],
	[{ size: 6 }, 6],
	[{ entries_count: 1.5, rows_count: 4 }, 4],
	[{ entries_count: -1, size: 6 }, 6],
	[{ entries_count: '3', rows_count: Number.NaN, entries: [1], size: 7 }, 7],
	[{ entries_count: 3, rows_count: 4, entries: 5, size: 6 }, 3],
	[{}, null],
])('of %j its rows are %j', (counts, entries) => {
	expect(readGlossary({ id: 'a', ...counts })?.entries).toBe(entries);
});

test('a page is named inside its data or beside it', () => {
	expect(readGlossaryPage({ items: [], next: 'abc' })).toEqual({ glossaries: [], next: 'abc' });
	expect(readGlossaryPage({ data: { items: [], next: 'in' }, next: 'out' })).toMatchObject({ next: 'in' });
	for (const body of [{ data: { items: null, glossaries: [wire] } }, { items: null }, { data: null }])
		expect(readGlossaryPage(body)).toEqual({ glossaries: [], next: '' });
});

test('one glossary is read wherever it stands, with what is missing left empty', () => {
	for (const body of [{ ok: true, data: wire }, { data: { glossary: wire } }, wire])
		expect(readGlossary(body)).toEqual(read);
	expect(
		readGlossary({ data: { id: 7, glossary_type: 'new_kind', is_enabled: 'yes', entries: -1 } }),
	).toEqual({
		id: '7',
		name: '',
		kind: 'new_kind',
		source: '',
		target: '',
		enabled: null,
		entries: null,
		createdAt: '',
	});
	for (const body of [{ ok: false, data: wire }, { data: {} }, { data: { glossary_id: '.' } }, null])
		expect(readGlossary(body)).toBeNull();
});
