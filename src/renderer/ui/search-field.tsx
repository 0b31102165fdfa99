import { SearchField as AriaSearchField, Input } from 'react-aria-components';
import field from './field.module.css';

export interface SearchFieldProps {
	/** Shown while nothing is typed, and said. */
	readonly label: string;
	readonly typed: string;
	readonly onTyped: (typed: string) => void;
	/** Enter. */
	readonly onSubmit?: () => void;
	/** It has the keyboard as it comes. */
	readonly autoFocus?: boolean;
}

/** A box to search a list with; Escape empties it. */
export function SearchField({ label, typed, onTyped, onSubmit, autoFocus = false }: SearchFieldProps) {
	return (
		<AriaSearchField
			aria-label={label}
			value={typed}
			onChange={onTyped}
			{...(onSubmit ? { onSubmit } : {})}
			autoFocus={autoFocus}
		>
			<Input className={field.input ?? ''} placeholder={label} />
		</AriaSearchField>
	);
}
