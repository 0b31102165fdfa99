import type { TFunction } from 'i18next';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '#renderer/ui/button.tsx';
import { Icon, type IconName } from '#renderer/ui/icon.tsx';
import { ErrorDetails } from '#renderer/window/components/error-details.tsx';
import { problemWords } from '#renderer/window/components/problem-notice.tsx';
import { useRecover } from '#renderer/window/use-recover.ts';
import { isolate } from '#renderer/window/words/i18n.ts';
import type { CheckName, Finding } from '#shared/diagnosis/finding.ts';
import { type Problem, type Recovery, recoveryOf } from '#shared/problem.ts';
import styles from './diagnostics-page.module.css';

const icons: { readonly [State in Finding['state'] | 'waiting']: IconName } = {
	ok: 'check',
	warning: 'info',
	failed: 'alert',
	skipped: 'skip',
	waiting: 'clock',
};

/** One check: its status, what was found, what to do. `finding` null = not checked yet. */
export function FindingRow({
	check,
	finding,
}: {
	readonly check: CheckName;
	readonly finding: Finding | null;
}) {
	const { t, i18n } = useTranslation();
	const state = finding?.state ?? 'waiting';
	return (
		<li className={styles.row} data-check={check} data-state={state}>
			<span className={`${styles.mark} ${styles[state]}`}>
				<Icon name={icons[state]} />
			</span>
			<div className={styles.words}>
				<p className={styles.name}>
					{t(`diagnosis.check.${check}`)}
					<span className={styles.state}>{t(`diagnosis.state.${state}`)}</span>
				</p>
				{finding && <p>{findingWords(finding, t, i18n.language)}</p>}
				{finding?.problem && <ErrorDetails problem={finding.problem} />}
				{finding?.problem && state !== 'skipped' && <NextStep problem={finding.problem} />}
			</div>
		</li>
	);
}

function NextStep({ problem }: { readonly problem: Problem }) {
	const { t } = useTranslation();
	const recover = useRecover();
	const [said, setSaid] = useState<string | null>(null);
	const recovery = recoveryOf[problem.kind];
	if (recovery === 'none') return null;
	return (
		<>
			<p className={styles.step}>{said ?? t(`diagnosis.step.${recovery}`)}</p>
			{LEADS.has(recovery) && (
				<Button onPress={() => void recover(problem, recovery).then(setSaid)}>
					{t(`recovery.${recovery}`)}
				</Button>
			)}
		</>
	);
}

/** Recoveries that lead to where the problem is fixed; "try again" is the page's own button. */
const LEADS: ReadonlySet<Recovery> = new Set([
	'open-key',
	'open-sessions',
	'open-microphone',
	'open-output',
	'open-call-route',
	'open-settings',
	'open-system-privacy',
]);

export function findingWords({ says, facts, problem }: Finding, t: TFunction, locale: string): string {
	if (problem) return problemWords(problem, t, locale);
	if (says === null) return '';
	const number = new Intl.NumberFormat(locale);
	const shown: Record<string, unknown> = {};
	for (const [name, value] of Object.entries(facts)) {
		shown[name] = typeof value === 'number' ? number.format(value) : isolate(value);
	}
	if (says === 'waitsFor') shown['check'] = t(`diagnosis.check.${facts['check'] as CheckName}`);
	return t(`diagnosis.says.${says}`, shown);
}
