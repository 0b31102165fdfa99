import { useRecover } from '#renderer/conversation/use-recover.ts';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { NoticeLine, problemSentence } from '#renderer/problems/problem-notice.tsx';
import { type Problem, type Recovery, recoveryOf } from '#shared/problem.ts';

export interface VoiceProblemProps {
	readonly problem: Problem;
	/** Called for "Try again"; without it, that button is not shown. */
	readonly onRetry?: (() => void) | undefined;
	readonly onDismiss?: () => void;
}

/** Recoveries that get a button here; the others concern a conversation, or need no action. */
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
