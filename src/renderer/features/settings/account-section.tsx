import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { Button } from '#renderer/ui/button.tsx';
import { ButtonRow } from '#renderer/ui/button-row.tsx';
import { Dialog } from '#renderer/ui/dialog.tsx';
import { Segmented } from '#renderer/ui/segmented.tsx';
import { AskDialog } from '#renderer/window/components/ask-dialog.tsx';
import { KeyForm } from '#renderer/window/components/key-form.tsx';
import { ProblemNotice } from '#renderer/window/components/problem-notice.tsx';
import { useParts } from '#renderer/window/parts.ts';
import type { Problem } from '#shared/problem.ts';
import { CreditSetting } from './credit-setting.tsx';
import { Section } from './section.tsx';
import { ButtonsRow, SettingRow } from './setting-row.tsx';
import styles from './settings-page.module.css';
import { KEY_VARIABLE } from './sources.ts';
import { useAccountLock } from './use-account-lock.ts';
import { useEntering } from './use-entering.ts';
import { VoiceTokenSetting } from './voice-token-setting.tsx';

/** Which service, and the key. */
export function AccountSection() {
	const { t } = useTranslation();
	const { account, navigation } = useParts();
	const status = useStore(account.store, (view) => view.status);
	const locked = useAccountLock();
	const [problem, setProblem] = useState<Problem | null>(null);

	async function choose(service: 'service' | 'sandbox'): Promise<void> {
		const chosen = await account.choose(service);
		// Given up because a conversation has begun: that is what the section says then.
		setProblem(chosen.ok || chosen.error.kind === 'cancelled' ? null : chosen.error);
	}

	return (
		<Section title={t('settings.account')} place="account">
			{locked && <p className={styles.reason}>{t('settings.locked')}</p>}
			<SettingRow name="service">
				{(fixed) => (
					<Segmented<'unset' | 'service' | 'sandbox'>
						label={t('settings.service')}
						options={[
							{ value: 'service', label: t('settings.serviceReal'), icon: 'key' },
							{ value: 'sandbox', label: t('settings.serviceSandbox'), icon: 'flask' },
						]}
						value={status.service}
						isDisabled={fixed}
						onChange={(service) => service !== 'unset' && void choose(service)}
						{...(status.service === 'sandbox' ? { hint: t(`settings.sandboxState.${status.sandbox}`) } : {})}
					/>
				)}
			</SettingRow>
			{problem && <ProblemNotice problem={problem} onDismiss={() => setProblem(null)} />}
			<KeySetting onProblem={setProblem} locked={locked} />
			{/* Another account has another credit. */}
			<CreditSetting key={`${status.service} ${status.apiUrl} ${status.key.lastFour}`} />
			<ButtonsRow
				name="sessions"
				label={t('settings.sessions')}
				words={<p className={styles.reason}>{t('settings.sessionsHint')}</p>}
			>
				<Button onPress={() => navigation.go('sessions')}>{t('settings.sessionsOpen')}</Button>
			</ButtonsRow>
			<VoiceTokenSetting onProblem={setProblem} locked={locked} />
		</Section>
	);
}

interface KeySettingProps {
	readonly onProblem: (problem: Problem | null) => void;
	/** While a conversation runs. */
	readonly locked: boolean;
}

function KeySetting({ onProblem, locked }: KeySettingProps) {
	const { t } = useTranslation();
	const { account } = useParts();
	const key = useStore(account.store, (view) => view.status.key);
	const fixed = key.source === 'variable';
	const [entering, setEntering] = useEntering('key', fixed || locked);
	const [forgetting, setForgetting] = useEntering(undefined, locked);

	async function forget(): Promise<void> {
		setForgetting(false);
		const forgotten = await account.forgetKey();
		onProblem(forgotten.ok ? null : forgotten.error);
	}

	const state = !key.present
		? t('settings.keyNone')
		: key.lastFour === ''
			? t('settings.keySet')
			: t('settings.keyEnds', { lastFour: key.lastFour });
	const words = (
		<>
			<p>{state}</p>
			{key.elsewhere && <p className={styles.reason}>{t('settings.keyElsewhere')}</p>}
			{key.source !== 'none' && (
				<p className={styles.reason}>{t(`settings.keySource.${key.source}`, { name: KEY_VARIABLE })}</p>
			)}
		</>
	);
	return (
		<ButtonsRow name="key" label={t('settings.key')} words={words}>
			{!fixed && (
				<ButtonRow>
					<Button onPress={() => setEntering(true)} isDisabled={locked}>
						{t(key.present ? 'settings.keyReplace' : 'settings.keyEnter')}
					</Button>
					{(key.present || key.elsewhere) && (
						<Button look="quiet" onPress={() => setForgetting(true)} isDisabled={locked}>
							{t('settings.keyForget')}
						</Button>
					)}
				</ButtonRow>
			)}
			<Dialog
				title={t('settings.keyEnter')}
				closeLabel={t('app.close')}
				isOpen={entering}
				onClose={() => setEntering(false)}
			>
				<KeyForm submitLabel={t('welcome.submit')} takesCursor onDone={() => setEntering(false)} />
			</Dialog>
			<AskDialog
				role="alertdialog"
				title={t('settings.keyForget')}
				isOpen={forgetting}
				onClose={() => setForgetting(false)}
				verb={t('settings.keyForget')}
				look="danger"
				onDo={() => void forget()}
			>
				<p>{t('settings.keyForgetConfirm')}</p>
			</AskDialog>
		</ButtonsRow>
	);
}
