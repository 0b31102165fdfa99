/** Rows as CSV (RFC 4180, Unix line ends): commas, quotes where needed. */
export function csvOf(rows: readonly (readonly string[])[]): string {
	const cell = (text: string) => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
	return rows.map((row) => `${row.map(cell).join(',')}\n`).join('');
}
