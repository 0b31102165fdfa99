import {
	type KeyboardEvent,
	type MouseEvent,
	type ReactNode,
	type Ref,
	useContext,
	useEffect,
	useRef,
	useState,
} from 'react';
import {
	Button,
	Collection,
	ComboBox,
	ComboBoxStateContext,
	FieldError,
	Group,
	Header,
	Input,
	type Key,
	Label,
	ListBox,
	ListBoxItem,
	ListBoxSection,
	Popover,
} from 'react-aria-components';
import { tooltip } from './button.tsx';
import styles from './field.module.css';
import { Icon } from './icon.tsx';
import combo from './search-combo.module.css';

export interface ComboItem {
	readonly id: string;
	/** The text in the list, and in the box when chosen. */
	readonly text: string;
	/** BCP 47 tag of `text`. */
	readonly lang?: string;
	/** Secondary text beside `text`. */
	readonly side?: string;
}

export interface ComboSection {
	readonly id: string;
	readonly title: string;
	readonly items: readonly ComboItem[];
}

export interface SearchComboProps {
	readonly label: string;
	/** Accessible name of the arrow that opens the list. */
	readonly showLabel: string;
	readonly emptyText: string;
	readonly value: string;
	/** The text of the box while nothing is typed. */
	readonly valueText: string;
	readonly valueLang?: string;
	/** Returns the list for the typed text; everything for an empty text. */
	readonly sectionsFor: (typed: string) => readonly ComboSection[];
	readonly onChoose: (id: string) => void;
	readonly error?: ReactNode;
	readonly ref?: Ref<HTMLInputElement>;
}

/** A box that both shows the choice and searches for another: focus, type, Enter. */
export function SearchCombo(props: SearchComboProps) {
	/** `null` = nothing typed, so the box shows the choice. */
	const [typed, setTyped] = useState<string | null>(null);
	const whole = props.sectionsFor('');
	const sections = (typed ? props.sectionsFor(typed) : whole).filter(({ items }) => items.length > 0);

	function choose(key: Key | null): void {
		setTyped(null);
		if (key === null) return;
		// An entry may be in several sections; keys of the form `section:id` are unique.
		const id = String(key).slice(String(key).indexOf(':') + 1);
		// The library reports leaving the list as choosing the present value again.
		if (id !== props.value) props.onChoose(id);
	}

	// Look in the whole list: a selected key that changed with the typed text would count as a
	// new choice, and end the search.
	const selected = whole.find((section) => section.items.some(({ id }) => id === props.value));

	return (
		<ComboBox
			className={combo.combo ?? ''}
			items={sections}
			inputValue={typed ?? props.valueText}
			onInputChange={(text) => setTyped(text === props.valueText ? null : text)}
			value={selected ? `${selected.id}:${props.value}` : null}
			onChange={choose}
			onOpenChange={(open) => {
				if (!open) setTyped(null);
			}}
			isInvalid={Boolean(props.error)}
			validationBehavior="aria"
			menuTrigger="manual"
			allowsEmptyCollection
		>
			<Label className={combo.label ?? ''}>{props.label}</Label>
			<SearchBox
				best={typed !== null && typed.trim() !== '' ? keyOfFirst(sections) : null}
				chosen={props.valueText}
			>
				<Input
					className={combo.input ?? ''}
					{...(typed === null && props.valueLang ? { lang: props.valueLang } : {})}
					dir="auto"
					spellCheck="false"
					data-tooltip={typed ?? props.valueText}
					// The library also sends a synthetic event, when the first letter takes focus out of the list.
					onFocus={(event) => event.isTrusted && event.currentTarget.select()}
					{...(props.ref ? { ref: props.ref } : {})}
				/>
				<Button {...tooltip(props.showLabel)} className={combo.arrow ?? ''} aria-label={props.showLabel}>
					<Icon name="down" />
				</Button>
			</SearchBox>
			{props.error && <FieldError className={styles.error ?? ''}>{props.error}</FieldError>}
			<Popover className={styles.popover ?? ''} offset={4}>
				<ListBox
					className={styles.listBox ?? ''}
					renderEmptyState={() => <p className={styles.empty}>{props.emptyText}</p>}
				>
					{(section: ComboSection) => (
						<ListBoxSection id={section.id}>
							<Header className={styles.sectionHeader ?? ''}>{section.title}</Header>
							<Collection items={section.items.map((item) => ({ ...item, id: `${section.id}:${item.id}` }))}>
								{(item) => (
									<ListBoxItem className={styles.item ?? ''} textValue={textOf(item)}>
										{({ isSelected }) => (
											<>
												{/* No slot="label": the text beside it is part of the accessible name. */}
												<span className={styles.itemText} lang={item.lang} dir="auto">
													{item.text}
												</span>
												{item.side && item.side !== item.text && (
													<span className={styles.itemSide}>{item.side}</span>
												)}
												{isSelected && <Icon name="check" size={16} />}
											</>
										)}
									</ListBoxItem>
								)}
							</Collection>
						</ListBoxSection>
					)}
				</ListBox>
			</Popover>
		</ComboBox>
	);
}

interface SearchBoxProps {
	/** Key of the best match; `null` if nothing was typed. */
	readonly best: string | null;
	/** The text of the box while nothing is typed. */
	readonly chosen: string;
	readonly children: ReactNode;
}

function SearchBox({ best, chosen, children }: SearchBoxProps) {
	const state = useContext(ComboBoxStateContext);
	const isOpen = state?.isOpen ?? false;
	const box = useRef<HTMLDivElement>(null);

	// After a choice, focus is still in the box: select its text, so that the next letter starts a new search.
	// biome-ignore lint/correctness/useExhaustiveDependencies: a new text clears the selection
	useEffect(() => {
		const { activeElement } = document;
		if (!isOpen && activeElement instanceof HTMLInputElement && box.current?.contains(activeElement))
			activeElement.select();
	}, [isOpen, chosen]);

	// The library hides all but the box and its list from assistive technology, though the hidden part can still
	// be reached and pressed (adobe/react-spectrum#4937). It leaves out elements with this attribute, and checks
	// for it after this effect.
	useEffect(() => {
		const layer = isOpen ? box.current?.closest<HTMLElement>('body > *') : null;
		if (!layer) return undefined;
		layer.dataset.liveAnnouncer = 'true';
		return () => {
			delete layer.dataset.liveAnnouncer;
		};
	}, [isOpen]);

	/** A click anywhere on the box opens the list. React Aria handles the arrow button. */
	function openByClick({ target }: MouseEvent): void {
		if (isOpen || !state || !(target instanceof Element) || target.closest('button')) return;
		const input = box.current?.querySelector('input');
		if (!input) return;
		input.focus();
		state.open(null, 'manual');
		// The next letter must start a search, not extend the name. The browser sets the cursor in the name after this.
		const { value } = input;
		requestAnimationFrame(() => {
			if (document.activeElement === input && input.value === value) input.select();
		});
	}

	/** Enter chooses the best match: focus it just before the list handles the key. */
	function prepare(event: KeyboardEvent): void {
		if (event.key !== 'Enter' || event.nativeEvent.isComposing || best === null) return;
		if (isOpen && state?.selectionManager.focusedKey === null) state.selectionManager.setFocusedKey(best);
	}
	return (
		<div
			className={combo.listens}
			ref={box}
			onKeyDownCapture={prepare}
			onClickCapture={openByClick}
			// Only typing or clicking opens the list. The library (`menuTrigger="input"`) would open it for every
			// new text, even one from elsewhere while the box has focus, such as a language reset because the
			// service refused another.
			onInput={() => state?.open(null, 'input')}
		>
			<Group className={combo.box ?? ''}>{children}</Group>
		</div>
	);
}

/** Text of the box when this item is chosen. */
function textOf({ text, side }: ComboItem): string {
	return side && side !== text ? `${text} · ${side}` : text;
}

function keyOfFirst(sections: readonly ComboSection[]): string | null {
	for (const { id, items } of sections) if (items[0]) return `${id}:${items[0].id}`;
	return null;
}
