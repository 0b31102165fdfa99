import { type ClipboardEvent, type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react';
import { FileTrigger } from 'react-aria-components';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { NoticeLine } from '#renderer/problems/problem-notice.tsx';
import { TableFaults } from '#renderer/problems/table-file.tsx';
import { Button, ButtonRow } from '#renderer/ui/button.tsx';
import field from '#renderer/ui/field.module.css';
import { Icon } from '#renderer/ui/icon.tsx';
import { TextAreaField, type TextAreaFieldProps } from '#renderer/ui/text-area.tsx';
import { isXml, TABLE_HEADS } from '#shared/glossaries/table-heads.ts';
import { languageLabel } from '#shared/i18n/language-names.ts';
import type { ProblemOf } from '#shared/problem.ts';
import type { GlossaryKind } from '#shared/protocol/glossary.ts';
import { isRightToLeft, localeTag } from '#shared/protocol/languages.ts';
import styles from './grid.module.css';

export interface TableFieldProps {
	readonly kind: GlossaryKind;
	readonly from: string;
	readonly to: string;
	/** The table as it will be sent. */
	readonly table: string;
	/** True while the old table is being fetched. */
	readonly isAwaited: boolean;
	/** Describes what the field waits for; empty = nothing. */
	readonly waiting: string;
	/** True if the service does not return the old table. */
	readonly isGone: boolean;
	readonly fileError: string;
	readonly faults: ProblemOf<'table-invalid'> | null;
	readonly onChange: (table: string) => void;
	readonly onFile: (file: File) => void;
}

/** A glossary's entries as a grid, or as text if the user prefers that or a grid cannot show them. */
export function TableField(props: TableFieldProps) {
	const { kind, from, to, table, isAwaited, fileError, faults, onChange } = props;
	const { t, i18n } = useTranslation();
	const [isText, setText] = useState(false);
	/** The table as the grid wrote it; `before`: the number of lines before the first row. */
	const [own, setOwn] = useState({ table: '', before: 0 });
	/** The table that the grid starts from. */
	const [base, setBase] = useState(table);
	// Set while rendering, as React recommends: a file was chosen, or the old table has arrived.
	if (table !== own.table && table !== base) setBase(table);
	const errorId = useId();
	const width = kind === 'asr_hot' ? 1 : 2;
	const rows = useMemo(() => rowsOf(base, width), [base, width]);
	const before = own.table === table ? own.before : 0;
	const nameOf = (code: string) => (code === '' ? '' : languageLabel(code, i18n.language));
	const titles = {
		translation: [nameOf(from) || t('glossary.from'), nameOf(to) || t('glossary.to')],
		asr: [t('correct.wrong'), t('correct.right')],
		asr_hot: [t('glossary.word')],
	}[kind];
	const columns = titles.map(
		(title, at): Column => ({ title, language: kind === 'translation' && at === 1 ? to : from }),
	);
	const isGrid = !isText && rows !== null;
	const how = t(isGrid ? 'glossary.gridHint' : 'glossary.tableHint');
	const hint = props.waiting || `${how}${props.isGone ? ` ${t('glossary.tableGone')}` : ''}`;

	return (
		<>
			{isGrid ? (
				<fieldset className={styles.field} disabled={isAwaited}>
					<legend className={field.label}>{t('glossary.table')}</legend>
					<p className={field.hint}>{hint}</p>
					<Grid
						key={`${width} ${base}`}
						label={t('glossary.table')}
						columns={columns}
						rows={rows}
						wrong={new Set(faults?.lines.map(({ line }) => line - before))}
						errorId={errorId}
						onChange={(next) => {
							const written = tableOf(next);
							setOwn(written);
							onChange(written.table);
						}}
					/>
					{(fileError || faults) && (
						<div id={errorId} className={field.error} role="alert">
							{fileError || (faults && <TableFaults problem={inRows(faults, before)} />)}
						</div>
					)}
				</fieldset>
			) : (
				<LateText
					label={t('glossary.table')}
					hint={hint}
					isDisabled={isAwaited}
					value={table}
					onChange={onChange}
					rows={8}
					dir="auto"
					error={fileError || (faults && <TableFaults problem={faults} />)}
				/>
			)}
			<ButtonRow>
				<FileTrigger
					acceptedFileTypes={['.csv', '.tsv', '.txt', '.tbx', '.xml', 'text/csv']}
					onSelect={(files) => {
						const file = files?.[0];
						if (file) props.onFile(file);
					}}
				>
					<Button>{t('glossary.file')}</Button>
				</FileTrigger>
				{rows !== null && !isAwaited && (
					<Button
						look="quiet"
						onPress={() => {
							setBase(table);
							setText(!isText);
						}}
					>
						{t(isText ? 'glossary.asGrid' : 'glossary.asText')}
					</Button>
				)}
			</ButtonRow>
		</>
	);
}

/** A text box whose text is set after mounting, because mounting a text box with a megabyte takes seconds. */
function LateText(props: TextAreaFieldProps) {
	const [isThere, setThere] = useState(false);
	useEffect(() => setThere(true), []);
	return <TextAreaField {...props} value={isThere ? props.value : ''} />;
}

/** Converts the line numbers of faults to rows of the grid. */
function inRows(faults: ProblemOf<'table-invalid'>, before: number): ProblemOf<'table-invalid'> {
	return { ...faults, lines: faults.lines.map((one) => ({ ...one, line: Math.max(0, one.line - before) })) };
}

export interface Column {
	readonly title: string;
	/** Language of the words; empty = not chosen yet. */
	readonly language: string;
}

export interface GridProps {
	readonly label: string;
	readonly columns: readonly Column[];
	/** The initial rows; afterwards the grid keeps its own copy. */
	readonly rows: readonly Row[];
	/** Numbers of rows in error, from 1. */
	readonly wrong: ReadonlySet<number>;
	readonly errorId: string | undefined;
	readonly onChange: (rows: readonly Row[]) => void;
}

interface Deleted {
	readonly at: number;
	readonly row: Row;
}

/** Rows of words, edited as in a spreadsheet; an empty row at the end accepts a new entry. */
export function Grid({ label, columns, rows: first, wrong, errorId, onChange }: GridProps) {
	const { t } = useTranslation();
	const blank = columns.map(() => '');
	const [rows, setRows] = useState<readonly Row[]>(() => [...first, blank]);
	const [deleted, setDeleted] = useState<Deleted | null>(null);
	const table = useRef<HTMLTableElement>(null);
	const isEmpty = (row: Row) => row.every((cell) => cell === '');

	function change(next: readonly Row[]): void {
		const last = next.at(-1);
		const whole = last && isEmpty(last) ? next : [...next, blank];
		setRows(whole);
		onChange(whole.slice(0, -1));
	}

	function write(at: number, column: number, text: string): void {
		change(rows.with(at, (rows[at] ?? blank).with(column, text)));
	}

	/** Focuses a control of a row; `column` counts the cells, then the button that deletes the row. */
	function go(at: number, column: number, end: 'start' | 'end' | 'all'): void {
		const line = table.current?.tBodies[0]?.rows[at];
		const one = line?.querySelectorAll<HTMLElement>('input, button')[column];
		one?.focus();
		if (!(one instanceof HTMLInputElement)) return;
		if (end === 'all') one.select();
		else one.setSelectionRange(...(end === 'start' ? ([0, 0] as const) : ([END, END] as const)));
	}

	function remove(at: number): void {
		const row = rows[at];
		if (!row) return;
		setDeleted({ at, row });
		change(rows.toSpliced(at, 1));
		requestAnimationFrame(() => go(Math.min(at, rows.length - 2), 0, 'end'));
	}

	function takeBack({ at, row }: Deleted): void {
		setDeleted(null);
		change(rows.toSpliced(Math.min(at, rows.length - 1), 0, row));
		requestAnimationFrame(() => go(at, 0, 'end'));
	}

	function pasted(event: ClipboardEvent, at: number, column: number): void {
		const text = event.clipboardData.getData('text/plain').replace(/\r?\n$/, '');
		if (!/[\t\n\r]/.test(text)) return;
		const wide = text.includes('\t') ? columns.length - column : columns.length;
		const read = rowsOf(text, wide) ?? rowsOf(text, 1);
		if (!read) return;
		event.preventDefault();
		const from = wide === columns.length ? 0 : column;
		const next = [...rows];
		for (const [index, cells] of read.entries()) {
			const row = [...(next[at + index] ?? blank)];
			for (const [offset, cell] of cells.entries()) row[from + offset] = cell;
			next[at + index] = row;
		}
		change(next);
		requestAnimationFrame(() => go(at + read.length, from, 'all'));
	}

	function pressed(event: KeyboardEvent<HTMLElement>, at: number, column: number): void {
		const { key, currentTarget: from } = event;
		const isModified = event.altKey || event.ctrlKey || event.metaKey || event.shiftKey;
		if (event.nativeEvent.isComposing || isModified) return;
		const input = from instanceof HTMLInputElement ? from : null;
		const down = { Enter: input ? 1 : 0, ArrowDown: 1, ArrowUp: -1 }[key] ?? 0;
		const aside = ASIDE.has(key) ? step(key, from, input, table.current) : 0;
		if (down === 0 && aside === 0) return;
		event.preventDefault();
		if (down !== 0) go(at + down, column, 'all');
		else go(at, column + aside, aside > 0 ? 'start' : 'end');
	}

	return (
		<div className={styles.box}>
			<table ref={table} className={styles.table} aria-label={label}>
				<thead>
					<tr>
						{columns.map(({ title }) => (
							<th key={title} scope="col" className={field.label}>
								{title}
							</th>
						))}
						<td className={styles.act} />
					</tr>
				</thead>
				<tbody>
					{rows.map((row, at) => (
						// biome-ignore lint/suspicious/noArrayIndexKey: rows have no other identity than the index
						<tr key={at}>
							{columns.map(({ title, language }, column) => (
								<td key={title}>
									<input
										className={styles.cell}
										aria-label={t('glossary.cell', { column: title, row: at + 1 })}
										aria-invalid={wrong.has(at + 1) || undefined}
										aria-describedby={wrong.has(at + 1) ? errorId : undefined}
										{...(language && {
											lang: localeTag(language),
											dir: isRightToLeft(language) ? 'rtl' : 'ltr',
										})}
										autoComplete="off"
										spellCheck="false"
										enterKeyHint="next"
										value={row[column] ?? ''}
										onChange={({ target }) => write(at, column, target.value)}
										onPaste={(event) => pasted(event, at, column)}
										onKeyDown={(event) => pressed(event, at, column)}
									/>
								</td>
							))}
							<td className={styles.act} onKeyDown={(event) => pressed(event, at, columns.length)}>
								{at < rows.length - 1 && (
									<Button
										look="quiet"
										square
										aria-label={t('glossary.deleteRow', { row: at + 1 })}
										// Tab moves from cell to cell; only the arrow keys reach this button.
										excludeFromTabOrder
										onPress={() => remove(at)}
									>
										<Icon name="trash" size={16} />
									</Button>
								)}
							</td>
						</tr>
					))}
				</tbody>
			</table>
			{deleted && (
				<NoticeLine
					tone="info"
					text={t('glossary.rowDeleted')}
					action={{ label: t('glossary.undo'), take: () => takeBack(deleted), undo: true }}
				/>
			)}
		</div>
	);
}

const END = Number.MAX_SAFE_INTEGER;
const ASIDE: ReadonlySet<string> = new Set(['ArrowLeft', 'ArrowRight']);

/** How many columns an arrow key moves: none within the text, which may run the other way. */
function step(
	key: string,
	from: HTMLElement,
	input: HTMLInputElement | null,
	table: HTMLElement | null,
): number {
	const isRight = key === 'ArrowRight';
	const runs = (one: HTMLElement) => isRight !== (getComputedStyle(one).direction === 'rtl');
	const edge = runs(from) ? input?.value.length : 0;
	if (input && (input.selectionStart !== edge || input.selectionEnd !== edge)) return 0;
	return table && runs(table) ? 1 : -1;
}

/* Converts a glossary's table to rows of cells and back, for the grid in which it is edited. */

/** Tables with more rows are edited as text, because a grid would be slow. */
const MOST_ROWS = 500;
/** Maximum characters in a cell, more than any term has; a table with a longer cell is edited as text. */
const LONGEST_CELL = 2000;

type Row = readonly string[];

/** Rows of the text; null if a grid cannot show it: XML, more columns, open quotation marks, too many rows. */
export function rowsOf(text: string, columns: number): readonly Row[] | null {
	const whole = text.replaceAll('\uFEFF', '').replaceAll(/\r*\n|\r/g, '\n');
	if (isXml(whole) || /^\s*"?sep=/i.test(whole)) return null;
	const read = cellsOf(whole, separatorOf(whole, columns));
	if (read === null) return null;
	const filled = read.filter((cells) => cells.some((cell) => cell !== ''));
	if (filled.length > MOST_ROWS || filled.some((cells) => cells.some(isLong))) return null;
	if (filled.some((cells) => cells.slice(columns).some((cell) => cell !== ''))) return null;
	return filled.map((cells) => Array.from({ length: columns }, (_, at) => cells[at] ?? ''));
}

/**
 * The table, separated by tabs. Keeps empty rows, so that lines match rows;
 * `before` counts the lines before the first row.
 */
export function tableOf(rows: readonly Row[]): { readonly table: string; readonly before: number } {
	const lines = rows.map((cells) => (cells.every(isBlank) ? '' : cells.map(written).join('\t')));
	while (lines.at(-1) === '') lines.pop();
	// A first row that looks like column names would be taken for a header, so write a header above it.
	const first = rows.find((cells) => !cells.every(isBlank));
	const isHead = first !== undefined && TABLE_HEADS.test(first[0]?.trim() ?? '');
	if (!isHead) return { table: lines.join('\n'), before: 0 };
	const names = first.map((_, at) => (at === 0 ? 'source' : 'target')).join('\t');
	return { table: [names, ...lines].join('\n'), before: 1 };
}

const isLong = (cell: string) => cell.length > LONGEST_CELL;
const isBlank = (cell: string) => cell.trim() === '';

function written(cell: string): string {
	const text = cell.replaceAll(/[\r\n\t]+/g, ' ').trim();
	return /[",;]|^</.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The separator that divides most lines into that many cells. In a single column, words may contain commas. */
function separatorOf(text: string, columns: number): string | null {
	if (columns === 1) return text.includes('\t') ? '\t' : null;
	const lines = text
		.replaceAll(/"(?:[^"]|"")*"/g, '')
		.split('\n')
		.filter((line) => line.trim() !== '');
	const fitting = (mark: string) => lines.filter((line) => line.split(mark).length === columns).length;
	const marks = ['\t', ';', ','];
	const count = (mark: string) => (lines[0] ?? '').split(mark).length;
	const weight = lines.some((line) => marks.some((mark) => line.split(mark).length === columns))
		? fitting
		: count;
	return marks.reduce((best, mark) => (weight(mark) > weight(best) ? mark : best));
}

/** The cells of each line; null if a quotation mark stays open. */
function cellsOf(text: string, separator: string | null): readonly Row[] | null {
	const rows: string[][] = [[]];
	let cell = '';
	let isQuoted = false;
	const endCell = () => {
		rows.at(-1)?.push(cell.trim());
		cell = '';
	};
	for (let at = 0; at < text.length; at += 1) {
		const sign = text[at] as string;
		if (isQuoted) {
			if (sign !== '"') cell += sign === '\n' ? ' ' : sign;
			else if (text[at + 1] === '"') {
				cell += sign;
				at += 1;
			} else isQuoted = false;
		} else if (sign === '"' && cell.trim() === '') {
			cell = '';
			isQuoted = true;
		} else if (sign === separator) endCell();
		else if (sign === '\n') {
			endCell();
			rows.push([]);
		} else cell += sign;
	}
	endCell();
	return isQuoted ? null : rows;
}
