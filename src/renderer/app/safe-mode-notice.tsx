import { useTranslation } from 'react-i18next';
import { NoticeLine } from '#renderer/window/components/problem-notice.tsx';
import { useParts } from '#renderer/window/parts.ts';

/** That the program runs in safe mode, what is off, and the way out. */
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
