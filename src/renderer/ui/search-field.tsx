import { SearchField as AriaSearchField, Input } from 'react-aria-components';
import field from './field.module.css';

export interface SearchFieldProps {
	/** Placeholder and accessible name. */
	readonly label: string;
	readonly typed: string;
	readonly onTyped: (typed: string) => void;
	readonly onSubmit?: () => void;
	readonly autoFocus?: boolean;
}

/** A box that searches a list; Escape clears it. */
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
