import { type ReactNode, useEffect } from 'react';
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { Button } from './button.tsx';
import styles from './dialog.module.css';
import { Icon } from './icon.tsx';
import { landAfterDialog } from './landing.ts';

export interface DialogProps {
	readonly title: string;
	readonly closeLabel: string;
	readonly isOpen: boolean;
	readonly onClose: () => void;
	readonly role?: 'dialog' | 'alertdialog';
	/** Makes the dialog as wide as the window allows, for content that is read from a distance. */
	readonly wide?: boolean;
	readonly children: ReactNode;
	/** Buttons at the bottom of the dialog. */
	readonly actions?: ReactNode;
}

export function Dialog({
	title,
	closeLabel,
	isOpen,
	onClose,
	role = 'dialog',
	wide = false,
	children,
	actions,
}: DialogProps) {
	return (
		<ModalOverlay
			className={styles.overlay ?? ''}
			isOpen={isOpen}
			isDismissable={role === 'dialog'}
			onOpenChange={(open) => {
				if (!open) onClose();
			}}
		>
			<Modal className={`${styles.modal} ${wide ? styles.wide : ''}`}>
				<Gone />
				<AriaDialog className={styles.dialog ?? ''} role={role}>
					<div className={styles.head}>
						<Heading slot="title" className={styles.title ?? ''}>
							{title}
						</Heading>
						{role === 'dialog' && (
							<Button look="quiet" square aria-label={closeLabel} onPress={onClose}>
								<Icon name="close" />
							</Button>
						)}
					</div>
					<div className={styles.body}>{children}</div>
					{actions && <div className={styles.actions}>{actions}</div>}
				</AriaDialog>
			</Modal>
		</ModalOverlay>
	);
}

/** Restores focus if the element that opened a dialog was removed by an action in the dialog. */
function Gone() {
	useEffect(() => landAfterDialog, []);
	return null;
}
