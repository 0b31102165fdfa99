import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import { seconds, stopwatch } from '#renderer/window/words/format.ts';
import { isRightToLeft } from '#shared/protocol/languages.ts';
import styles from './history-page.module.css';
import { LitText } from './lit-text.tsx';
import { column, type TranscriptRow } from './transcript.ts';

export interface TranscriptRowProps {
	readonly row: TranscriptRow;
	/** Folded search words. */
	readonly words: readonly string[];
	/** It holds the current search hit. */
	readonly isCurrent: boolean;
	/** What is not finished may still be said to its end. */
	readonly isRunning: boolean;
}

/** The time, what was said, and its translations, each aligned to its own direction. */
export const TranscriptRowView = memo(function TranscriptRowView({
	row,
	words,
	isCurrent,
	isRunning,
}: TranscriptRowProps) {
	const { t, i18n } = useTranslation();
	return (
		<div className={styles.row} data-current={isCurrent} {...(isCurrent && { 'aria-current': true })}>
			<span className={styles.time}>
				<bdi>{stopwatch(row.startMs, i18n.language)}</bdi>
				{row.side && <span className={styles.tag}>{t(`legs.${row.side}`)}</span>}
				{row.late && <span className={styles.tag}>{t('captions.heardLate')}</span>}
				{row.typed && <span className={styles.tag}>{t('history.typed')}</span>}
			</span>
			{row.lostMs !== null && (
				<p className={styles.lost}>{t('history.lost', { seconds: seconds(row.lostMs, i18n.language) })}</p>
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
