import type { ReactNode } from 'react';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { Button } from '#renderer/ui/button.tsx';
import { Dialog, type DialogProps } from '#renderer/ui/dialog.tsx';

export interface AskDialogProps extends Pick<DialogProps, 'title' | 'isOpen' | 'onClose' | 'role'> {
	/** Text of the button that confirms. */
	readonly verb: string;
	readonly onDo: () => void;
	/** `danger`: the action cannot be undone. */
	readonly look?: 'primary' | 'danger';
	readonly isDisabled?: boolean;
	readonly children: ReactNode;
}

/** Asks for confirmation. An `alertdialog` has no close button; a click outside does nothing. */
export function AskDialog({ verb, onDo, look = 'primary', isDisabled = false, ...dialog }: AskDialogProps) {
	const { t } = useTranslation();
	return (
		<Dialog
			{...dialog}
			closeLabel={t('app.close')}
			actions={
				<>
					<Button onPress={dialog.onClose}>{t('app.cancel')}</Button>
					<Button look={look} isDisabled={isDisabled} onPress={onDo}>
						{verb}
					</Button>
				</>
			}
		/>
	);
}
