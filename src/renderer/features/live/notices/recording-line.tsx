import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { Button } from '#renderer/ui/button.tsx';
import { useParts } from '#renderer/window/parts.ts';
import { isolate } from '#renderer/window/words/i18n.ts';
import styles from './recording-line.module.css';

/** What is being recorded, where it went, or why it ended. */
export function RecordingLine() {
	const { t } = useTranslation();
	const { recording } = useParts();
	const { state, path, saved, problem } = useStore(recording.store);
	const text =
		state === 'recording'
			? t('recording.running')
			: state === 'armed'
				? t('recording.armed')
				: problem
					? t('recording.failed', { path: isolate(path) })
					: saved
						? t('captions.saved', { path: isolate(path) })
						: '';
	return (
		<div className={text === '' ? styles.quiet : styles.recording}>
			<span role="status">{text}</span>
			{(state === 'armed' || state === 'recording') && (
				<Button onPress={() => void recording.end()}>
					{t(state === 'recording' ? 'recording.stop' : 'recording.disarm')}
				</Button>
			)}
		</div>
	);
}
