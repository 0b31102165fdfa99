import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { Button } from '#renderer/ui/button.tsx';
import { Icon } from '#renderer/ui/icon.tsx';
import bar from '#renderer/ui/notices.module.css';
import { NoticeLine } from '#renderer/window/components/problem-notice.tsx';
import { isRunning } from '#renderer/window/live-changes.ts';
import { useParts, useSetting } from '#renderer/window/parts.ts';
import { days } from '#renderer/window/words/format.ts';
import { isolate } from '#renderer/window/words/i18n.ts';
import type { Settings } from '#shared/settings/schema.ts';
import styles from './keep-question.module.css';

/** Asks once, after a conversation, whether to keep later ones; then says what was done and where it is. */
export function KeepQuestion() {
	const { t, i18n } = useTranslation();
	const { history, settings, navigation, conversation } = useParts();
	const undecided = useStore(history.store, (state) => state.undecided);
	const isPutAway = useStore(history.putAway, (names) => names.includes('ask'));
	const running = useStore(conversation.store, (view) => isRunning(view.phase));
	const choice = useSetting('history');
	const time = isolate(days(useSetting('historyDays'), i18n.language));
	const [chosen, setChosen] = useState<Settings['history'] | null>(null);
	const answer = useRef<HTMLDivElement>(null);
	useEffect(() => {
		if (running) setChosen(null);
	}, [running]);
	// The button that was pressed has gone.
	useEffect(() => {
		if (chosen) answer.current?.focus();
	}, [chosen]);

	async function choose(next: Settings['history']): Promise<void> {
		await settings.write({ history: next });
		// A failed write is shown as a problem of the settings.
		if (settings.store.getState().values.history === next) setChosen(next);
	}

	function putAway(): void {
		history.putAway.setState((names) => [...names, 'ask'], true);
		setChosen('ask');
	}

	if (running) return null;
	if (chosen) {
		const show = { label: t('history.show'), take: () => navigation.read(null) };
		return (
			<div className={bar.notices} ref={answer} tabIndex={-1}>
				<NoticeLine
					tone="info"
					text={t(`history.chosen.${chosen}`, { time })}
					action={chosen === 'erase' ? undefined : show}
					dismiss={{ label: t('notice.dismiss'), take: () => setChosen(null) }}
				/>
			</div>
		);
	}
	if (choice !== 'ask' || undecided === 0 || isPutAway) return null;
	return (
		<section className={styles.strip} data-keep-question aria-labelledby="keep-question">
			<p id="keep-question" role="status">
				{t('history.ask')}
			</p>
			<div className={styles.choices}>
				<Button onPress={() => void choose('erase')}>{t('history.askErase')}</Button>
				<Button onPress={() => void choose('days')}>{t('history.askFor', { time })}</Button>
				<Button onPress={() => void choose('keep')}>{t('history.keep')}</Button>
			</div>
			<Button look="quiet" square aria-label={t('notice.dismiss')} onPress={putAway}>
				<Icon name="close" />
			</Button>
		</section>
	);
}
