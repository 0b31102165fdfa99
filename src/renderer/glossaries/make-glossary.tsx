import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { languageItem, languageValue } from '#renderer/languages/shown-language.ts';
import { NoticeLine, ProblemNotice, problemSentence } from '#renderer/problems/problem-notice.tsx';
import { textOf } from '#renderer/problems/table-file.tsx';
import { useParts, useSetting } from '#renderer/shell/parts.ts';
import { Button, ButtonRow } from '#renderer/ui/button.tsx';
import page from '#renderer/ui/page.module.css';
import { SearchCombo } from '#renderer/ui/search-combo.tsx';
import { Select } from '#renderer/ui/select.tsx';
import { TextField } from '#renderer/ui/text-field.tsx';
import type { Glossary } from '#shared/host/glossaries.ts';
import { languageName, languageNames, searchLanguages } from '#shared/i18n/language-names.ts';
import type { Problem, ProblemOf } from '#shared/problem.ts';
import { GLOSSARY_KINDS, GLOSSARY_MOST_BYTES, GLOSSARY_NAME } from '#shared/protocol/glossary.ts';
import { AUTO, OFFERED_SOURCES, OFFERED_TARGETS, sameLanguage } from '#shared/protocol/languages.ts';
import styles from './glossaries-page.module.css';
import { TableField } from './table-field.tsx';

export interface MakeGlossaryProps {
	/** The glossary to be replaced; null = a new one. */
	readonly old: Glossary | null;
	/** `left`: true if the old glossary still exists. The form may be closed when this is called. */
	readonly onMade: (glossary: Glossary, left: boolean) => void;
	/** Called when creation failed. `said`: true if the form is still open and shows the problem. */
	readonly onFailed: (problem: Problem, name: string, said: boolean) => void;
	/** `done`: true if the glossary was created. */
	readonly onClose: (done: boolean) => void;
}

/** The form that creates a glossary or replaces one: the service cannot change an existing glossary (protocol 8). */
export function MakeGlossary({ old, onMade, onFailed, onClose }: MakeGlossaryProps) {
	const { t, i18n } = useTranslation();
	const { host } = useParts();
	const [speak, hear] = [useSetting('speak'), useSetting('voiceOf')];
	const [name, setName] = useState(old?.name ?? '');
	const [kind, setKind] = useState(GLOSSARY_KINDS.find((one) => one === old?.kind) ?? 'translation');
	const spoken = OFFERED_SOURCES.includes(speak) && speak !== AUTO ? speak : '';
	const [from, setFrom] = useState(old?.source ?? spoken);
	const [to, setTo] = useState(old?.target ?? (OFFERED_TARGETS.includes(hear) ? hear : ''));
	const [table, setTable] = useState('');
	/** True if a file with a whole table was chosen, so that the old table is not needed. */
	const [isChosen, setChosen] = useState(false);
	const [tableError, setTableError] = useState('');
	const [faults, setFaults] = useState<ProblemOf<'table-invalid'> | null>(null);
	const [problem, setProblem] = useState<Problem | null>(null);
	/** After the first attempt, errors are shown at once. */
	const [tried, setTried] = useState(false);
	const [busy, setBusy] = useState(false);
	const oldTable = useOldTable(old, (text) => void (isChosen || setTable(text)));
	const { fetched } = oldTable;
	/** True until the old table is loaded: text typed into the empty field would replace all of it. */
	const isAwaited = old !== null && fetched === undefined && !isChosen;
	const gone = useRef(false);
	useEffect(() => {
		gone.current = false;
		return () => {
			gone.current = true;
		};
	}, []);
	/** True if the first field with an error should take focus. */
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
		setTable(text);
		setTableError('');
		setFaults(null);
	}

	async function read(file: File): Promise<void> {
		setFaults(null);
		if (file.size > GLOSSARY_MOST_BYTES) return setTableError(t('glossary.fileTooLarge'));
		const text = await textOf(file);
		if (text === null) setTableError(t('glossary.fileUnreadable'));
		else {
			setChosen(true);
			changeTable(text);
		}
	}

	async function make(): Promise<void> {
		setTried(true);
		setProblem(null);
		if (Object.values(wrong).some((text) => text !== '')) return setAsks(true);
		// Main checks this as well, but only if the table is short enough to be sent to main.
		if (table.length > GLOSSARY_MOST_BYTES)
			return setFaults({ kind: 'table-invalid', lines: [{ line: 0, reason: 'too-large' }], more: 0 });
		setBusy(true);
		const draft = { name: name.trim(), kind, source: from, target: isPair ? to : from, table };
		const made = old
			? await host.ask('glossary.change', { ...draft, id: old.id })
			: await host.ask('glossary.add', draft);
		if (made.ok) {
			if ('left' in made.value) onMade(made.value.glossary, made.value.left);
			else onMade(made.value, false);
		} else onFailed(made.error, draft.name, !gone.current);
		if (gone.current) return;
		setBusy(false);
		if (made.ok) onClose(true);
		else if (made.error.kind === 'table-invalid') {
			setFaults(made.error);
			setAsks(true);
		} else setProblem(made.error);
	}

	function verb(): string {
		if (busy) return t('glossary.making');
		return t(old ? 'glossary.changeIt' : 'glossary.makeIt');
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
				if (!busy && !isAwaited) void make();
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
			<TableField
				kind={kind}
				from={from}
				to={to}
				table={table}
				isAwaited={isAwaited}
				waiting={isAwaited && !oldTable.problem ? t('glossary.loading') : ''}
				isGone={fetched === null}
				fileError={tableError}
				faults={faults}
				onChange={changeTable}
				onFile={(file) => void read(file)}
			/>
			{isAwaited && oldTable.problem && (
				<NoticeLine
					tone="problem"
					problem={oldTable.problem}
					text={problemSentence(oldTable.problem, t, i18n.language)}
					action={{ label: t('recovery.retry'), take: oldTable.again }}
				/>
			)}
			{problem && <ProblemNotice problem={problem} onDismiss={() => setProblem(null)} />}
			<ButtonRow>
				<Button type="submit" look="primary" isDisabled={busy || isAwaited}>
					{verb()}
				</Button>
				<Button onPress={() => onClose(false)}>{t('app.cancel')}</Button>
			</ButtonRow>
		</form>
	);
}

interface OldTable {
	/** The table; null: the service does not return the table; undefined: not loaded yet, or not requested. */
	readonly fetched: string | null | undefined;
	readonly problem: Problem | null;
	again(): void;
}

/** Fetches the old glossary's table and passes it to `show`. */
function useOldTable(old: Glossary | null, show: (table: string) => void): OldTable {
	const { host } = useParts();
	const [fetched, setFetched] = useState<string | null>();
	const [problem, setProblem] = useState<Problem | null>(null);
	const [round, setRound] = useState(0);
	const id = old?.id;
	const shown = useEffectEvent(show);
	// biome-ignore lint/correctness/useExhaustiveDependencies: a new round repeats the request
	useEffect(() => {
		if (id === undefined) return;
		let isOpen = true;
		setProblem(null);
		void host.ask('glossary.table', { id }).then((answer) => {
			if (!isOpen) return;
			if (!answer.ok) return setProblem(answer.error);
			setFetched(answer.value);
			if (answer.value !== null) shown(answer.value);
		});
		return () => {
			isOpen = false;
		};
	}, [host, id, round]);
	return { fetched, problem, again: () => setRound((before) => before + 1) };
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
