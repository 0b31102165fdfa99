import type { ReactNode, Ref } from 'react';
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components';
import styles from './button.module.css';
import { tooltip } from './tooltip.tsx';

export interface ButtonProps extends Omit<AriaButtonProps, 'className' | 'children' | 'style'> {
	/** `primary`: the one thing to do here. `plain`: the usual. `quiet`: no frame. `danger`: ends or deletes. */
	readonly look?: 'primary' | 'plain' | 'quiet' | 'danger';
	/** An icon alone, square; needs `aria-label`. */
	readonly square?: boolean;
	readonly large?: boolean;
	/** Shown on hover; an icon alone shows its name by itself. */
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
