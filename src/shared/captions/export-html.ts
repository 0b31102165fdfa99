import { DIRECTION_MARKS, RIGHT_TO_LEFT_ISOLATE } from './cues.ts';
import {
	type CaptionTable,
	clockOfRow,
	columnsOf,
	hasDoubts,
	MARK,
	NOTHING,
	piecesOf,
	shownTexts,
	type TableRow,
	type TableWords,
	whoOf,
} from './export-table.ts';
import { escapeMarkup } from './markup.ts';

/** Nothing but text and the style below: no script, nothing fetched, whatever was said. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'";

const STYLE = `body { margin: 0; font: 10.5pt/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; }
table { inline-size: 100%; border-collapse: collapse; }
th, td { padding: 0.5rem; border-block-end: 1px solid #8888; text-align: start; vertical-align: top; overflow-wrap: anywhere; }
th, .at, .who { white-space: nowrap; }
.lost, mark { background: #fc03; font-style: italic; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
mark { color: inherit; font-weight: bold; }
td mark::before { content: "\\26a0\\a0"; font-style: normal; }
tr { break-inside: avoid; }
@page { margin: 18mm; }
@media screen { :root { color-scheme: light dark; } body { max-inline-size: 64rem; margin: 2rem auto; padding: 0 1rem; font-size: 1rem; } }`;

/** A self-contained HTML page, line by line: to send on, read in a browser and print. */
export function* htmlLines(table: CaptionTable, words: TableWords): Generator<string> {
	const heads = columnsOf(table, words);
	yield `<!doctype html>\n<html lang="${escaped(words.locale)}" dir="${words.direction}">\n<head>\n<meta charset="utf-8">\n`;
	yield `<meta http-equiv="Content-Security-Policy" content="${POLICY}">\n`;
	yield `<meta name="viewport" content="width=device-width">\n<title>${escaped(words.title)}</title>\n`;
	yield `<style>\n${STYLE}\n</style>\n</head>\n<body>\n<h1 dir="auto">${escaped(words.title)}</h1>\n`;
	if (words.about !== '') yield `<p>${escaped(words.about)}</p>\n`;
	if (hasDoubts(table)) yield `<p><mark>${MARK}</mark> ${escaped(words.doubt)}</p>\n`;
	yield `<table>\n<thead><tr>${heads.map((head) => `<th scope="col">${escaped(head)}</th>`).join('')}</tr></thead>\n<tbody>\n`;
	for (const row of table.rows) {
		const who = table.sided ? `<td class="who">${escaped(whoOf(row, words))}</td>` : '';
		const cells = shownTexts(row).map((text, at) => {
			const language = row.languages[at] && ` lang="${escaped(row.languages[at])}"`;
			return `<td${lostIf(row.untranslated && text === NOTHING)}${language || ''} dir="${directionOf(text)}">${markedText(row, at)}</td>`;
		});
		yield `<tr${lostIf(row.lost)}><td class="at">${clockOfRow(row)}</td>${who}${cells.join('')}</tr>\n`;
	}
	yield '</tbody>\n</table>\n</body>\n</html>\n';
}

function markedText(row: TableRow, column: number): string {
	return piecesOf(row, column)
		.map((piece, at) => {
			const shown = escaped(unisolated(piece));
			return at % 2 === 1 ? `<mark>${shown}</mark>` : shown;
		})
		.join('');
}

const lostIf = (is = false) => (is ? ' class="lost"' : '');

/** `text` is isolated if it is right-to-left; here the cell carries the direction. */
const directionOf = (text: string) => (text.startsWith(RIGHT_TO_LEFT_ISOLATE) ? 'rtl' : 'ltr');
const unisolated = (text: string) => text.replace(DIRECTION_MARKS, '');

/** Safe in attributes as well. */
function escaped(text: string): string {
	return escapeMarkup(text.toWellFormed().replace(/\p{Cc}+/gu, ' ')).replaceAll('"', '&quot;');
}
