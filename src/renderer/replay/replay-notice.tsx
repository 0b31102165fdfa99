import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { NoticeLine } from '#renderer/problems/problem-notice.tsx';
import { useParts } from '#renderer/shell/parts.ts';

/** Says that the sound is a replay, with the way back; or that there is nothing to replay. */
export function ReplayNotice() {
	const { t } = useTranslation();
	const { replay } = useParts();
	const { row, catchingUp, nothing } = useStore(replay.store);
	const stop = () => replay.stop();
	if (nothing) {
		const dismiss = { label: t('notice.dismiss'), take: stop };
		return <NoticeLine tone="info" text={t('replay.nothing')} dismiss={dismiss} />;
	}
	if (row === null && !catchingUp) return null;
	const text = t(catchingUp ? 'replay.catchingUp' : 'replay.playing');
	return <NoticeLine tone="info" text={text} action={{ label: t('replay.stop'), take: stop }} />;
}
