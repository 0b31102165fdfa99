import { useCallback, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { Button } from '#renderer/ui/button.tsx';
import { problemWords } from '#renderer/window/components/problem-notice.tsx';
import { useParts } from '#renderer/window/parts.ts';
import { creditWords } from '#renderer/window/words/credit.ts';
import type { Balance } from '#shared/host/contract.ts';
import type { Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { ButtonsRow } from './setting-row.tsx';

/** What is left on the account, as the service tells it: read when the row appears, and again on request. */
export function CreditSetting() {
	const { t, i18n } = useTranslation();
	const { account } = useParts();
	const status = useStore(account.store, (view) => view.status);
	const isSandbox = status.service === 'sandbox';
	const isAsked = !isSandbox && status.key.present;
	const { credit, read } = useCredit(isAsked);

	function words(): string {
		if (isSandbox) return t('settings.creditSandbox');
		if (!isAsked) return t('settings.creditNoKey');
		if (!credit) return t('settings.creditReading');
		if (!credit.ok) return problemWords(credit.error, t, i18n.language);
		return creditWords(credit.value, t, i18n.language);
	}

	return (
		<ButtonsRow name="credit" label={t('settings.credit')} words={<p role="status">{words()}</p>}>
			{isAsked && (
				<Button aria-label={`${t('sessions.refresh')}: ${t('settings.credit')}`} onPress={() => void read()}>
					{t('sessions.refresh')}
				</Button>
			)}
		</ButtonsRow>
	);
}

/** The answer to the last question; null until it comes. */
function useCredit(isAsked: boolean): {
	readonly credit: Result<Balance, Problem> | null;
	read(): Promise<void>;
} {
	const { host } = useParts();
	const [credit, setCredit] = useState<Result<Balance, Problem> | null>(null);
	const asked = useRef(0);
	const read = useCallback(async () => {
		asked.current += 1;
		const own = asked.current;
		setCredit(null);
		const answer = await host.ask('account.balance', undefined);
		if (own === asked.current) setCredit(answer);
	}, [host]);
	useEffect(() => {
		if (isAsked) void read();
	}, [isAsked, read]);
	return { credit, read };
}
