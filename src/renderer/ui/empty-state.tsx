import type { ReactNode } from 'react';
import styles from './empty-state.module.css';
import { Icon, type IconName } from './icon.tsx';

export interface EmptyStateProps {
	readonly icon: IconName;
	readonly title: string;
	/** Tells the user what to do, or what happens next. */
	readonly children: ReactNode;
	/** The button for the action that the text suggests. */
	readonly action?: ReactNode;
}

/** Shown in place of an empty list; fills the remaining room of its column. */
export function EmptyState({ icon, title, children, action }: EmptyStateProps) {
	return (
		<div className={styles.empty} data-empty>
			<span className={styles.icon}>
				<Icon name={icon} size={28} />
			</span>
			<p className={styles.title}>{title}</p>
			<p>{children}</p>
			{action}
		</div>
	);
}
