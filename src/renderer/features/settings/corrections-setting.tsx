import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '#renderer/ui/button.tsx';
import { Icon } from '#renderer/ui/icon.tsx';
import { LanguageLabel } from '#renderer/window/components/language-label.tsx';
import { useParts, useSetting } from '#renderer/window/parts.ts';
import { isolate } from '#renderer/window/words/i18n.ts';
import type { Correction } from '#shared/captions/correction.ts';
import styles from './corrections-setting.module.css';

/** Every word and name that is put right, the newest first; each can be taken out, and back in. */
export function CorrectionsSetting() {
	const { t } = useTranslation();
	const { settings } = useParts();
	const corrections = useSetting('corrections');
	const [removed, setRemoved] = useState<Correction | null>(null);
	const write = (next: readonly Correction[]) => void settings.write({ corrections: [...next] });

	function remove(one: Correction): void {
		setRemoved(one);
		write(corrections.filter((other) => other !== one));
	}

	return (
		<div className={styles.corrections} data-setting="corrections">
			<h3 className={styles.title}>{t('correct.list')}</h3>
			{corrections.length === 0 && <p className={styles.hint}>{t('correct.none')}</p>}
			{corrections.length > 0 && (
				<ul className={styles.list} aria-label={t('correct.list')}>
					{corrections.toReversed().map((one) => (
						<Row key={`${one.language} ${one.wrong}`} correction={one} onRemove={remove} />
					))}
				</ul>
			)}
			{removed && (
				<p className={styles.hint} role="status">
					{t('correct.removed')}{' '}
					<Button
						look="quiet"
						onPress={() => {
							write([...corrections, removed]);
							setRemoved(null);
						}}
					>
						{t('correct.undo')}
					</Button>
				</p>
			)}
		</div>
	);
}

interface RowProps {
	readonly correction: Correction;
	readonly onRemove: (correction: Correction) => void;
}

function Row({ correction, onRemove }: RowProps) {
	const { t } = useTranslation();
	const { language, wrong, right } = correction;
	return (
		<li className={styles.row}>
			<span className={styles.words}>
				<del>
					<bdi>{wrong}</bdi>
				</del>{' '}
				<ins>
					<bdi>{right}</bdi>
				</ins>
			</span>
			<span className={styles.hint}>
				<LanguageLabel code={language} />
			</span>
			<Button
				look="quiet"
				square
				aria-label={t('correct.remove', { wrong: isolate(wrong), right: isolate(right) })}
				onPress={() => onRemove(correction)}
			>
				<Icon name="trash" size={16} />
			</Button>
		</li>
	);
}
