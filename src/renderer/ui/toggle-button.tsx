import { ToggleButton as AriaToggleButton } from 'react-aria-components';
import buttonStyles from './button.module.css';
import { Icon, type IconName } from './icon.tsx';
import styles from './toggle-button.module.css';

export interface ToggleButtonProps {
	readonly label: string;
	readonly icon: IconName;
	readonly isOn: boolean;
	readonly onChange: (isOn: boolean) => void;
}

/** A square button that is pressed in or not. */
export function ToggleButton({ label, icon, isOn, onChange }: ToggleButtonProps) {
	return (
		<AriaToggleButton
			className={`${buttonStyles.button} ${buttonStyles.quiet} ${buttonStyles.square} ${styles.toggle}`}
			aria-label={label}
			isSelected={isOn}
			onChange={onChange}
		>
			<Icon name={icon} />
		</AriaToggleButton>
	);
}
