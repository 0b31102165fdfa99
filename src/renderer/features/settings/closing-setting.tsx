import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { useParts } from '#renderer/window/parts.ts';
import { SelectSetting } from './setting-fields.tsx';

/** What becomes of a running conversation when its window is closed. */
export function ClosingSetting() {
	const { t } = useTranslation();
	const hasTray = useStore(useParts().shell.store, (view) => view.tray === 'shown');
	return (
		<SelectSetting
			name="closeLive"
			label={t('closing.label')}
			options={[
				{ value: 'ask', label: t('closing.ask') },
				{ value: 'stop', label: t('closing.stop') },
				{ value: 'keep', label: t('closing.keep') },
			]}
			{...(hasTray ? {} : { hint: t('closing.hint') })}
		/>
	);
}
