import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { useParts, useSetting } from '#renderer/window/parts.ts';
import { ExpertFields } from './expert-fields.tsx';
import { ProxySetting } from './proxy-setting.tsx';
import { Section } from './section.tsx';
import { DurationSetting, SelectSetting, SwitchSetting, TextSetting } from './setting-fields.tsx';
import { SettingRow } from './setting-row.tsx';
import styles from './settings-page.module.css';
import { useAccountLock } from './use-account-lock.ts';

/** What only some need: the connection, values of the translation by hand, addresses. */
export function AdvancedSection() {
	const { t } = useTranslation();
	return (
		<>
			<ConnectionSection />
			<Section title={t('settings.expert')}>
				<SettingRow name="expert">{(fixed) => <ExpertFields isDisabled={fixed} />}</SettingRow>
			</Section>
			<AddressesSection />
		</>
	);
}

function ConnectionSection() {
	const { t } = useTranslation();
	const { account } = useParts();
	const transport = useSetting('transport');
	// Our own sandbox has its address only once it runs.
	const hasSocket = useStore(
		account.store,
		({ status }) =>
			status.speechSocket !== false || (status.service === 'sandbox' && status.sandbox !== 'running'),
	);
	return (
		<Section title={t('settings.connection')}>
			<SelectSetting
				name="transport"
				label={t('travel.label')}
				hint={t('travel.hint')}
				options={[
					{ value: 'auto', label: t('travel.auto') },
					{ value: 'webrtc', label: t('travel.webrtcOnly') },
					{ value: 'websocket', label: t('travel.websocketOnly') },
				]}
			/>
			{!hasSocket && transport !== 'webrtc' && (
				<p className={styles.reason} role="status">
					{t(`travel.noSocket.${transport}`, { setting: t('settings.s2sUrl') })}
				</p>
			)}
			<DurationSetting
				name="warmIdleS"
				label={t('settings.warmIdleS')}
				hint={t('settings.warmIdleHint')}
				zero={t('settings.warmIdleNone')}
				choicesS={[0, 30, 60, 120, 300, 600]}
			/>
			<SwitchSetting name="roomAhead" label={t('settings.roomAhead')} hint={t('settings.roomAheadHint')} />
			<ProxySetting />
		</Section>
	);
}

function AddressesSection() {
	const { t } = useTranslation();
	const { account } = useParts();
	const url = useStore(account.store, (view) => view.status.apiUrl);
	const locked = useAccountLock();
	return (
		<Section title={t('settings.advanced')} place="addresses">
			<p className={styles.reason}>{t(locked ? 'settings.locked' : 'settings.addressKeyHint')}</p>
			<TextSetting name="apiUrl" label={t('settings.apiUrl')} hint={t('settings.apiUrlHint')} />
			{url !== '' && (
				<p className={styles.reason}>
					{t('settings.apiUrlInUse')} <bdi dir="ltr">{url}</bdi>
				</p>
			)}
			<TextSetting name="s2sUrl" label={t('settings.s2sUrl')} hint={t('settings.socketHint')} />
			<TextSetting name="sttUrl" label={t('settings.sttUrl')} hint={t('settings.socketHint')} />
			<TextSetting name="ttsUrl" label={t('settings.ttsUrl')} hint={t('settings.socketHint')} />
			<TextSetting
				name="allowedHosts"
				label={t('settings.allowedHosts')}
				hint={t('settings.allowedHostsHint')}
			/>
			<SelectSetting
				name="logLevel"
				label={t('settings.logLevel')}
				hint={t('settings.logHint')}
				options={[
					{ value: 'error', label: t('settings.logError') },
					{ value: 'warn', label: t('settings.logWarn') },
					{ value: 'info', label: t('settings.logInfo') },
					{ value: 'debug', label: t('settings.logDebug') },
				]}
			/>
			<Surroundings />
		</Section>
	);
}

/** What was decided outside the settings: where they are stored, and what the environment sets. */
function Surroundings() {
	const { t } = useTranslation();
	const { userData, variables = [] } = useParts().info;
	return (
		<dl className={styles.facts} data-setting="surroundings">
			{userData && (
				<>
					<dt>{t('settings.dataFolder')}</dt>
					<dd>
						<bdi dir="ltr">{userData.folder}</bdi>
						<p className={styles.reason}>
							{userData.source === ''
								? t('settings.dataFolderDefault')
								: t('settings.origin.variable', { name: userData.source })}
						</p>
					</dd>
				</>
			)}
			<dt>{t('settings.variables')}</dt>
			<dd>
				{variables.length === 0 ? t('settings.variablesNone') : <bdi dir="ltr">{variables.join(', ')}</bdi>}
			</dd>
		</dl>
	);
}
