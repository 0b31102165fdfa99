import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { TextField } from '#renderer/ui/text-field.tsx';
import { AskDialog } from '#renderer/window/components/ask-dialog.tsx';
import type { HistoryRow } from '#shared/host/history.ts';

/** As many as the contract takes. */
const MOST_LETTERS = 200;

export interface RenameDialogProps {
	/** Null: closed. */
	readonly row: HistoryRow | null;
	readonly onClose: () => void;
	/** The empty title goes back to how the conversation began. */
	readonly onRename: (row: HistoryRow, title: string) => void;
}

export function RenameDialog({ row, onClose, onRename }: RenameDialogProps) {
	const { t } = useTranslation();
	const [title, setTitle] = useState('');
	useEffect(() => setTitle(row?.title ?? ''), [row]);
	const save = () => row && onRename(row, title);
	return (
		<AskDialog
			title={t('history.rename')}
			isOpen={row !== null}
			onClose={onClose}
			verb={t('history.saveTitle')}
			onDo={save}
		>
			<form
				onSubmit={(event) => {
					event.preventDefault();
					save();
				}}
			>
				<TextField
					takesCursor
					label={t('history.titleLabel')}
					value={title}
					onChange={(next) => setTitle(next.slice(0, MOST_LETTERS))}
					placeholder={row?.preview ?? ''}
				/>
			</form>
		</AskDialog>
	);
}
