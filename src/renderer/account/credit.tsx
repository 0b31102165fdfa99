import { useStore } from 'zustand';
import { duration } from '#renderer/i18n/format.ts';
import { isolate, type TFunction } from '#renderer/i18n/i18n.ts';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { NoticeLine } from '#renderer/problems/problem-notice.tsx';
import { useParts } from '#renderer/shell/parts.ts';
import hidden from '#renderer/ui/hidden.module.css';
import type { Balance } from '#shared/host/contract.ts';

/** Shows the credit that the conversation has used, until the next one begins. */
export function CreditUsed() {
	const { t, i18n } = useTranslation();
	const { creditUse } = useParts();
	const used = useStore(creditUse, (view) => view.used);
	if (!used) return null;
	return (
		<span data-tooltip={t('live.creditUsedHint')}>
			{t('live.creditUsed', { amount: creditWords(used, t, i18n.language) })}
			<span className={hidden.hidden}> {t('live.creditUsedHint')}</span>
		</span>
	);
}

/** `12.5 (about $1.25)`, or whichever of the two the service reports. */
export function creditWords({ credits, usd }: Balance, t: TFunction, locale: string): string {
	const number = (value: number, style: Intl.NumberFormatOptions) =>
		isolate(new Intl.NumberFormat(locale, style).format(value));
	const amount = credits === null ? null : number(credits, { maximumFractionDigits: 2 });
	const money = usd === null ? null : number(usd, { style: 'currency', currency: 'USD' });
	if (amount && money) return t('settings.creditAbout', { amount, money });
	return amount ?? money ?? '';
}

/** Tells that the account's credit is running out; updates of the remaining time are not announced. */
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
