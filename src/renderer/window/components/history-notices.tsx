import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { isRunning } from '#renderer/window/live-changes.ts';
import { useParts, useSetting } from '#renderer/window/parts.ts';
import { dayAndTime, days } from '#renderer/window/words/format.ts';
import { isolate } from '#renderer/window/words/i18n.ts';
import type { Problem } from '#shared/problem.ts';
import type { Settings } from '#shared/settings/schema.ts';
import styles from './history-notices.module.css';
import { NoticeLine, ProblemNotice } from './problem-notice.tsx';

/** What the history has to say on the live page: one line each, and nothing waits for an answer. */
export function HistoryNotices() {
	const { t, i18n } = useTranslation();
	const { host, history, settings, navigation, conversation } = useParts();
	const { offer, undecided, problem } = useStore(history.store);
	const running = useStore(conversation.store, (view) => isRunning(view.phase));
	const choice = useSetting('history');
	const historyDays = useSetting('historyDays');
	const [failed, setFailed] = useState<Problem | null>(null);
	const [dismissed, setDismissed] = useState<readonly string[]>([]);
	const isOpen = (name: string) => !dismissed.includes(name);
	const dismiss = (name: string) => ({
		label: t('notice.dismiss'),
		take: () => setDismissed((before) => [...before, name]),
	});
	const choose = (next: Settings['history']) => () => void settings.write({ history: next });

	async function recover(id: string): Promise<void> {
		const recovered = await host.ask('history.recover', { id });
		if (recovered.ok) navigation.read(id);
		else setFailed(recovered.error);
	}

	async function discard(id: string): Promise<void> {
		const erased = await host.ask('history.erase', { id });
		setFailed(erased.ok ? null : erased.error);
	}

	const offered = offer && isOpen(offer.id) && !running ? offer : null;
	// One question at a time.
	const asks = !offered && choice === 'ask' && undecided > 0 && isOpen('ask') && !running;
	const said = problem && isOpen(problem.kind) ? problem : null;
	if (!offered && !asks && !said && !failed) return null;
	return (
		<div className={styles.notices}>
			{said && <ProblemNotice problem={said} tone="warning" onDismiss={dismiss(said.kind).take} />}
			{failed && <ProblemNotice problem={failed} tone="warning" onDismiss={() => setFailed(null)} />}
			{offered && (
				<NoticeLine
					tone="info"
					text={t('history.offer', { when: isolate(dayAndTime(offered.startedAt, i18n.language)) })}
					action={{ label: t('history.recover'), take: () => void recover(offered.id) }}
					others={[{ label: t('history.discard'), take: () => void discard(offered.id) }]}
					dismiss={dismiss(offered.id)}
				/>
			)}
			{asks && (
				<NoticeLine
					tone="info"
					text={t('history.ask')}
					action={{ label: t('history.erase'), take: choose('erase') }}
					others={[
						{
							label: t('history.keepFor', { time: isolate(days(historyDays, i18n.language)) }),
							take: choose('days'),
						},
						{ label: t('history.keep'), take: choose('keep') },
					]}
					dismiss={dismiss('ask')}
				/>
			)}
		</div>
	);
}
