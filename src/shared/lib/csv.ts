/** Writes CSV; `main/lib/table-records.ts` reads it. Rows (RFC 4180, Unix line ends): commas; quotes around what a reader could take for a separator. */
export function csvOf(rows: readonly (readonly string[])[]): string {
	const cell = (text: string) =>
		/[",;\t\n\r\u0085\u2028\u2029]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
	return rows.map((row) => `${row.map(cell).join(',')}\n`).join('');
}
