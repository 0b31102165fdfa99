import { useState } from 'react';
import { leadsOn, toLiveBox, useRecover } from '#renderer/conversation/use-recover.ts';
import { useFacing } from '#renderer/face-to-face/use-facing.ts';
import { duration } from '#renderer/i18n/format.ts';
import { isolate, type TFunction } from '#renderer/i18n/i18n.ts';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { useParts } from '#renderer/shell/parts.ts';
import { Button } from '#renderer/ui/button.tsx';
import { Icon } from '#renderer/ui/icon.tsx';
import { languageLabel } from '#shared/i18n/language-names.ts';
import { type Problem, recoveryOf, type ServiceErrorRecord } from '#shared/problem.ts';
import { ErrorDetails } from './error-details.tsx';
import styles from './problem-notice.module.css';

/** The only place that turns a problem into text: what is wrong, and what to do about it unless that is obvious. */
export function problemSentence(problem: Problem, t: TFunction, locale: string): string {
	const isAt = problem.kind === 'service-unreachable' && problem.host;
	const isLocal = problem.kind === 'sandbox-failed' && problem.local;
	const key = isAt
		? 'problem.unreachableAt'
		: isLocal
			? 'problem.localFailed'
			: (`problem.${problem.kind}` as const);
	return t(key, factsOf(problem, t, locale));
}

/** The sentence with the service's message and code, if any, for places without `ErrorDetails`. */
export function problemWords(problem: Problem, t: TFunction, locale: string): string {
	const sentence = problemSentence(problem, t, locale);
	const { detail, code } = { detail: '', code: '', ...problem };
	const said = recordWords({ detail, code }, t);
	return said === '' ? sentence : `${sentence} ${said}`;
}

/** The service's own words, and its code for support; empty if it gave neither. */
export function recordWords({ title, detail, code }: ServiceErrorRecord, t: TFunction): string {
	const said = detail || title;
	const words = said ? [t('problem.serviceSays', { detail: isolate(said) })] : [];
	if (code) words.push(t('problem.supportCode', { code: isolate(code) }));
	return words.join(' ');
}

function factsOf(problem: Problem, t: TFunction, locale: string): Record<string, unknown> {
	const facts: Record<string, unknown> = {};
	// Names of hosts, files and so on, depending on the kind of problem.
	for (const [name, value] of Object.entries(problem)) {
		facts[name] = typeof value === 'string' ? isolate(value) : value;
	}
	if ('afterMs' in problem) facts['seconds'] = duration(problem.afterMs, locale);
	if ('retryAfterMs' in problem) facts['seconds'] = duration(Math.max(1000, problem.retryAfterMs), locale);
	if ('language' in problem) facts['language'] = isolate(languageLabel(problem.language, locale));
	if ('device' in problem) {
		const nameless = problem.kind === 'output-missing' ? t('problem.speakers') : t('problem.aMicrophone');
		facts['device'] = problem.device === '' ? nameless : isolate(problem.device);
	}
	return facts;
}

export interface NoticeLineProps {
	readonly tone: 'problem' | 'warning' | 'info';
	readonly text: string;
	/** Further text that changes constantly, and so is never announced. */
	readonly aside?: string | undefined;
	/** Added to the page as data attributes, for programs that control the window and cannot read its text. */
	readonly problem?: Problem | undefined;
	/** `undo`: Ctrl+Z triggers this action while the notice is shown. */
	readonly action?: { readonly label: string; readonly take: () => void; readonly undo?: true } | undefined;
	/** Further actions beside the first one. */
	readonly others?: readonly { readonly label: string; readonly take: () => void }[] | undefined;
	readonly dismiss?: { readonly label: string; readonly take: () => void } | undefined;
}

/** One line and one action; screen readers announce the text. */
export function NoticeLine({ tone, text, aside, problem, action, others = [], dismiss }: NoticeLineProps) {
	return (
		<div
			className={`${styles.notice} ${styles[tone]}`}
			data-notice={tone}
			data-problem={problem?.kind}
			data-problem-status={problem && 'status' in problem ? problem.status : undefined}
		>
			<Icon name={tone === 'info' ? 'info' : 'alert'} />
			<p className={styles.text} role={tone === 'problem' ? 'alert' : 'status'}>
				{text}
			</p>
			{aside && <span className={styles.aside}>{aside}</span>}
			{action && (
				<Button onPress={action.take} {...(action.undo && { 'data-undo': true })}>
					{action.label}
				</Button>
			)}
			{others.map(({ label, take }) => (
				<Button key={label} onPress={take}>
					{label}
				</Button>
			))}
			{dismiss && (
				<span className={styles.dismiss}>
					<Button look="quiet" square aria-label={dismiss.label} onPress={dismiss.take}>
						<Icon name="close" />
					</Button>
				</span>
			)}
			{problem && <ErrorDetails problem={problem} />}
		</div>
	);
}

export interface ProblemNoticeProps {
	readonly problem: Problem;
	readonly tone?: NoticeLineProps['tone'];
	readonly onDismiss?: () => void;
	/** The action of "Try again"; absent: no such button. */
	readonly onRetry?: (() => void) | undefined;
	/** The subject of the problem, shown before its words. */
	readonly about?: string | undefined;
	/** Further actions beside the problem's own. */
	readonly others?: NoticeLineProps['others'];
}

export function ProblemNotice({
	problem,
	tone = 'problem',
	onDismiss,
	onRetry,
	about,
	others,
}: ProblemNoticeProps) {
	const { t, i18n } = useTranslation();
	const { navigation } = useParts();
	const showSessions = { label: t('recovery.open-sessions'), take: () => navigation.go('sessions') };
	const recover = useRecover();
	const [said, setSaid] = useState<string | null>(null);
	const recovery = recoveryOf[problem.kind];
	const isBarred = useFacing() && toLiveBox.has(recovery);
	const isOffered = recovery !== 'none' && !isBarred && (onRetry !== undefined || leadsOn(problem));
	const take = () => void recover(problem, recovery, onRetry).then(setSaid);
	const action = isOffered ? { label: t(`recovery.${recovery}`), take } : undefined;
	const words = [about, problemSentence(problem, t, i18n.language), said].filter((one) => one).join(' ');
	return (
		<NoticeLine
			tone={tone}
			text={words}
			problem={problem}
			action={action}
			others={problem.kind === 'session-uncertain' ? [showSessions] : others}
			dismiss={onDismiss && { label: t('notice.dismiss'), take: onDismiss }}
		/>
	);
}
