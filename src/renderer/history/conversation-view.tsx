import { memo, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { copyText } from '#renderer/captions/copy-text.ts';
import { isRunning } from '#renderer/conversation/live-changes.ts';
import { gapLength, stopwatch } from '#renderer/i18n/format.ts';
import { isolate } from '#renderer/i18n/i18n.ts';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { ProblemNotice } from '#renderer/problems/problem-notice.tsx';
import { useParts, useSetting } from '#renderer/shell/parts.ts';
import { RenameDialog } from '#renderer/shell/rename-dialog.tsx';
import { Button, ButtonRow } from '#renderer/ui/button.tsx';
import { Icon } from '#renderer/ui/icon.tsx';
import page from '#renderer/ui/page.module.css';
import { SearchField } from '#renderer/ui/search-field.tsx';
import { WindowedList, type WindowedListHandle } from '#renderer/ui/windowed-list.tsx';
import { linesOf } from '#shared/captions/copied-text.ts';
import { folded, pieces, wordsOf } from '#shared/history/search-text.ts';
import type { Output } from '#shared/host/contract.ts';
import {
	CONTINUED,
	type HistoryCaption,
	type HistoryRow,
	hasMark,
	INCOMING_MARK,
	PAGE_AT_MOST,
	SHORT_AT_MOST,
} from '#shared/host/history.ts';
import { keyCaps } from '#shared/keys/combination.ts';
import type { Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { directionOf, isRightToLeft, localeTag, sameLanguage, swap } from '#shared/protocol/languages.ts';
import { MODES, type Settings } from '#shared/settings/schema.ts';
import { HistoryExport } from './history-export.tsx';
import styles from './history-page.module.css';
import { RecordingPlayer, usePlayed, useRecordings } from './recording-player.tsx';
import { aboutOf, placeInTime, titleOf } from './titles.ts';

/** The time, the source and the translations, each aligned to its own direction. */
const TranscriptRowView = memo(function TranscriptRowView({
	row,
	words,
	isCurrent,
	isRunning,
	isPlayed,
	onPlay,
}: TranscriptRowProps) {
	const { t, i18n } = useTranslation();
	const { clock } = useParts();
	if (row.continuedAt !== null) {
		const when = isolate(placeInTime(row.continuedAt, clock.wall(), i18n.language));
		return <p className={styles.part}>{t('history.continuedOn', { when })}</p>;
	}
	const time = stopwatch(row.startMs, i18n.language);
	const mark = isCurrent ? true : isPlayed ? 'time' : undefined;
	return (
		<div className={styles.row} data-current={isCurrent} data-played={isPlayed} aria-current={mark}>
			<span className={styles.time}>
				{onPlay ? (
					<button
						type="button"
						className={styles.playFrom}
						aria-label={t('history.playFrom', { time: isolate(time) })}
						onClick={() => onPlay(row.startMs)}
					>
						<bdi>{time}</bdi>
					</button>
				) : (
					<bdi>{time}</bdi>
				)}
				{row.side && <span className={styles.tag}>{t(`legs.${row.side}`)}</span>}
				{row.typed && <span className={styles.tag}>{t('history.typed')}</span>}
			</span>
			{row.lostMs !== null && (
				<p className={styles.lost}>{t('history.lost', { seconds: gapLength(row.lostMs, i18n.language) })}</p>
			)}
			{(['source', 'translation'] as const).map((kind) => (
				<div key={kind} className={kind === 'source' ? styles.said : styles.told}>
					{column(row, kind).map(([language, captions]) => (
						<p key={language} dir={isRightToLeft(language) ? 'rtl' : 'ltr'}>
							{captions.map((caption, index) => (
								<span key={caption.key} className={caption.final ? '' : styles.unfinished}>
									{index > 0 && ' '}
									<LitText text={caption.text} language={language} words={words} />
									{!caption.final && !isRunning && (
										<>
											{' '}
											<bdi className={styles.cut}>{t('captions.cutOff')}</bdi>
										</>
									)}
								</span>
							))}
						</p>
					))}
				</div>
			))}
		</div>
	);
});

/** Estimated height of a row that has not been rendered yet, px. */
const ROW_ESTIMATE = 72;

export interface QueryProps {
	readonly query: string;
	readonly onQuery: (query: string) => void;
}

export interface ConversationViewProps extends QueryProps {
	readonly id: string;
	readonly onDeleted: (row: HistoryRow) => void;
}

/** Shows one conversation: only the rows in view are in the document, and search hits are highlighted. */
export function ConversationView({ id, query, onQuery, onDeleted }: ConversationViewProps) {
	const { t, i18n } = useTranslation();
	const { navigation, clock, info, host, history, settings, conversation, typing } = useParts();
	const isUnderWay = useStore(conversation.store, ({ phase }) => isRunning(phase));
	const isKeeping = useSetting('history') !== 'erase';
	const { row, captions, complete, problem, again, rename } = useTranscript(id);
	const [renaming, setRenaming] = useState(false);
	const [said, setSaid] = useState('');
	const [exporting, setExporting] = useState(false);
	const [unread, setUnread] = useState<Problem | null>(null);
	// True if Back does not lead to the list, for example after opening the recovered conversation.
	const isAside = useStore(navigation.store, ({ trail }) => trail.at(-1)?.page !== 'history');
	const [place, setPlace] = useState(-1);
	/** True if the search was typed in the list and its first hit has not been shown yet. */
	const isBrought = useRef(query.trim() !== '');
	const list = useRef<WindowedListHandle>(null);
	const rows = useMemo(() => transcriptOf(captions), [captions]);
	const words = useMemo(() => wordsOf(query), [query]);
	const hits = useMemo(() => {
		if (words.length === 0) return [];
		return rows.flatMap((one, index) => {
			const texts = one.captions.map(({ text }) => folded(text));
			return texts.some((text) => words.every((word) => text.includes(word))) ? [index] : [];
		});
	}, [rows, words]);
	const shownPlace = Math.min(Math.max(place, 0), hits.length - 1);
	const number = (value: number) => new Intl.NumberFormat(i18n.language).format(value);

	function go(by: 1 | -1): void {
		// Start at the first hit, whichever button is pressed first.
		const next = place < 0 ? 0 : (shownPlace + by + hits.length) % hits.length;
		setPlace(next);
		list.current?.toRow(hits[next] ?? 0);
	}

	const recordings = useRecordings(id);
	const { player } = recordings;
	const played = usePlayed(player, (saidMs) =>
		saidMs === null ? -1 : rows.findLastIndex((one) => one.continuedAt === null && one.startMs <= saidMs),
	);
	const playFrom = useCallback(
		(saidMs: number) => {
			typing.silence();
			player?.playFrom(saidMs);
		},
		[player, typing],
	);

	const [first] = hits;
	// Show the first hit of a search from the list at once; a search typed here waits for Enter.
	useEffect(() => {
		if (!isBrought.current || first === undefined) return;
		isBrought.current = false;
		setPlace(0);
		list.current?.toRow(first);
	}, [first]);

	const enter = keyCaps('Enter', { mac: info.platform === 'darwin' }).join('');
	const titleWords = { locale: i18n.language, now: clock.wall() };
	const title = row ? titleOf(row, titleWords) : t('history.title');

	async function copy(): Promise<void> {
		const isCopied = await copyText(transcriptText(rows));
		setSaid(t(isCopied ? 'captions.copied' : 'captions.copyFailed'));
	}

	async function carryOn(): Promise<void> {
		if (!row) return;
		await settings.write(choicesFor(row, settings.store.getState().values));
		history.continued.setState({ id, title }, true);
		navigation.go('live');
	}

	async function remove(): Promise<void> {
		if (!row) return;
		const done = await host.ask('history.delete', { id });
		if (done.ok) onDeleted(row);
		else setUnread(done.error);
	}

	async function save(name: string): Promise<void> {
		setRenaming(false);
		const done = await host.ask('history.rename', { id, title: name });
		if (done.ok) rename(done.value);
		else setUnread(done.error);
	}

	return (
		<main className={styles.reading}>
			<div className={styles.readingHead}>
				<header className={page.head}>
					<div>
						<h1 className={styles.readingTitle} data-tooltip={title}>
							<bdi>{title}</bdi>
						</h1>
						{row && <p className={styles.facts}>{aboutOf(row, titleWords, t)}</p>}
					</div>
					<ButtonRow>
						{isAside && <Button onPress={() => navigation.read(null)}>{t('history.back')}</Button>}
						{isKeeping && (
							<Button isDisabled={row?.state !== 'kept' || isUnderWay} onPress={() => void carryOn()}>
								{t('history.continue')}
							</Button>
						)}
						<Button isDisabled={!complete} onPress={() => setExporting(true)}>
							<Icon name="save" size={16} />
							{t('history.export')}
						</Button>
						<Button
							square
							aria-label={t('captions.copyEverything')}
							isDisabled={!complete || rows.length === 0}
							onPress={() => void copy()}
						>
							<Icon name="copy" />
						</Button>
						<Button
							square
							aria-label={t('history.rename')}
							isDisabled={!row}
							onPress={() => setRenaming(true)}
						>
							<Icon name="edit" />
						</Button>
						<Button
							square
							aria-label={t('history.delete')}
							isDisabled={!row || row.state === 'running'}
							onPress={() => void remove()}
						>
							<Icon name="trash" />
						</Button>
					</ButtonRow>
				</header>
				{problem && <ProblemNotice problem={problem} onRetry={again} />}
				{unread && <ProblemNotice problem={unread} onDismiss={() => setUnread(null)} />}
				<div className={styles.finding}>
					<SearchField
						label={t('history.searchHere')}
						typed={query}
						onTyped={(next) => {
							onQuery(next);
							isBrought.current = false;
							setPlace(-1);
						}}
						onSubmit={() => hits.length > 0 && go(1)}
					/>
					<Button
						square
						aria-label={t('history.previous')}
						isDisabled={hits.length === 0}
						onPress={() => go(-1)}
					>
						<span className={styles.upwards}>
							<Icon name="down" />
						</span>
					</Button>
					<Button
						square
						aria-label={t('history.next')}
						tip={`${t('history.next')} (${isolate(enter)})`}
						isDisabled={hits.length === 0}
						onPress={() => go(1)}
					>
						<Icon name="down" />
					</Button>
				</div>
				<RecordingPlayer {...recordings} />
				<p role="status" className={styles.status}>
					{[said, statusWords()].filter((words) => words !== '').join(' ')}
				</p>
			</div>
			<div className={styles.transcript}>
				{rows.length > 0 && (
					<WindowedList
						ref={list}
						from="start"
						label={t('history.transcript', { title: isolate(title) })}
						count={rows.length}
						estimate={ROW_ESTIMATE}
						row={(index) => {
							const one = rows[index];
							return (
								one && (
									<TranscriptRowView
										row={one}
										words={words}
										isCurrent={place >= 0 && hits[shownPlace] === index}
										isRunning={row?.state === 'running'}
										isPlayed={played === index}
										onPlay={!isUnderWay && player?.has(one.startMs) ? playFrom : null}
									/>
								)
							);
						}}
					/>
				)}
			</div>
			<RenameConversation
				row={renaming ? row : null}
				onClose={() => setRenaming(false)}
				onRename={(_row, name) => save(name)}
			/>
			<HistoryExport
				row={exporting ? row : null}
				onClose={() => setExporting(false)}
				onUnread={(failure) => {
					setExporting(false);
					setUnread(failure);
				}}
			/>
		</main>
	);

	function statusWords(): string {
		if (!complete) return problem ? '' : t('history.loading');
		if (words.length === 0) return '';
		if (hits.length === 0) return t('history.nothingFound', { query: isolate(query.trim()) });
		if (place < 0) return t('history.places', { count: hits.length });
		return t('history.place', { place: number(shownPlace + 1), all: number(hits.length) });
	}
}

interface TranscriptRowProps {
	readonly row: TranscriptRow;
	/** Folded search words. */
	readonly words: readonly string[];
	readonly isCurrent: boolean;
	/** True while the conversation runs: an unfinished text may still be completed. */
	readonly isRunning: boolean;
	readonly isPlayed: boolean;
	/** Plays the recording from this time of the conversation; null: nothing was recorded at that time. */
	readonly onPlay: ((saidMs: number) => void) | null;
}

/** Mode and languages of a kept conversation that differ from the current choices. */
export function choicesFor(
	{ mode, sources, targets }: Pick<HistoryRow, 'mode' | 'sources' | 'targets'>,
	values: Pick<Settings, 'speak' | 'hear'>,
): Partial<Settings> {
	const known = MODES.find((one) => one === mode);
	if (!known) return {};
	const isChosen = sources.some((code) => sameLanguage(code, values.speak));
	const [from] = sources;
	const wanted = sources.length > 1 ? sources.slice(1) : targets;
	const hear = wanted.flatMap((code) => swap(code, code)?.hear ?? []);
	const isHeard = wanted.every((code) => values.hear.some((one) => sameLanguage(one, code)));
	return {
		mode: known,
		...(from && !isChosen && { speak: from }),
		...(hear.length > 0 && !isHeard && !(isChosen && sources.length > 1) && { hear, voiceOf: hear[0] ?? '' }),
	};
}

/** The text to copy: each sentence, its translations below it, and an empty line. */
export function transcriptText(rows: readonly TranscriptRow[]): string {
	const texts = rows.map((row) =>
		linesOf([...column(row, 'source'), ...column(row, 'translation')].map(([, captions]) => captions)),
	);
	return texts.filter((text) => text !== '').join('\n\n');
}

/** The dialog that renames a conversation; without a conversation (null), the dialog is closed. */
export function RenameConversation({
	row,
	onClose,
	onRename,
}: {
	readonly row: HistoryRow | null;
	readonly onClose: () => void;
	readonly onRename: (row: HistoryRow, title: string) => Promise<void>;
}) {
	const { t } = useTranslation();
	return (
		<RenameDialog
			title={t('history.rename')}
			verb={t('history.saveTitle')}
			takesCursor
			label={t('history.titleLabel')}
			placeholder={row?.preview ?? ''}
			longest={SHORT_AT_MOST}
			name={row?.title ?? null}
			onClose={onClose}
			onRename={(title) => row && void onRename(row, title)}
		/>
	);
}

interface Transcript {
	/** The conversation; null until loaded. */
	readonly row: HistoryRow | null;
	readonly captions: readonly HistoryCaption[];
	/** True if all captions are loaded. */
	readonly complete: boolean;
	readonly problem: Problem | null;
}

/** All captions of one conversation, shown as they arrive; `again` reloads them. */
function useTranscript(
	id: string,
): Transcript & { readonly again: () => void; readonly rename: (row: HistoryRow) => void } {
	const { host } = useParts();
	const [view, setView] = useState<Transcript>({ row: null, captions: [], complete: false, problem: null });

	const [round, setRound] = useState(0);

	// biome-ignore lint/correctness/useExhaustiveDependencies: a new round repeats the request
	useEffect(() => {
		let gone = false;
		async function read(): Promise<void> {
			let after: string | null = null;
			do {
				const page: Result<Output<'history.read'>, Problem> = await host.ask('history.read', {
					id,
					after,
					limit: PAGE_AT_MOST,
				});
				if (gone) return;
				if (!page.ok) return setView((before) => ({ ...before, problem: page.error }));
				const { row, captions } = page.value;
				const next: string | null = page.value.next;
				const isFirst = after === null;
				after = next;
				setView((before) => ({
					row,
					complete: next === null,
					problem: null,
					captions: isFirst ? captions : [...before.captions, ...captions],
				}));
			} while (after !== null);
		}
		void read();
		return () => {
			gone = true;
		};
	}, [host, id, round]);

	return {
		...view,
		again: () => setRound((before) => before + 1),
		rename: (row) => setView((before) => ({ ...before, row })),
	};
}

/** One row of the transcript: a sentence and its translations. */
export interface TranscriptRow {
	readonly id: string;
	readonly startMs: number;
	readonly captions: readonly HistoryCaption[];
	/** Speech that never reached the interpreter, ms; such a row has nothing else. */
	readonly lostMs: number | null;
	/** When the appended conversation that follows began, Unix ms: the only content of its row; otherwise null. */
	readonly continuedAt: number | null;
	readonly typed: boolean;
	/** Who spoke; null if only one side was recorded. */
	readonly side: 'mine' | 'theirs' | null;
}

/** Builds the rows, ordered by start time; `captions` must be in chronological order. */
export function transcriptOf(captions: readonly HistoryCaption[]): readonly TranscriptRow[] {
	const rows = new Map<string, HistoryCaption[]>();
	const isSided = new Set(captions.map(isIncoming)).size > 1;
	for (const caption of captions) {
		const row = rows.get(caption.row);
		if (row) row.push(caption);
		else rows.set(caption.row, [caption]);
	}
	return [...rows].map(([id, all]) => {
		const lost = all.find(({ kind }) => kind === 'lost');
		const continued = all.find(({ kind }) => kind === CONTINUED);
		return {
			id,
			startMs: all[0]?.startMs ?? 0,
			captions: all,
			lostMs: lost ? lost.endMs - lost.startMs : null,
			continuedAt: continued ? Number(continued.mark) : null,
			typed: all.some(({ mark }) => mark === 'typed'),
			side: isSided ? (all.some(isIncoming) ? 'theirs' : 'mine') : null,
		};
	});
}

function isIncoming(caption: HistoryCaption): boolean {
	return hasMark(caption, INCOMING_MARK);
}

/** The texts of a row in one column: the source, or each target language, in order of appearance. */
export function column(
	{ captions }: TranscriptRow,
	kind: 'source' | 'translation',
): readonly (readonly [language: string, captions: readonly HistoryCaption[]])[] {
	const groups = new Map<string, HistoryCaption[]>();
	for (const caption of captions) {
		// A kind unknown to this version is shown in the source column.
		const side = caption.kind === 'translation' ? 'translation' : 'source';
		if (side !== kind || caption.text === '') continue;
		const group = groups.get(caption.language);
		if (group) group.push(caption);
		else groups.set(caption.language, [caption]);
	}
	return [...groups].map(([language, all]) => [language, all.sort(byPart)] as const);
}

function byPart(one: HistoryCaption, other: HistoryCaption): number {
	return Number(one.part) - Number(other.part) || one.startMs - other.startMs;
}

export interface LitTextProps {
	readonly text: string;
	/** The service's language code. */
	readonly language: string;
	/** Folded search words. */
	readonly words: readonly string[];
}

/** A text in its own language and direction. The highlighting of hits does not break joined letters. */
export function LitText({ text, language, words }: LitTextProps) {
	let at = 0;
	return (
		<bdi lang={localeTag(language)} dir={directionOf(language)}>
			{pieces(text, words).map((piece) => {
				const key = at;
				at += piece.text.length;
				return piece.hit ? (
					<mark key={key} className={styles.hit}>
						{piece.text}
					</mark>
				) : (
					piece.text
				);
			})}
		</bdi>
	);
}
