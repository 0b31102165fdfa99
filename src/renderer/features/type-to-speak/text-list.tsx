import { memo, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { Button } from '#renderer/ui/button.tsx';
import { EmptyState } from '#renderer/ui/empty-state.tsx';
import { Icon, type IconName } from '#renderer/ui/icon.tsx';
import { LanguageLabel } from '#renderer/window/components/language-label.tsx';
import { useParts } from '#renderer/window/parts.ts';
import { isRightToLeft, localeTag } from '#shared/protocol/languages.ts';
import { isOver, type QueuedText, type TextState } from '#shared/speaking/queue.ts';
import { stateWords } from './state-words.ts';
import styles from './type-page.module.css';

/** Everything typed in this window, oldest first, with what became of it. */
export function TextList() {
	const { t } = useTranslation();
	const texts = useStore(useParts().typing.store, (queue) => queue.texts);
	const scroller = useRef<HTMLElement>(null);
	const newest = texts.at(-1)?.id;

	// biome-ignore lint/correctness/useExhaustiveDependencies: a new text is brought into view
	useEffect(() => {
		const element = scroller.current;
		if (element) element.scrollTop = element.scrollHeight;
	}, [newest]);

	if (texts.length === 0) {
		return (
			<EmptyState icon="keyboard" title={t('typed.empty')}>
				{t('typed.emptyHint')}
			</EmptyState>
		);
	}
	return (
		// biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
		<section ref={scroller} className={styles.scroller} tabIndex={0} aria-label={t('typed.list')}>
			<ol className={styles.list}>
				{texts.map((one) => (
					<TextRow key={one.id} one={one} />
				))}
			</ol>
		</section>
	);
}

const icons: { readonly [Is in TextState['is']]: IconName } = {
	waiting: 'clock',
	making: 'clock',
	speaking: 'speaker',
	spoken: 'check',
	cancelled: 'close',
	failed: 'alert',
};

/** A row is the same object until it changes, so `memo` is exact. */
const TextRow = memo(function TextRow({ one }: { readonly one: QueuedText }) {
	const { t, i18n } = useTranslation();
	const { typing } = useParts();
	const { id, text, language, state } = one;
	const again = t(state.is === 'spoken' ? 'typed.sayAgain' : 'typed.tryAgain');
	return (
		<li className={styles.row} data-state={state.is}>
			<div className={styles.said}>
				<p
					className={styles.text}
					lang={localeTag(language)}
					dir={isRightToLeft(language) ? 'rtl' : 'ltr'}
					id={`typed-${id}`}
				>
					{text}
				</p>
				<p className={styles.state}>
					<Icon name={icons[state.is]} size={16} />
					<span>{stateWords(state, t, i18n.language)}</span>
					<span className={styles.language}>
						<LanguageLabel code={language} />
					</span>
				</p>
			</div>
			{isOver(one) ? (
				<Button look="quiet" aria-describedby={`typed-${id}`} onPress={() => typing.again(id)}>
					{again}
				</Button>
			) : (
				<Button
					look="quiet"
					square
					aria-label={t('app.cancel')}
					aria-describedby={`typed-${id}`}
					onPress={() => typing.cancel(id)}
				>
					<Icon name="close" />
				</Button>
			)}
		</li>
	);
});
