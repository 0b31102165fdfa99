import { useTranslation } from 'react-i18next';
import { useRecover } from '#renderer/conversation/use-recover.ts';
import { NoticeLine, problemSentence } from '#renderer/problems/problem-notice.tsx';
import { type Problem, type Recovery, recoveryOf } from '#shared/problem.ts';

export interface VoiceProblemProps {
	readonly problem: Problem;
	/** The action of "Try again"; absent: no such button. */
	readonly onRetry?: (() => void) | undefined;
	readonly onDismiss?: () => void;
}

/** Recoveries that lead to another place; the others concern a conversation, or nothing. */
const leads: ReadonlySet<Recovery> = new Set(['open-key', 'open-settings', 'use-sandbox', 'copy-report']);

/** The problem with a voice, what to do, and the code for support if the service gave one. */
export function VoiceProblem({ problem, onRetry, onDismiss }: VoiceProblemProps) {
	const { t, i18n } = useTranslation();
	const recover = useRecover();
	const recovery = recoveryOf[problem.kind];
	const lead = leads.has(recovery)
		? { label: t(`recovery.${recovery}`), take: () => void recover(problem, recovery) }
		: undefined;
	const retry = onRetry && { label: t('recovery.retry'), take: onRetry };
	return (
		<NoticeLine
			tone="problem"
			problem={problem}
			text={problemSentence(problem, t, i18n.language)}
			action={lead ?? retry}
			others={lead && retry ? [retry] : []}
			dismiss={onDismiss && { label: t('notice.dismiss'), take: onDismiss }}
		/>
	);
}
