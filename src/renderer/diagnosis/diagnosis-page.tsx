import { useEffect, useState } from 'react';
import { useStore } from 'zustand';
import { copyText } from '#renderer/captions/copy-text.ts';
import { useRecover } from '#renderer/conversation/use-recover.ts';
import { isolate, type TFunction } from '#renderer/i18n/i18n.ts';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { ErrorDetails } from '#renderer/problems/error-details.tsx';
import { ProblemNotice, problemWords } from '#renderer/problems/problem-notice.tsx';
import { useParts } from '#renderer/shell/parts.ts';
import { Button } from '#renderer/ui/button.tsx';
import { Icon, type IconName } from '#renderer/ui/icon.tsx';
import page from '#renderer/ui/page.module.css';
import { PageHead } from '#renderer/ui/page-head.tsx';
import { type CheckName, type Finding, mainChecks, windowChecks } from '#shared/diagnosis/checks.ts';
import { type Problem, type Recovery, recoveryOf } from '#shared/problem.ts';
import styles from './diagnosis-page.module.css';

const icons: { readonly [State in Finding['state'] | 'waiting']: IconName } = {
	ok: 'check',
	warning: 'info',
	failed: 'alert',
	skipped: 'skip',
	waiting: 'clock',
};

/** Recoveries that lead to the place where the problem can be fixed; "try again" is the page's own button. */
const LEADS: ReadonlySet<Recovery> = new Set([
	'open-key',
	'open-sessions',
	'open-microphone',
	'open-output',
	'open-call-route',
	'open-settings',
	'open-system-privacy',
]);

const groups: readonly {
	readonly name: 'computer' | 'service' | 'sound';
	readonly checks: readonly CheckName[];
}[] = [
	{ name: 'service', checks: mainChecks.slice(mainChecks.indexOf('proxy'), mainChecks.indexOf('sound')) },
	{ name: 'sound', checks: ['sound', ...windowChecks] },
	{ name: 'computer', checks: mainChecks.slice(0, mainChecks.indexOf('proxy')) },
];

function wasStopped({ says }: Finding): boolean {
	return says === 'cancelled';
}

/** Checks everything Dragoman needs, and shows the findings and remedies. Starts when the page opens. */
export function DiagnosticsPage() {
	const { t, i18n } = useTranslation();
	const { diagnosis } = useParts();
	const { running, findings, problem } = useStore(diagnosis.store);
	const [copied, setCopied] = useState<Problem | boolean | null>(null);
	const of = (check: CheckName) => findings.find((finding) => finding.check === check) ?? null;
	const number = (count: number) => new Intl.NumberFormat(i18n.language).format(count);
	const total = mainChecks.length + windowChecks.length;
	const failed = findings.filter(({ state }) => state === 'failed').length;
	const warned = findings.filter(({ state }) => state === 'warning').length;
	const isPartial = findings.length < total || findings.some(wasStopped);

	useEffect(() => {
		const before = diagnosis.store.getState().findings;
		if (before.length === 0 || before.some(wasStopped)) void diagnosis.run();
		// Cancel on leaving the page, so that no session is created for nothing.
		return () => void diagnosis.cancel();
	}, [diagnosis]);

	async function copy(): Promise<void> {
		const report = await diagnosis.report();
		if (!report.ok) return setCopied(report.error);
		setCopied(await copyText(report.value));
	}

	const summary = running
		? t('diagnosis.looking', { done: number(findings.length), total: number(total) })
		: findings.length === 0
			? t('diagnosis.nothingYet')
			: failed === 0 && isPartial
				? t('diagnosis.partly')
				: failed + warned === 0
					? t('diagnosis.allWell')
					: t(failed === 0 ? 'diagnosis.warned' : 'diagnosis.found', {
							failed: number(failed),
							warned: number(warned),
						});

	return (
		<main className={page.page}>
			<div className={page.column}>
				<PageHead title={t('diagnosis.title')} lead={t('diagnosis.lead')} />
				<div className={styles.head}>
					<p role="status" className={styles.summary}>
						{summary}
					</p>
					{running ? (
						<Button onPress={() => void diagnosis.cancel()}>{t('diagnosis.stop')}</Button>
					) : (
						<Button look="primary" onPress={() => void diagnosis.run()}>
							{t('diagnosis.again')}
						</Button>
					)}
					<Button isDisabled={running} onPress={() => void copy()}>
						<Icon name="copy" />
						{t('diagnosis.copy')}
					</Button>
				</div>
				{typeof copied === 'boolean' && (
					<p role="status">{t(copied ? 'recovery.reportCopied' : 'recovery.reportNotCopied')}</p>
				)}
				{copied && copied !== true && <ProblemNotice problem={copied} />}
				{problem && <ProblemNotice problem={problem} />}
				{groups.map(({ name, checks }) => (
					<section key={name} className={page.card} aria-labelledby={`diagnosis-${name}`}>
						<h2 className={page.cardTitle} id={`diagnosis-${name}`}>
							{t(`diagnosis.group.${name}`)}
						</h2>
						<ul className={styles.rows}>
							{checks.map((check) => (
								<FindingRow key={check} check={check} finding={of(check)} />
							))}
						</ul>
					</section>
				))}
			</div>
		</main>
	);
}

/** One check: its status, finding and remedy. `finding` null = not checked yet. */
function FindingRow({ check, finding }: { readonly check: CheckName; readonly finding: Finding | null }) {
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

function findingWords({ says, facts, problem }: Finding, t: TFunction, locale: string): string {
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
