import { Checkbox, CheckboxGroup } from 'react-aria-components';
import styles from './field.module.css';
import { Icon } from './icon.tsx';
import { SearchField } from './search-field.tsx';
import ticks from './tick-list.module.css';

export interface TickItem {
	readonly id: string;
	readonly text: string;
	readonly lang: string;
	readonly side: string;
}

export interface TickListProps {
	readonly label: string;
	readonly searchLabel: string;
	readonly emptyText: string;
	readonly typed: string;
	readonly onTyped: (typed: string) => void;
	/** The search results, in order. */
	readonly items: readonly TickItem[];
	/** All ticked ones, shown or not. */
	readonly ticked: readonly string[];
	readonly onChange: (ticked: readonly string[]) => void;
}

/** Any number of choices from a searchable list. */
export function TickList(props: TickListProps) {
	return (
		<>
			<SearchField label={props.searchLabel} typed={props.typed} onTyped={props.onTyped} autoFocus />
			<CheckboxGroup
				aria-label={props.label}
				className={ticks.group ?? ''}
				value={[...props.ticked]}
				onChange={props.onChange}
			>
				{props.items.map((item) => (
					<Checkbox key={item.id} value={item.id} className={styles.item ?? ''}>
						{({ isSelected }) => (
							<>
								<span className={`${ticks.box} ${isSelected ? ticks.on : ''}`}>
									{isSelected && <Icon name="check" size={16} />}
								</span>
								<span className={styles.itemText} lang={item.lang} dir="auto">
									{item.text}
								</span>
								{item.side !== item.text && <span className={styles.itemSide}>{item.side}</span>}
							</>
						)}
					</Checkbox>
				))}
				{props.items.length === 0 && <p className={styles.empty}>{props.emptyText}</p>}
			</CheckboxGroup>
		</>
	);
}
