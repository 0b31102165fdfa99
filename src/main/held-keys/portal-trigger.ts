import type { Combination } from '#shared/commands/combination.ts';

/** Modifiers by the names of the XDG specification of shortcuts, in its order. */
const MODIFIERS = [
	['Mod', 'CTRL'],
	['Ctrl', 'CTRL'],
	['Alt', 'ALT'],
	['Shift', 'SHIFT'],
] as const;
/** Keysym names, where they differ from our name of the key. */
const KEYSYMS: Readonly<Record<string, string>> = {
	...{ Enter: 'Return', Space: 'space', Plus: 'plus', Backspace: 'BackSpace', Tab: 'Tab', Escape: 'Escape' },
	...{ PageUp: 'Page_Up', PageDown: 'Page_Down', ArrowUp: 'Up', ArrowDown: 'Down' },
	...{ ArrowLeft: 'Left', ArrowRight: 'Right', '?': 'question', '!': 'exclam', ',': 'comma', '.': 'period' },
	...{ '-': 'minus', '/': 'slash', ';': 'semicolon', ':': 'colon', '#': 'numbersign', '*': 'asterisk' },
	...{
		"'": 'apostrophe',
		'"': 'quotedbl',
		'(': 'parenleft',
		')': 'parenright',
		'=': 'equal',
		_: 'underscore',
	},
	...{ '[': 'bracketleft', ']': 'bracketright', '<': 'less', '>': 'greater', '&': 'ampersand' },
};

/**
 * A combination in the form a portal takes (`CTRL+SHIFT+F8`; XDG, shortcuts specification); null: we know no name for
 * its key there, and the desktop chooses one.
 */
export function portalTrigger({ modifiers, key }: Combination): string | null {
	const named = Object.hasOwn(KEYSYMS, key) ? KEYSYMS[key] : undefined;
	const keysym =
		named ?? (/^([A-Z]|\d)$/.test(key) ? key.toLowerCase() : /^[A-Z]\w+$/.test(key) ? key : null);
	if (keysym === null) return null;
	const held = MODIFIERS.filter(([name]) => modifiers.includes(name)).map(([, name]) => name);
	return [...new Set(held), keysym].join('+');
}
