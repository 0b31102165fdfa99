import { type ReactNode, useEffect, useState } from 'react';
import { TextField, type TextFieldProps } from '#renderer/ui/text-field.tsx';
import { AskDialog, type AskDialogProps } from './ask-dialog.tsx';

export interface RenameDialogProps
	extends Pick<AskDialogProps, 'title' | 'onClose' | 'verb'>,
		Pick<TextFieldProps, 'label' | 'hint' | 'placeholder' | 'takesCursor'> {
	/** The current name; null: the dialog is closed. */
	readonly name: string | null;
	/** Maximum number of characters; further ones are cut off. */
	readonly longest?: number;
	/** The error in a name, shown after an attempt to save it. */
	readonly wrong?: (name: string) => ReactNode;
	readonly onRename: (name: string) => void;
}

export function RenameDialog(props: RenameDialogProps) {
	const { name, longest, wrong, onRename, title, onClose, verb, ...field } = props;
	const [typed, setTyped] = useState('');
	const [tried, setTried] = useState(false);
	useEffect(() => {
		setTyped(name ?? '');
		setTried(false);
	}, [name]);
	const error = wrong?.(typed);

	function save(): void {
		setTried(true);
		if (name !== null && !error) onRename(typed);
	}

	return (
		<AskDialog title={title} isOpen={name !== null} onClose={onClose} verb={verb} onDo={save}>
			<form
				onSubmit={(event) => {
					event.preventDefault();
					save();
				}}
			>
				<TextField
					{...field}
					value={typed}
					onChange={(next) => setTyped(next.slice(0, longest))}
					error={tried && error}
				/>
			</form>
		</AskDialog>
	);
}
