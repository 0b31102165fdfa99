import { Menu as AriaMenu, MenuItem, MenuTrigger, Popover } from 'react-aria-components';
import { Button } from './button.tsx';
import styles from './field.module.css';
import { Icon, type IconName } from './icon.tsx';

export interface MenuEntry {
	readonly id: string;
	readonly label: string;
}

export interface MenuProps {
	readonly label: string;
	readonly icon: IconName;
	readonly entries: readonly MenuEntry[];
	/** One of the entries is in force. */
	readonly chosen?: string;
	readonly onChoose: (id: string) => void;
}

/** A square button that opens a list of things to do, or to choose from. */
export function Menu({ label, icon, entries, chosen, onChoose }: MenuProps) {
	return (
		<MenuTrigger>
			<Button look="quiet" square aria-label={label}>
				<Icon name={icon} />
			</Button>
			<Popover className={styles.popover ?? ''} offset={4}>
				<AriaMenu
					className={styles.listBox ?? ''}
					aria-label={label}
					items={entries}
					onAction={(key) => onChoose(String(key))}
					{...(chosen !== undefined && { selectionMode: 'single' as const, selectedKeys: [chosen] })}
				>
					{(entry) => (
						<MenuItem className={styles.item ?? ''} id={entry.id} textValue={entry.label}>
							<span className={styles.itemText}>{entry.label}</span>
							{entry.id === chosen && <Icon name="check" size={16} />}
						</MenuItem>
					)}
				</AriaMenu>
			</Popover>
		</MenuTrigger>
	);
}
