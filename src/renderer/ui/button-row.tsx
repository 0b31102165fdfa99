import type { ReactNode } from 'react';
import styles from './button-row.module.css';

export interface ButtonRowProps {
	/** More room between them, and words among them in line with them. */
	readonly apart?: boolean;
	readonly children: ReactNode;
}

/** Buttons beside each other, in more lines where they do not fit. */
export function ButtonRow({ apart = false, children }: ButtonRowProps) {
	return <div className={apart ? `${styles.row} ${styles.apart}` : styles.row}>{children}</div>;
}
