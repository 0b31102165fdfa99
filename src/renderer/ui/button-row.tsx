import type { ReactNode } from 'react';
import styles from './button-row.module.css';

export interface ButtonRowProps {
	/** More room between the buttons, and words among them aligned with them. */
	readonly apart?: boolean;
	readonly children: ReactNode;
}

/** Buttons side by side, wrapping where they do not fit. */
export function ButtonRow({ apart = false, children }: ButtonRowProps) {
	return <div className={apart ? `${styles.row} ${styles.apart}` : styles.row}>{children}</div>;
}
