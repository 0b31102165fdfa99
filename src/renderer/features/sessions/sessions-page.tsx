import { useCallback, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '#renderer/ui/button.tsx';
import { Dialog } from '#renderer/ui/dialog.tsx';
import page from '#renderer/ui/page.module.css';
import { dayAndTime, duration } from '#renderer/window/format.ts';
import { useParts } from '#renderer/window/parts.ts';
import { ProblemNotice } from '#renderer/window/problem-notice.tsx';
import type { SessionRow } from '#shared/host/contract.ts';
import type { Problem } from '#shared/problem.ts';
import styles from './sessions-page.module.css';

const SECOND_MS = 1000;

/** Sessions open at the service now, whose they are, and the way to end one. */
export function SessionsPage() {
	const { t } = useTranslation();
	const { host } = useParts();
	const [rows, setRows] = useState<readonly SessionRow[] | null>(null);
	const [problem, setProblem] = useState<Problem | null>(null);
	const [loading, setLoading] = useState(false);
	const [confirming, setConfirming] = useState<SessionRow | null>(null);
	const [ending, setEnding] = useState<string | null>(null);

	const refresh = useCallback(async () => {
		setLoading(true);
		const answer = await host.ask('session.list', undefined);
		setLoading(false);
		setProblem(answer.ok ? null : answer.error);
		if (answer.ok) setRows(answer.value);
	}, [host]);

	useEffect(() => {
		void refresh();
	}, [refresh]);

	async function end(row: SessionRow): Promise<void> {
		setConfirming(null);
		setEnding(row.handle);
		const ended = await host.ask('session.end', { handle: row.handle });
		setEnding(null);
		await refresh();
		if (!ended.ok && ended.error.kind !== 'not-found') setProblem(ended.error);
	}

	return (
		<main className={page.page}>
			<div className={page.column}>
				<header className={styles.head}>
					<div>
						<h1 className={page.title}>{t('sessions.title')}</h1>
						<p className={page.lead}>{t('sessions.lead')}</p>
					</div>
					<Button isDisabled={loading} onPress={() => void refresh()}>
						{t('sessions.refresh')}
					</Button>
				</header>
				{problem && <ProblemNotice problem={problem} onDismiss={() => setProblem(null)} />}
				<p role="status" className={page.lead}>
					{loading && rows === null ? t('sessions.loading') : rows?.length === 0 ? t('sessions.empty') : ''}
				</p>
				<ul className={styles.list}>
					{rows?.map((row) => (
						<li key={row.handle} className={page.card}>
							<div className={styles.row}>
								<div className={styles.facts}>
									<p className={styles.owner}>
										{t(`sessions.owner.${row.owner}`)} <code>{row.label}</code>
									</p>
									<Times row={row} />
								</div>
								<Button
									isDisabled={ending === row.handle}
									aria-label={t('sessions.endNamed', { label: row.label })}
									onPress={() => setConfirming(row)}
								>
									{t(ending === row.handle ? 'sessions.ending' : 'sessions.end')}
								</Button>
							</div>
						</li>
					))}
				</ul>
			</div>
			<Dialog
				role="alertdialog"
				title={t('sessions.endNamed', { label: confirming?.label ?? '' })}
				closeLabel={t('app.close')}
				isOpen={confirming !== null}
				onClose={() => setConfirming(null)}
				actions={
					<>
						<Button onPress={() => setConfirming(null)}>{t('app.cancel')}</Button>
						<Button look="danger" onPress={() => confirming && void end(confirming)}>
							{t('sessions.end')}
						</Button>
					</>
				}
			>
				<p>{t(confirming?.owner === 'foreign' ? 'sessions.endForeign' : 'sessions.endConfirm')}</p>
			</Dialog>
		</main>
	);
}

function Times({ row }: { readonly row: SessionRow }) {
	const { t, i18n } = useTranslation();
	const { clock } = useParts();
	const [now, setNow] = useState(() => clock.wall());
	useEffect(() => clock.every(SECOND_MS, () => setNow(clock.wall())), [clock]);

	const left = row.expiresAt === null ? null : row.expiresAt - now;
	const created =
		row.createdAt === null
			? t('sessions.createdUnknown')
			: t('sessions.created', { when: dayAndTime(row.createdAt, i18n.language) });
	const expires =
		left === null
			? t('sessions.expiresUnknown')
			: left <= 0
				? t('sessions.expired')
				: t('sessions.expires', { duration: duration(left, i18n.language) });
	return (
		<p className={styles.times}>
			{created} · {expires}
		</p>
	);
}
