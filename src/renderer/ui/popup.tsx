import type { ReactElement, ReactNode } from 'react';
import { DialogTrigger, Popover } from 'react-aria-components';
import field from './field.module.css';
import styles from './popup.module.css';

export interface PopupProps {
	readonly label: string;
	/** The button that opens it. */
	readonly trigger: ReactElement;
	readonly children: ReactNode;
}

/** A few controls below their button, shown until dismissed. */
export function Popup({ label, trigger, children }: PopupProps) {
	return (
		<DialogTrigger>
			{trigger}
			{/* The popover is itself the dialog, so that it also contains the screen reader's close button. */}
			<Popover className={field.popover ?? ''} offset={4} aria-label={label}>
				<div className={styles.popup}>{children}</div>
			</Popover>
		</DialogTrigger>
	);
}
