import fc from 'fast-check';
import { expect, test } from 'vitest';
import { csvOf } from '#shared/lib/csv.ts';
import { readTable } from './glossary-table.ts';

const en = { kind: 'translation', source: 'en', target: 'es' } as const;
const rowsOf = (text: string, kind: 'translation' | 'asr' | 'asr_hot' = 'translation') => {
	const read = readTable(text, { kind, source: 'en', target: 'es' });
	return read.ok ? read.value : read.error.lines.map(({ line, reason }) => `${line} ${reason}`);
};

test.each([
	['commas', 'train,tren\ncoffee,café\n'],
	['semicolons, as spreadsheets of many countries write them', 'train;tren\ncoffee;café'],
	['tabs, as a spreadsheet copies them', 'train\ttren\ncoffee\tcafé'],
	['a byte order mark and the line ends of Windows', '\uFEFF"train",tren\r\ncoffee,café\r\n'],
	['a row of titles', 'source,target\ntrain,tren\ncoffee,café'],
	['titles of other words', 'Term;Translation\ntrain;tren\ncoffee;café'],
	['the codes of the languages', 'en,es\ntrain,tren\ncoffee,café'],
	['codes with a country', 'en-US;es-MX\ntrain;tren\ncoffee;café'],
	['the names of the languages', 'English,Spanish\ntrain,tren\ncoffee,café'],
	['their own names', 'english\tespañol\ntrain\ttren\ncoffee\tcafé'],
	['empty lines, blanks and separators behind', '\n train , tren ,,\n\n,,\ncoffee,café,\n'],
	['blanks that do not break', '\u00a0train,tren\u202f\n\u00a0,\ncoffee,\u3000café'],
	['the line ends of Windows, then others', 'train,tren\r\ncoffee,café\n'],
	['the line ends of Unix, then others', 'train,tren\ncoffee,café\r\n'],
	['those of an old Macintosh', 'train,tren\rcoffee,café'],
	['line ends that were changed twice', 'train,tren\r\r\ncoffee,café\r\r\n'],
	['the byte order mark of each of two files', '\uFEFFtrain,tren\n\uFEFFcoffee,café\n'],
	['its separator named, as Excel does', '\uFEFFsep=;\r\nsource;target\r\ntrain;tren\r\ncoffee;café\r\n'],
	['its separator named in quotation marks', '"sep=\t"\ntrain\ttren\ncoffee\tcafé'],
	['a named separator of its own', 'SEP=|\rtrain|tren\rcoffee|café'],
	['a separator named in as many columns', 'sep=,,\ntrain,tren\ncoffee,café'],
	['the same row twice', 'train,tren\ncoffee,café\ntrain,tren'],
])('a table with %s is the same two rows', (_, text) => {
	expect(rowsOf(text)).toEqual([
		['train', 'tren'],
		['coffee', 'café'],
	]);
});

test('a table of tabs in which every cell is quoted', () => {
	const read = readTable('"a, b"\t"c"\n', { kind: 'translation', source: 'en', target: 'es' });
	expect(read).toEqual({ ok: true, value: [['a, b', 'c']] });
});

test('quoted cells keep commas, line breaks and quotation marks', () => {
	expect(rowsOf('"5"" disk","disco, de 5"""\n"two\nlines",dos')).toEqual([
		['5" disk', 'disco, de 5"'],
		['two\nlines', 'dos'],
	]);
});

test('quotation marks within a cell, or in one of a file with tabs, stand for themselves', () => {
	expect(rowsOf('5" disk;5" Diskette\nsay "hello";"hallo" ""')).toEqual(['2 quotes']);
	expect(rowsOf('5" disk;5" Diskette\nsay "hello";sag "hallo"')).toEqual([
		['5" disk', '5" Diskette'],
		['say "hello"', 'sag "hallo"'],
	]);
	expect(rowsOf('"hello" again\t"hallo"\n"open\toffen')).toEqual([
		['"hello" again', '"hallo"'],
		['"open', 'offen'],
	]);
});

test('a list of words keeps each line, however it ends', () => {
	const words = ['Kubernetes', 'Grafana', 'Prometheus', 'Loki'].map((word) => [word]);
	expect(rowsOf('Kubernetes\r\nGrafana\nPrometheus\rLoki\r\n', 'asr_hot')).toEqual(words);
	expect(rowsOf('sep=,\nKubernetes\nGrafana\r\nPrometheus\n\nLoki', 'asr_hot')).toEqual(words);
});

test.each([
	['a comma in a word and one tab', 'Paris, France\tParis', ['Paris, France', 'Paris']],
	['as many commas as semicolons', '3,5 mm Klinke;3.5 mm jack', ['3,5 mm Klinke', '3.5 mm jack']],
	['more commas than tabs', 'red, green, blue\trouge\t', ['red, green, blue', 'rouge']],
	['a semicolon within a sentence', 'Hello; world,Hola', ['Hello; world', 'Hola']],
])('of several marks in the first row the one that makes two columns separates: %s', (_, text, row) => {
	expect(rowsOf(text)).toEqual([row]);
});

test('the mark that makes two columns of most rows separates all of them', () => {
	expect(rowsOf('up;down,arriba\nGood day,Buenos días')).toEqual([
		['up;down', 'arriba'],
		['Good day', 'Buenos días'],
	]);
});

test('a first row that names other languages, or only one, is a term like any', () => {
	expect(rowsOf('English,Inglés\nes,en')).toEqual([
		['English', 'Inglés'],
		['es', 'en'],
	]);
	expect(rowsOf('Spanish,English')).toEqual([['Spanish', 'English']]);
	const one = readTable('english,English', { kind: 'asr', source: 'en', target: 'en' });
	expect(one).toMatchObject({ value: [['english', 'English']] });
	expect(rowsOf('English\nPalabra', 'asr_hot')).toEqual([['English'], ['Palabra']]);
});

test('words to listen for have one column', () => {
	expect(rowsOf('term\nPalabra\nDragoman', 'asr_hot')).toEqual([['Palabra'], ['Dragoman']]);
	expect(rowsOf('Palabra\nDragoman,x', 'asr_hot')).toEqual(['2 one-column']);
});

test.each([
	['train,tren\ncoffee;café', 2],
	['train;tren\ncoffee,café', 2],
	['train\ttren\ncoffee;café\ntea\tté', 2],
	['train;tren\ncoffee,café\ntea,té', 1],
])('of %j the line with another separator is named', (text, line) => {
	expect(rowsOf(text)).toEqual([`${line} two-columns`]);
});

test('names the line of each fault', () => {
	expect(rowsOf('a,b\nonly one\n,empty\nx,y,z\na,other\n')).toEqual([
		'2 two-columns',
		'3 empty',
		'4 two-columns',
		'5 repeated',
	]);
	expect(rowsOf('a,b\nc,"never closed\nd,e')).toEqual(['2 quotes']);
	expect(rowsOf('a,b\nc,"in" the middle')).toEqual(['2 quotes']);
	expect(rowsOf('sep=;\r\na;b\nonly one\r\n;empty')).toEqual(['3 two-columns', '4 empty']);
	expect(rowsOf('one,uno\rtwo,"do\r\ns"\nthree')).toEqual(['4 two-columns']);
	expect(rowsOf('')).toEqual(['0 nothing']);
	expect(rowsOf('source,target\n')).toEqual(['0 nothing']);
});

test('a term has 500 characters at most', () => {
	const [longest, longer] = ['x'.repeat(500), 'x'.repeat(501)];
	expect(rowsOf(`${longest},y`)).toEqual([[longest, 'y']]);
	expect(rowsOf(`a,b\n${longer},y`)).toEqual(['2 too-long']);
});

test('a table has a megabyte at most, counted in bytes', () => {
	// Ten bytes a row.
	const rows = (count: number) =>
		Array.from({ length: count }, (_, at) => `${String(at).padStart(6, '0')},é\n`).join('');
	const whole = rows(100_000);
	expect(Buffer.byteLength(whole)).toBe(1_000_000);
	expect(readTable(whole, en)).toMatchObject({ ok: true });
	expect(rowsOf(`${whole}\n`)).toEqual(['0 too-large']);
});

test('of very many faults the first twenty are said, and how many more there are', () => {
	expect(readTable('x\n'.repeat(20), en)).toMatchObject({ error: { lines: { length: 20 }, more: 0 } });
	expect(readTable('x\n'.repeat(21), en)).toMatchObject({ error: { lines: { length: 20 }, more: 1 } });
});

test('what is written is read back the same', () => {
	const term = fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' }).filter((text) => {
		const isPlain = text.trim() === text && !/[\r\u0085\u2028\u2029\uFEFF]/.test(text);
		return isPlain && text !== '' && !/^(source|from|term|word|original|wrong|recogni[sz]ed)$/i.test(text);
	});
	const marked = fc.oneof(term, fc.constantFrom('a;b', 'a\tb', 'a,b', 'a;b;c'));
	const rows = fc.uniqueArray(fc.tuple(marked, marked), { minLength: 1, selector: ([source]) => source });
	fc.assert(
		fc.property(rows, (written) => {
			expect(rowsOf(csvOf(written))).toEqual(written);
		}),
	);
	// Every kind of line break stays within its cell; all are read as one kind.
	for (const end of ['\r', '\u0085', '\u2028', '\u2029'])
		expect(rowsOf(csvOf([[`a${end}b`, 'c']]))).toEqual([['a\nb', 'c']]);
});

const older = `<?xml version="1.0"?>
<!DOCTYPE martif SYSTEM "TBXcoreStructV02.dtd">
<martif type="TBX"><text><body>
	<termEntry id="1">
		<langSet xml:lang="en-US"><tig><term>train</term></tig><tig><term>railway train</term></tig></langSet>
		<langSet xml:lang="es"><ntig><termGrp><term>tren &amp; vagones</term></termGrp></ntig></langSet>
		<langSet xml:lang="de"><tig><term>Zug</term></tig></langSet>
	</termEntry>
	<termEntry id="2"><langSet xml:lang="en"><tig><term>coffee</term></tig></langSet></termEntry>
	<termEntry id="3">
		<langSet xml:lang="en"><tig><term>train</term></tig></langSet>
		<langSet xml:lang="es"><tig><term>entrenar</term></tig></langSet>
	</termEntry>
</body></text></martif>`;
const newer = `<tbx style="dca" type="TBX-Basic" xml:lang="en"><text><body><conceptEntry id="1">
	<langSec xml:lang="en"><termSec><term>
		coffee   house </term></termSec></langSec>
	<langSec xml:lang="es-MX"><termSec><term>café</term></termSec></langSec>
</conceptEntry></body></text></tbx>`;

test('a TBX file gives the names of its concepts in the two languages', () => {
	expect(rowsOf(older)).toEqual([
		['train', 'tren & vagones'],
		['railway train', 'tren & vagones'],
	]);
	expect(rowsOf(`\uFEFF\n${newer}`)).toEqual([['coffee house', 'café']]);
	expect(rowsOf(older, 'asr_hot')).toEqual([['train'], ['railway train'], ['coffee']]);
	expect(rowsOf(older, 'asr')).toEqual(['0 nothing']);
	expect(readTable(older, { kind: 'translation', source: 'en', target: 'fr' })).toMatchObject({ ok: false });
});

/** A concept called `name` in English, and otherwise as `sections` say. */
const concept = (name: string, sections: readonly (readonly [string, string])[]) => {
	const all = [['en', `<term>${name}</term>`] as const, ...sections];
	const langs = all.map(
		([code, terms]) => `<langSec xml:lang="${code}"><termSec>${terms}</termSec></langSec>`,
	);
	return `<tbx><text><body><conceptEntry>${langs.join('')}</conceptEntry></body></text></tbx>`;
};

test.each([
	['pt-br', 'ônibus'],
	['pt', 'autocarro'],
	// Neither is in the file.
	['pt-la', 'autocarro'],
	['zh-hans', '公交车'],
	['zh-hant', '公車'],
	['es-ch', 'micro'],
	['es-mx', 'bus'],
])('of the variants of a language, %s gets its own', (target, translated) => {
	const bus = concept('bus', [
		['pt-PT', '<term>autocarro</term>'],
		['pt-BR', '<term>ônibus</term>'],
		['zh-TW', '<term>公車</term>'],
		['zh-CN', '<term>公交车</term>'],
		['es-AR', '<term>colectivo</term>'],
		['es', '<term>bus</term>'],
		['es-CL', '<term>micro</term>'],
	]);
	const read = readTable(bus, { kind: 'translation', source: 'en', target });
	expect(read).toEqual({ ok: true, value: [['bus', translated]] });
});

test('a term that should not be used any more is taken only where there is no other', () => {
	const old = '<term>viejo</term><termNote type="administrativeStatus">deprecatedTerm-admn-sts</termNote>';
	const group = `<termSec>${old}</termSec><termSec><term>nuevo</term></termSec>`;
	const both = concept('thing', []).replace('</conceptEntry>', `<langSec xml:lang="es">${group}</langSec>$&`);
	expect(rowsOf(both)).toEqual([['thing', 'nuevo']]);
	expect(rowsOf(concept('thing', [['es', old]]))).toEqual([['thing', 'viejo']]);
	const variants = concept('thing', [
		['es', old],
		['es-MX', '<term>otro</term>'],
	]);
	expect(rowsOf(variants)).toEqual([['thing', 'otro']]);
});

test('what is no TBX file is said with the line, however it is broken', () => {
	expect(rowsOf('<?xml version="1.0"?>\n<html></html>')).toEqual(['1 tbx']);
	expect(rowsOf('<tbx>\n<text>\n</tbx>')).toEqual(['3 tbx']);
	expect(rowsOf(`<tbx>${'<a>'.repeat(100_000)}`)).toEqual([expect.stringMatching(/^\d+ tbx$/)]);
	// Entities that expand exponentially are not resolved.
	const bomb = '<!DOCTYPE tbx [<!ENTITY a "aaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><tbx><term>&b;</term></tbx>';
	expect(rowsOf(bomb)).toEqual(['0 nothing']);
});
