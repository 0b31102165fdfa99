import { isolate } from '#renderer/i18n/i18n.ts';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { detailsOf, type Problem, type ServiceErrorRecord } from '#shared/problem.ts';
import styles from './error-details.module.css';

const FACTS = [
	['code', 'problem.recordCode'],
	['field', 'problem.recordField'],
	['type', 'problem.recordType'],
	['instance', 'problem.recordInstance'],
] as const;

/** The error codes and messages behind a problem, collapsed; nothing if there are none. */
export function ErrorDetails({ problem }: { readonly problem: Problem }) {
	const { t } = useTranslation();
	const errors = detailsOf(problem);
	if (errors.length === 0) return null;
	return (
		<details className={styles.details}>
			<summary>{t('problem.details')}</summary>
			{/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be within reach of the keys */}
			<section className={styles.records} tabIndex={0} aria-label={t('problem.details')}>
				{errors.map((record, index) => (
					// biome-ignore lint/suspicious/noArrayIndexKey: they never change their order
					<Record key={index} record={record} />
				))}
			</section>
		</details>
	);
}

function Record({ record }: { readonly record: ServiceErrorRecord }) {
	const { t } = useTranslation();
	const facts = FACTS.filter(([name]) => record[name] !== undefined);
	return (
		<div className={styles.record}>
			{record.title !== undefined && (
				<p className={styles.title} dir="auto">
					<bdi>{record.title}</bdi>
				</p>
			)}
			{record.detail !== undefined && (
				<p dir="auto">
					<bdi>{record.detail}</bdi>
				</p>
			)}
			{facts.length > 0 && (
				<dl className={styles.facts}>
					{facts.map(([name, key]) => (
						<div key={name}>
							<dt>{t(key)}</dt>
							<dd>{isolate(record[name] ?? '')}</dd>
						</div>
					))}
				</dl>
			)}
		</div>
	);
}
