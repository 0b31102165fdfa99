import { useId } from 'react';
import field from './field.module.css';
import hidden from './hidden.module.css';
import { Icon, type IconName } from './icon.tsx';
import styles from './segmented.module.css';

export interface Segment<Value extends string> {
	readonly value: Value;
	readonly label: string;
	readonly icon?: IconName;
}

export interface SegmentedProps<Value extends string> {
	readonly label: string;
	readonly labelHidden?: boolean;
	readonly options: readonly Segment<Value>[];
	readonly value: Value;
	readonly onChange: (value: Value) => void;
	/** A sentence about what is chosen. */
	readonly hint?: string;
	readonly isDisabled?: boolean;
	/** Never stacked, however narrow it is. */
	readonly oneRow?: boolean;
}

/**
 * A few choices side by side, exactly one of them selected. Uses the browser's own radio buttons, because they are in
 * the first paint, which the component library's would make 6 kB heavier.
 */
export function Segmented<Value extends string>(props: SegmentedProps<Value>) {
	const { label, labelHidden, options, value, onChange, hint, isDisabled = false, oneRow } = props;
	const id = useId();
	return (
		<div
			role="radiogroup"
			className={styles.group}
			aria-disabled={isDisabled || undefined}
			{...(labelHidden ? { 'aria-label': label } : { 'aria-labelledby': id })}
		>
			{!labelHidden && (
				<span id={id} className={field.label}>
					{label}
				</span>
			)}
			<div className={`${styles.bar} ${oneRow ? styles.oneRow : ''}`}>
				{options.map((option) => (
					<label key={option.value} className={styles.option}>
						<input
							type="radio"
							className={hidden.hidden}
							name={id}
							value={option.value}
							checked={option.value === value}
							disabled={isDisabled}
							onChange={() => onChange(option.value)}
						/>
						{option.icon && <Icon name={option.icon} size={16} />}
						<span>{option.label}</span>
					</label>
				))}
			</div>
			{hint && (
				<p className={styles.hint} aria-live="polite">
					{hint}
				</p>
			)}
		</div>
	);
}
