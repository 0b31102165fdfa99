import { Label, Radio, RadioGroup } from 'react-aria-components';
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
	/** Never one below the others, however narrow it is. */
	readonly oneRow?: boolean;
}

/** A few choices side by side, exactly one of them taken. */
export function Segmented<Value extends string>(props: SegmentedProps<Value>) {
	return (
		<RadioGroup
			className={styles.group ?? ''}
			orientation="horizontal"
			value={props.value}
			isDisabled={props.isDisabled ?? false}
			onChange={(value) => {
				const option = props.options.find((one) => one.value === value);
				if (option) props.onChange(option.value);
			}}
			{...(props.labelHidden ? { 'aria-label': props.label } : {})}
		>
			{!props.labelHidden && <Label className={styles.label ?? ''}>{props.label}</Label>}
			<div className={`${styles.bar} ${props.oneRow ? styles.oneRow : ''}`}>
				{props.options.map((option) => (
					<Radio key={option.value} value={option.value} className={styles.option ?? ''}>
						{option.icon && <Icon name={option.icon} size={16} />}
						<span>{option.label}</span>
					</Radio>
				))}
			</div>
			{props.hint && (
				<p className={styles.hint} aria-live="polite">
					{props.hint}
				</p>
			)}
		</RadioGroup>
	);
}
