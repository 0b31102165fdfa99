import { ToggleButton as AriaToggleButton } from 'react-aria-components';
import buttonStyles from './button.module.css';
import { Icon, type IconName } from './icon.tsx';
import styles from './toggle-button.module.css';
import { tooltip } from './tooltip.tsx';

export interface ToggleButtonProps {
	readonly label: string;
	/** Shows its name beside the icon; otherwise only the icon, square. */
	readonly named?: boolean;
	/** Shown on hover; default: its name. */
	readonly tip?: string;
	readonly icon: IconName;
	readonly isOn: boolean;
	readonly onChange: (isOn: boolean) => void;
}

/** A button that is pressed in or not. */
export function ToggleButton({ label, named, tip = label, icon, isOn, onChange }: ToggleButtonProps) {
	return (
		<AriaToggleButton
			{...tooltip(tip)}
			className={`${buttonStyles.button} ${buttonStyles.quiet} ${named ? '' : buttonStyles.square} ${styles.toggle}`}
			aria-label={label}
			isSelected={isOn}
			onChange={onChange}
		>
			<Icon name={icon} />
			{named && <span>{label}</span>}
		</AriaToggleButton>
	);
}
