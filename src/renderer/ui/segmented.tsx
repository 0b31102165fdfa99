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
			<div className={styles.bar}>
				{props.options.map((option) => (
					<Radio key={option.value} value={option.value} className={styles.option ?? ''}>
						{option.icon ? (
							<>
								<span className={styles.icon} title={option.label}>
									<Icon name={option.icon} size={16} />
								</span>
								<span className={styles.text}>{option.label}</span>
							</>
						) : (
							option.label
						)}
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
