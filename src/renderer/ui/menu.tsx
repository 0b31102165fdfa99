import { type ReactNode, useEffect, useRef } from 'react';
import { Menu as AriaMenu, MenuItem, MenuTrigger, Popover } from 'react-aria-components';
import { Button } from './button.tsx';
import styles from './field.module.css';
import { Icon, type IconName } from './icon.tsx';

export interface MenuEntry {
	readonly id: string;
	readonly label: string;
	readonly isDisabled?: boolean;
	/** Language of the label, BCP 47, if it differs from the interface language. */
	readonly lang?: string;
	/** Shown after the label, for example the entry's key. */
	readonly end?: ReactNode;
}

export interface MenuProps {
	readonly label: string;
	readonly icon: IconName;
	/** Text of the button, before the icon; by default the button shows only the icon. */
	readonly text?: string;
	/** Returns the entries; called while the list is open. */
	readonly entries: () => readonly MenuEntry[];
	/** Id of the currently selected entry. */
	readonly chosen?: string;
	readonly onChoose: (id: string) => void;
	/** Returns the id of the entry that a key chooses while the list is open; null = none. */
	readonly entryOf?: (event: KeyboardEvent) => string | null;
}

/** A button that opens a list of actions or choices. */
export function Menu(props: MenuProps) {
	const { text, label, icon } = props;
	return (
		<MenuTrigger>
			{text === undefined ? (
				<Button look="quiet" square aria-label={label}>
					<Icon name={icon} />
				</Button>
			) : (
				<Button look="quiet" tip={label}>
					{text}
					<Icon name={icon} size={16} />
				</Button>
			)}
			<Popover className={styles.popover ?? ''} offset={4}>
				<List {...props} />
			</Popover>
		</MenuTrigger>
	);
}

function List({ label, entries, chosen, onChoose, entryOf }: MenuProps) {
	const list = useRef<HTMLDivElement>(null);
	useEffect(() => {
		if (!entryOf) return;
		const pressed = (event: KeyboardEvent) => {
			const id = event.repeat ? null : entryOf(event);
			// The menu fades out after a choice, and must not accept a second one meanwhile.
			if (id === null || list.current?.closest('[data-exiting]')) return;
			event.preventDefault();
			event.stopPropagation();
			list.current?.querySelector<HTMLElement>(`[data-key="${id}"]`)?.click();
		};
		window.addEventListener('keydown', pressed, { capture: true });
		return () => window.removeEventListener('keydown', pressed, { capture: true });
	}, [entryOf]);
	return (
		<AriaMenu
			ref={list}
			className={styles.listBox ?? ''}
			aria-label={label}
			items={entries()}
			onAction={(key) => onChoose(String(key))}
			{...(chosen !== undefined && { selectionMode: 'single' as const, selectedKeys: [chosen] })}
		>
			{(entry) => (
				<MenuItem
					className={styles.item ?? ''}
					id={entry.id}
					textValue={entry.label}
					isDisabled={entry.isDisabled ?? false}
				>
					<span className={styles.itemText} {...(entry.lang && { lang: entry.lang, dir: 'auto' })}>
						{entry.label}
					</span>
					{entry.end && <> {entry.end}</>}
					{entry.id === chosen && <Icon name="check" size={16} />}
				</MenuItem>
			)}
		</AriaMenu>
	);
}
