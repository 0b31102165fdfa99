import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { Button } from '#renderer/ui/button.tsx';
import page from '#renderer/ui/page.module.css';
import { useParts } from '#renderer/window/parts.ts';
import { ProblemNotice } from '#renderer/window/problem-notice.tsx';
import { interfaceLanguageNames, interfaceLanguages } from '#shared/i18n/interface-languages.ts';
import type { Problem } from '#shared/problem.ts';
import { AccountSection } from './account-section.tsx';
import { CallRouteSection } from './call-route-section.tsx';
import { ClosingSetting } from './closing-setting.tsx';
import { ConversationSection } from './conversation-section.tsx';
import { HistorySection } from './history-section.tsx';
import { OverlaySection } from './overlay-section.tsx';
import { ProxySetting } from './proxy-setting.tsx';
import { Section } from './section.tsx';
import { NumberSetting, SelectSetting, SwitchSetting, TextSetting } from './setting-fields.tsx';
import styles from './settings-page.module.css';
import { ShortcutsSection } from './shortcuts-section.tsx';
import { SoundSection } from './sound-section.tsx';
import { useAccountLock } from './use-account-lock.ts';

/** Every setting, which value is in force, and why. */
export function SettingsPage() {
	const { t } = useTranslation();
	const { settings } = useParts();
	const problem = useStore(settings.store, (view) => view.problem);
	return (
		<main className={page.page}>
			<div className={page.column}>
				<h1 className={page.title}>{t('settings.title')}</h1>
				{problem && <ProblemNotice problem={problem} tone="warning" />}
				<AccountSection />
				<ConversationSection />
				<SoundSection />
				<CallRouteSection />
				<CaptionsSection />
				<OverlaySection />
				<HistorySection />
				<ShortcutsSection />
				<LookSection />
				<AdvancedSection />
				<HelpSection />
			</div>
		</main>
	);
}

function CaptionsSection() {
	const { t } = useTranslation();
	return (
		<Section title={t('settings.captions')}>
			<NumberSetting name="captionSize" label={t('settings.captionSize')} min={14} max={64} step={2} />
			<SelectSetting
				name="captionLayout"
				label={t('captions.arrange')}
				options={[
					{ value: 'beside', label: t('captions.beside') },
					{ value: 'under', label: t('captions.under') },
					{ value: 'target', label: t('captions.targetOnly') },
				]}
			/>
			<SwitchSetting
				name="announceCaptions"
				label={t('settings.announceCaptions')}
				hint={t('settings.announceHint')}
			/>
		</Section>
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
			<ClosingSetting />
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

function AdvancedSection() {
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
			<ProxySetting />
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

/** What was decided outside the settings: where they are, and what the environment says. */
function Surroundings() {
	const { t } = useTranslation();
	const { userData, variables = [] } = useParts().info;
	return (
		<dl className={styles.facts}>
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

function HelpSection() {
	const { t } = useTranslation();
	const { host, info, navigation } = useParts();
	const [copied, setCopied] = useState(false);
	const [problem, setProblem] = useState<Problem | null>(null);
	const busy = useRef(false);

	async function copy(): Promise<void> {
		if (busy.current) return;
		busy.current = true;
		const report = await host.ask('diagnostics.report', undefined);
		busy.current = false;
		setProblem(report.ok ? null : report.error);
		if (!report.ok) return;
		await navigator.clipboard.writeText(report.value);
		setCopied(true);
	}

	return (
		<Section title={t('settings.help')}>
			<div className={styles.buttons}>
				<Button onPress={() => navigation.go('setup')}>{t('settings.openSetup')}</Button>
				<Button onPress={() => navigation.go('diagnostics')}>{t('settings.openDiagnostics')}</Button>
				<Button onPress={() => void copy()}>{t('settings.diagnostics')}</Button>
				<Button onPress={() => navigation.showShortcuts(true)}>{t('settings.shortcuts')}</Button>
			</div>
			<p className={styles.reason} role="status">
				{t(copied ? 'settings.diagnosticsCopied' : 'settings.diagnosticsHint')}
			</p>
			{problem && <ProblemNotice problem={problem} />}
			<p className={styles.reason}>
				{t('settings.version', { version: info.version })}
				{info.shell === 'stand-in' && <> · {t('settings.standIn')}</>}
			</p>
		</Section>
	);
}
