import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { Button } from '#renderer/ui/button.tsx';
import { Icon } from '#renderer/ui/icon.tsx';
import page from '#renderer/ui/page.module.css';
import { PageHead } from '#renderer/ui/page-head.tsx';
import { ProblemNotice } from '#renderer/window/components/problem-notice.tsx';
import { copyText } from '#renderer/window/copy-text.ts';
import { useParts } from '#renderer/window/parts.ts';
import { type CheckName, type Finding, mainChecks, windowChecks } from '#shared/diagnosis/finding.ts';
import type { Problem } from '#shared/problem.ts';
import styles from './diagnostics-page.module.css';
import { FindingRow } from './finding-row.tsx';

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

/** Checks everything Dragoman needs and shows what was found and what to do. Starts by itself. */
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
		// Somebody who leaves the page does not want a session created.
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
