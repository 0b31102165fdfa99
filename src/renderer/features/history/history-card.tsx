import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '#renderer/ui/button.tsx';
import { Icon } from '#renderer/ui/icon.tsx';
import page from '#renderer/ui/page.module.css';
import { factsOf, stopwatch } from '#renderer/window/words/format.ts';
import { isolate } from '#renderer/window/words/i18n.ts';
import type { HistoryHit } from '#shared/host/history.ts';
import { localeTag } from '#shared/protocol/languages.ts';
import styles from './history-page.module.css';
import { LitText } from './lit-text.tsx';
import { languagesOf, type TitleWords, titleOf, whenOf } from './titles.ts';

export interface HistoryCardProps {
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
export function HistoryCard({
	hit,
	words,
	lit,
	onOpen,
	onKeep,
	onRename,
	onExport,
	onDelete,
}: HistoryCardProps) {
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
