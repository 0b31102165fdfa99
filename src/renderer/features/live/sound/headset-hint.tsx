import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { NoticeLine } from '#renderer/window/components/problem-notice.tsx';
import { useParts, useSetting } from '#renderer/window/parts.ts';
import { isolate } from '#renderer/window/words/i18n.ts';
import { telephoneHeadset } from '#shared/audio/telephone-headset.ts';

/** A Bluetooth headset whose microphone has switched it to telephone quality, and the microphone to use instead. */
export function HeadsetHint() {
	const { t } = useTranslation();
	const { sound, settings } = useParts();
	const view = useStore(sound.store);
	const microphone = useSetting('microphone');
	const output = useSetting('output');
	const found = telephoneHeadset(
		{ label: microphone?.label ?? view.systemMicrophone },
		{ label: output?.label ?? view.systemOutput },
		view.microphones,
	);
	if (!found) return null;
	const { headset, better } = found;
	return (
		<NoticeLine
			tone="warning"
			text={t('sound.telephone', { headset: isolate(headset) })}
			action={
				better
					? {
							label: t('sound.useInstead', { name: isolate(better.label) }),
							take: () => void settings.write({ microphone: { id: better.id, label: better.label } }),
						}
					: undefined
			}
		/>
	);
}
