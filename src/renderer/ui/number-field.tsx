import { NumberField as AriaNumberField, Input, Label, Text } from 'react-aria-components';
import styles from './field.module.css';

export interface NumberFieldProps {
	readonly label: string;
	readonly hint: string;
	readonly placeholder: string;
	readonly value: number | null;
	readonly min: number;
	readonly max: number;
	readonly step: number;
	readonly format?: Intl.NumberFormatOptions;
	readonly isDisabled: boolean;
	/** Called with the new number, always within bounds, or `null` if the field was emptied. */
	readonly onChange: (value: number | null) => void;
}

export function NumberField(props: NumberFieldProps) {
	return (
		<AriaNumberField
			className={styles.field ?? ''}
			value={props.value ?? Number.NaN}
			minValue={props.min}
			maxValue={props.max}
			step={props.step}
			isDisabled={props.isDisabled}
			{...(props.format ? { formatOptions: props.format } : {})}
			onChange={(value) => props.onChange(Number.isNaN(value) ? null : value)}
		>
			<Label className={styles.label ?? ''}>{props.label}</Label>
			<Input className={styles.input ?? ''} placeholder={props.placeholder} />
			<Text slot="description" className={styles.hint ?? ''}>
				{props.hint}
			</Text>
		</AriaNumberField>
	);
}
