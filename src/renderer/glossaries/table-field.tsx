import { useEffect, useId, useMemo, useState } from 'react';
import { FileTrigger } from 'react-aria-components';
import { useTranslation } from 'react-i18next';
import { TableFaults } from '#renderer/problems/table-file.tsx';
import { Button, ButtonRow } from '#renderer/ui/button.tsx';
import field from '#renderer/ui/field.module.css';
import { TextAreaField, type TextAreaFieldProps } from '#renderer/ui/text-area.tsx';
import { languageLabel } from '#shared/i18n/language-names.ts';
import type { ProblemOf } from '#shared/problem.ts';
import type { GlossaryKind } from '#shared/protocol/glossary.ts';
import styles from './grid.module.css';
import { type Column, Grid } from './grid.tsx';
import { rowsOf, tableOf } from './rows.ts';

export interface TableFieldProps {
	readonly kind: GlossaryKind;
	readonly from: string;
	readonly to: string;
	/** As it is sent. */
	readonly table: string;
	/** The old one is still fetched. */
	readonly isAwaited: boolean;
	/** Describes what the field waits for; empty = nothing. */
	readonly waiting: string;
	/** The service does not give the old one back. */
	readonly isGone: boolean;
	readonly fileError: string;
	readonly faults: ProblemOf<'table-invalid'> | null;
	readonly onChange: (table: string) => void;
	readonly onFile: (file: File) => void;
}

/** A glossary's entries, as a grid; or as text, if the user prefers that or a grid cannot show them. */
export function TableField(props: TableFieldProps) {
	const { kind, from, to, table, isAwaited, fileError, faults, onChange } = props;
	const { t, i18n } = useTranslation();
	const [isText, setText] = useState(false);
	/** The table as the grid wrote it; `before`: the number of lines before the first row. */
	const [own, setOwn] = useState({ table: '', before: 0 });
	/** The table that the grid starts from. */
	const [base, setBase] = useState(table);
	// Set while rendering, as React recommends: a file was chosen, or the old table has come.
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

/** Gets its text once it is there: a box that appears with a megabyte in it takes seconds. */
function LateText(props: TextAreaFieldProps) {
	const [isThere, setThere] = useState(false);
	useEffect(() => setThere(true), []);
	return <TextAreaField {...props} value={isThere ? props.value : ''} />;
}

/** Its lines as rows of the grid. */
function inRows(faults: ProblemOf<'table-invalid'>, before: number): ProblemOf<'table-invalid'> {
	return { ...faults, lines: faults.lines.map((one) => ({ ...one, line: Math.max(0, one.line - before) })) };
}
