import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '#renderer/ui/button.tsx';
import field from '#renderer/ui/field.module.css';
import { Icon } from '#renderer/ui/icon.tsx';
import { LanguageLabel } from '#renderer/window/components/language-label.tsx';
import { NoticeLine } from '#renderer/window/components/problem-notice.tsx';
import { useParts, useSetting } from '#renderer/window/parts.ts';
import { isolate } from '#renderer/window/words/i18n.ts';
import type { Correction } from '#shared/captions/correction.ts';
import styles from './corrections-setting.module.css';
import { ButtonsRow } from './setting-row.tsx';

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

	const words = (
		<div className={styles.words}>
			{corrections.length === 0 && <p className={field.hint}>{t('correct.none')}</p>}
			{corrections.length > 0 && (
				<ul className={styles.list} aria-label={t('correct.list')}>
					{corrections.toReversed().map((one) => (
						<Row key={`${one.language} ${one.wrong}`} correction={one} onRemove={remove} />
					))}
				</ul>
			)}
			{removed && (
				<NoticeLine
					tone="info"
					text={t('correct.removed')}
					action={{
						label: t('correct.undo'),
						take() {
							write([...corrections, removed]);
							setRemoved(null);
						},
					}}
				/>
			)}
		</div>
	);
	return (
		<ButtonsRow name="corrections" label={t('correct.list')} words={words}>
			{null}
		</ButtonsRow>
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
			<span className={styles.pair}>
				<del>
					<bdi>{wrong}</bdi>
				</del>{' '}
				<ins>
					<bdi>{right}</bdi>
				</ins>
			</span>
			<span className={field.hint}>
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
