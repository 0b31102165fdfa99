import { useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { factsOf, stopwatch } from '#renderer/i18n/format.ts';
import { isolate } from '#renderer/i18n/i18n.ts';
import { NoticeLine, ProblemNotice } from '#renderer/problems/problem-notice.tsx';
import { AskDialog } from '#renderer/shell/ask-dialog.tsx';
import { useParts, useSetting } from '#renderer/shell/parts.ts';
import { Button } from '#renderer/ui/button.tsx';
import { ButtonRow } from '#renderer/ui/button-row.tsx';
import { EmptyState } from '#renderer/ui/empty-state.tsx';
import { Icon } from '#renderer/ui/icon.tsx';
import page from '#renderer/ui/page.module.css';
import { PageHead } from '#renderer/ui/page-head.tsx';
import { SearchField } from '#renderer/ui/search-field.tsx';
import { TextField } from '#renderer/ui/text-field.tsx';
import { useShowMore } from '#renderer/ui/use-show-more.ts';
import { wordsOf } from '#shared/history/fold.ts';
import { BRING_BACK_MS, type HistoryHit, type HistoryRow } from '#shared/host/history.ts';
import { localeTag } from '#shared/protocol/languages.ts';
import { HistoryExport } from './history-export.tsx';
import styles from './history-page.module.css';
import { LitText } from './lit-text.tsx';
import { languagesOf, type TitleWords, titleOf, whenOf } from './titles.ts';
import { useHistory } from './use-history.ts';

/** As many as the contract takes. */
const MOST_LETTERS = 200;

/** *Undo* goes a moment before main erases, so that it never comes too late, ms. */
const UNDO_MS = BRING_BACK_MS - 1000;

export interface QueryProps {
	readonly query: string;
	readonly onQuery: (query: string) => void;
}

/** All conversations, the newest first, or those in which something was found. */
export function HistoryList({ query, onQuery }: QueryProps) {
	const { t, i18n } = useTranslation();
	const { host, clock, history, navigation } = useParts();
	const list = useHistory(query);
	const further = useShowMore(list.hits?.length ?? 0, list.more);
	const broken = useStore(history.store, (state) => state.problem);
	const [renaming, setRenaming] = useState<HistoryRow | null>(null);
	const [exporting, setExporting] = useState<HistoryRow | null>(null);
	const [deleted, setDeleted] = useState<HistoryRow | null>(null);
	const [said, setSaid] = useState('');
	const title = useRef<HTMLHeadingElement>(null);
	const words: TitleWords = { locale: i18n.language, now: clock.wall() };
	const named = (row: HistoryRow) => ({ title: isolate(titleOf(row, words)) });

	useEffect(() => {
		if (deleted) return clock.after(UNDO_MS, () => setDeleted(null));
		return undefined;
	}, [clock, deleted]);

	async function remove(row: HistoryRow): Promise<void> {
		const done = await host.ask('history.delete', { id: row.id });
		if (!done.ok) return list.setProblem(done.error);
		setSaid('');
		setDeleted(row);
		await list.refresh();
		// The focused button is gone with its row.
		if (document.activeElement === document.body) title.current?.focus();
	}

	async function bringBack(row: HistoryRow): Promise<void> {
		setDeleted(null);
		const done = await host.ask('history.undelete', { id: row.id });
		if (!done.ok) return list.setProblem(done.error);
		setSaid(t('history.restored', named(row)));
		await list.refresh();
		title.current?.focus();
	}

	async function keep(row: HistoryRow): Promise<void> {
		const done = await host.ask('history.recover', { id: row.id });
		if (!done.ok) return list.setProblem(done.error);
		// The pressed button goes away, and the one beside it deletes.
		document.querySelector<HTMLElement>(`[data-conversation="${row.id}"] button`)?.focus();
		list.replace(done.value);
		setSaid(t('history.keptOne', named(row)));
	}

	async function rename(row: HistoryRow, name: string): Promise<void> {
		setRenaming(null);
		const done = await host.ask('history.rename', { id: row.id, title: name });
		if (done.ok) list.replace(done.value);
		else list.setProblem(done.error);
	}

	function stateWords(): string {
		if (list.hits === null) return list.problem ? '' : t('history.loading');
		if (list.query === '') return '';
		if (list.hits.length === 0) return t('history.nothingFound', { query: isolate(list.query) });
		return t(list.next === null ? 'history.found' : 'history.foundMore', { count: list.hits.length });
	}

	const isEmpty = list.hits?.length === 0 && list.query === '' && !list.problem;
	return (
		<main className={page.page}>
			<div className={page.column}>
				<PageHead title={t('history.title')} lead={t('history.lead')} titleRef={title} />
				{broken && <ProblemNotice problem={broken} tone="warning" />}
				{list.problem && (
					<ProblemNotice
						problem={list.problem}
						onDismiss={() => list.setProblem(null)}
						onRetry={list.unread ? () => void list.refresh() : undefined}
					/>
				)}
				{deleted && (
					<NoticeLine
						tone="info"
						text={t('history.deleted', named(deleted))}
						action={{ label: t('history.undo'), take: () => void bringBack(deleted), undo: true }}
					/>
				)}
				{!isEmpty && <SearchField label={t('history.search')} typed={query} onTyped={onQuery} />}
				<p role="status" className={styles.status}>
					{[said, stateWords()].filter((text) => text !== '').join(' ')}
				</p>
				{isEmpty && <Empty />}
				{list.query !== '' && list.hits?.length === 0 && (
					<ButtonRow>
						<Button
							onPress={() => {
								onQuery('');
								title.current?.focus();
							}}
						>
							{t('history.clearSearch')}
						</Button>
					</ButtonRow>
				)}
				<ul ref={further.list} className={styles.list} aria-busy={list.loading}>
					{list.hits?.map((hit) => (
						<HistoryCard
							key={hit.row.id}
							hit={hit}
							words={words}
							lit={wordsOf(list.query)}
							onOpen={() => navigation.read(hit.row.id)}
							onKeep={() => void keep(hit.row)}
							onRename={() => setRenaming(hit.row)}
							onExport={() => setExporting(hit.row)}
							onDelete={() => void remove(hit.row)}
						/>
					))}
				</ul>
				{/* It stays while more is read: the keyboard would go with it. */}
				{list.next !== null && (
					<Button onPress={() => list.loading || further.show()}>{t('history.more')}</Button>
				)}
			</div>
			<RenameDialog row={renaming} onClose={() => setRenaming(null)} onRename={rename} />
			<HistoryExport
				row={exporting}
				onClose={() => setExporting(null)}
				onUnread={(problem) => {
					setExporting(null);
					list.setProblem(problem);
					title.current?.focus();
				}}
			/>
		</main>
	);
}

function Empty() {
	const { t } = useTranslation();
	const { navigation } = useParts();
	const choice = useSetting('history');
	return (
		<EmptyState
			icon="clock"
			title={t('history.none')}
			action={<Button onPress={() => navigation.go('settings', 'history')}>{t('history.choose')}</Button>}
		>
			{t(
				choice === 'ask'
					? 'history.noneHint'
					: choice === 'erase'
						? 'history.noneErased'
						: 'history.noneKept',
			)}
		</EmptyState>
	);
}

interface HistoryCardProps {
	readonly hit: HistoryHit;
	readonly words: TitleWords;
	/** Folded search words. */
	readonly lit: readonly string[];
	readonly onOpen: () => void;
	/** Keeps a conversation that would otherwise be deleted. */
	readonly onKeep: () => void;
	readonly onRename: () => void;
	readonly onExport: () => void;
	readonly onDelete: () => void;
}

/**
 * One conversation: its time, its languages or title, its first words, its length, and its actions. A click anywhere
 * opens it.
 */
function HistoryCard({ hit, words, lit, onOpen, onKeep, onRename, onExport, onDelete }: HistoryCardProps) {
	const { t, i18n } = useTranslation();
	const about = useId();
	const { row, first } = hit;
	const shown = titleOf(row, words);
	const title = isolate(shown);
	const facts = [
		...(row.title ? [whenOf(row, words), languagesOf(row, i18n.language)] : []),
		isolate(stopwatch(row.lengthMs, i18n.language)),
		t('history.lines', { count: row.lines }),
	];
	const isRunning = row.state === 'running';
	return (
		<li className={`${page.card} ${styles.card}`} data-conversation={row.id}>
			<div className={styles.head}>
				<h2 className={styles.name}>
					<button
						type="button"
						className={styles.open}
						title={shown}
						aria-label={t('history.openNamed', { title })}
						aria-describedby={about}
						onClick={onOpen}
					>
						<bdi>{shown}</bdi>
					</button>
				</h2>
				<div className={styles.actions}>
					<Button look="quiet" aria-label={t('history.renameNamed', { title })} onPress={onRename}>
						{t('history.rename')}
					</Button>
					<Button look="quiet" aria-label={t('history.exportNamed', { title })} onPress={onExport}>
						{t('history.export')}
					</Button>
					<Button
						look="quiet"
						square
						isDisabled={isRunning}
						aria-label={t('history.deleteNamed', { title })}
						onPress={onDelete}
					>
						<Icon name="trash" />
					</Button>
				</div>
			</div>
			<div id={about} className={styles.about}>
				{row.preview !== '' && (
					<p className={styles.preview} title={row.preview}>
						<bdi lang={localeTag(row.sources[0] ?? '')} dir="auto">
							{row.preview}
						</bdi>
					</p>
				)}
				<p className={styles.facts}>{factsOf(facts)}</p>
				{row.state !== 'kept' && <p className={styles.state}>{t(`history.state.${row.state}`)}</p>}
			</div>
			{(row.state === 'undecided' || row.state === 'cut-off') && (
				<div className={styles.actions}>
					<Button aria-label={t('history.keepOneNamed', { title })} onPress={onKeep}>
						{t('history.keepOne')}
					</Button>
				</div>
			)}
			{first && (
				<p className={styles.found}>
					<LitText text={first.text} language={first.language} words={lit} />{' '}
					<span className={styles.places}>{t('history.places', { count: hit.hits })}</span>
				</p>
			)}
		</li>
	);
}

interface RenameDialogProps {
	/** Null: closed. */
	readonly row: HistoryRow | null;
	readonly onClose: () => void;
	/** The empty title goes back to how the conversation began. */
	readonly onRename: (row: HistoryRow, title: string) => void;
}

function RenameDialog({ row, onClose, onRename }: RenameDialogProps) {
	const { t } = useTranslation();
	const [title, setTitle] = useState('');
	useEffect(() => setTitle(row?.title ?? ''), [row]);
	const save = () => row && onRename(row, title);
	return (
		<AskDialog
			title={t('history.rename')}
			isOpen={row !== null}
			onClose={onClose}
			verb={t('history.saveTitle')}
			onDo={save}
		>
			<form
				onSubmit={(event) => {
					event.preventDefault();
					save();
				}}
			>
				<TextField
					takesCursor
					label={t('history.titleLabel')}
					value={title}
					onChange={(next) => setTitle(next.slice(0, MOST_LETTERS))}
					placeholder={row?.preview ?? ''}
				/>
			</form>
		</AskDialog>
	);
}
