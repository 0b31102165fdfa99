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

/** A few controls that stand below their button until one is done with them. */
export function Popup({ label, trigger, children }: PopupProps) {
	return (
		<DialogTrigger>
			{trigger}
			{/* Itself the dialog, so that all of it is in one: also what closes it for a screen reader. */}
			<Popover className={field.popover ?? ''} offset={4} aria-label={label}>
				<div className={styles.popup}>{children}</div>
			</Popover>
		</DialogTrigger>
	);
}
