import { useTranslation } from 'react-i18next';
import { Button } from '#renderer/ui/button.tsx';
import { ButtonRow } from '#renderer/ui/button-row.tsx';
import page from '#renderer/ui/page.module.css';
import { countdown, dayAndTime } from '#renderer/window/words/format.ts';
import { isolate } from '#renderer/window/words/i18n.ts';
import type { SessionRow } from '#shared/host/contract.ts';
import styles from './sessions-page.module.css';

export interface SessionCardProps {
	readonly row: SessionRow;
	/** The server's time, Unix ms. */
	readonly serverNow: number;
	readonly busy: 'ending' | 'extending' | null;
	readonly onExtend: () => void;
	readonly onEnd: () => void;
}

/** One session: whose it is, in words, its times, and what can be done with it. */
export function SessionCard({ row, serverNow, busy, onExtend, onEnd }: SessionCardProps) {
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
