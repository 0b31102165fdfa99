import { useTranslation } from 'react-i18next';
import { CAPTION_SIZE_PX } from '#shared/settings/schema.ts';
import { CorrectionsSetting } from './corrections-setting.tsx';
import { Section } from './section.tsx';
import { NumberSetting, SelectSetting, SwitchSetting } from './setting-fields.tsx';

/** The captions of the window itself. */
export function CaptionsSection() {
	const { t } = useTranslation();
	return (
		<Section title={t('settings.captions')}>
			<NumberSetting
				name="captionSize"
				label={t('settings.captionSize')}
				min={CAPTION_SIZE_PX.smallest}
				max={CAPTION_SIZE_PX.largest}
				step={2}
			/>
			<SelectSetting
				name="captionLayout"
				label={t('captions.arrange')}
				options={[
					{ value: 'beside', label: t('captions.beside') },
					{ value: 'under', label: t('captions.under') },
					{ value: 'target', label: t('captions.targetOnly') },
				]}
			/>
			<SwitchSetting name="checkFacts" label={t('facts.setting')} hint={t('facts.hint')} />
			<SwitchSetting
				name="announceCaptions"
				label={t('settings.announceCaptions')}
				hint={t('settings.announceHint')}
			/>
			<CorrectionsSetting />
		</Section>
	);
}
