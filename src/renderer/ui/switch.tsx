import type { ReactNode } from 'react';
import { Switch as AriaSwitch } from 'react-aria-components';
import styles from './switch.module.css';

export interface SwitchProps {
	readonly label: string;
	readonly isOn: boolean;
	readonly onChange: (isOn: boolean) => void;
	readonly hint?: ReactNode;
	readonly isDisabled?: boolean;
	/** Accessible name, if the visible label needs its context; it contains the label. */
	readonly name?: string;
}

export function Switch({ label, isOn, onChange, hint, isDisabled = false, name }: SwitchProps) {
	return (
		<div className={styles.row}>
			<AriaSwitch
				className={styles.switch ?? ''}
				isSelected={isOn}
				onChange={onChange}
				isDisabled={isDisabled}
				{...(name ? { 'aria-label': name } : {})}
			>
				<span className={styles.track}>
					<span className={styles.thumb} />
				</span>
				<span>{label}</span>
			</AriaSwitch>
			{hint && <p className={styles.hint}>{hint}</p>}
		</div>
	);
}
