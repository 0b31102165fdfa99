import { boundaryOf } from '#sandbox/api/multipart.ts';

interface Refused {
	readonly status: number;
	readonly says: string;
}

/** The one part of the form: named `glossary`, and exactly `text/csv` (protocol 8). */
export function readFile(contentType: string, body: string): { readonly text: string } | Refused {
	const boundary = boundaryOf(contentType);
	if (boundary === null) return { status: 415, says: 'header.content-type: is not multipart/form-data' };
	const [, part = '', ...more] = `\r\n${body}`.split(`\r\n--${boundary}`);
	const at = part.indexOf('\r\n\r\n');
	if (at < 0 || more.length === 0) return { status: 400, says: 'body: the form has no end' };
	const head = part.slice(0, at);
	if (!/\bname="glossary"/i.test(head)) return { status: 422, says: 'body.glossary: field required' };
	const type = /^content-type:\s*(.*?)\s*$/im.exec(head)?.[1] ?? '';
	if (type !== 'text/csv') return { status: 415, says: 'body.glossary: its type should be text/csv' };
	return { text: part.slice(at + 4) };
}

/** Rows of `columns` cells, or what is wrong with them (RFC 4180; empty lines are skipped). */
export function readRows(text: string, columns: number): readonly (readonly string[])[] | string {
	const rows: string[][] = [];
	let row: string[] = [];
	// A cell, quoted or not, and what ends it.
	const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/gy;
	while (cell.lastIndex < text.length) {
		const found = cell.exec(text);
		if (!found) return `line ${rows.length + 1}: a quotation mark is out of place`;
		row.push((found[1]?.replaceAll('""', '"') ?? found[2] ?? '').trim());
		if (found[3] === ',') continue;
		if (row.some((one) => one !== '')) rows.push(row);
		row = [];
	}
	if (row.length > 0) rows.push(row);
	if (rows.length === 0) return 'there is no row in it';
	const wrong = rows.findIndex((one) => one.length !== columns || one.includes(''));
	return wrong < 0 ? rows : `line ${wrong + 1}: should have ${columns} columns`;
}
