import { useTranslation } from 'react-i18next';
import { Button } from '#renderer/ui/button.tsx';
import { Icon } from '#renderer/ui/icon.tsx';
import page from '#renderer/ui/page.module.css';
import { dayAndTime, stopwatch } from '#renderer/window/words/format.ts';
import { isolate } from '#renderer/window/words/i18n.ts';
import type { HistoryHit } from '#shared/host/history.ts';
import styles from './history-page.module.css';
import { LitText } from './lit-text.tsx';
import { languagesOf, titleOf } from './titles.ts';

export interface HistoryCardProps {
	readonly hit: HistoryHit;
	/** Folded words that are looked for. */
	readonly words: readonly string[];
	readonly onOpen: () => void;
	readonly onRename: () => void;
	readonly onExport: () => void;
	readonly onDelete: () => void;
}

/** One conversation: what it is called, when, how long, which languages, and what can be done with it. */
export function HistoryCard({ hit, words, onOpen, onRename, onExport, onDelete }: HistoryCardProps) {
	const { t, i18n } = useTranslation();
	const { row, first } = hit;
	const title = isolate(titleOf(row, t));
	const number = (value: number) => new Intl.NumberFormat(i18n.language).format(value);
	const facts = [
		isolate(dayAndTime(row.startedAt, i18n.language)),
		isolate(stopwatch(row.lengthMs, i18n.language)),
		languagesOf(row, i18n.language),
		t('history.captions', { number: number(row.captions) }),
	];
	const isRunning = row.state === 'running';
	return (
		<li className={`${page.card} ${styles.card}`} data-conversation={row.id}>
			<div className={styles.head}>
				<h2 className={styles.name}>
					<button
						type="button"
						className={styles.open}
						title={titleOf(row, t)}
						aria-label={t('history.openNamed', { title })}
						onClick={onOpen}
					>
						<bdi>{titleOf(row, t)}</bdi>
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
			<p className={styles.facts}>{facts.filter((fact) => fact !== '').join(' · ')}</p>
			{row.state !== 'kept' && <p className={styles.state}>{t(`history.state.${row.state}`)}</p>}
			{first && (
				<p className={styles.found}>
					<LitText text={first.text} language={first.language} words={words} />{' '}
					<span className={styles.places}>{t('history.places', { number: number(hit.hits) })}</span>
				</p>
			)}
		</li>
	);
}
