/** Writes CSV (RFC 4180, Unix line ends) for `main/lib/read-csv.ts`, quoting what could separate. */
export function csvOf(rows: readonly (readonly string[])[]): string {
	const cell = (text: string) =>
		/[",;\t\n\r\u0085\u2028\u2029]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
	return rows.map((row) => `${row.map(cell).join(',')}\n`).join('');
}

/** Separators of any dialect except the comma, which our quotes protect. */
const CELL_STARTS = /(\r\n|[\n\r\t;|\v\f\x85\u2028\u2029])/;
/** Invisible characters, and quotes, which another dialect may strip. */
const UNSEEN = String.raw`["'\s\p{Cc}\p{DI}\p{Cf}]*`;
const BLANK = new RegExp(`^${UNSEEN}$`, 'u');
/** A spreadsheet may treat text that begins with one of these as a formula. */
const FORMULA = new RegExp(`^${UNSEEN}[=+\\-@%＝＋－＠]`, 'u');

/**
 * Inserts an apostrophe wherever a spreadsheet could see the beginning of a formula: at the start of the cell,
 * and after a semicolon, tab, bar or line break, which separate cells in dialects that may ignore our quotes.
 * Removing one apostrophe at the same positions restores the text.
 */
export function withoutFormulas(text: string): string {
	return pieceByPiece(text, (piece, isFormula) => (isFormula(piece) ? `'${piece}` : piece));
}

/** Undoes `withoutFormulas`. */
export function asWritten(text: string): string {
	return pieceByPiece(text, (piece, isFormula) => {
		const bare = piece.replace(/^'/, '');
		return isFormula(bare) ? bare : piece;
	});
}

/**
 * Processes pieces from the last to the first, because a blank piece is as dangerous as the formula after it.
 */
function pieceByPiece(
	text: string,
	change: (piece: string, isFormula: (piece: string) => boolean) => string,
): string {
	const parts = text.split(CELL_STARTS);
	let formulaBehind = false;
	for (let n = parts.length - 1; n >= 0; n -= 2) {
		const next = parts[n + 1];
		parts[n] = change(parts[n] ?? '', (piece) => {
			formulaBehind =
				FORMULA.test(piece) || (BLANK.test(piece) && (next === '|' || (formulaBehind && next !== ';')));
			return formulaBehind;
		});
	}
	return parts.join('');
}

/** A cell that no spreadsheet treats as a formula (RFC 4180). */
export function safeCell(text: string): string {
	const shown = withoutFormulas(text);
	return /[",\r\n\t;']/.test(shown) || shown !== shown.trim() ? `"${shown.replaceAll('"', '""')}"` : shown;
}
