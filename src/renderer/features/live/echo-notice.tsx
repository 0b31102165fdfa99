import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { useParts, useSetting } from '#renderer/window/parts.ts';
import { NoticeLine } from '#renderer/window/problem-notice.tsx';

/** The microphone hears the translation: what to do about it, or what was done. */
export function EchoNotice() {
	const { t } = useTranslation();
	const { echo, settings, navigation } = useParts();
	const { heard, gated } = useStore(echo.store);
	const gate = useSetting('gate');
	if (!heard) return null;
	const dismiss = { label: t('notice.dismiss'), take: () => echo.dismiss() };
	const set = (next: 'on' | 'off') => () => {
		void settings.write({ gate: next });
		echo.dismiss();
	};
	if (gated && gate === 'auto')
		return (
			<NoticeLine
				tone="warning"
				text={t('echo.gated')}
				action={{ label: t('echo.undo'), take: set('off') }}
				dismiss={dismiss}
			/>
		);
	if (gate === 'on')
		return (
			<NoticeLine
				tone="warning"
				text={t('echo.still')}
				action={{ label: t('echo.headphones'), take: () => navigation.go('live', 'output') }}
				dismiss={dismiss}
			/>
		);
	return (
		<>
			<NoticeLine
				tone="warning"
				text={t('echo.heard')}
				action={{ label: t('echo.gate'), take: set('on') }}
				dismiss={dismiss}
			/>
			<NoticeLine
				tone="warning"
				text={t('echo.orElse')}
				action={{ label: t('echo.headphones'), take: () => navigation.go('live', 'output') }}
			/>
		</>
	);
}
