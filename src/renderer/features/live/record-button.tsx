import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { Button } from '#renderer/ui/button.tsx';
import { Dialog } from '#renderer/ui/dialog.tsx';
import { Icon } from '#renderer/ui/icon.tsx';
import { isolate } from '#renderer/window/i18n.ts';
import { useParts } from '#renderer/window/parts.ts';
import styles from './notices.module.css';

/** Records source and translation once everybody has agreed; while it does, that can be seen. */
export function RecordButton() {
	const { t } = useTranslation();
	const { recording } = useParts();
	const { state } = useStore(recording.store);
	const [asking, setAsking] = useState(false);
	// Its end is beside what is said of it.
	if (state === 'armed' || state === 'recording') return null;
	return (
		<>
			<Button look="quiet" isDisabled={state === 'asking'} onPress={() => setAsking(true)}>
				<Icon name="target" />
				<span>{t('recording.record')}</span>
			</Button>
			<Dialog
				role="alertdialog"
				title={t('recording.title')}
				closeLabel={t('app.close')}
				isOpen={asking}
				onClose={() => setAsking(false)}
				actions={
					<>
						<Button onPress={() => setAsking(false)}>{t('app.cancel')}</Button>
						<Button
							look="primary"
							onPress={() => {
								setAsking(false);
								void recording.begin(`${t('captions.fileName')}.wav`);
							}}
						>
							{t('recording.agreed')}
						</Button>
					</>
				}
			>
				<p>{t('recording.consent')}</p>
			</Dialog>
		</>
	);
}

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
