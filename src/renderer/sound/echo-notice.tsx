import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { isolate } from '#renderer/i18n/i18n.ts';
import { NoticeLine } from '#renderer/problems/problem-notice.tsx';
import { useParts, useSetting } from '#renderer/shell/parts.ts';
import bar from '#renderer/ui/notices.module.css';
import { otherMicrophone } from '#shared/sound/devices.ts';

/** Warns that the microphone hears the translation, and shows what to do about it or what was done. */
export function EchoNotice() {
	const { t } = useTranslation();
	const { echo, settings, navigation } = useParts();
	const { heard, gated } = useStore(echo.store);
	const gate = useSetting('gate');
	const others = useOtherMicrophone();
	if (!heard) return null;
	const dismiss = { label: t('notice.dismiss'), take: () => echo.dismiss() };
	const set = (next: 'on' | 'off') => () => {
		void settings.write({ gate: next });
		echo.dismiss();
	};
	const headphones = { label: t('echo.headphones'), take: () => navigation.go('live', 'output') };
	return (
		<div className={bar.notices}>
			{gated && gate === 'auto' ? (
				<NoticeLine
					tone="warning"
					text={t('echo.gated')}
					action={{ label: t('echo.undo'), take: set('off') }}
					dismiss={dismiss}
				/>
			) : gate === 'on' ? (
				<NoticeLine
					tone="warning"
					text={t('echo.still')}
					action={headphones}
					others={others}
					dismiss={dismiss}
				/>
			) : (
				<>
					<NoticeLine
						tone="warning"
						text={t('echo.heard')}
						action={{ label: t('echo.gate'), take: set('on') }}
						dismiss={dismiss}
					/>
					<NoticeLine tone="warning" text={t('echo.orElse')} action={headphones} others={others} />
				</>
			)}
		</div>
	);
}

/** The microphone to switch to with one press, if there is another. */
function useOtherMicrophone() {
	const { t } = useTranslation();
	const { sound, settings, echo } = useParts();
	const { microphones, systemMicrophone } = useStore(sound.store);
	const microphone = useSetting('microphone');
	const other = otherMicrophone({ label: microphone?.label ?? systemMicrophone }, microphones);
	if (!other) return [];
	const { id, label } = other;
	function take(): void {
		void settings.write({ microphone: { id, label } });
		echo.dismiss();
	}
	return [{ label: t('silence.useOther', { device: isolate(label) }), take }];
}
