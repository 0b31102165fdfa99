import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Tick } from '#renderer/ui/tick.tsx';
import { AskDialog } from '#renderer/window/components/ask-dialog.tsx';
import { isolate } from '#renderer/window/words/i18n.ts';
import type { VoiceEntry } from '#shared/host/voices.ts';

export interface ForgetDialogProps {
	/** Null = closed. */
	readonly entry: VoiceEntry | null;
	readonly onClose: () => void;
	readonly onForget: (entry: VoiceEntry, atService: boolean) => void;
}

/** Removes a voice from the list only, which can be undone, or at the service too, which cannot. */
export function ForgetDialog({ entry, onClose, onForget }: ForgetDialogProps) {
	const { t } = useTranslation();
	const [atService, setAtService] = useState(false);

	/** Resets the choice for the next voice. */
	function close(): void {
		setAtService(false);
		onClose();
	}

	function forget(): void {
		setAtService(false);
		if (entry) onForget(entry, atService);
	}

	return (
		<AskDialog
			role="alertdialog"
			title={t('voices.forgetNamed', { name: isolate(entry?.name ?? '') })}
			isOpen={entry !== null}
			onClose={close}
			verb={t(atService ? 'voices.delete' : 'voices.forget')}
			look="danger"
			onDo={forget}
		>
			<p>{t(atService ? 'voices.deleteLead' : 'voices.forgetLead')}</p>
			{entry?.voiceId !== null && (
				<Tick isTicked={atService} onChange={setAtService}>
					{t('voices.atService')}
				</Tick>
			)}
		</AskDialog>
	);
}
