import { useEffect, useState } from 'react';
import { useStore } from 'zustand';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { useParts, useSetting } from '#renderer/shell/parts.ts';
import { NumberField } from '#renderer/ui/number-field.tsx';
import { Select } from '#renderer/ui/select.tsx';
import { TextField } from '#renderer/ui/text-field.tsx';
import { readProxyAddress } from '#shared/settings/proxy.ts';
import type { Settings } from '#shared/settings/schema.ts';
import {
	DurationSetting,
	Section,
	SelectSetting,
	SettingRow,
	TextSetting,
	useAccountLock,
} from './setting-fields.tsx';
import styles from './settings-page.module.css';

const SECONDS = { style: 'unit', unit: 'second', unitDisplay: 'short' } as const;

const PERCENT = { style: 'percent' } as const;

/** Ranges the service accepts (protocol 4.5), in displayed units; `per` = setting units per displayed unit. */
const numbers = [
	{ name: 'silenceThresholdS', min: 0.3, max: 2, step: 0.1, per: 1, format: SECONDS },
	{ name: 'desiredQueueMs', min: 2, max: 60, step: 0.5, per: 1000, format: SECONDS },
	{ name: 'maxQueueMs', min: 4, max: 60, step: 0.5, per: 1000, format: SECONDS },
	{ name: 'minTempo', min: 0.5, max: 2, step: 0.05, per: 1, format: PERCENT },
	{ name: 'maxTempo', min: 0.5, max: 2, step: 0.05, per: 1, format: PERCENT },
] as const;

const switches = ['sentenceSplitter', 'translatePartials', 'autoTempo'] as const;

/** Settings that only some users need: the connection, manual values of the translation, addresses. */
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
	// Our own sandbox has an address only once it runs.
	const hasSocket = useStore(
		account.store,
		({ status }) =>
			status.speechSocket !== false ||
			status.service === 'local' ||
			(status.service === 'sandbox' && status.sandbox !== 'running'),
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

/** Facts about the settings: where they are stored, and which settings the environment fixes. */
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

type Choice = 'preset' | 'on' | 'off';

/** Values that override the chosen pace one by one; empty means that the pace decides. */
function ExpertFields({ isDisabled }: { readonly isDisabled: boolean }) {
	const { t, i18n } = useTranslation();
	const { settings } = useParts();
	const expert = useSetting('expert');
	const write = (patch: Partial<Settings['expert']>) =>
		void settings.write({ expert: { ...expert, ...patch } });
	return (
		<div className={styles.stack}>
			<p className={styles.reason}>{t('settings.expertHint')}</p>
			{numbers.map(({ name, min, max, step, per, format }) => {
				const words = new Intl.NumberFormat(i18n.language, format);
				const value = expert[name];
				return (
					<NumberField
						key={name}
						label={t(`settings.${name}`)}
						hint={t('settings.range', { min: words.format(min), max: words.format(max) })}
						placeholder={t('settings.byPreset')}
						value={value === null ? null : value / per}
						min={min}
						max={max}
						step={step}
						format={format}
						isDisabled={isDisabled}
						onChange={(next) => write({ [name]: next === null ? null : next * per })}
					/>
				);
			})}
			{switches.map((name) => {
				const value = expert[name];
				return (
					<Select<Choice>
						key={name}
						label={t(`settings.${name}`)}
						options={[
							{ value: 'preset', label: t('settings.byPreset') },
							{ value: 'on', label: t('settings.on') },
							{ value: 'off', label: t('settings.off') },
						]}
						value={value === null ? 'preset' : value ? 'on' : 'off'}
						isDisabled={isDisabled}
						onChange={(next) => write({ [name]: next === 'preset' ? null : next === 'on' })}
					/>
				);
			})}
		</div>
	);
}

/** The proxy for API calls, sockets and the window. */
function ProxySetting() {
	const { t } = useTranslation();
	const { variables = [] } = useParts().info;
	const proxy = useSetting('proxy');
	return (
		<>
			<SelectSetting
				name="proxy"
				label={t('proxy.label')}
				hint={t('proxy.hint')}
				options={[
					{ value: 'system', label: t('proxy.system') },
					{ value: 'none', label: t('proxy.none') },
					{ value: 'address', label: t('proxy.address') },
				]}
			/>
			{variables.includes('HTTPS_PROXY') && (
				<p className={styles.reason} role="note">
					{t('proxy.variable')}
				</p>
			)}
			{proxy === 'address' && <AddressField />}
		</>
	);
}

/** The proxy address, saved only if valid, so that no password is ever saved. */
function AddressField() {
	const { t } = useTranslation();
	const { settings } = useParts();
	const value = useSetting('proxyAddress');
	const [text, setText] = useState(value);
	useEffect(() => setText(value), [value]);
	const read = readProxyAddress(text);
	const problem = text.trim() !== '' && 'refused' in read ? t(`proxy.refused.${read.refused}`) : null;

	function done(): void {
		if (text.trim() === '') void settings.write({ proxyAddress: '' });
		else if ('address' in read && read.address !== value) {
			setText(read.address);
			void settings.write({ proxyAddress: read.address });
		}
	}
	return (
		<SettingRow name="proxyAddress">
			{(fixed) => (
				<TextField
					label={t('proxy.addressLabel')}
					code
					value={text}
					onChange={setText}
					onDone={done}
					isDisabled={fixed}
					hint={t('proxy.addressHint')}
					error={problem}
					isUnsaved={problem !== null}
				/>
			)}
		</SettingRow>
	);
}
