import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { isUnderWay } from '#renderer/conversation/live-changes.ts';
import { useParts, useSetting } from '#renderer/shell/parts.ts';
import hidden from '#renderer/ui/hidden.module.css';
import { RowOrList } from '#renderer/ui/row-or-list.tsx';
import type { Settings } from '#shared/settings/schema.ts';
import styles from './mode-picker.module.css';

const modes = [
	{ value: 'solo', icon: 'speaker' },
	{ value: 'meeting', icon: 'call' },
	{ value: 'listen', icon: 'headphones' },
	{ value: 'face', icon: 'pair' },
	{ value: 'captions', icon: 'captions' },
	{ value: 'type', icon: 'keyboard' },
] as const;

/**
 * The choice of mode, and one line that says who hears what. While a conversation runs the mode is fixed and shown as a
 * line, because each mode has its own route. After Stop the modes fold to leave the room to the captions.
 */
export function ModePicker() {
	const { t } = useTranslation();
	const { settings, conversation } = useParts();
	const mode = useSetting('mode');
	const phase = useStore(conversation.store, (view) => view.phase);
	const folded = useStore(conversation.captions.store, ({ rows }) => rows > 0);
	if (isUnderWay(phase)) {
		const name = t(`mode.${mode}`);
		// Nothing can be pressed any more.
		const words = phase === 'ending' ? name : t('mode.settled', { mode: name });
		return <p className={styles.settledMode}>{words}</p>;
	}
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
				folded={folded}
			/>
			{/* The captions need its line after Stop, and on a small screen; the list says it too. */}
			<p className={`${styles.hint} ${folded ? hidden.hidden : hidden.whenSmall}`} aria-live="polite">
				{t(`mode.${mode}Hint`)}
			</p>
		</section>
	);
}
