import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { useParts } from '#renderer/shell/parts.ts';
import { creditWords } from './credit.ts';

/** What the conversation has used of the account's credit, while it runs and until the next one begins. */
export function CreditUsed() {
	const { t, i18n } = useTranslation();
	const { creditUse } = useParts();
	const used = useStore(creditUse, (view) => view.used);
	if (!used) return null;
	return (
		<span title={t('live.creditUsedHint')}>
			{t('live.creditUsed', { amount: creditWords(used, t, i18n.language) })}
		</span>
	);
}
