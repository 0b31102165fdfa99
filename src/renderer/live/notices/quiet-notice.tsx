import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { duration } from '#renderer/i18n/format.ts';
import { NoticeLine } from '#renderer/problems/problem-notice.tsx';
import { useParts } from '#renderer/shell/parts.ts';

/** Shows that the conversation was paused after a silence, with a button to resume. */
export function QuietNotice() {
	const { t, i18n } = useTranslation();
	const { conversation, quiet } = useParts();
	const quietMs = useStore(quiet, (view) => view.quietMs);
	if (quietMs === null) return null;
	return (
		<NoticeLine
			tone="warning"
			text={t('notice.nobodySpoke', { duration: duration(quietMs, i18n.language) })}
			action={{ label: t('live.resume'), take: () => conversation.resume() }}
		/>
	);
}
