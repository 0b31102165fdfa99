import { useRef, useState } from 'react';
import { useStore } from 'zustand';
import { copyText } from '#renderer/captions/copy-text.ts';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { ProblemNotice } from '#renderer/problems/problem-notice.tsx';
import { useParts, useSetting } from '#renderer/shell/parts.ts';
import { Button, ButtonRow } from '#renderer/ui/button.tsx';
import { Segmented } from '#renderer/ui/segmented.tsx';
import { VoicePicker } from '#renderer/voices/voice-picker.tsx';
import { interfaceLanguageNames, interfaceLanguages } from '#shared/i18n/interface-languages.ts';
import type { Problem } from '#shared/problem.ts';
import { ButtonsRow, DurationSetting, Section, SelectSetting, SettingRow } from './setting-fields.tsx';
import styles from './settings-page.module.css';

const presets = ['fast', 'balanced', 'accurate'] as const;

/** The most common settings: sound of the translation, end and pause of a conversation, appearance, and help. */
export function GeneralSection() {
	return (
		<>
			<TranslationSection />
			<LookSection />
			<HelpSection />
		</>
	);
}

function TranslationSection() {
	const { t } = useTranslation();
	const { settings, navigation } = useParts();
	const preset = useSetting('preset');
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
			<ButtonsRow
				name="glossaries"
				label={t('glossary.title')}
				words={<p className={styles.reason}>{t('settings.glossariesHint')}</p>}
			>
				<Button onPress={() => navigation.go('glossaries')}>{t('glossary.show')}</Button>
			</ButtonsRow>
			<ClosingSetting />
			<DurationSetting
				name="pauseWhenQuietS"
				label={t('settings.pauseWhenQuiet')}
				hint={t('settings.pauseWhenQuietHint')}
				zero={t('settings.pauseNever')}
				choicesS={[0, 300, 600, 1800, 3600]}
			/>
		</Section>
	);
}

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

function LookSection() {
	const { t } = useTranslation();
	return (
		<Section title={t('settings.look')}>
			<SelectSetting
				name="interfaceLanguage"
				label={t('settings.interfaceLanguage')}
				options={[
					{ value: 'system', label: t('settings.languageSystem') },
					...interfaceLanguages.map((value) => ({ value, label: interfaceLanguageNames[value] })),
				]}
			/>
			<SelectSetting
				name="theme"
				label={t('settings.theme')}
				options={[
					{ value: 'system', label: t('settings.themeSystem') },
					{ value: 'light', label: t('settings.themeLight') },
					{ value: 'dark', label: t('settings.themeDark') },
					{ value: 'contrast', label: t('settings.themeContrast') },
				]}
			/>
			<SelectSetting
				name="motion"
				label={t('settings.motion')}
				options={[
					{ value: 'system', label: t('settings.motionSystem') },
					{ value: 'reduced', label: t('settings.motionReduced') },
				]}
			/>
		</Section>
	);
}

function HelpSection() {
	const { t } = useTranslation();
	const { host, info, navigation } = useParts();
	const [copied, setCopied] = useState<boolean | null>(null);
	const [problem, setProblem] = useState<Problem | null>(null);
	const busy = useRef(false);

	async function copy(): Promise<void> {
		if (busy.current) return;
		busy.current = true;
		const report = await host.ask('diagnostics.report', undefined);
		busy.current = false;
		setProblem(report.ok ? null : report.error);
		if (!report.ok) return;
		setCopied(await copyText(report.value));
	}

	return (
		<Section title={t('settings.help')}>
			<ButtonRow>
				<span data-setting="setup">
					<Button onPress={() => navigation.go('setup')}>{t('settings.openSetup')}</Button>
				</span>
				<span data-setting="diagnostics">
					<Button onPress={() => navigation.go('diagnostics')}>{t('settings.openDiagnostics')}</Button>
				</span>
				<span data-setting="report">
					<Button onPress={() => void copy()}>{t('settings.diagnostics')}</Button>
				</span>
				<Button onPress={() => navigation.showShortcuts(true)}>{t('settings.shortcuts')}</Button>
			</ButtonRow>
			<p className={styles.reason} role="status">
				{copied === null
					? t('settings.diagnosticsHint')
					: t(copied ? 'settings.diagnosticsCopied' : 'recovery.reportNotCopied')}
			</p>
			{problem && <ProblemNotice problem={problem} />}
			<p className={styles.reason}>
				{t('settings.version', { version: info.version })}
				{info.shell === 'stand-in' && <> · {t('settings.standIn')}</>}
			</p>
		</Section>
	);
}

/** The setting that decides what happens to a running conversation when the window is closed. */
function ClosingSetting() {
	const { t } = useTranslation();
	const hasTray = useStore(useParts().shell.store, (view) => view.tray === 'shown');
	return (
		<SelectSetting
			name="closeLive"
			label={t('closing.label')}
			options={[
				{ value: 'ask', label: t('closing.ask') },
				{ value: 'stop', label: t('closing.stop') },
				{ value: 'keep', label: t('closing.keep') },
			]}
			{...(hasTray ? {} : { hint: t('closing.hint') })}
		/>
	);
}
