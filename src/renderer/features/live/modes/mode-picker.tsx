import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import hidden from '#renderer/ui/hidden.module.css';
import { RowOrList } from '#renderer/ui/row-or-list.tsx';
import { isRunning } from '#renderer/window/live-changes.ts';
import { useParts, useSetting } from '#renderer/window/parts.ts';
import type { Settings } from '#shared/settings/schema.ts';
import styles from './mode-picker.module.css';

const modes = [
	{ value: 'solo', icon: 'speaker' },
	{ value: 'meeting', icon: 'swap' },
	{ value: 'listen', icon: 'headphones' },
	{ value: 'face', icon: 'pair' },
	{ value: 'captions', icon: 'captions' },
	{ value: 'type', icon: 'keyboard' },
] as const;

/**
 * What to do, and in one line who hears what. While a conversation runs it is settled, and nothing but a
 * line that says so: each mode travels in a way of its own.
 */
export function ModePicker() {
	const { t } = useTranslation();
	const { settings, conversation } = useParts();
	const mode = useSetting('mode');
	const phase = useStore(conversation.store, (view) => view.phase);
	if (phase === 'ending') return null;
	if (isRunning(phase))
		return <p className={styles.settledMode}>{t('mode.settled', { mode: t(`mode.${mode}`) })}</p>;
	return (
		<section className={styles.mode} data-modes>
			<RowOrList<Settings['mode']>
				label={t('mode.title')}
				options={modes.map(({ value, icon }) => ({
					value,
					icon,
					label: t(`mode.${value}`),
					hint: t(`mode.${value}Hint`),
				}))}
				value={mode}
				onChange={(next) => void settings.write({ mode: next })}
			/>
			{/* On a small screen the captions need its line; the list says it too. */}
			<p className={`${styles.hint} ${hidden.whenSmall}`} aria-live="polite">
				{t(`mode.${mode}Hint`)}
			</p>
		</section>
	);
}
