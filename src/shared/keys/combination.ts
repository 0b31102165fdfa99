/**
 * Keys pressed together, as one text: `Mod+Shift+F9`, `M`, `?`. The modifiers come in this order, the key last:
 * `Ctrl` (the Control key of a Mac), `Mod` (Ctrl, or Cmd on a Mac), `Alt`, `Shift`. Letters are upper case. A
 * character typed with Shift (`?`) is written without `Shift`, because keyboards differ.
 */
export type KeyPress = Pick<KeyboardLike, 'key' | 'ctrlKey' | 'metaKey' | 'altKey'> & Partial<KeyboardLike>;

interface KeyboardLike {
	readonly key: string;
	/** Position on the keyboard. */
	readonly code: string;
	readonly ctrlKey: boolean;
	readonly metaKey: boolean;
	readonly altKey: boolean;
	readonly shiftKey: boolean;
	getModifierState(name: string): boolean;
}

const MODIFIERS = ['Ctrl', 'Mod', 'Alt', 'Shift'] as const;
type Modifier = (typeof MODIFIERS)[number];

/** `KeyboardEvent.key` names of modifiers. */
const HELD = [
	'Control',
	'Meta',
	'Alt',
	'AltGraph',
	'Shift',
	'CapsLock',
	'Fn',
	'Dead',
	'Process',
	'Unidentified',
];
const NAMED =
	/^(F([1-9]|1\d|2[0-4])|Enter|Space|Plus|Tab|Escape|Backspace|Delete|Insert|Home|End|PageUp|PageDown|Arrow(Up|Down|Left|Right))$/;
const LETTER = /^[A-Z]$/;
/** One visible character except `+`, the separator: `USUAL` has those needed at start-up, `CHARACTER` all. */
const USUAL = /^[!-*,-~]$/;
const CHARACTER = /^[^\p{C}\p{Z}+]$/u;
const isCharacter = (key: string) => USUAL.test(key) || CHARACTER.test(key);

export interface Combination {
	readonly modifiers: readonly Modifier[];
	readonly key: string;
}

/** Null for an invalid text: people may edit the settings file. */
export function parseCombination(text: string): Combination | null {
	const parts = text.split('+');
	const key = parts.pop() ?? '';
	const isKey = NAMED.test(key) || (isCharacter(key) && key === key.toUpperCase());
	const modifiers = MODIFIERS.filter((one) => parts.includes(one));
	const isOrdered = modifiers.join() === parts.join();
	return isKey && isOrdered ? { modifiers, key } : null;
}

/** Null for a modifier alone, and for characters typed with AltGr. */
export function combinationOf(press: KeyPress, { mac }: { readonly mac: boolean }): string | null {
	// With AltGr neither Ctrl nor Alt counts as held:
	// matching by position would turn typed characters into commands.
	if (HELD.includes(press.key) || press.getModifierState?.('AltGraph')) return null;
	const key = keyOf(press, mac);
	if (key === null || (!mac && press.metaKey)) return null;
	const isShifted = press.shiftKey === true && (LETTER.test(key) || NAMED.test(key));
	const down: { readonly [One in Modifier]: boolean } = {
		Ctrl: mac && press.ctrlKey,
		Mod: mac ? press.metaKey : press.ctrlKey,
		Alt: press.altKey,
		Shift: isShifted,
	};
	return [...MODIFIERS.filter((one) => down[one]), key].join('+');
}

/**
 * The combinations that a press may mean, the likeliest first. On keyboards that type digits with Shift (French,
 * Czech), a digit key also counts by its position.
 */
export function combinationsOf(press: KeyPress, where: { readonly mac: boolean }): readonly string[] {
	const pressed = combinationOf(press, where);
	if (pressed === null) return [];
	const digit = press.shiftKey ? undefined : /^Digit(\d)$/.exec(press.code ?? '')?.[1];
	// Copy each property by name: a browser's event inherits them, so a spread would miss them.
	const { ctrlKey, metaKey, altKey } = press;
	const placed = digit === undefined ? null : combinationOf({ key: digit, ctrlKey, metaKey, altKey }, where);
	return placed === null ? [pressed] : [pressed, placed];
}

/** The key's character, or its position if that is not a Latin letter, or if Option changed it on a Mac. */
function keyOf({ key, code = '', altKey }: KeyPress, mac: boolean): string | null {
	if (key === ' ') return 'Space';
	if (key === '+') return 'Plus';
	if (key.length > 1) return NAMED.test(key) ? key : null;
	const placed = /^(?:Key|Digit)([A-Z0-9])$/.exec(code)?.[1];
	const isForeign = !/[\x21-\x7e]/.test(key);
	if (placed && (isForeign || (mac && altKey))) return placed;
	const upper = key.toUpperCase();
	return isCharacter(upper) ? upper : null;
}

/** No Ctrl, Cmd or Alt, and not a function key: in a text field such keys type text or move the cursor. */
export function isBare(text: string): boolean {
	const combination = parseCombination(text);
	if (!combination) return false;
	const { modifiers, key } = combination;
	return modifiers.every((one) => one === 'Shift') && !/^F\d/.test(key);
}

/** Electron's name for the combination, for menus and global keys; null if it has none. */
export function acceleratorOf(text: string): string | null {
	const combination = parseCombination(text);
	if (!combination || !/^[\x21-\x7e]+$/.test(combination.key)) return null;
	const modifiers = combination.modifiers.map(
		(one) => ({ Mod: 'CmdOrCtrl', Ctrl: 'Ctrl' })[one as string] ?? one,
	);
	return [...modifiers, combination.key.replace(/^Arrow/, '')].join('+');
}

const MAC_SIGNS: Readonly<Record<string, string>> = { Ctrl: '⌃', Mod: '⌘', Alt: '⌥', Shift: '⇧' };
const KEY_SIGNS: Readonly<Record<string, string>> = {
	Enter: '↵',
	Plus: '+',
	ArrowUp: '↑',
	ArrowDown: '↓',
	ArrowLeft: '←',
	ArrowRight: '→',
};

/** The label of each key in the combination. */
export function keyCaps(text: string, { mac }: { readonly mac: boolean }): readonly string[] {
	const combination = parseCombination(text);
	if (!combination) return [];
	const modifiers = combination.modifiers.map((one) => (mac ? MAC_SIGNS[one] : undefined) ?? plain(one));
	return [...modifiers, KEY_SIGNS[combination.key] ?? combination.key];
}

function plain(modifier: Modifier): string {
	return modifier === 'Mod' ? 'Ctrl' : modifier;
}

/** Value of the attribute `aria-keyshortcuts` (WAI-ARIA 1.2, 6.6). */
export function ariaKeys(texts: readonly string[], { mac }: { readonly mac: boolean }): string {
	const names: Readonly<Record<string, string>> = { Mod: mac ? 'Meta' : 'Control', Ctrl: 'Control' };
	return texts
		.map((text) =>
			text
				.split('+')
				.map((part) => names[part] ?? part)
				.join('+'),
		)
		.join(' ');
}
