import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { TextField } from '#renderer/ui/text-field.tsx';
import { AskDialog } from '#renderer/window/components/ask-dialog.tsx';
import { isolate } from '#renderer/window/words/i18n.ts';
import type { VoiceEntry } from '#shared/host/voices.ts';
import { checkVoiceDraft, emptyDraft } from '#shared/voices/draft.ts';

export interface RenameVoiceProps {
	/** Null = closed. */
	readonly entry: VoiceEntry | null;
	readonly onClose: () => void;
	readonly onRename: (entry: VoiceEntry, name: string) => void;
}

/** Changes the name in the local list, under the rules of a new name. */
export function RenameVoice({ entry, onClose, onRename }: RenameVoiceProps) {
	const { t } = useTranslation();
	const [name, setName] = useState('');
	const [tried, setTried] = useState(false);
	useEffect(() => {
		setName(entry?.name ?? '');
		setTried(false);
	}, [entry]);
	const wrong = checkVoiceDraft({ ...emptyDraft, name }, null).find(({ field }) => field === 'name');

	function save(): void {
		setTried(true);
		if (entry && !wrong) onRename(entry, name);
	}

	return (
		<AskDialog
			title={t('voices.renameNamed', { name: isolate(entry?.name ?? '') })}
			isOpen={entry !== null}
			onClose={onClose}
			verb={t('voices.rename')}
			onDo={save}
		>
			<form
				onSubmit={(event) => {
					event.preventDefault();
					save();
				}}
			>
				<TextField
					label={t('voices.name')}
					hint={t('voices.renameHint')}
					value={name}
					onChange={setName}
					error={tried && wrong && t(`voices.invalid.name.${wrong.reason}` as 'voices.invalid.name.missing')}
				/>
			</form>
		</AskDialog>
	);
}
