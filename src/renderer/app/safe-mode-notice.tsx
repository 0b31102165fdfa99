import { useTranslation } from 'react-i18next';
import { NoticeLine } from '#renderer/window/components/problem-notice.tsx';
import { useParts } from '#renderer/window/parts.ts';

/** Says that the program runs in safe mode, what is off, and how to leave it. */
export function SafeModeNotice() {
	const { t } = useTranslation();
	const { host, info } = useParts();
	if (!info.safeMode) return null;
	return (
		<NoticeLine
			tone="info"
			text={t('safeMode.text')}
			action={{ label: t('safeMode.restart'), take: () => void host.ask('app.restart', undefined) }}
		/>
	);
}
