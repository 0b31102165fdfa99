import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { FileTrigger } from 'react-aria-components';
import { useTranslation } from 'react-i18next';
import { Button } from '#renderer/ui/button.tsx';
import { ButtonRow } from '#renderer/ui/button-row.tsx';
import page from '#renderer/ui/page.module.css';
import { SearchCombo } from '#renderer/ui/search-combo.tsx';
import { Select } from '#renderer/ui/select.tsx';
import { TextAreaField } from '#renderer/ui/text-area.tsx';
import { TextField } from '#renderer/ui/text-field.tsx';
import { ProblemNotice } from '#renderer/window/components/problem-notice.tsx';
import { TableFaults } from '#renderer/window/components/table-faults.tsx';
import { useParts, useSetting } from '#renderer/window/parts.ts';
import { textOf } from '#renderer/window/text-of.ts';
import { languageItem, languageValue } from '#renderer/window/words/language-item.ts';
import type { Glossary } from '#shared/host/glossaries.ts';
import { languageName } from '#shared/i18n/language-names.ts';
import { languageNames, searchLanguages } from '#shared/i18n/language-search.ts';
import type { Problem, ProblemOf } from '#shared/problem.ts';
import { GLOSSARY_KINDS, GLOSSARY_MOST_BYTES, GLOSSARY_NAME } from '#shared/protocol/glossary.ts';
import { AUTO, OFFERED_SOURCES, OFFERED_TARGETS, sameLanguage } from '#shared/protocol/languages.ts';
import styles from './glossaries-page.module.css';

export interface MakeGlossaryProps {
	/** The glossary to be replaced; null = a new one. */
	readonly old: Glossary | null;
	/** `left`: the old one is still there. */
	readonly onMade: (glossary: Glossary, left: boolean) => void;
	readonly onClose: () => void;
}

/** The form that creates a glossary or replaces one: the service cannot change one (protocol 8). */
export function MakeGlossary({ old, onMade, onClose }: MakeGlossaryProps) {
	const { t } = useTranslation();
	const { host } = useParts();
	const [speak, hear] = [useSetting('speak'), useSetting('voiceOf')];
	const [name, setName] = useState(old?.name ?? '');
	const [kind, setKind] = useState(GLOSSARY_KINDS.find((one) => one === old?.kind) ?? 'translation');
	const spoken = OFFERED_SOURCES.includes(speak) && speak !== AUTO ? speak : '';
	const [from, setFrom] = useState(old?.source ?? spoken);
	const [to, setTo] = useState(old?.target ?? (OFFERED_TARGETS.includes(hear) ? hear : ''));
	const [table, setTable] = useState('');
	/** The table was typed or chosen: the old one comes too late. */
	const touched = useRef(false);
	const [tableError, setTableError] = useState('');
	const [faults, setFaults] = useState<ProblemOf<'table-invalid'> | null>(null);
	const [problem, setProblem] = useState<Problem | null>(null);
	/** After the first attempt, errors are shown at once. */
	const [tried, setTried] = useState(false);
	const [busy, setBusy] = useState(false);
	const fetched = useOldTable(old, (text) => void (touched.current || setTable(text)), setProblem);
	/** The first field in error takes the focus. */
	const [asks, setAsks] = useState(false);
	const form = useRef<HTMLFormElement>(null);
	useEffect(() => {
		if (!asks) return;
		form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
		setAsks(false);
	}, [asks]);
	const title = useRef<HTMLHeadingElement>(null);
	useEffect(() => title.current?.focus(), []);
	const isPair = kind === 'translation';

	const wrong = {
		name: GLOSSARY_NAME.test(name.trim()) ? '' : t('glossary.missing.name'),
		from: from === '' ? t('glossary.missing.language') : '',
		to: isPair ? wrongTarget() : '',
	};

	function wrongTarget(): string {
		if (to === '') return t('glossary.missing.language');
		return from !== '' && sameLanguage(from, to) ? t('glossary.missing.same') : '';
	}

	function changeTable(text: string): void {
		touched.current = true;
		setTable(text);
		setTableError('');
		setFaults(null);
	}

	async function read(file: File): Promise<void> {
		setFaults(null);
		if (file.size > GLOSSARY_MOST_BYTES) return setTableError(t('glossary.fileTooLarge'));
		const text = await textOf(file);
		if (text === null) setTableError(t('glossary.fileUnreadable'));
		else changeTable(text);
	}

	async function make(): Promise<void> {
		setTried(true);
		setProblem(null);
		if (Object.values(wrong).some((text) => text !== '')) return setAsks(true);
		// Main checks this as well, but only if the table is short enough to be handed over.
		if (table.length > GLOSSARY_MOST_BYTES)
			return setFaults({ kind: 'table-invalid', lines: [{ line: 0, reason: 'too-large' }], more: 0 });
		setBusy(true);
		const draft = { name: name.trim(), kind, source: from, target: isPair ? to : from, table };
		const made = old
			? await host.ask('glossary.change', { ...draft, id: old.id })
			: await host.ask('glossary.add', draft);
		setBusy(false);
		if (!made.ok) {
			if (made.error.kind === 'table-invalid') setFaults(made.error);
			else setProblem(made.error);
		} else if ('left' in made.value) onMade(made.value.glossary, made.value.left);
		else onMade(made.value, false);
	}

	const fields = tried ? wrong : { name: '', from: '', to: '' };
	const isUnsaved = name !== (old?.name ?? '') || table !== (fetched ?? '');
	return (
		<form
			ref={form}
			className={page.card}
			aria-labelledby="make-glossary"
			noValidate
			{...(isUnsaved ? { 'data-unsaved': true } : {})}
			onSubmit={(event) => {
				event.preventDefault();
				if (!busy) void make();
			}}
		>
			<h2 id="make-glossary" className={page.cardTitle} ref={title} tabIndex={-1}>
				{t(old ? 'glossary.change' : 'glossary.make')}
			</h2>
			<TextField
				label={t('glossary.name')}
				hint={t('glossary.nameHint')}
				value={name}
				onChange={setName}
				error={fields.name}
			/>
			<Select
				label={t('glossary.what')}
				options={GLOSSARY_KINDS.map((value) => ({ value, label: t(`glossary.kind.${value}`) }))}
				value={kind}
				onChange={setKind}
				hint={t(`glossary.kindHint.${kind}`)}
			/>
			<div className={styles.pair}>
				<Language
					label={t(isPair ? 'glossary.from' : 'glossary.language')}
					codes={OFFERED_SOURCES.filter((code) => code !== AUTO)}
					value={from}
					onChoose={setFrom}
					error={fields.from}
				/>
				{isPair && (
					<Language
						label={t('glossary.to')}
						codes={OFFERED_TARGETS}
						value={to}
						onChoose={setTo}
						error={fields.to}
					/>
				)}
			</div>
			<TextAreaField
				label={t('glossary.table')}
				hint={`${t('glossary.tableHint')}${fetched === null ? ` ${t('glossary.tableGone')}` : ''}`}
				value={table}
				onChange={changeTable}
				rows={8}
				dir="auto"
				error={tableError || (faults && <TableFaults problem={faults} />)}
			/>
			<ButtonRow>
				<FileTrigger
					acceptedFileTypes={['.csv', '.tsv', '.txt', '.tbx', '.xml', 'text/csv']}
					onSelect={(files) => {
						const file = files?.[0];
						if (file) void read(file);
					}}
				>
					<Button>{t('glossary.file')}</Button>
				</FileTrigger>
			</ButtonRow>
			{problem && <ProblemNotice problem={problem} onDismiss={() => setProblem(null)} />}
			<ButtonRow>
				<Button type="submit" look="primary" isDisabled={busy}>
					{t(busy ? 'glossary.making' : old ? 'glossary.changeIt' : 'glossary.makeIt')}
				</Button>
				<Button onPress={onClose}>{t('app.cancel')}</Button>
			</ButtonRow>
		</form>
	);
}

/**
 * Fetches the old glossary's table and passes it to `show`; null: the service does not give it back. Undefined: not known
 * yet, or not requested.
 */
function useOldTable(
	old: Glossary | null,
	show: (table: string) => void,
	fail: (problem: Problem) => void,
): string | null | undefined {
	const { host } = useParts();
	const [fetched, setFetched] = useState<string | null>();
	const id = old?.id;
	const shown = useEffectEvent(show);
	const failed = useEffectEvent(fail);
	useEffect(() => {
		if (id === undefined) return;
		let isOpen = true;
		void host.ask('glossary.table', { id }).then((answer) => {
			if (!isOpen) return;
			if (!answer.ok) return failed(answer.error);
			setFetched(answer.value);
			if (answer.value !== null) shown(answer.value);
		});
		return () => {
			isOpen = false;
		};
	}, [host, id]);
	return fetched;
}

interface LanguageProps {
	readonly label: string;
	readonly codes: readonly string[];
	readonly value: string;
	readonly onChoose: (code: string) => void;
	readonly error: string;
}

function Language({ label, codes, value, onChoose, error }: LanguageProps) {
	const { t, i18n } = useTranslation();
	return (
		<SearchCombo
			label={label}
			showLabel={t('languages.show')}
			emptyText={t('languages.none')}
			value={value}
			{...(value === '' ? { valueText: '' } : languageValue(languageName(value, i18n.language)))}
			sectionsFor={(typed) => [
				{
					id: 'all',
					title: t('languages.all'),
					items: searchLanguages(languageNames(codes, i18n.language), typed).map(languageItem),
				},
			]}
			onChoose={onChoose}
			error={error === '' ? null : error}
		/>
	);
}
