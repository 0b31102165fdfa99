import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { isolate } from '#renderer/i18n/i18n.ts';
import { useParts, useSetting } from '#renderer/shell/parts.ts';
import { Button } from '#renderer/ui/button.tsx';
import { ButtonRow } from '#renderer/ui/button-row.tsx';
import { languageLabel } from '#shared/i18n/language-names.ts';
import type { StepProps } from './sound-steps.tsx';

/** Choice of service; the key is entered at its usual place. */
export function AccountStep({ done }: StepProps) {
	const { t } = useTranslation();
	const { account, navigation } = useParts();
	const { service, key } = useStore(account.store, (view) => view.status);
	const isReady = service === 'sandbox' || (service === 'service' && key.present && !key.elsewhere);
	const words =
		service === 'sandbox' ? 'setup.accountSandbox' : isReady ? 'setup.accountKey' : 'setup.accountNone';
	return (
		<>
			<p>{t(words)}</p>
			<ButtonRow apart>
				<Button look="primary" isDisabled={!isReady} onPress={done}>
					{t('setup.right')}
				</Button>
				<Button onPress={() => navigation.go('settings', 'account')}>{t('setup.change')}</Button>
			</ButtonRow>
		</>
	);
}

export function LanguagesStep({ done }: StepProps) {
	const { t, i18n } = useTranslation();
	const { navigation } = useParts();
	const speak = useSetting('speak');
	const hear = useSetting('hear');
	const name = (code: string) => isolate(languageLabel(code, i18n.language));
	const list = new Intl.ListFormat(i18n.language);
	const mine = speak === 'auto' ? t('setup.anyLanguage') : name(speak);
	return (
		<>
			<p>{t('setup.languagesAre', { speak: mine, hear: list.format(hear.map(name)) })}</p>
			<ButtonRow apart>
				<Button look="primary" onPress={done}>
					{t('setup.right')}
				</Button>
				<Button onPress={() => navigation.go('live', 'languages')}>{t('setup.change')}</Button>
			</ButtonRow>
		</>
	);
}
