import { type ReactNode, type RefObject, useEffect, useRef } from 'react';
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { Button } from './button.tsx';
import styles from './dialog.module.css';
import { Icon } from './icon.tsx';
import { landAfterDialog } from './restore-focus.ts';

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
	const dialog = useRef<HTMLElement>(null);
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
				<Focus dialog={dialog} />
				<AriaDialog ref={dialog} className={styles.dialog ?? ''} role={role}>
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

/**
 * Focuses the dialog when it opens, unless a control in it took focus, and restores focus if the element that opened
 * it was removed by an action in it. React Aria would focus the dialog itself, and again half a second later if
 * nothing had focus at that moment, as when a list of options closes.
 */
function Focus({ dialog }: { readonly dialog: RefObject<HTMLElement | null> }) {
	useEffect(() => {
		if (!dialog.current?.contains(document.activeElement)) dialog.current?.focus({ preventScroll: true });
		return landAfterDialog;
	}, [dialog]);
	return null;
}
