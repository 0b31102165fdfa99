import { Button, Disclosure, DisclosurePanel, Heading } from 'react-aria-components';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { Icon } from '#renderer/ui/icon.tsx';
import { Segmented } from '#renderer/ui/segmented.tsx';
import { useParts, useSetting } from '#renderer/window/parts.ts';
import { VoicePicker } from '#renderer/window/voice-picker.tsx';
import { ExpertFields } from './expert-fields.tsx';
import { Section } from './section.tsx';
import { NumberSetting, SelectSetting, SwitchSetting } from './setting-fields.tsx';
import { SettingRow } from './setting-row.tsx';
import styles from './settings-page.module.css';

const presets = ['fast', 'balanced', 'accurate'] as const;

/** Pace, voices, and what an expert may set by hand. */
export function ConversationSection() {
	const { t } = useTranslation();
	const { settings, account } = useParts();
	const preset = useSetting('preset');
	const transport = useSetting('transport');
	// Our own sandbox has its address only once it runs.
	const hasSocket = useStore(
		account.store,
		({ status }) =>
			status.speechSocket !== false || (status.service === 'sandbox' && status.sandbox !== 'running'),
	);
	return (
		<Section title={t('settings.conversation')}>
			<SettingRow name="preset">
				{(fixed) => (
					<Segmented
						label={t('presets.title')}
						options={presets.map((value) => ({ value, label: t(`presets.${value}`) }))}
						value={preset}
						isDisabled={fixed}
						onChange={(next) => void settings.write({ preset: next })}
						hint={t(`presets.${preset}Hint`)}
					/>
				)}
			</SettingRow>
			<VoiceSettings />
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
			<NumberSetting name="warmIdleS" label={t('settings.warmIdleS')} min={0} max={600} step={30} />
			<p className={styles.reason}>{t('settings.warmIdleHint')}</p>
			<SwitchSetting name="roomAhead" label={t('settings.roomAhead')} hint={t('settings.roomAheadHint')} />
			<Disclosure className={styles.expert ?? ''}>
				<Heading level={3}>
					<Button slot="trigger" className={styles.expertButton ?? ''}>
						<Icon name="down" size={16} />
						{t('settings.expert')}
					</Button>
				</Heading>
				<DisclosurePanel>
					<SettingRow name="expert">{(fixed) => <ExpertFields isDisabled={fixed} />}</SettingRow>
				</DisclosurePanel>
			</Disclosure>
		</Section>
	);
}

/** Whose voice speaks each language that is heard. */
function VoiceSettings() {
	const hear = useSetting('hear');
	return (
		<SettingRow name="voices">
			{(fixed) => (
				<div className={styles.stack}>
					{hear.map((code) => (
						<VoicePicker key={code} code={code} isDisabled={fixed} />
					))}
				</div>
			)}
		</SettingRow>
	);
}
