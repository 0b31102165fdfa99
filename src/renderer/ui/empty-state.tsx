import type { ReactNode } from 'react';
import styles from './empty-state.module.css';
import { Icon, type IconName } from './icon.tsx';

export interface EmptyStateProps {
	readonly icon: IconName;
	readonly title: string;
	/** What to do, or what happens next. */
	readonly children: ReactNode;
	/** The way to it. */
	readonly action?: ReactNode;
}

/** In place of a list that holds nothing yet; it takes the room that is left in its column. */
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
