import { useCallback, useEffect, useId, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { factsOf } from '#renderer/i18n/format.ts';
import { isolate } from '#renderer/i18n/i18n.ts';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { NoticeLine, ProblemNotice } from '#renderer/problems/problem-notice.tsx';
import { useParts, useSetting } from '#renderer/shell/parts.ts';
import { Button, ButtonRow } from '#renderer/ui/button.tsx';
import { EmptyState } from '#renderer/ui/empty-state.tsx';
import { Icon } from '#renderer/ui/icon.tsx';
import page from '#renderer/ui/page.module.css';
import { PageHead } from '#renderer/ui/page-head.tsx';
import { SearchField } from '#renderer/ui/search-field.tsx';
import { useShowMore } from '#renderer/ui/use-show-more.ts';
import { wordsOf } from '#shared/history/search-text.ts';
import {
	BRING_BACK_MS,
	type HistoryHit,
	type HistoryRow,
	PAGE_AT_MOST,
	SHORT_AT_MOST,
} from '#shared/host/history.ts';
import type { Cancel } from '#shared/lib/clock.ts';
import type { Problem } from '#shared/problem.ts';
import { cut } from '#shared/protocol/json.ts';
import { localeTag } from '#shared/protocol/languages.ts';
import { ConversationView, LitText, type QueryProps, RenameConversation } from './conversation-view.tsx';
import { HistoryExport } from './history-export.tsx';
import styles from './history-page.module.css';
import { aboutOf, type TitleWords, titleOf } from './titles.ts';

/** The list of kept conversations, or one to read. The search is kept while another page is shown. */
export function HistoryPage() {
	const { navigation, clock } = useParts();
	const id = useStore(navigation.store, (view) => view.conversation);
	const query = useStore(navigation.store, (view) => view.searched);
	const [deleted, setDeleted] = useState<HistoryRow | null>(null);
	// The timer must run here, because the time to undo also passes while a conversation is open.
	useEffect(() => {
		if (deleted) return clock.after(UNDO_MS, () => setDeleted(null));
		return undefined;
	}, [clock, deleted]);
	if (id === null)
		return <HistoryList query={query} onQuery={navigation.search} deleted={deleted} onDeleted={setDeleted} />;
	return (
		<ConversationView
			key={id}
			id={id}
			query={query}
			onQuery={navigation.search}
			onDeleted={(row) => {
				setDeleted(row);
				navigation.read(null);
			}}
		/>
	);
}

/** *Undo* disappears a moment before main erases, so that it is never too late, ms. */
const UNDO_MS = BRING_BACK_MS - 1000;

export interface HistoryListProps extends QueryProps {
	/** The deleted conversation that can still be restored. */
	readonly deleted: HistoryRow | null;
	readonly onDeleted: (row: HistoryRow | null) => void;
}

/** All conversations, the newest first, or those in which something was found. */
export function HistoryList({ query, onQuery, deleted, onDeleted: setDeleted }: HistoryListProps) {
	const { t, i18n } = useTranslation();
	const { host, clock, history, navigation } = useParts();
	const list = useHistory(query);
	const further = useShowMore(list.hits?.length ?? 0, list.more);
	const broken = useStore(history.store, (state) => state.problem);
	const [renaming, setRenaming] = useState<HistoryRow | null>(null);
	const [exporting, setExporting] = useState<HistoryRow | null>(null);
	const [said, setSaid] = useState('');
	const title = useRef<HTMLHeadingElement>(null);
	const words: TitleWords = { locale: i18n.language, now: clock.wall() };
	const named = (row: HistoryRow) => ({ title: isolate(titleOf(row, words)) });

	// If a conversation was deleted on its own page, the focused button disappeared with that page.
	const cameFrom = useRef(deleted);
	useEffect(() => {
		if (cameFrom.current) title.current?.focus();
	}, []);

	async function remove(row: HistoryRow): Promise<void> {
		const done = await host.ask('history.delete', { id: row.id });
		if (!done.ok) return list.setProblem(done.error);
		setSaid('');
		setDeleted(row);
		await list.refresh();
		// Move focus to the title, because the focused button disappeared with its row.
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
		// A conversation that continued another has become a part of that one.
		if (done.value.id === row.id) list.replace(done.value);
		else await list.refresh();
		setSaid(t('history.keptOne', named(done.value)));
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
				{/* Keep the button while more is read, so that it does not lose the focus. */}
				{list.next !== null && (
					<Button onPress={() => list.loading || further.show()}>{t('history.more')}</Button>
				)}
			</div>
			<RenameConversation row={renaming} onClose={() => setRenaming(null)} onRename={rename} />
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
	/** Folded search words to highlight. */
	readonly lit: readonly string[];
	readonly onOpen: () => void;
	/** Keeps a conversation that would otherwise be deleted. */
	readonly onKeep: () => void;
	readonly onRename: () => void;
	readonly onExport: () => void;
	readonly onDelete: () => void;
}

/** One conversation: title or first words, mode, languages, time, duration, actions. A click opens it. */
function HistoryCard({ hit, words, lit, onOpen, onKeep, onRename, onExport, onDelete }: HistoryCardProps) {
	const { t } = useTranslation();
	const about = useId();
	const { row, first } = hit;
	const shown = titleOf(row, words);
	const title = isolate(shown);
	const facts = [aboutOf(row, words, t), t('history.lines', { count: row.lines })];
	const isRunning = row.state === 'running';
	return (
		<li className={`${page.card} ${styles.card}`} data-conversation={row.id}>
			<div className={styles.head}>
				<h2 className={styles.name}>
					<button
						type="button"
						className={styles.open}
						data-tooltip={shown}
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
				{row.title !== '' && row.preview !== '' && (
					<p className={styles.preview} data-tooltip={row.preview}>
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

/** Number of rows per request. */
const PAGE = 50;
/** A search starts once typing has paused for this long, ms. */
const TYPING_MS = 200;

export interface ListedHistory {
	/** The rows loaded so far; null until the first page is loaded. */
	readonly hits: readonly HistoryHit[] | null;
	readonly loading: boolean;
	readonly next: string | null;
	readonly problem: Problem | null;
	/** True if the problem is that the list could not be read. */
	readonly unread: boolean;
	/** The search that the list belongs to; empty = everything. */
	readonly query: string;
	refresh(): Promise<void>;
	more(): Promise<void>;
	/** Shows a changed row without reading everything again. */
	replace(row: HistoryRow): void;
	setProblem(problem: Problem | null): void;
}

type View = Pick<ListedHistory, 'hits' | 'loading' | 'next' | 'problem' | 'unread' | 'query'>;

/** Kept conversations, or the search results, a page at a time; read again when main reports a change. */
export function useHistory(typed: string): ListedHistory {
	const { host, clock, history } = useParts();
	const revision = useStore(history.store, (state) => state.revision);
	const [view, setView] = useState<View>({
		hits: null,
		loading: true,
		next: null,
		problem: null,
		unread: false,
		query: '',
	});
	/** The search and the number of rows shown; a refresh requests the same number of rows. */
	const shown = useRef({ query: '', count: 0 });
	/** Number of the latest request; answers to earlier requests are dropped. */
	const reading = useRef(0);
	const query = cut(typed.trim(), SHORT_AT_MOST);

	const read = useCallback(
		async (after: string | null): Promise<void> => {
			const mine = ++reading.current;
			setView((before) => ({ ...before, loading: true, problem: null, unread: false }));
			const again = after === null && shown.current.query === query ? shown.current.count : 0;
			const page = { after, limit: Math.min(Math.max(PAGE, again), PAGE_AT_MOST) };
			const answer =
				query === ''
					? await host.ask('history.list', page)
					: await host.ask('history.search', { ...page, query });
			if (mine !== reading.current) return;
			if (!answer.ok)
				return setView((before) => ({ ...before, loading: false, problem: answer.error, unread: true }));
			const { value } = answer;
			const hits = 'hits' in value ? value.hits : value.rows.map((row) => ({ row, hits: 0, first: null }));
			shown.current = { query, count: after === null ? hits.length : shown.current.count + hits.length };
			setView((before) => ({
				loading: false,
				next: value.next,
				problem: null,
				unread: false,
				query,
				hits: after === null ? hits : [...(before.hits ?? []), ...hits],
			}));
		},
		[host, query],
	);
	const refresh = useCallback(() => read(null), [read]);

	// biome-ignore lint/correctness/useExhaustiveDependencies: a new revision means that main's list has changed
	useEffect(() => {
		let cancel: Cancel = () => {};
		if (query === '') void refresh();
		else cancel = clock.after(TYPING_MS, () => void refresh());
		return () => {
			reading.current++;
			cancel();
		};
	}, [clock, query, refresh, revision]);

	return {
		...view,
		refresh,
		more: () => read(view.next),
		replace: (row) =>
			setView((before) => ({
				...before,
				hits: before.hits?.map((hit) => (hit.row.id === row.id ? { ...hit, row } : hit)) ?? null,
			})),
		setProblem: (problem) => setView((before) => ({ ...before, problem, unread: false })),
	};
}
