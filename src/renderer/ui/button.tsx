import type { ReactNode, Ref } from 'react';
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components';
import styles from './button.module.css';

export interface ButtonProps extends Omit<AriaButtonProps, 'className' | 'children' | 'style'> {
	/** `primary`: the one thing to do here. `plain`: the usual. `quiet`: no frame. `danger`: ends or deletes. */
	readonly look?: 'primary' | 'plain' | 'quiet' | 'danger';
	/** An icon alone, square; needs `aria-label`. */
	readonly square?: boolean;
	readonly large?: boolean;
	readonly children: ReactNode;
	readonly ref?: Ref<HTMLButtonElement>;
}

export function Button({ look = 'plain', square, large, children, ...rest }: ButtonProps) {
	const names = [styles.button, styles[look], square ? styles.square : '', large ? styles.large : ''];
	return (
		<AriaButton {...rest} className={names.join(' ')}>
			{children}
		</AriaButton>
	);
}
