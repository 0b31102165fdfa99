import { isBare } from './combination.ts';
import type { Slot } from './commands.ts';

/** Why no command may have these keys; words in `shortcuts.reserved`. */
export type Reserved = 'editing' | 'system' | 'moving' | 'window' | 'sides' | 'bare';

const lists: readonly (readonly [Reserved, readonly string[]])[] = [
	[
		'editing',
		['Mod+A', 'Mod+C', 'Mod+V', 'Mod+X', 'Mod+Y', 'Mod+Z', 'Mod+Shift+Z', 'Mod+Shift+V', 'Mod+Backspace'],
	],
	[
		'system',
		['Mod+Q', 'Mod+W', 'Mod+H', 'Mod+Tab', 'Mod+Shift+Tab', 'Alt+Tab', 'Alt+F4', 'Mod+Space', 'Alt+Space'],
	],
	[
		'moving',
		[
			...['Tab', 'Enter', 'Space', 'Escape', 'Backspace', 'Delete', 'Home', 'End', 'PageUp', 'PageDown'],
			...['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight'],
		],
	],
	[
		'window',
		[
			...['Mod+R', 'Mod+Shift+R', 'F5', 'Mod+F5', 'F11', 'F12', 'Mod+Shift+I', 'F10'],
			...['Mod+0', 'Mod+Plus', 'Mod+-', 'Mod+='],
		],
	],
	/** Each side's key in face to face (use-hold-keys.ts). */
	['sides', ['F', 'J']],
];

/** Null: a slot may have these keys. */
export function reservedFor(text: string, slot: Pick<Slot, 'scope'>): Reserved | null {
	// Navigation keys stay navigation with Shift.
	const plain = text.replace(/^Shift\+/, '');
	for (const [why, list] of lists) {
		if (list.includes(text) || (why === 'moving' && list.includes(plain))) return why;
	}
	return slot.scope === 'global' && isBare(text) ? 'bare' : null;
}
