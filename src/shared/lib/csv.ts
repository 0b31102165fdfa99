/** Rows as CSV (RFC 4180, line ends of Unix): comma, quotes where they are needed. */
export function csvOf(rows: readonly (readonly string[])[]): string {
	const cell = (text: string) => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
	return rows.map((row) => `${row.map(cell).join(',')}\n`).join('');
}
