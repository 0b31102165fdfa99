import type { ReactNode, Ref } from 'react';
import {
	Select as AriaSelect,
	Button,
	type Key,
	Label,
	ListBox,
	ListBoxItem,
	Popover,
	SelectValue,
	Text,
} from 'react-aria-components';
import styles from './field.module.css';
import { Icon, type IconName } from './icon.tsx';

export interface SelectOption<Value extends string> {
	readonly value: Value;
	readonly label: string;
	readonly icon?: IconName;
	/** A sentence about the option, shown below it in the list. */
	readonly hint?: string;
}

export interface SelectProps<Value extends string> {
	readonly label: string;
	/** The label is only for assistive technology; sighted users understand the choice from the context. */
	readonly labelHidden?: boolean;
	readonly options: readonly SelectOption<Value>[];
	readonly value: Value;
	readonly onChange: (value: Value) => void;
	readonly hint?: ReactNode;
	readonly isDisabled?: boolean;
	readonly ref?: Ref<HTMLButtonElement>;
}

export function Select<Value extends string>(props: SelectProps<Value>) {
	function chosen(key: Key | null): void {
		const option = props.options.find(({ value }) => value === key);
		if (option) props.onChange(option.value);
	}
	const icon = props.options.find(({ value }) => value === props.value)?.icon;
	return (
		<AriaSelect
			className={styles.field ?? ''}
			value={props.value}
			onChange={chosen}
			isDisabled={props.isDisabled ?? false}
			{...(props.labelHidden ? { 'aria-label': props.label } : {})}
		>
			{!props.labelHidden && <Label className={styles.label ?? ''}>{props.label}</Label>}
			<Button className={styles.selectButton ?? ''} {...(props.ref ? { ref: props.ref } : {})}>
				{icon && <Icon name={icon} />}
				<SelectValue className={styles.selectValue ?? ''}>
					{({ selectedText, defaultChildren }) => selectedText || defaultChildren}
				</SelectValue>
				<Icon name="down" size={16} />
			</Button>
			{props.hint && (
				<Text slot="description" className={styles.hint ?? ''}>
					{props.hint}
				</Text>
			)}
			<Popover className={styles.popover ?? ''} offset={4}>
				<ListBox
					className={styles.listBox ?? ''}
					items={props.options.map((option) => ({ ...option, id: option.value }))}
				>
					{(option) => (
						<ListBoxItem className={styles.item ?? ''} textValue={option.label}>
							{({ isSelected }) => (
								<>
									{option.icon && <Icon name={option.icon} />}
									<span className={styles.itemText}>
										<Text slot="label">{option.label}</Text>
										{option.hint && (
											<Text slot="description" className={styles.itemHint ?? ''}>
												{option.hint}
											</Text>
										)}
									</span>
									{isSelected && <Icon name="check" size={16} />}
								</>
							)}
						</ListBoxItem>
					)}
				</ListBox>
			</Popover>
		</AriaSelect>
	);
}
