import { useStore } from 'zustand';
import { stopwatch } from '#renderer/i18n/format.ts';
import { isolate } from '#renderer/i18n/i18n.ts';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { problemSentence } from '#renderer/problems/problem-notice.tsx';
import { useParts } from '#renderer/shell/parts.ts';
import { useNow } from '#renderer/shell/use-now.ts';
import { Button } from '#renderer/ui/button.tsx';
import { Icon } from '#renderer/ui/icon.tsx';
import type { Problem } from '#shared/problem.ts';
import styles from './recording-line.module.css';

/** Duration of the recording; kept out of the status, which screen readers would read out every second. */
function Time({ sinceMs }: { readonly sinceMs: number }) {
	const { i18n } = useTranslation();
	const now = useNow(true);
	return <span className={styles.time}>{stopwatch(Math.max(0, now - sinceMs), i18n.language)}</span>;
}

/** Shows the running recording, where the last one was saved, or why it ended. */
export function RecordingLine() {
	const { t, i18n } = useTranslation();
	const { host, recording } = useParts();
	const { state, sinceMs, path, saved, problem } = useStore(recording.store);
	const failed = (why: Problem) =>
		// Without a file, the recording had not begun.
		path === '' ? problemSentence(why, t, i18n.language) : t('recording.failed', { path: isolate(path) });
	const text =
		state === 'recording'
			? t('recording.running')
			: state === 'armed'
				? t('recording.armed')
				: problem
					? failed(problem)
					: saved
						? t('captions.saved', { path: isolate(path) })
						: '';
	return (
		<div className={text === '' ? styles.quiet : styles.recording} data-notice>
			<span role="status" className={state === 'recording' ? styles.running : undefined}>
				{text}
			</span>
			{sinceMs !== null && <Time sinceMs={sinceMs} />}
			{(state === 'armed' || state === 'recording') && (
				<Button onPress={() => void recording.end()}>
					{t(state === 'recording' ? 'recording.stop' : 'recording.disarm')}
				</Button>
			)}
			{state === 'off' && path !== '' && (saved || problem) && (
				<Button onPress={() => void host.ask('file.show-saved', { path })}>
					{t('captions.showInFolder')}
				</Button>
			)}
			{state === 'off' && text !== '' && (
				<Button look="quiet" square aria-label={t('notice.dismiss')} onPress={recording.dismiss}>
					<Icon name="close" size={16} />
				</Button>
			)}
		</div>
	);
}
