import { useState } from 'react';
import { useStore } from 'zustand';
import { isRunning } from '#renderer/conversation/live-changes.ts';
import { dayAndTime } from '#renderer/i18n/format.ts';
import { isolate } from '#renderer/i18n/i18n.ts';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { NoticeLine, ProblemNotice } from '#renderer/problems/problem-notice.tsx';
import { useParts } from '#renderer/shell/parts.ts';
import bar from '#renderer/ui/notices.module.css';
import type { Problem } from '#shared/problem.ts';
import { KeepQuestion } from './keep-question.tsx';

/** The history's notices on the live page: one line each, none of them modal. */
export function HistoryNotices() {
	const { t, i18n } = useTranslation();
	const { host, history, navigation, conversation } = useParts();
	const { offer, problem } = useStore(history.store);
	const continued = useStore(history.continued);
	const running = useStore(conversation.store, (view) => isRunning(view.phase));
	const [failed, setFailed] = useState<Problem | null>(null);
	const dismissed = useStore(history.putAway);
	const isOpen = (name: string) => !dismissed.includes(name);
	const dismiss = (name: string) => ({
		label: t('notice.dismiss'),
		take: () => history.putAway.setState((before) => [...before, name], true),
	});

	async function recover(id: string): Promise<void> {
		const recovered = await host.ask('history.recover', { id });
		if (recovered.ok) navigation.read(recovered.value.id);
		else setFailed(recovered.error);
	}

	async function discard(id: string): Promise<void> {
		const erased = await host.ask('history.erase', { id });
		setFailed(erased.ok ? null : erased.error);
	}

	const offered = offer && isOpen(offer.id) && !running ? offer : null;
	const said = problem && isOpen(problem.kind) ? problem : null;
	// One question at a time.
	const question = offered ? null : <KeepQuestion />;
	if (!offered && !said && !failed && !continued) return question;
	return (
		<>
			<div className={bar.notices}>
				{said && <ProblemNotice problem={said} tone="warning" onDismiss={dismiss(said.kind).take} />}
				{failed && <ProblemNotice problem={failed} tone="warning" onDismiss={() => setFailed(null)} />}
				{continued && (
					<NoticeLine
						tone="info"
						text={t('history.continues', { title: isolate(continued.title) })}
						action={{
							label: t('history.continuesNot'),
							take: () => history.continued.setState(null, true),
						}}
					/>
				)}
				{offered && (
					<NoticeLine
						tone="info"
						text={t('history.offer', { when: isolate(dayAndTime(offered.startedAt, i18n.language)) })}
						action={{ label: t('history.recover'), take: () => void recover(offered.id) }}
						others={[{ label: t('history.discard'), take: () => void discard(offered.id) }]}
						dismiss={dismiss(offered.id)}
					/>
				)}
			</div>
			{question}
		</>
	);
}
