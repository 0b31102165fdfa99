import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '#renderer/ui/button.tsx';
import { EmptyState } from '#renderer/ui/empty-state.tsx';
import page from '#renderer/ui/page.module.css';
import { PageHead } from '#renderer/ui/page-head.tsx';
import { AskDialog } from '#renderer/window/components/ask-dialog.tsx';
import { NoticeLine, ProblemNotice } from '#renderer/window/components/problem-notice.tsx';
import { useParts } from '#renderer/window/parts.ts';
import { useShowMore } from '#renderer/window/use-show-more.ts';
import { countdown } from '#renderer/window/words/format.ts';
import { isolate } from '#renderer/window/words/i18n.ts';
import type { SessionRow } from '#shared/host/contract.ts';
import { ExtendDialog } from './extend-dialog.tsx';
import { timeToLiveS } from './extension.ts';
import { NoSessionLeft } from './no-session-left.tsx';
import { SessionCard } from './session-card.tsx';
import { sweepWords } from './sweep-words.ts';
import { useSessions } from './use-sessions.ts';

const SECOND_MS = 1000;

interface Busy {
	readonly handle: string;
	readonly with: 'ending' | 'extending';
}

/** Every session open at the service now: whose it is, until when, and the way to extend or end it. */
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
				{/* It stays while more is read: the keyboard would go with it. */}
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
