import { useCallback, useEffect, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { useTwoLegs } from '#renderer/conversation/use-legs.ts';
import { useStartAgain } from '#renderer/conversation/use-recover.ts';
import { countdown, dayAndTime, duration } from '#renderer/i18n/format.ts';
import { isolate, type TFunction } from '#renderer/i18n/i18n.ts';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { NoticeLine, ProblemNotice } from '#renderer/problems/problem-notice.tsx';
import { AskDialog } from '#renderer/shell/ask-dialog.tsx';
import { useParts } from '#renderer/shell/parts.ts';
import { Button, ButtonRow } from '#renderer/ui/button.tsx';
import { EmptyState } from '#renderer/ui/empty-state.tsx';
import { NumberField } from '#renderer/ui/number-field.tsx';
import page from '#renderer/ui/page.module.css';
import { PageHead } from '#renderer/ui/page-head.tsx';
import { Segmented } from '#renderer/ui/segmented.tsx';
import { useShowMore } from '#renderer/ui/use-show-more.ts';
import { sessionsNeeded } from '#shared/conversation/choices.ts';
import type { SessionRow, SweepReport } from '#shared/host/contract.ts';
import type { Problem } from '#shared/problem.ts';
import styles from './sessions-page.module.css';

/** Number of pages read automatically; further pages are read on request. */
const PAGES_AT_ONCE = 4;

const nothing: SessionsView = {
	rows: null,
	loading: false,
	problem: null,
	unread: false,
	next: null,
	cut: false,
	brokenLedger: null,
	serverAheadMs: 0,
};

const counted = [
	'deleted',
	'absent',
	'failed',
	'inUse',
	'handedOver',
	'otherAccounts',
	'outdated',
	'uncertain',
] as const satisfies readonly (keyof SweepReport)[];

const choices: readonly ExtensionChoice[] = ['10min', '30min', '1h', 'other'];

const FIRST_MINUTES = 120;

const SECOND_MS = 1000;

interface Busy {
	readonly handle: string;
	readonly with: 'ending' | 'extending';
}

/** Every session open at the service now: its owner and expiry, and buttons to extend or end it. */
export function SessionsPage() {
	const { t, i18n } = useTranslation();
	const { host, clock } = useParts();
	const sessions = useSessions();
	const { rows, loading, problem } = sessions;
	const further = useShowMore(rows?.length ?? 0, sessions.more);
	const [ending, setEnding] = useState<SessionRow | null>(null);
	const [extending, setExtending] = useState<SessionRow | null>(null);
	const [busy, setBusy] = useState<Busy | null>(null);
	const [said, setSaid] = useState('');
	const title = useRef<HTMLHeadingElement>(null);
	const [now, setNow] = useState(() => clock.now());
	useEffect(() => clock.every(SECOND_MS, () => setNow(clock.now())), [clock]);
	const serverNow = now + sessions.serverAheadMs;
	const stateWords = [said, rows === null && loading ? t('sessions.loading') : '']
		.filter((text) => text !== '')
		.join(' ');

	async function end(row: SessionRow): Promise<void> {
		setEnding(null);
		setBusy({ handle: row.handle, with: 'ending' });
		const ended = await host.ask('session.end', { handle: row.handle });
		setBusy(null);
		setSaid(ended.ok ? t('sessions.ended', { label: isolate(row.label) }) : '');
		await sessions.refresh();
		if (!ended.ok && ended.error.kind !== 'not-found') sessions.setProblem(ended.error);
		// The focused button is gone with its row.
		if (document.activeElement === document.body) title.current?.focus();
	}

	async function extend(row: SessionRow, extensionS: number): Promise<void> {
		setExtending(null);
		setBusy({ handle: row.handle, with: 'extending' });
		const leftMs = row.expiresAt === null ? null : row.expiresAt - (clock.now() + sessions.serverAheadMs);
		const ttlS = timeToLiveS(leftMs, extensionS);
		const answer = await host.ask('session.extend', { handle: row.handle, ttlS });
		setBusy(null);
		if (!answer.ok) return sessions.setProblem(answer.error);
		const expiresAt = answer.value.expiresAt ?? clock.now() + sessions.serverAheadMs + ttlS * SECOND_MS;
		sessions.setExpiry(row.handle, expiresAt);
		const left = expiresAt - (clock.now() + sessions.serverAheadMs);
		const words = { label: isolate(row.label), duration: isolate(countdown(left, i18n.language)) };
		setSaid(t('sessions.extended', words));
	}

	async function cleanUp(): Promise<void> {
		setSaid(t('sessions.cleaning'));
		const swept = await host.ask('session.sweep', undefined);
		setSaid(swept.ok ? sweepWords(swept.value, t, i18n.language) : '');
		await sessions.refresh();
		const failed = swept.ok ? swept.value.problem : swept.error;
		if (failed) sessions.setProblem(failed);
	}

	return (
		<main className={page.page}>
			<div className={page.column}>
				<PageHead title={t('sessions.title')} lead={t('sessions.lead')} titleRef={title}>
					<Button onPress={() => void cleanUp()}>{t('sessions.cleanUp')}</Button>
					<Button isDisabled={loading} onPress={() => void sessions.refresh()}>
						{t('sessions.refresh')}
					</Button>
				</PageHead>
				<NoSessionLeft rows={rows} />
				{sessions.brokenLedger !== null && (
					<NoticeLine
						tone="warning"
						text={t('sessions.brokenLedger', { file: isolate(sessions.brokenLedger) })}
					/>
				)}
				{problem && (
					<ProblemNotice
						problem={problem}
						onDismiss={() => sessions.setProblem(null)}
						onRetry={sessions.unread ? () => void sessions.refresh() : undefined}
					/>
				)}
				<div role="status">
					{stateWords !== '' && <p className={page.lead}>{stateWords}</p>}
					{rows?.length === 0 && !problem && (
						<EmptyState icon="check" title={t('sessions.empty')}>
							{t('sessions.emptyHint')}
						</EmptyState>
					)}
				</div>
				<ul ref={further.list} className={page.list} aria-busy={loading}>
					{rows?.map((row) => (
						<SessionCard
							key={row.handle}
							row={row}
							serverNow={serverNow}
							busy={busy?.handle === row.handle ? busy.with : null}
							onExtend={() => setExtending(row)}
							onEnd={() => setEnding(row)}
						/>
					))}
				</ul>
				{/* Keep the button while more is read, so that it does not lose the focus. */}
				{sessions.next !== null && (
					<Button onPress={() => loading || further.show()}>{t('sessions.more')}</Button>
				)}
				{sessions.cut && <p className={page.lead}>{t('sessions.cut')}</p>}
			</div>
			<ExtendDialog
				row={extending}
				onClose={() => setExtending(null)}
				onExtend={(row, extensionS) => void extend(row, extensionS)}
			/>
			<AskDialog
				role="alertdialog"
				title={t('sessions.endNamed', { label: isolate(ending?.label ?? '') })}
				isOpen={ending !== null}
				onClose={() => setEnding(null)}
				verb={t('sessions.end')}
				look="danger"
				onDo={() => ending && void end(ending)}
			>
				<p>{t(ending?.owner === 'foreign' ? 'sessions.endForeign' : 'sessions.endOurs')}</p>
				<p>{t('sessions.noUndo')}</p>
			</AskDialog>
		</main>
	);
}

interface ExtendDialogProps {
	/** Null = closed. */
	readonly row: SessionRow | null;
	readonly onClose: () => void;
	/** Extends by this many seconds. */
	readonly onExtend: (row: SessionRow, extensionS: number) => void;
}

function ExtendDialog({ row, onClose, onExtend }: ExtendDialogProps) {
	const { t, i18n } = useTranslation();
	const [choice, setChoice] = useState<ExtensionChoice>('10min');
	const [minutes, setMinutes] = useState<number | null>(FIRST_MINUTES);
	const extensionS = choice === 'other' ? (minutes ?? 0) * 60 : extensions[choice];
	return (
		<AskDialog
			title={t('sessions.extendNamed', { label: isolate(row?.label ?? '') })}
			isOpen={row !== null}
			onClose={onClose}
			verb={t('sessions.extend')}
			isDisabled={extensionS < 60}
			onDo={() => row && onExtend(row, extensionS)}
		>
			<Segmented
				label={t('sessions.extendBy')}
				options={choices.map((value) => ({
					value,
					label:
						value === 'other' ? t('sessions.extendOther') : duration(extensions[value] * 1000, i18n.language),
				}))}
				value={choice}
				onChange={setChoice}
			/>
			{choice === 'other' && (
				<NumberField
					label={t('sessions.extendMinutes')}
					hint={t('settings.range', {
						min: new Intl.NumberFormat(i18n.language).format(1),
						max: new Intl.NumberFormat(i18n.language).format(MOST_MINUTES),
					})}
					placeholder=""
					value={minutes}
					min={1}
					max={MOST_MINUTES}
					step={1}
					isDisabled={false}
					onChange={setMinutes}
				/>
			)}
		</AskDialog>
	);
}

/** After Start failed because no session was free: the number of open sessions, and a button to start again. */
function NoSessionLeft({ rows }: { readonly rows: readonly SessionRow[] | null }) {
	const { t, i18n } = useTranslation();
	const { conversation, navigation } = useParts();
	const problem = useStore(conversation.store, (view) => view.problem);
	const startAgain = useStartAgain();
	const twoLegs = useTwoLegs();
	if (problem?.kind !== 'session-limit' && problem?.kind !== 'session-uncertain') return null;
	const number = (value: number) => new Intl.NumberFormat(i18n.language).format(value);
	const ours = rows?.filter(({ owner }) => owner.startsWith('this-')).length ?? 0;
	const sentences = [
		t(problem.kind === 'session-limit' ? 'sessions.limit' : 'sessions.uncertain'),
		t('sessions.needs', { number: number(sessionsNeeded({ bothDirections: twoLegs })) }),
		rows ? t('sessions.counts', { open: number(rows.length), ours: number(ours) }) : '',
	];

	function tryAgain(): void {
		navigation.go('live');
		startAgain();
	}

	return (
		<NoticeLine
			tone="warning"
			text={sentences.filter((text) => text !== '').join(' ')}
			action={{ label: t('recovery.retry'), take: tryAgain }}
		/>
	);
}

interface SessionCardProps {
	readonly row: SessionRow;
	/** The server's time, Unix ms. */
	readonly serverNow: number;
	readonly busy: 'ending' | 'extending' | null;
	readonly onExtend: () => void;
	readonly onEnd: () => void;
}

/** One session: its owner in words, its times, and the actions on it. */
function SessionCard({ row, serverNow, busy, onExtend, onEnd }: SessionCardProps) {
	const { t, i18n } = useTranslation();
	const { label } = row;
	const when = (at: number) => isolate(dayAndTime(at, i18n.language));
	const isOurs = row.owner.startsWith('this-');
	return (
		<li className={page.card} data-owner={row.owner}>
			<div className={page.row}>
				<div className={page.facts}>
					<p className={styles.owner}>
						<span className={isOurs ? '' : styles.others}>{t(`sessions.owner.${row.owner}`)}</span>{' '}
						<code>{row.label}</code>
					</p>
					<p className={styles.times}>
						{row.createdAt === null
							? t('sessions.createdUnknown')
							: t('sessions.created', { when: when(row.createdAt) })}
						{row.updatedAt !== null && (
							<span className={styles.time}>{t('sessions.updated', { when: when(row.updatedAt) })}</span>
						)}
					</p>
					<p className={styles.times}>{expiryOf(row.expiresAt)}</p>
				</div>
				<ButtonRow>
					<Button
						isDisabled={busy !== null}
						aria-label={t('sessions.extendNamed', { label })}
						onPress={onExtend}
					>
						{t(busy === 'extending' ? 'sessions.extending' : 'sessions.extend')}
					</Button>
					<Button isDisabled={busy !== null} aria-label={t('sessions.endNamed', { label })} onPress={onEnd}>
						{t(busy === 'ending' ? 'sessions.ending' : 'sessions.end')}
					</Button>
				</ButtonRow>
			</div>
		</li>
	);

	function expiryOf(expiresAt: number | null): string {
		if (expiresAt === null) return t('sessions.expiresUnknown');
		if (expiresAt <= serverNow) return t('sessions.expired');
		const left = isolate(countdown(expiresAt - serverNow, i18n.language));
		return t('sessions.expires', { duration: left, when: when(expiresAt) });
	}
}

/** The results of the clean-up as a sentence, with a clause for each kind of result. */
function sweepWords(report: SweepReport, t: TFunction, locale: string): string {
	const number = new Intl.NumberFormat(locale);
	const clauses = counted
		.filter((name) => report[name] > 0)
		.map((name) => t(`sessions.swept.${name}`, { number: number.format(report[name]) }));
	return clauses.length === 0 ? t('sessions.swept.nothing') : clauses.join(' ');
}

interface SessionsView {
	/** Null until the first page is loaded. */
	readonly rows: readonly SessionRow[] | null;
	readonly loading: boolean;
	readonly problem: Problem | null;
	/** True if the problem is that the sessions could not be read. */
	readonly unread: boolean;
	/** Set if there are more rows; `more` reads them. */
	readonly next: string | null;
	/** True if the service's list did not end and was cut off. */
	readonly cut: boolean;
	readonly brokenLedger: string | null;
	/** The server's time is the monotonic clock plus this, ms. */
	readonly serverAheadMs: number;
}

interface Sessions extends SessionsView {
	refresh(): Promise<void>;
	more(): Promise<void>;
	/** Shows a new expiry without reading everything again. */
	setExpiry(handle: string, expiresAt: number): void;
	setProblem(problem: Problem | null): void;
}

/** The account's open sessions, shown page by page as they arrive; read again after the computer sleeps. */
function useSessions(): Sessions {
	const { host, clock } = useParts();
	const [view, setView] = useState(nothing);
	/** Number of the latest reading; pages of earlier ones are dropped. */
	const reading = useRef(0);

	const read = useCallback(
		async (from: string | null) => {
			const mine = ++reading.current;
			setView((before) => ({ ...before, loading: true, problem: null, unread: false }));
			let after = from;
			for (let page = 0; page < PAGES_AT_ONCE; page++) {
				const answer = await host.ask('session.list', { after });
				if (mine !== reading.current) return;
				if (!answer.ok)
					return setView((before) => ({ ...before, loading: false, problem: answer.error, unread: true }));
				const { rows, next, complete, serverNow, brokenLedger } = answer.value;
				const isFirst = after === null;
				const isLast = next === null || page === PAGES_AT_ONCE - 1;
				const serverAheadMs = serverNow - clock.now();
				setView((before) => ({
					rows: isFirst ? rows : [...(before.rows ?? []), ...rows],
					loading: !isLast,
					problem: null,
					unread: false,
					next,
					cut: !complete,
					brokenLedger,
					serverAheadMs,
				}));
				if (isLast) return;
				after = next;
			}
		},
		[host, clock],
	);

	const refresh = useCallback(() => read(null), [read]);
	useEffect(() => {
		void refresh();
		const unlisten = host.listen('power.changed', ({ event }) => {
			if (event === 'resume') void refresh();
		});
		return () => {
			reading.current++;
			unlisten();
		};
	}, [host, refresh]);

	return {
		...view,
		refresh,
		more: () => read(view.next),
		setExpiry: (handle, expiresAt) =>
			setView((before) => ({
				...before,
				rows: before.rows?.map((row) => (row.handle === handle ? { ...row, expiresAt } : row)) ?? null,
			})),
		setProblem: (problem) => setView((before) => ({ ...before, problem, unread: false })),
	};
}

/** Choices for extending a session, seconds; `other` asks for a number of minutes. */
const extensions = { '10min': 600, '30min': 1800, '1h': 3600 } as const;
type ExtensionChoice = keyof typeof extensions | 'other';

/** The longest time to live that the service accepts, seconds. */
const LONGEST_S = 31 * 86_400;
const MOST_MINUTES = 24 * 60;

/**
 * The service counts from now, but a user means "this much longer". So this adds the remaining time: otherwise
 * "ten minutes more" would shorten a session that has an hour left. `leftMs`: null = not known, so counted from
 * now.
 */
export function timeToLiveS(leftMs: number | null, extensionS: number): number {
	const leftS = Math.max(0, Math.ceil((leftMs ?? 0) / 1000));
	return Math.min(leftS + extensionS, LONGEST_S);
}
