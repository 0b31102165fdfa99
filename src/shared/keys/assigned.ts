import type { Settings } from '#shared/settings/schema.ts';
import { combinationsOf, isBare, type KeyPress, parseCombination } from './combination.ts';
import { type Command, type Slot, type SlotName, slots } from './commands.ts';

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
	/** The key of each side in face-to-face mode (use-side-keys.ts). */
	['sides', ['F', 'J']],
];

type Edited = Settings['shortcuts'];

/** The keys currently assigned to each slot. */
export type Assigned = ReadonlyMap<SlotName, readonly string[]>;

/** A slot that was never edited has its defaults; invalid or forbidden combinations are skipped. */
export function assignedBy(edited: Edited): Assigned {
	return new Map(
		slots.map((slot) => {
			const chosen = Object.hasOwn(edited, slot.name) ? edited[slot.name] : undefined;
			const usable = chosen?.filter((text) => parseCombination(text) && !reservedFor(text, slot));
			return [slot.name, usable ?? slot.defaults];
		}),
	);
}

/** The command of a key press in the window; while `typing`, keys without modifiers have no command. */
export function commandOf(
	press: KeyPress,
	where: { readonly mac: boolean; readonly typing: boolean; readonly assigned: Assigned },
): Command | null {
	const [pressed, placed] = combinationsOf(press, where);
	if (pressed === undefined || (where.typing && isBare(pressed))) return null;
	const slot = slotOf(pressed, where.assigned) ?? slotOf(placed, where.assigned);
	return slot?.command ?? null;
}

/** A key that the user chose takes precedence over a default that was added later. */
function slotOf(text: string | undefined, assigned: Assigned): Slot | undefined {
	if (text === undefined) return undefined;
	const all: readonly Slot[] = slots.filter(
		({ name, scope }) => scope === 'window' && assigned.get(name)?.includes(text),
	);
	return all.find(({ defaults }) => !defaults.includes(text)) ?? all[0];
}

export type Refusal =
	| { readonly why: 'reserved'; readonly reserved: Reserved }
	/** The keys are assigned to this other slot. */
	| { readonly why: 'taken'; readonly by: SlotName };

/**
 * Why a slot cannot have a combination; null = it can.
 * A command may have the same key inside and outside the window.
 */
export function refusalOf(text: string, slot: Slot, assigned: Assigned): Refusal | null {
	const reserved = reservedFor(text, slot);
	if (reserved) return { why: 'reserved', reserved };
	const by = slots.find(
		({ name, command }) => command !== slot.command && assigned.get(name)?.includes(text),
	);
	return by ? { why: 'taken', by: by.name } : null;
}

/** Slots that share a combination, because a file was edited or a default was added later. */
export function conflictsIn(assigned: Assigned): ReadonlyMap<SlotName, SlotName> {
	const found = new Map<SlotName, SlotName>();
	for (const one of slots) {
		for (const other of slots) {
			if (one.command === other.command) continue;
			const theirs = assigned.get(other.name) ?? [];
			if (assigned.get(one.name)?.some((text) => theirs.includes(text))) found.set(one.name, other.name);
		}
	}
	return found;
}

/** The setting after assigning a combination to a slot; its previous slot loses it. */
export function withKey(edited: Edited, slot: Slot, text: string): Edited {
	const assigned = assignedBy(edited);
	const next: Record<string, string[]> = { ...edited };
	for (const other of slots) {
		const theirs = assigned.get(other.name) ?? [];
		if (other.command !== slot.command && theirs.includes(text)) {
			next[other.name] = theirs.filter((one) => one !== text);
		}
	}
	const own = assigned.get(slot.name) ?? [];
	next[slot.name] = [...own.filter((one) => one !== text), text];
	return next;
}

export function withoutKey(edited: Edited, slot: Slot, text: string): Edited {
	const own = assignedBy(edited).get(slot.name) ?? [];
	return { ...edited, [slot.name]: own.filter((one) => one !== text) };
}

/** Restores the defaults, except keys that another slot now has. */
export function resetSlot(edited: Edited, slot: Slot): Edited {
	const { [slot.name]: _, ...rest } = edited;
	const assigned = assignedBy(rest);
	const free = slot.defaults.filter((text) => refusalOf(text, slot, assigned) === null);
	return free.length === slot.defaults.length ? rest : { ...rest, [slot.name]: free };
}

export function isEdited(edited: Edited, slot: Slot): boolean {
	return String(assignedBy(edited).get(slot.name)) !== String(slot.defaults);
}

/** Why no command may have these keys; texts in `shortcuts.reserved`. */
type Reserved = 'editing' | 'system' | 'moving' | 'window' | 'sides' | 'bare';

/** Null: a slot may have these keys. */
export function reservedFor(text: string, slot: Pick<Slot, 'scope'>): Reserved | null {
	// Navigation keys also navigate when pressed with Shift.
	const plain = text.replace(/^Shift\+/, '');
	for (const [why, list] of lists) {
		if (list.includes(text) || (why === 'moving' && list.includes(plain))) return why;
	}
	return slot.scope === 'global' && isBare(text) ? 'bare' : null;
}
