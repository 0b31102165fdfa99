import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { NoticeLine, ProblemNotice, problemSentence } from '#renderer/window/components/problem-notice.tsx';
import { keyProblem } from '#renderer/window/key-problem.ts';
import { useParts } from '#renderer/window/parts.ts';
import { type Recovery, recoveryOf } from '#shared/problem.ts';

/** Recoveries that lead elsewhere; everything else is retried here. */
const ELSEWHERE: ReadonlySet<Recovery> = new Set(['open-key', 'open-settings', 'open-sessions']);

/** Why nothing can be spoken, or why speaking has stopped, and how to go on. */
export function HaltedNotice() {
	const { t, i18n } = useTranslation();
	const { typing, account } = useParts();
	const status = useStore(account.store, (view) => view.status);
	const problem = useStore(typing.store, (queue) => queue.halted);
	const waiting = useStore(
		typing.store,
		(queue) => queue.texts.filter(({ state }) => state.is === 'waiting').length,
	);
	// Shown before anything is typed in vain.
	const noKey = keyProblem(status);
	if (noKey) return <ProblemNotice problem={noKey} />;
	if (status.service === 'sandbox' && status.sandbox === 'starting')
		return <NoticeLine tone="info" text={t('block.sandboxStarting')} />;
	if (!problem) return null;
	const goOn = { label: t('typed.goOn'), take: typing.goOn };
	if (ELSEWHERE.has(recoveryOf[problem.kind]))
		return <ProblemNotice problem={problem} others={waiting > 0 ? [goOn] : []} />;
	if (waiting === 0) return null;
	return (
		<NoticeLine
			tone="problem"
			problem={problem}
			text={`${problemSentence(problem, t, i18n.language)} ${t('typed.halted', { count: waiting })}`}
			action={goOn}
		/>
	);
}
