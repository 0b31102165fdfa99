import type { TFunction } from 'i18next';
import { isolate } from '#renderer/i18n/i18n.ts';
import type { Balance } from '#shared/host/contract.ts';

/** `12.5 (about $1.25)`, or the one of the two that the service tells. */
export function creditWords({ credits, usd }: Balance, t: TFunction, locale: string): string {
	const number = (value: number, style: Intl.NumberFormatOptions) =>
		isolate(new Intl.NumberFormat(locale, style).format(value));
	const amount = credits === null ? null : number(credits, { maximumFractionDigits: 2 });
	const money = usd === null ? null : number(usd, { style: 'currency', currency: 'USD' });
	if (amount && money) return t('settings.creditAbout', { amount, money });
	return amount ?? money ?? '';
}
