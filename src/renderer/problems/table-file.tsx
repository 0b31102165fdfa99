import { useTranslation } from '#renderer/i18n/use-translation.ts';
import type { ProblemOf } from '#shared/problem.ts';
import { decodeText } from '#shared/protocol/json.ts';
import styles from './table-faults.module.css';

/** The faults of a table, by line. */
export function TableFaults({ problem }: { readonly problem: ProblemOf<'table-invalid'> }) {
	const { t } = useTranslation();
	return (
		<ul className={styles.faults}>
			{problem.lines.map(({ line, reason }) => (
				<li key={`${line} ${reason}`}>
					{line === 0
						? t(`table.fault.${reason}`)
						: t('table.line', { line, fault: t(`table.fault.${reason}`) })}
				</li>
			))}
			{problem.more > 0 && <li>{t('table.moreFaults', { number: problem.more })}</li>}
		</ul>
	);
}

/** The text of a file; null if the file is neither UTF-8 nor UTF-16, or no longer exists. */
export async function textOf(file: File): Promise<string | null> {
	try {
		return decodeText(new Uint8Array(await file.arrayBuffer()));
	} catch {
		return null;
	}
}
