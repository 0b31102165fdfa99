import { useStore } from 'zustand';
import type { Conversation } from '#renderer/conversation/conversation.ts';
import { type DelayGrade, gradeOf } from '#renderer/conversation/delay.ts';
import { seconds } from '#renderer/i18n/format.ts';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { useParts } from '#renderer/shell/parts.ts';
import { Button } from '#renderer/ui/button.tsx';
import hidden from '#renderer/ui/hidden.module.css';
import { Icon } from '#renderer/ui/icon.tsx';
import styles from './delay-gauge.module.css';

/** How far the voice is behind, as a number and a word, `of` one direction or the whole conversation. */
export function DelayText({ of }: { readonly of?: Pick<Conversation, 'store'> }) {
	const { t, i18n } = useTranslation();
	const { conversation } = useParts();
	const { store } = of ?? conversation;
	// Nothing is interpreted in a pause or without a connection, so the last number is out of date.
	const rests = useStore(store, (view) => view.paused || view.phase !== 'live');
	const known = useStore(store, (view) => view.delayMs);
	const delayMs = rests ? null : known;
	const usualMs = useStore(store, (view) => view.usualDelayMs);
	// There is no usual delay to compare the first phrases with.
	const grade: DelayGrade | 'unknown' =
		delayMs === null || usualMs === null ? 'unknown' : gradeOf(delayMs, usualMs);
	const usual =
		usualMs === null ? '' : ` ${t('live.delayUsual', { delay: seconds(usualMs, i18n.language) })}`;
	return (
		<p className={`${styles.delay} ${styles[grade]}`} data-tooltip={`${t('live.delayHint')}${usual}`}>
			<span className={hidden.hidden}>{t('live.delay')}</span>
			<span className={styles.delayNumber}>{delayMs === null ? '–' : seconds(delayMs, i18n.language)}</span>
			{/* With two directions there is no room for the word: leg-rows.module.css shows an arrow. Before anything
			    is usual, the number alone is enough. */}
			<span
				className={`${styles.delayWord} ${grade === 'unknown' ? hidden.hidden : of ? hidden.whenNarrow : ''}`}
				data-grade={grade}
			>
				{rests ? '' : t(words[grade])}
			</span>
		</p>
	);
}

/** Drops the speech that is still queued. */
export function CatchUp() {
	const { t } = useTranslation();
	const { conversation } = useParts();
	const phase = useStore(conversation.store, (view) => view.phase);
	return (
		<Button
			look="quiet"
			isDisabled={phase !== 'live'}
			aria-label={t('live.catchUp')}
			tip={t('live.catchUpHint')}
			onPress={() => conversation.catchUp()}
		>
			<Icon name="skip" />
			<span className={styles.catchUpText}>{t('live.catchUp')}</span>
		</Button>
	);
}

const words = {
	unknown: 'live.delayUnknown',
	usual: 'live.delayAsUsual',
	slow: 'live.delaySlow',
	long: 'live.delayMuchSlower',
} as const;
