import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readTable } from '#main/glossaries/glossary-table.ts';
import { rowsOf, tableOf } from './table-field.tsx';

test('a table becomes rows, whatever separates its columns', () => {
	const rows = [
		['train', 'tren'],
		['coffee, black', 'café "solo"'],
	];
	expect(rowsOf('train\ttren\ncoffee, black\tcafé "solo"\n', 2)).toEqual(rows);
	expect(rowsOf('train,tren\r\n\r\n"coffee, black","café ""solo"""', 2)).toEqual(rows);
	expect(rowsOf('train; tren\n"coffee, black"; café "solo"', 2)).toEqual(rows);
	expect(rowsOf('Palabra\nuno, dos', 1)).toEqual([['Palabra'], ['uno, dos']]);
	expect(rowsOf('', 2)).toEqual([]);
});

test('what a grid cannot show stays a text', () => {
	expect(rowsOf('<martif/>', 2)).toBeNull();
	expect(rowsOf('a,b,c', 2)).toBeNull();
	expect(rowsOf('a,"b', 2)).toBeNull();
	expect(rowsOf('sep=|\na|b', 2)).toBeNull();
	expect(rowsOf('a\tb\n'.repeat(501), 2)).toBeNull();
});

test('an incomplete row is kept', () => {
	expect(rowsOf('a\tb\nc', 2)).toEqual([
		['a', 'b'],
		['c', ''],
	]);
});

const cell = fc.string({ minLength: 1, maxLength: 12 }).filter((text) => /^[^\s\p{C}\uFEFF].*$/u.test(text));
const said = (text: string) => text.replaceAll(/[\r\n\t]+/g, ' ').trim();

test.each([1, 2])('main reads the same rows from it as the grid shows: %s', (columns) => {
	const rows = fc.uniqueArray(fc.array(cell, { minLength: columns, maxLength: columns }), {
		minLength: 1,
		selector: ([first = '']) => said(first),
	});
	fc.assert(
		fc.property(rows, (all) => {
			const kind = columns === 1 ? 'asr_hot' : 'translation';
			const read = readTable(tableOf(all).table, { kind, source: 'en', target: columns === 1 ? 'en' : 'es' });
			const wanted = all.map((row) => row.map(said));
			expect(read).toEqual({ ok: true, value: wanted });
			expect(rowsOf(tableOf(all).table, columns)?.slice(tableOf(all).before)).toEqual(wanted);
		}),
	);
});

test('a first row that looks like names of columns is a row all the same', () => {
	const { table, before } = tableOf([['word', 'palabra']]);
	expect(before).toBe(1);
	expect(readTable(table, { kind: 'translation', source: 'en', target: 'es' })).toEqual({
		ok: true,
		value: [['word', 'palabra']],
	});
});

test('empty rows keep their line', () => {
	expect(
		tableOf([
			['a', 'b'],
			['', ' '],
			['c', ''],
			['', ''],
		]).table,
	).toBe('a\tb\n\nc\t');
});
