import { useTranslation } from 'react-i18next';
import { useSetting } from '#renderer/window/parts.ts';
import { SelectSetting } from './setting-fields.tsx';

/** When the microphone is open. */
export function TalkSetting() {
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
