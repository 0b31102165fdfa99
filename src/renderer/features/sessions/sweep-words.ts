import type { TFunction } from 'i18next';
import type { SweepReport } from '#shared/host/contract.ts';

const counted = [
	'deleted',
	'absent',
	'failed',
	'inUse',
	'handedOver',
	'otherAccounts',
	'outdated',
	'uncertain',
] as const satisfies readonly (keyof SweepReport)[];

/** What the clean-up did, a clause for everything there was. */
export function sweepWords(report: SweepReport, t: TFunction, locale: string): string {
	const number = new Intl.NumberFormat(locale);
	const clauses = counted
		.filter((name) => report[name] > 0)
		.map((name) => t(`sessions.swept.${name}`, { number: number.format(report[name]) }));
	return clauses.length === 0 ? t('sessions.swept.nothing') : clauses.join(' ');
}
