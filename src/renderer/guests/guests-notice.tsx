import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { NoticeLine } from '#renderer/problems/problem-notice.tsx';
import { useParts } from '#renderer/shell/parts.ts';

/** While the captions are shared: shows how many guests read along, shows the code again, and stops sharing. */
export function GuestsNotice() {
	const { t } = useTranslation();
	const { guests, navigation } = useParts();
	const number = useStore(guests.store, (view) => view.guests);
	return (
		<NoticeLine
			tone="info"
			text={t('guests.shared')}
			aside={t('guests.reading', { number })}
			action={{ label: t('guests.stop'), take: () => void guests.close() }}
			others={[{ label: t('guests.showCode'), take: () => navigation.showGuests(true) }]}
		/>
	);
}
