import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { duration } from '#renderer/i18n/format.ts';
import { NoticeLine } from '#renderer/problems/problem-notice.tsx';
import { useParts } from '#renderer/shell/parts.ts';

/** Says that the account's credit runs out; for how long it lasts is not announced with each new answer. */
export function CreditNotice() {
	const { t, i18n } = useTranslation();
	const { creditUse, navigation } = useParts();
	const { lastsMs, isPutAway } = useStore(creditUse);
	if (lastsMs === null || isPutAway) return null;
	return (
		<NoticeLine
			tone="warning"
			text={t('notice.creditLow')}
			aside={t('notice.creditLasts', { duration: duration(lastsMs, i18n.language) })}
			action={{ label: t('notice.showCredit'), take: () => navigation.go('settings', 'account') }}
			dismiss={{ label: t('notice.dismiss'), take: () => creditUse.setState({ isPutAway: true }) }}
		/>
	);
}
