import styles from './mark.module.css';

/** The sign of the program: two voices that overlap. */
export function Mark({ size = 22 }: { readonly size?: 22 | 48 }) {
	return (
		<svg aria-hidden="true" width={size} height={size} viewBox="0 0 24 24">
			<path
				className={styles.first}
				d="M9 3a7 7 0 0 0-4.600 12.300L3.500 19l4-1.900c.5.1 1 .1 1.500.1A7 7 0 0 0 9 3Z"
			/>
			<path
				className={styles.second}
				d="M15 6.800a7 7 0 0 1 4.600 12.300l.9 2.400-3.300-1.100A7 7 0 1 1 15 6.800Z"
			/>
		</svg>
	);
}
