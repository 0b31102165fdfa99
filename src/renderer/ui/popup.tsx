import type { ReactElement, ReactNode } from 'react';
import { Dialog, DialogTrigger, Popover } from 'react-aria-components';
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
			<Popover className={field.popover ?? ''} offset={4}>
				<Dialog className={styles.popup ?? ''} aria-label={label}>
					{children}
				</Dialog>
			</Popover>
		</DialogTrigger>
	);
}
