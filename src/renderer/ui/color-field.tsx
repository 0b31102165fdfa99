import { useId } from 'react';
import styles from './color-field.module.css';
import field from './field.module.css';

export interface ColorFieldProps {
	readonly label: string;
	/** `#rrggbb`. */
	readonly value: string;
	readonly onChange: (value: string) => void;
	readonly isDisabled?: boolean;
}

/** The system's own colour chooser. */
export function ColorField({ label, value, onChange, isDisabled = false }: ColorFieldProps) {
	const id = useId();
	return (
		<div className={styles.field}>
			<label className={field.label} htmlFor={id}>
				{label}
			</label>
			<input
				id={id}
				type="color"
				value={value}
				disabled={isDisabled}
				onChange={({ target }) => onChange(target.value)}
			/>
		</div>
	);
}
