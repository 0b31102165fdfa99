import type { ITableCellOptions, Paragraph } from 'docx';
import { z } from 'zod/mini';
import { DIRECTION_MARKS, RIGHT_TO_LEFT_ISOLATE } from '#shared/captions/cues.ts';
import {
	clockOfRow,
	columnsOf,
	hasDoubts,
	MARK,
	NOTHING,
	piecesOf,
	shownTexts,
	whoOf,
} from '#shared/captions/export-formats.ts';
import { isRightToLeft } from '#shared/protocol/languages.ts';

/** The source of a document, as `shared/captions/export-formats.ts` writes it. */
const Source = z.object({
	table: z.object({
		columns: z.array(z.string()),
		sided: z.boolean(),
		rows: z.array(
			z.object({
				startMs: z.number(),
				endMs: z.number(),
				texts: z.array(z.string()),
				languages: z.array(z.string()),
				doubts: z.optional(z.array(z.array(z.object({ start: z.number(), end: z.number() })))),
				leg: z.optional(z.enum(['outgoing', 'incoming'])),
				lost: z.optional(z.boolean()),
				untranslated: z.optional(z.boolean()),
			}),
		),
	}),
	words: z.object({
		title: z.string(),
		about: z.string(),
		locale: z.string(),
		direction: z.enum(['ltr', 'rtl']),
		time: z.string(),
		who: z.string(),
		speaker: z.object({ outgoing: z.string(), incoming: z.string() }),
		doubt: z.string(),
	}),
});

/** Background of missing passages, as in the HTML export. */
const AMBER = 'FFF2CC';
const HEAD = 'EDEDED';
/** Font size in half points. */
const SMALL = 19;
const MARGIN = { top: 60, bottom: 60, left: 90, right: 90 };
const LANGUAGE = /^[a-z]{2,3}(?:-[a-z0-9]{2,8})*$/i;

interface Text {
	readonly text: string;
	/** Empty = unknown. */
	readonly language: string;
	readonly isRightToLeft: boolean;
	readonly bold?: boolean;
	/** The text in pieces; those at odd indexes are in doubt. */
	readonly pieces?: readonly string[];
}

/**
 * The bytes of a document (DOCX) with a table. The library is loaded for the first document only, because few
 * people need it and the window never does. Throws if `source` does not have the form that
 * `shared/captions/export-formats.ts` writes.
 */
export async function minutesDocument(source: string): Promise<Uint8Array> {
	const { table, words } = Source.parse(JSON.parse(source));
	const docx = await import('docx');
	const reader = { language: words.locale, isRightToLeft: words.direction === 'rtl' };

	function paragraph(given: Text): Paragraph {
		const { language, isRightToLeft: rightToLeft, bold = false } = given;
		const known = LANGUAGE.test(language) ? { language: { value: language, bidirectional: language } } : {};
		const runs = (given.pieces ?? [given.text]).map((piece, at) => {
			const isInDoubt = at % 2 === 1;
			const doubt = isInDoubt
				? { bold: true, shading: { type: docx.ShadingType.CLEAR, fill: AMBER, color: 'auto' } }
				: {};
			// Add a mark too, because the colour may not be printed.
			const text = isInDoubt ? `${MARK} ${plain(piece)}` : plain(piece);
			return new docx.TextRun({ text, rightToLeft, bold, size: SMALL, ...known, ...doubt });
		});
		return new docx.Paragraph({ bidirectional: rightToLeft, children: runs });
	}

	function cell(text: Text, shade: string, width: number) {
		const shading: Partial<ITableCellOptions> =
			shade === '' ? {} : { shading: { type: docx.ShadingType.CLEAR, fill: shade, color: 'auto' } };
		const size = { size: width, type: docx.WidthType.PERCENTAGE };
		return new docx.TableCell({ children: [paragraph(text)], margins: MARGIN, width: size, ...shading });
	}

	const heads = columnsOf(table, words);
	const narrow = heads.length - table.columns.length;
	const widths = heads.map((_, at) => (at < narrow ? 10 : (100 - narrow * 10) / table.columns.length));
	const rows = table.rows.map((row) => {
		const own = [clockOfRow(row), ...(table.sided ? [whoOf(row, words)] : [])];
		const cells = [
			...own.map((text) => ({ ...reader, text })),
			...shownTexts(row).map((text, at) => {
				const language = row.languages[at] ?? '';
				// Notes on lost speech are in the reader's language.
				if (row.lost || text === NOTHING) return { ...reader, text };
				return {
					text,
					language,
					isRightToLeft: text.startsWith(RIGHT_TO_LEFT_ISOLATE) || isRightToLeft(language),
					pieces: piecesOf(row, at),
				};
			}),
		];
		const isGap = (text: string) => row.untranslated && text === NOTHING;
		const shadeOf = (text: string) => (row.lost || isGap(text) ? AMBER : '');
		return new docx.TableRow({
			cantSplit: true,
			children: cells.map((one, at) => cell(one, shadeOf(one.text), widths[at] ?? 0)),
		});
	});
	const head = new docx.TableRow({
		tableHeader: true,
		children: heads.map((text, at) => cell({ ...reader, text, bold: true }, HEAD, widths[at] ?? 0)),
	});
	const title = new docx.Paragraph({
		heading: docx.HeadingLevel.HEADING_1,
		bidirectional: reader.isRightToLeft,
		children: [new docx.TextRun({ text: plain(words.title), rightToLeft: reader.isRightToLeft })],
	});
	const said = [words.about, hasDoubts(table) ? `${MARK} ${words.doubt}` : ''].filter((text) => text !== '');
	const about = said.map((text) => paragraph({ ...reader, text }));
	const paper = { size: { orientation: docx.PageOrientation.LANDSCAPE } };
	const file = new docx.Document({
		title: plain(words.title),
		creator: 'Dragoman',
		sections: [
			{
				properties: { page: paper },
				children: [
					title,
					...about,
					new docx.Table({
						rows: [head, ...rows],
						width: { size: 100, type: docx.WidthType.PERCENTAGE },
						visuallyRightToLeft: reader.isRightToLeft,
					}),
				],
			},
		],
	});
	return new Uint8Array(await docx.Packer.toArrayBuffer(file));
}

/** Reduces a text to one line of characters that XML allows; paragraphs, not marks, set the direction. */
function plain(text: string): string {
	return text.replace(DIRECTION_MARKS, '').replace(/[\p{Cc}\uFFFE\uFFFF]+/gu, ' ');
}
