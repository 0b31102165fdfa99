import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { useParts, useSetting } from '#renderer/shell/parts.ts';
import { Button } from '#renderer/ui/button.tsx';
import { ButtonsRow, Section, SelectSetting, SwitchSetting } from './setting-fields.tsx';
import styles from './settings-page.module.css';

/** Processing of the microphone signal; devices are chosen beside the conversation, at their level meters. */
export function SoundSection() {
	const { t } = useTranslation();
	const { navigation } = useParts();
	const microphone = useSetting('microphone');
	const output = useSetting('output');
	const name = (device: { readonly label: string } | null) =>
		device?.label || t('sound.systemDefaultUnknown');
	const devices = (
		<dl className={styles.facts}>
			<dt>{t('sound.microphone')}</dt>
			<dd>
				<bdi>{name(microphone)}</bdi>
			</dd>
			<dt>{t('sound.output')}</dt>
			<dd>
				<bdi>{name(output)}</bdi>
			</dd>
		</dl>
	);
	return (
		<Section title={t('settings.sound')}>
			<ButtonsRow name="devices" words={devices}>
				<Button onPress={() => navigation.go('live', 'microphone')}>{t('settings.changeDevices')}</Button>
			</ButtonsRow>
			<TalkSetting />
			<SwitchSetting
				name="echoCancellation"
				label={t('sound.echoCancellation')}
				hint={t('sound.echoCancellationHint')}
			/>
			<SelectSetting
				name="gate"
				label={t('echo.title')}
				hint={t('echo.hint')}
				options={(['auto', 'on', 'off'] as const).map((value) => ({ value, label: t(`echo.${value}`) }))}
			/>
			<SwitchSetting
				name="noiseSuppression"
				label={t('sound.noiseSuppression')}
				hint={t('sound.noiseSuppressionHint')}
			/>
			<SwitchSetting
				name="autoGainControl"
				label={t('sound.autoGainControl')}
				hint={t('sound.autoGainControlHint')}
			/>
			<SwitchSetting name="duck" label={t('sound.duck')} />
			<SelectSetting
				name="replaySpeed"
				label={t('replay.speed')}
				hint={t('replay.speedHint')}
				options={[
					{ value: '1', label: t('replay.asSaid') },
					{ value: '0.85', label: t('replay.slower') },
					{ value: '0.7', label: t('replay.slow') },
				]}
			/>
		</Section>
	);
}

/** The setting that decides when the microphone is open. */
function TalkSetting() {
	const { t } = useTranslation();
	const talk = useSetting('talk');
	return (
		<SelectSetting
			name="talk"
			label={t('talk.title')}
			hint={t(talk === 'push-to-translate' ? 'talk.translateHint' : 'talk.hint')}
			options={[
				{ value: 'open', label: t('talk.open') },
				{ value: 'push-to-talk', label: t('talk.push-to-talk') },
				{ value: 'push-to-mute', label: t('talk.push-to-mute') },
				{ value: 'push-to-translate', label: t('talk.push-to-translate') },
			]}
		/>
	);
}
