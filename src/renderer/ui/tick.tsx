import type { ReactNode } from 'react';
import { Checkbox } from 'react-aria-components';
import { Icon } from './icon.tsx';
import styles from './tick.module.css';
import ticks from './tick-list.module.css';

export interface TickProps {
	readonly isTicked: boolean;
	readonly onChange: (isTicked: boolean) => void;
	/** The text to agree to; several lines are fine. */
	readonly children: ReactNode;
	readonly isInvalid?: boolean;
	/** Accessible name, if the visible words need their context; it contains those words. */
	readonly label?: string;
}

/** A checkbox with a sentence beside it. */
export function Tick({ isTicked, onChange, children, isInvalid = false, label }: TickProps) {
	return (
		<Checkbox
			className={styles.tick ?? ''}
			isSelected={isTicked}
			onChange={onChange}
			isInvalid={isInvalid}
			validationBehavior="aria"
			{...(label ? { 'aria-label': label } : {})}
		>
			<span className={`${ticks.box} ${isTicked ? ticks.on : ''}`}>
				{isTicked && <Icon name="check" size={16} />}
			</span>
			<span>{children}</span>
		</Checkbox>
	);
}
