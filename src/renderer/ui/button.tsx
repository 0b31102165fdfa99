import type { ComponentProps, ReactNode, Ref } from 'react';
import {
	Button as AriaButton,
	type ButtonProps as AriaButtonProps,
	ToggleButton as AriaToggleButton,
} from 'react-aria-components';
import styles from './button.module.css';
import rowStyles from './button-row.module.css';
import { Icon, type IconName } from './icon.tsx';
import toggleStyles from './toggle-button.module.css';

export interface ButtonProps extends Omit<AriaButtonProps, 'className' | 'children' | 'style'> {
	/** `primary`: the main action. `plain`: the default. `quiet`: no frame. `danger`: ends or deletes. */
	readonly look?: 'primary' | 'plain' | 'quiet' | 'danger';
	/** True for a square button with only an icon; it needs `aria-label`. */
	readonly square?: boolean;
	readonly large?: boolean;
	/** Tooltip, shown on hover; the default for an icon is its accessible name. */
	readonly tip?: string;
	readonly children: ReactNode;
	readonly ref?: Ref<HTMLButtonElement>;
}

export function Button({ look = 'plain', square, large, tip, children, ...rest }: ButtonProps) {
	const names = [styles.button, styles[look], square ? styles.square : '', large ? styles.large : ''];
	const shown = tip ?? (square ? rest['aria-label'] : undefined);
	return (
		<AriaButton {...tooltip(shown)} {...rest} className={names.join(' ')}>
			{children}
		</AriaButton>
	);
}

export interface ButtonRowProps {
	/** Widens the gaps between the buttons, and vertically aligns text that stands between them. */
	readonly apart?: boolean;
	readonly children: ReactNode;
}

/** Buttons side by side, which wrap if there is too little room. */
export function ButtonRow({ apart = false, children }: ButtonRowProps) {
	return <div className={apart ? `${rowStyles.row} ${rowStyles.apart}` : rowStyles.row}>{children}</div>;
}

export interface ToggleButtonProps {
	readonly label: string;
	/** Shows the label beside the icon; otherwise only the icon, in a square. */
	readonly named?: boolean;
	/** Tooltip, shown on hover; default: the label. */
	readonly tip?: string;
	readonly icon: IconName;
	readonly isOn: boolean;
	readonly onChange: (isOn: boolean) => void;
}

export function ToggleButton({ label, named, tip = label, icon, isOn, onChange }: ToggleButtonProps) {
	return (
		<AriaToggleButton
			{...tooltip(tip)}
			className={`${styles.button} ${styles.quiet} ${named ? '' : styles.square} ${toggleStyles.toggle}`}
			aria-label={label}
			isSelected={isOn}
			onChange={onChange}
		>
			<Icon name={icon} />
			{named && <span>{label}</span>}
		</AriaToggleButton>
	);
}

/** Props that give a React Aria button a tooltip (shown by `shell/focus-tip.tsx`); empty without a text. */
export function tooltip(text: string | undefined) {
	if (text === undefined) return {};
	return { render: (its: ComponentProps<'button'>) => <button type="button" {...its} data-tooltip={text} /> };
}
