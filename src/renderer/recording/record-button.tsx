import { useState } from 'react';
import { useStore } from 'zustand';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { AskDialog } from '#renderer/shell/ask-dialog.tsx';
import { useParts } from '#renderer/shell/parts.ts';
import { Button } from '#renderer/ui/button.tsx';
import { Icon } from '#renderer/ui/icon.tsx';
import { fileDate } from '#shared/captions/export-name.ts';

/** Records source and translation once everybody has agreed. */
export function RecordButton() {
	const { t } = useTranslation();
	const { recording, info, clock } = useParts();
	const { state } = useStore(recording.store);
	const [asking, setAsking] = useState(false);
	// The button that ends a recording is in `RecordingLine`.
	if (state === 'armed' || state === 'recording' || info.safeMode) return null;
	return (
		<>
			<Button
				look="quiet"
				tip={t('recording.record')}
				isDisabled={state === 'asking'}
				onPress={() => setAsking(true)}
			>
				<Icon name="target" />
				<span>{t('recording.record')}</span>
			</Button>
			<AskDialog
				role="alertdialog"
				title={t('recording.title')}
				isOpen={asking}
				onClose={() => setAsking(false)}
				verb={t('recording.agreed')}
				onDo={() => {
					setAsking(false);
					void recording.begin(`${t('captions.fileName')} ${fileDate(clock.wall())}.wav`);
				}}
			>
				<p>{t('recording.consent')}</p>
			</AskDialog>
		</>
	);
}
