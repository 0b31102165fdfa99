import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { useParts } from '#renderer/window/parts.ts';
import { NoticeLine, ProblemNotice, problemWords } from '#renderer/window/problem-notice.tsx';
import { type Recovery, recoveryOf } from '#shared/problem.ts';

/** What a person mends elsewhere; everything else is tried again here. */
const ELSEWHERE: ReadonlySet<Recovery> = new Set(['open-key', 'open-settings', 'open-sessions']);

/** Why nothing more is said by itself, and the way on. */
export function HaltedNotice() {
	const { t, i18n } = useTranslation();
	const { typing } = useParts();
	const problem = useStore(typing.store, (queue) => queue.halted);
	const waiting = useStore(
		typing.store,
		(queue) => queue.texts.filter(({ state }) => state.is === 'waiting').length,
	);
	if (!problem) return null;
	if (ELSEWHERE.has(recoveryOf[problem.kind])) return <ProblemNotice problem={problem} />;
	if (waiting === 0) return null;
	return (
		<NoticeLine
			tone="problem"
			problem={problem}
			text={`${problemWords(problem, t, i18n.language)} ${t('typed.halted', { count: waiting })}`}
			action={{ label: t('typed.goOn'), take: typing.goOn }}
		/>
	);
}
